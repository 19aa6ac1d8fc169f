"""The loop behind `simulate_nodes`: what breaks and comes back, moment by moment, and what the job makes of it."""

from __future__ import annotations

from collections import deque
from heapq import heapify, heappop, heappush
from math import ceil, inf
from typing import Any

import numpy as np

from .lifetimes import Lives
from .plan import RunPlan
from .simulate import Stretch

NODE, SWITCH = range(2)
WORKING, IDLE, BROKEN, LENT = range(4)


class Game:
    """One run while it is played: who holds which node, and how far the job is.

    Two clocks: that of the wall, and that of the job, which stands while the job waits. Nodes and switches
    live by the second one.
    """

    def __init__(self, plan: RunPlan, seed: int, asked: list[tuple], limit: float, log: bool) -> None:
        self.plan, self.limit = plan, limit
        total = plan.nodes + (plan.spares or 0)
        self.repair = 0.0 if plan.spares is None else plan.repair_seconds
        self.state = [WORKING] * plan.nodes + [IDLE] * (total - plan.nodes)
        self.faults = [0] * total  # of the node and of its switch
        self.idle = set(range(plan.nodes, total))
        self.missing = 0  # nodes, to the job
        self.size = plan.group_nodes or total
        switches = 0 if plan.group_mtbf is None else ceil(total / self.size)
        self.lives = Lives(total, plan.node_mtbf, (seed, NODE)), Lives(switches, plan.group_mtbf or 1.0, (seed, SWITCH))
        self.remaining = self.lives[NODE].first.tolist()  # life of a node that does not work
        self.due = list(self.remaining)  # by the clock of the job, of one that does
        self.failing = self._first_failures()  # a heap of when, kind, number
        self.repairs: deque[tuple[float, int, int]] = deque()  # all take the same time: first in, first out
        self.asked, self.next = (
            asked,
            0,
        )  # jobs of others: submit, nodes, runtime, id, place; the first that has not been submitted
        self.queue: list[tuple] = []
        self.ends: list[tuple[float, int]] = []  # a heap of when, whose
        self.holders: dict[int, tuple[int, ...]] = {}
        self.left, self.segment = plan.segments, plan.segment_seconds
        self.tail = plan.unbroken_seconds - plan.segments * self.segment
        self.since = self.waited = self.restart = 0.0  # of the stretch that goes on
        self.behind = 0.0  # the clock of the wall less that of the job
        self.end = self.left * self.segment + self.tail
        self.stretches: list[Stretch] = []
        self.log: list[tuple[Any, ...]] | None = [] if log else None

    @property
    def done(self) -> bool:
        """Whether all work was done in time."""
        return self.end <= self.limit

    @property
    def course(self) -> list[Stretch]:
        """All stretches, with the one that goes on: to its end, or to where the run was given up."""
        if self.missing:
            return [*self.stretches, Stretch(self.limit - self.since, 0.0, 0.0, 0, 0)]
        running = max(self.end - self.since - self.restart, 0.0)
        return [*self.stretches, Stretch(self.waited, self.restart, running, int(self.left), 0)]

    def play(self) -> Game:
        """Play until the job is done, or given up."""
        failing, repairs = self.failing, self.repairs
        while True:
            fails = failing[0][0] + self.behind if failing and not self.missing else inf
            back = repairs[0][0] if repairs else inf
            time = back if back <= fails else fails
            if self.asked:
                other = self._next_of_others()
                if other < time:
                    if min(self.end, self.limit) <= other:
                        return self
                    self._others(other)
                    continue
            if self.end <= time or time >= self.limit:
                return self
            if back <= fails:
                self._regain(*repairs.popleft())
            else:
                moment, kind, number = heappop(failing)
                if kind == SWITCH or (self.state[number] == WORKING and self.due[number] == moment):
                    self._break(time, moment, kind, number)

    def _first_failures(self) -> list[tuple[float, int, int]]:
        found: list[tuple[float, int, int]] = []
        for kind, count in ((NODE, self.plan.nodes), (SWITCH, self.lives[SWITCH].count)):
            first = self.lives[kind].first[:count]
            soon = np.flatnonzero(first < self.limit)
            found += [(when, kind, number) for when, number in zip(first[soon].tolist(), soon.tolist(), strict=True)]
        heapify(found)
        return found

    def _break(self, time: float, moment: float, kind: int, number: int) -> None:
        faults = self.faults
        nodes = (number,) if kind == NODE else self._hanging(number)
        for node in nodes:
            faults[node] += 1
        if kind == NODE:
            self.remaining[number] = self.lives[NODE].next(number)
        else:
            for node in nodes:
                if self.state[node] == WORKING:
                    self.remaining[node] = self.due[node] - moment
        self.repairs.append((time + self.repair, kind, number))
        self._lose(nodes, time, "switch breaks" if kind else "node breaks")

    def _hanging(self, switch: int) -> tuple[int, ...]:
        return tuple(range(switch * self.size, min((switch + 1) * self.size, len(self.state))))

    def _lose(self, nodes: tuple[int, ...], time: float, why: str) -> None:
        if self.log is not None:
            self.log.append((time, why, nodes))
        before = [self.state[node] for node in nodes]  # broken ones stay so until all their faults are repaired
        for node in nodes:
            self.state[node] = BROKEN
        self.idle.difference_update(nodes)
        if LENT in before:
            for key in [key for key, held in self.holders.items() if not set(held).isdisjoint(nodes)]:
                self._release(key, time)
        hit = before.count(WORKING)
        if hit:  # the job was running, or nothing would have broken
            self._interrupt(time, hit)
            self.missing = hit
            self._fill(time)
            if self.missing and self.repair and self.log is not None:
                self.log.append((time, "waits", ()))

    def _regain(self, time: float, kind: int, number: int) -> None:
        faults, nodes = self.faults, (number,) if kind == NODE else self._hanging(number)
        for node in nodes:
            faults[node] -= 1
        if kind == SWITCH:
            heappush(self.failing, (self._job_clock(time) + self.lives[SWITCH].next(number), SWITCH, number))
        back = tuple(node for node in nodes if not faults[node])
        for node in back:
            self.state[node] = IDLE
        self.idle.update(back)
        if self.log is not None and back:
            self.log.append((time, "back", back))
        self._fill(time)
        if self.queue:
            self._serve(time)

    def _job_clock(self, time: float) -> float:
        return (self.since if self.missing else time) - self.behind

    def _interrupt(self, time: float, hit: int) -> None:
        """Close the stretch that a failure ends: what is safe stays, the rest is lost."""
        passed = time - self.since
        took = min(self.restart, passed)
        running = passed - took
        safe = min(max((running - self.plan.persist_seconds) // self.segment, 0.0), self.left - 1.0)
        self.left -= int(safe)
        self.stretches.append(Stretch(self.waited, took, running, int(safe), hit))
        self.since, self.end = time, inf

    def _fill(self, time: float) -> None:
        """Give the job the idle nodes that it lacks, and let it restart once it has them all."""
        if not self.missing or not self.idle:
            return
        taken = (min(self.idle),) if self.missing == 1 else tuple(sorted(self.idle)[: self.missing])
        clock = self._job_clock(time)
        for node in taken:
            self.state[node] = WORKING
            self.due[node] = clock + self.remaining[node]
            heappush(self.failing, (self.due[node], NODE, node))
        self.idle.difference_update(taken)
        self.missing -= len(taken)
        if self.log is not None:
            self.log.append((time, "takes over", taken))
        if not self.missing:
            if self.log is not None:
                self.log.append((time, "goes on", ()))
            self.waited, self.since, self.restart = time - self.since, time, self.plan.restart_seconds
            self.behind += self.waited
            self.end = time + self.restart + self.left * self.segment + self.tail

    def _next_of_others(self) -> float:
        comes = self.asked[self.next][0] if self.next < len(self.asked) else inf
        return min(comes, self.ends[0][0] if self.ends else inf)

    def _others(self, time: float) -> None:
        """Let the job of somebody else come, or end."""
        if self.ends and self.ends[0][0] == time:
            _, key = heappop(self.ends)
            if key in self.holders:
                self._release(key, time)
        else:
            self.queue.append(self.asked[self.next])
            self.next += 1
        self._serve(time)

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
            self.holders[job[4]] = taken
            heappush(self.ends, (time + job[2], job[4]))
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
