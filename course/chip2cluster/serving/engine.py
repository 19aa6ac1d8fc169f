"""One replica at work: who is in a step, and which blocks of the cache they hold."""

from __future__ import annotations

from collections import OrderedDict, deque
from typing import TYPE_CHECKING

from .step import Batch

if TYPE_CHECKING:
    from .replica import Replica


class Sequence:
    """A request on its way: ``target`` tokens are to be read, ``cached`` are; ``times`` of tokens written.

    One that is ``loaded`` was read elsewhere: its keys and values come with it.
    """

    __slots__ = (
        "blocks",
        "cached",
        "index",
        "loaded",
        "output",
        "prefix",
        "prefix_tokens",
        "shared",
        "target",
        "times",
    )

    def __init__(
        self, index: int, prompt: int, output: int, prefix: int = -1, prefix_tokens: int = 0, loaded: bool = False
    ) -> None:
        self.index, self.target, self.output, self.loaded = index, prompt, output, loaded
        self.prefix, self.prefix_tokens = prefix, prefix_tokens
        self.cached, self.blocks = 0, 0  # blocks of its own
        self.shared = 0  # blocks of its prefix, which others use too
        self.times: list[float] = []

    @property
    def longest(self) -> int:
        """Tokens in the cache when its last one is written, which is not cached itself."""
        return self.target + self.output - (not self.loaded)


class Engine:
    """The state of one replica between two steps."""

    def __init__(self, rules: Replica, waiting: deque[Sequence]) -> None:
        self.rules, self.waiting = rules, waiting
        self.free = rules.cache_blocks
        self.prefilling: list[Sequence] = []
        self.decoding: list[Sequence] = []
        self.prefixes: OrderedDict[int, list[int]] = OrderedDict()  # number: blocks, users; oldest use first
        self.pieces: list[tuple[Sequence, int]] = []
        self.stepped: list[Sequence] = []  # who decodes in the step under way
        self.outstanding = 0
        self.preemptions, self.read_again, self.hit_tokens = 0, 0, 0

    @property
    def used(self) -> int:
        """Blocks in use, those of prefixes that nobody uses now included."""
        return self.rules.cache_blocks - self.free

    @property
    def idle(self) -> bool:
        """Whether nobody is here and nobody waits."""
        return not (self.decoding or self.prefilling or self.waiting)

    def start(self) -> Batch | None:
        """Fill a step; None where there is nothing to do."""
        preempted = self._grow()
        if not preempted:
            self._admit()
        self.pieces, self.stepped = [], []
        if self.rules.policy == "chunked":
            self.stepped = list(self.decoding)
            self._cut(self.rules.step_tokens - len(self.stepped))
        elif self.prefilling:
            self._whole_prompts()
        else:
            self.stepped = list(self.decoding)
        if not self.stepped and not self.pieces:
            return None
        context = sum(sequence.cached for sequence in self.stepped) + len(self.stepped)
        pairs = sum(count * one.cached + count * (count + 1) / 2 for one, count in self.pieces)
        return Batch(
            decoding=len(self.stepped),
            context=context,
            prompt=sum(count for _, count in self.pieces),
            pairs=pairs,
            before=sum(one.cached for one, _ in self.pieces),
            finished=sum(one.cached + count == one.target for one, count in self.pieces),
        )

    def finish(self, now: float) -> list[Sequence]:
        """End the step: tokens come, and who has all of them leaves."""
        done = []
        for one in self.stepped:
            one.cached += 1
            one.times.append(now)
            if len(one.times) == one.output:
                done.append(one)
        for one, count in self.pieces:
            one.cached += count
            if one.cached == one.target:
                self.prefilling.remove(one)
                self._keep_prefix(one)
                one.times.append(now)
                self.decoding.append(one)
                if len(one.times) == one.output:
                    done.append(one)
        for one in done:
            self.decoding.remove(one)
            self._release(one)
            self.outstanding -= 1
        return done

    def _grow(self) -> bool:
        """Give each sequence that will decode the block for its next token; whether one had to go."""
        preempted = False
        if self.rules.policy != "chunked" and self.prefilling:
            return preempted
        for one in list(self.decoding):
            while one.cached == (one.blocks + one.shared) * self.rules.block_tokens:
                if preempted and one not in self.decoding:  # it went meanwhile
                    break
                if self._take(1):
                    one.blocks += 1
                    continue
                youngest = (self.prefilling or self.decoding)[-1]
                self._preempt(youngest)
                preempted = True
        return preempted

    def _admit(self) -> None:
        if self.rules.policy == "static" and (self.prefilling or self.decoding):
            return
        while self.waiting and len(self.prefilling) + len(self.decoding) < self.rules.max_sequences:
            one = self.waiting[0]
            shared = self._hit(one)
            needed = -(-(one.target + one.loaded) // self.rules.block_tokens) - shared
            if not self._take(needed, spared=one.prefix if shared else -1):
                return
            one.blocks, one.shared = needed, shared
            if shared:
                self.prefixes[one.prefix][1] += 1
                self.prefixes.move_to_end(one.prefix)
                one.cached = shared * self.rules.block_tokens
                self.hit_tokens += one.cached
            if one.loaded:
                one.cached, one.loaded = one.target, False
                self.decoding.append(self.waiting.popleft())
            else:
                self.prefilling.append(self.waiting.popleft())

    def _cut(self, budget: int) -> None:
        for one in self.prefilling:
            if budget <= 0:
                return
            count = min(budget, one.target - one.cached)
            self.pieces.append((one, count))
            budget -= count

    def _whole_prompts(self) -> None:
        budget = self.rules.step_tokens
        for one in self.prefilling:
            count = one.target - one.cached
            if self.pieces and count > budget:
                return
            self.pieces.append((one, count))
            budget -= count

    def _hit(self, one: Sequence) -> int:
        """Blocks of its prefix that lie in the cache."""
        known = self.prefixes.get(one.prefix) if one.prefix >= 0 else None
        return known[0] if known else 0

    def _keep_prefix(self, one: Sequence) -> None:
        """Hand the full blocks of a prefix that was read for the first time over to all."""
        count = one.prefix_tokens // self.rules.block_tokens
        if not self.rules.prefix_cache or one.prefix < 0 or one.shared or not count or one.prefix in self.prefixes:
            return
        self.prefixes[one.prefix] = [count, 1]
        one.blocks, one.shared = one.blocks - count, count

    def _take(self, blocks: int, spared: int = -1) -> bool:
        """Take free blocks, and those of prefixes that nobody uses where it needs them."""
        if blocks > self.free:
            idle = [number for number, (_, users) in self.prefixes.items() if not users and number != spared]
            if blocks > self.free + sum(self.prefixes[number][0] for number in idle):
                return False
            for number in idle:
                self.free += self.prefixes.pop(number)[0]
                if blocks <= self.free:
                    break
        self.free -= blocks
        return True

    def _release(self, one: Sequence) -> None:
        self.free += one.blocks
        if one.shared:
            self.prefixes[one.prefix][1] -= 1
        one.blocks = one.shared = 0

    def _preempt(self, one: Sequence) -> None:
        if one in self.prefilling:
            self.prefilling.remove(one)
        else:
            self.decoding.remove(one)
            one.target = one.cached + 1  # its prompt, and all tokens written so far
        self._release(one)
        self.read_again += one.cached
        self.preemptions += 1
        one.cached = 0
        self.waiting.appendleft(one)
