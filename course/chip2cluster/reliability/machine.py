"""The loop behind `simulate_nodes`: what breaks and comes back, moment by moment, and what the job makes of it."""

from __future__ import annotations

from heapq import heappop, heappush
from math import inf, isfinite

import numpy as np

from .expected import expected_time
from .histories import NODE_BACK, NODE_BREAKS, SWITCH_BREAKS, history, machine_nodes
from .plan import RunPlan
from .simulate import Stretch

LONGEST = 5  # times what a run takes without failures: then it is given up
WORKING, IDLE, BROKEN, LENT = range(4)


def played(plan: RunPlan, seed: int, asked: list[tuple], limit: float, log: bool) -> Game:
    """Play a plan; the history is drawn as far as the run is expected to last, and further where it lasts longer."""
    times = plan.interval, plan.checkpoint_seconds, plan.restart_seconds, plan.mtbf
    horizon = 1.2 * expected_time(plan.work_seconds, *times, persist_seconds=plan.persist_seconds) + 10 * plan.mtbf
    if not isfinite(horizon):
        horizon = limit
    game, seen = Game(plan, asked, log), 0.0
    while True:
        horizon = min(horizon, limit)
        lives = history(plan, seed, horizon)
        new = slice(int(np.searchsorted(lives.times, seen, side="right")), None)
        game.play(*(values[new].tolist() for values in lives), horizon)
        if game.done or horizon >= limit:
            return game
        seen, horizon = horizon, 2 * horizon


class Game:
    """One run while it is played: who holds which node, and how far the job is."""

    def __init__(self, plan: RunPlan, asked: list[tuple], log: bool) -> None:
        self.plan, self.limit = plan, 0.0
        total = machine_nodes(plan)
        self.state = [WORKING] * plan.nodes + [IDLE] * (total - plan.nodes)
        self.faults = [0] * total  # of the node and of its switch
        self.idle = set(range(plan.nodes, total))
        self.asked, self.next = asked, 0  # jobs of others, in order; the first that has not been submitted
        self.queue: list[tuple] = []
        self.ends: list[tuple] = []  # a heap of when, which of `holders`
        self.holders: dict[int, tuple[int, ...]] = {}
        self.started = 0
        self.left, self.missing = plan.segments, 0
        self.since = self.waited = self.restart = 0.0  # of the stretch that goes on
        self.segment = plan.segment_seconds
        self.tail = plan.unbroken_seconds - plan.segments * self.segment
        self.end = self.left * self.segment + self.tail
        self.stretches: list[Stretch] = []
        self.done = False
        self.log: list[tuple] | None = [] if log else None

    def play(self, times: list[float], kinds: list[int], units: list[int], until: float) -> None:
        """Go on until a moment, with all that breaks and comes back until then."""
        faults, self.limit = self.faults, until
        for time, kind, unit in zip(times, kinds, units, strict=True):
            if self.asked:
                self._others(time)
            if time >= self.end:
                break
            if kind == NODE_BREAKS:
                faults[unit] += 1
                if faults[unit] == 1:
                    self._lose((unit,), time, "node breaks")
            elif kind == NODE_BACK:
                faults[unit] -= 1
                if not faults[unit]:
                    self._regain((unit,), time)
            else:
                size = self.plan.group_nodes or 1
                hanging = range(unit * size, min((unit + 1) * size, len(faults)))
                if kind == SWITCH_BREAKS:
                    for node in hanging:
                        faults[node] += 1
                    self._lose(tuple(node for node in hanging if faults[node] == 1), time, "switch breaks")
                else:
                    for node in hanging:
                        faults[node] -= 1
                    self._regain(tuple(node for node in hanging if not faults[node]), time)
        if self.asked:
            self._others(until)
        self.done = self.end <= until

    def _lose(self, nodes: tuple[int, ...], time: float, why: str) -> None:
        if self.log is not None:
            self.log.append((time, why, nodes))
        before = [self.state[node] for node in nodes]
        for node in nodes:
            self.state[node] = BROKEN
        self.idle.difference_update(nodes)
        if LENT in before:
            for key in [key for key, held in self.holders.items() if not set(held).isdisjoint(nodes)]:
                self._release(key, time)
        hit = before.count(WORKING)
        if hit:
            if not self.missing:
                self._interrupt(time, hit)
            self.missing += hit
            self._fill(time)
            if self.missing and self.log is not None:
                self.log.append((time, "waits", ()))

    def _regain(self, nodes: tuple[int, ...], time: float) -> None:
        for node in nodes:
            self.state[node] = IDLE
        self.idle.update(nodes)
        if self.log is not None and nodes:
            self.log.append((time, "back", nodes))
        self._fill(time)
        if self.queue:
            self._serve(time)

    def _interrupt(self, time: float, hit: int) -> None:
        """Close the stretch that a failure ends: what is safe stays, the rest is lost."""
        plan, passed = self.plan, time - self.since
        took = min(self.restart, passed)
        running = passed - took
        safe = min(max((running - plan.persist_seconds) // self.segment, 0.0), self.left - 1.0)
        self.left -= int(safe)
        self.stretches.append(Stretch(self.waited, took, running, int(safe), hit))
        self.since, self.end = time, inf

    def _fill(self, time: float) -> None:
        """Give the job the idle nodes that it lacks, and let it restart once it has them all."""
        if not self.missing or not self.idle:
            return
        taken = (min(self.idle),) if self.missing == 1 else tuple(sorted(self.idle)[: self.missing])
        for node in taken:
            self.state[node] = WORKING
        self.idle.difference_update(taken)
        self.missing -= len(taken)
        if self.log is not None:
            self.log.append((time, "takes over", taken))
        if not self.missing:
            if self.log is not None:
                self.log.append((time, "goes on", ()))
            self.waited, self.since, self.restart = time - self.since, time, self.plan.restart_seconds
            self.end = time + self.restart + self.left * self.segment + self.tail

    def _others(self, time: float) -> None:
        """Let jobs of others come and end, until this moment or the end of the job."""
        while True:
            comes = self.asked[self.next][0] if self.next < len(self.asked) else inf
            over = self.ends[0][0] if self.ends else inf
            first = min(comes, over)
            if first > time or first >= self.end:
                return
            if over <= comes:
                _, key = heappop(self.ends)
                if key in self.holders:
                    self._release(key, over)
            else:
                job = self.asked[self.next]
                self.next += 1
                if job[1] <= len(self.state) - self.plan.nodes:
                    self.queue.append(job)
            self._serve(first)

    def _serve(self, time: float) -> None:
        """Start those jobs of others that fit, in their order, where the job itself lacks no node."""
        waiting = []
        for job in self.queue:
            if self.missing or job[1] > len(self.idle):
                waiting.append(job)
                continue
            taken = tuple(sorted(self.idle)[-job[1] :])  # the last ones: the job takes the first
            self.idle.difference_update(taken)
            for node in taken:
                self.state[node] = LENT
            self.started += 1
            self.holders[self.started] = taken
            heappush(self.ends, (time + job[2], self.started))
            if self.log is not None:
                self.log.append((time, "lent", taken, job[3]))
        self.queue = waiting

    def _release(self, key: int, time: float) -> None:
        free = tuple(node for node in self.holders.pop(key) if self.state[node] == LENT)
        for node in free:
            self.state[node] = IDLE
        self.idle.update(free)
        if self.log is not None:
            self.log.append((time, "given back", free))
        self._fill(time)

    @property
    def course(self) -> list[Stretch]:
        """All stretches, with the one that goes on: to its end, or to where the run was given up."""
        if self.missing:
            return [*self.stretches, Stretch(self.limit - self.since, 0.0, 0.0, 0, 0)]
        running = max(self.end - self.since - self.restart, 0.0)
        return [*self.stretches, Stretch(self.waited, self.restart, running, int(self.left), 0)]
