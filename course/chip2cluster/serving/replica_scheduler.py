"""Scheduler of one replica: which sequences are in a step, and which KV-cache blocks they hold."""

from __future__ import annotations

from collections import OrderedDict, deque
from typing import TYPE_CHECKING

from .batch import Batch

if TYPE_CHECKING:
    from .replica import Replica


class SequenceState:
    """A request on its replica: tokens to prefill, tokens cached, and the times of its output tokens.

    ``target`` is the number of tokens to prefill, ``cached`` how many are. A ``loaded`` sequence was
    prefilled elsewhere, and its keys and values come with it.
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
        self.cached, self.blocks = 0, 0  # blocks that no other sequence shares
        self.shared = 0  # blocks of its prefix, shared with other sequences
        self.times: list[float] = []

    @property
    def longest(self) -> int:
        """Largest number of its tokens in the cache; the last output token is never cached."""
        return self.target + self.output - (not self.loaded)


class Engine:
    """State of one replica between two steps."""

    def __init__(self, replica: Replica, waiting: deque[SequenceState]) -> None:
        self.replica, self.waiting = replica, waiting
        self.free_blocks = replica.cache_blocks
        self.prefilling: list[SequenceState] = []
        self.decoding: list[SequenceState] = []
        self.prefixes: OrderedDict[int, list[int]] = OrderedDict()  # prefix: [blocks, users], least recently used first
        self.chunks: list[tuple[SequenceState, int]] = []
        self.decoded: list[SequenceState] = []  # sequences that decode in the current step
        self.outstanding = 0
        self.preemptions, self.tokens_recomputed, self.tokens_from_prefix = 0, 0, 0

    @property
    def used_blocks(self) -> int:
        """Blocks in use, those of currently unused prefixes included."""
        return self.replica.cache_blocks - self.free_blocks

    @property
    def idle(self) -> bool:
        """Whether no sequence is running or waiting."""
        return not (self.decoding or self.prefilling or self.waiting)

    def start_step(self) -> Batch | None:
        """Schedule a step; return None if there is nothing to do."""
        preempted = self._allocate_decode_blocks()
        if not preempted:
            self._admit()
        self.chunks, self.decoded = [], []
        if self.replica.policy == "chunked":
            self.decoded = list(self.decoding)
            self._schedule_chunks(self.replica.step_tokens - len(self.decoded))
        elif self.prefilling:
            self._schedule_whole_prompts()
        else:
            self.decoded = list(self.decoding)
        if not self.decoded and not self.chunks:
            return None
        context = sum(sequence.cached for sequence in self.decoded) + len(self.decoded)
        pairs = sum(count * sequence.cached + count * (count + 1) / 2 for sequence, count in self.chunks)
        return Batch(
            decoding=len(self.decoded),
            context=context,
            prompt=sum(count for _, count in self.chunks),
            pairs=pairs,
            before=sum(sequence.cached for sequence, _ in self.chunks),
            finished=sum(sequence.cached + count == sequence.target for sequence, count in self.chunks),
        )

    def finish_step(self, now: float) -> list[SequenceState]:
        """End the step: append its tokens and return the sequences that are finished."""
        done = []
        for sequence in self.decoded:
            sequence.cached += 1
            sequence.times.append(now)
            if len(sequence.times) == sequence.output:
                done.append(sequence)
        for sequence, count in self.chunks:
            sequence.cached += count
            if sequence.cached == sequence.target:
                self.prefilling.remove(sequence)
                self._publish_prefix(sequence)
                sequence.times.append(now)
                self.decoding.append(sequence)
                if len(sequence.times) == sequence.output:
                    done.append(sequence)
        for sequence in done:
            self.decoding.remove(sequence)
            self._free(sequence)
            self.outstanding -= 1
        return done

    def _allocate_decode_blocks(self) -> bool:
        """Allocate the block for the next token of each decoding sequence; return whether a sequence was preempted."""
        preempted = False
        if self.replica.policy != "chunked" and self.prefilling:
            return preempted
        for sequence in list(self.decoding):
            while sequence.cached == (sequence.blocks + sequence.shared) * self.replica.block_tokens:
                if preempted and sequence not in self.decoding:  # preempted in this loop
                    break
                if self._allocate(1):
                    sequence.blocks += 1
                    continue
                youngest = (self.prefilling or self.decoding)[-1]
                self._preempt(youngest)
                preempted = True
        return preempted

    def _admit(self) -> None:
        if self.replica.policy == "static" and (self.prefilling or self.decoding):
            return
        while self.waiting and len(self.prefilling) + len(self.decoding) < self.replica.max_sequences:
            sequence = self.waiting[0]
            shared = self._cached_prefix_blocks(sequence)
            needed = -(-(sequence.target + sequence.loaded) // self.replica.block_tokens) - shared
            if not self._allocate(needed, protected_prefix=sequence.prefix if shared else -1):
                return
            sequence.blocks, sequence.shared = needed, shared
            if shared:
                self.prefixes[sequence.prefix][1] += 1
                self.prefixes.move_to_end(sequence.prefix)
                sequence.cached = shared * self.replica.block_tokens
                self.tokens_from_prefix += sequence.cached
            if sequence.loaded:
                sequence.cached, sequence.loaded = sequence.target, False
                self.decoding.append(self.waiting.popleft())
            else:
                self.prefilling.append(self.waiting.popleft())

    def _schedule_chunks(self, budget: int) -> None:
        for sequence in self.prefilling:
            if budget <= 0:
                return
            count = min(budget, sequence.target - sequence.cached)
            self.chunks.append((sequence, count))
            budget -= count

    def _schedule_whole_prompts(self) -> None:
        budget = self.replica.step_tokens
        for sequence in self.prefilling:
            count = sequence.target - sequence.cached
            if self.chunks and count > budget:
                return
            self.chunks.append((sequence, count))
            budget -= count

    def _cached_prefix_blocks(self, sequence: SequenceState) -> int:
        """Blocks of the sequence's prefix that are in the cache."""
        known = self.prefixes.get(sequence.prefix) if sequence.prefix >= 0 else None
        return known[0] if known else 0

    def _publish_prefix(self, sequence: SequenceState) -> None:
        """Turn the full blocks of a prefix that was prefilled for the first time into shared blocks."""
        count = sequence.prefix_tokens // self.replica.block_tokens
        if (
            not self.replica.prefix_cache
            or sequence.prefix < 0
            or sequence.shared
            or not count
            or sequence.prefix in self.prefixes
        ):
            return
        self.prefixes[sequence.prefix] = [count, 1]
        sequence.blocks, sequence.shared = sequence.blocks - count, count

    def _allocate(self, blocks: int, protected_prefix: int = -1) -> bool:
        """Take free blocks, evicting unused prefixes if necessary; return whether there were enough."""
        if blocks > self.free_blocks:
            unused = [
                number for number, (_, users) in self.prefixes.items() if not users and number != protected_prefix
            ]
            if blocks > self.free_blocks + sum(self.prefixes[number][0] for number in unused):
                return False
            for number in unused:
                self.free_blocks += self.prefixes.pop(number)[0]
                if blocks <= self.free_blocks:
                    break
        self.free_blocks -= blocks
        return True

    def _free(self, sequence: SequenceState) -> None:
        self.free_blocks += sequence.blocks
        if sequence.shared:
            self.prefixes[sequence.prefix][1] -= 1
        sequence.blocks = sequence.shared = 0

    def _preempt(self, sequence: SequenceState) -> None:
        if sequence in self.prefilling:
            self.prefilling.remove(sequence)
        else:
            self.decoding.remove(sequence)
            sequence.target = sequence.cached + 1  # the prompt and all tokens generated so far are prefilled again
        self._free(sequence)
        self.tokens_recomputed += sequence.cached
        self.preemptions += 1
        sequence.cached = 0
        self.waiting.appendleft(sequence)
