"""Discrete-event simulation behind `simulate_nodes`: failures and repairs of nodes and switches, and the job's state."""

from __future__ import annotations

from collections import deque
from heapq import heapify, heappop, heappush
from math import ceil, inf
from typing import Any

import numpy as np

from .lifetimes import Lifetimes
from .plan import RunPlan
from .run_simulation import Stretch

NODE, SWITCH = range(2)
WORKING, IDLE, BROKEN, LENT = range(4)


class NodeSimulation:
    """State of one simulated run: owner of each node, and progress of the job.

    There are two clocks: wall-clock time, and the job clock, which stops while the job waits. Lifetimes of nodes and
    switches count on the job clock.
    """

    def __init__(self, plan: RunPlan, seed: int, other_jobs: list[tuple], limit: float, log: bool) -> None:
        self.plan, self.limit = plan, limit
        total = plan.nodes + (plan.spares or 0)
        self.repair = 0.0 if plan.spares is None else plan.repair_seconds
        self.state = [WORKING] * plan.nodes + [IDLE] * (total - plan.nodes)
        self.faults = [0] * total  # open faults of the node and of its switch
        self.idle = set(range(plan.nodes, total))
        self.missing = 0  # nodes that the job lacks
        self.size = plan.group_nodes or total
        switches = 0 if plan.group_mtbf is None else ceil(total / self.size)
        self.lives = (
            Lifetimes(total, plan.node_mtbf, (seed, NODE)),
            Lifetimes(switches, plan.group_mtbf or 1.0, (seed, SWITCH)),
        )
        self.remaining = self.lives[NODE].first.tolist()  # remaining lifetime of a node that does not work for the job
        self.due = list(self.remaining)  # failure time of a working node, job clock
        self.failing = self._first_failures()  # heap of (job-clock time, kind, number)
        self.repairs: deque[tuple[float, int, int]] = deque()  # repairs take equally long, so a FIFO queue suffices
        self.other_jobs = other_jobs  # of other users: (submit, nodes, runtime, id, index)
        self.next_job = 0  # index of the first one that is not submitted yet
        self.queue: list[tuple] = []
        self.ends: list[tuple[float, int]] = []  # heap of (time, index of the job)
        self.holders: dict[int, tuple[int, ...]] = {}
        self.left, self.segment = plan.segments, plan.segment_seconds
        self.tail = plan.unbroken_seconds - plan.segments * self.segment
        self.since = self.waited = self.restart = 0.0  # of the current stretch
        self.clock_offset = 0.0  # wall clock minus job clock
        self.end = self.left * self.segment + self.tail
        self.stretches: list[Stretch] = []
        self.log: list[tuple[Any, ...]] | None = [] if log else None

    @property
    def done(self) -> bool:
        """Whether all work was done before the limit."""
        return self.end <= self.limit

    @property
    def all_stretches(self) -> list[Stretch]:
        """All stretches, including the current one up to its end or to the limit."""
        if self.missing:
            return [*self.stretches, Stretch(self.limit - self.since, 0.0, 0.0, 0, 0)]
        running = max(self.end - self.since - self.restart, 0.0)
        return [*self.stretches, Stretch(self.waited, self.restart, running, int(self.left), 0)]

    def run(self) -> NodeSimulation:
        """Simulate until the job is done or the limit is reached."""
        failing, repairs = self.failing, self.repairs
        while True:
            fails = failing[0][0] + self.clock_offset if failing and not self.missing else inf
            back = repairs[0][0] if repairs else inf
            time = back if back <= fails else fails
            if self.other_jobs:
                other = self._next_other_event()
                if other < time:
                    if min(self.end, self.limit) <= other:
                        return self
                    self._other_job_event(other)
                    continue
            if self.end <= time or time >= self.limit:
                return self
            if back <= fails:
                self._complete_repair(*repairs.popleft())
            else:
                moment, kind, number = heappop(failing)
                if kind == SWITCH or (self.state[number] == WORKING and self.due[number] == moment):
                    self._fail(time, moment, kind, number)

    def _first_failures(self) -> list[tuple[float, int, int]]:
        found: list[tuple[float, int, int]] = []
        for kind, count in ((NODE, self.plan.nodes), (SWITCH, self.lives[SWITCH].count)):
            first = self.lives[kind].first[:count]
            soon = np.flatnonzero(first < self.limit)
            found += [(when, kind, number) for when, number in zip(first[soon].tolist(), soon.tolist(), strict=True)]
        heapify(found)
        return found

    def _fail(self, time: float, moment: float, kind: int, number: int) -> None:
        faults = self.faults
        nodes = (number,) if kind == NODE else self._switch_nodes(number)
        for node in nodes:
            faults[node] += 1
        if kind == NODE:
            self.remaining[number] = self.lives[NODE].next(number)
        else:
            for node in nodes:
                if self.state[node] == WORKING:
                    self.remaining[node] = self.due[node] - moment
        self.repairs.append((time + self.repair, kind, number))
        self._take_down(nodes, time, "switch breaks" if kind else "node breaks")

    def _switch_nodes(self, switch: int) -> tuple[int, ...]:
        return tuple(range(switch * self.size, min((switch + 1) * self.size, len(self.state))))

    def _take_down(self, nodes: tuple[int, ...], time: float, why: str) -> None:
        if self.log is not None:
            self.log.append((time, why, nodes))
        before = [self.state[node] for node in nodes]  # a broken node stays broken until all its faults are repaired
        for node in nodes:
            self.state[node] = BROKEN
        self.idle.difference_update(nodes)
        if LENT in before:
            for key in [key for key, held in self.holders.items() if not set(held).isdisjoint(nodes)]:
                self._release(key, time)
        hit = before.count(WORKING)
        if hit:  # the job was running, because nothing breaks while it waits
            self._interrupt(time, hit)
            self.missing = hit
            self._assign_idle(time)
            if self.missing and self.repair and self.log is not None:
                self.log.append((time, "waits", ()))

    def _complete_repair(self, time: float, kind: int, number: int) -> None:
        faults, nodes = self.faults, (number,) if kind == NODE else self._switch_nodes(number)
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
        self._assign_idle(time)
        if self.queue:
            self._start_queued_jobs(time)

    def _job_clock(self, time: float) -> float:
        return (self.since if self.missing else time) - self.clock_offset

    def _interrupt(self, time: float, hit: int) -> None:
        """Close the stretch that a failure ends: completed checkpoints remain, the rest is lost."""
        passed = time - self.since
        took = min(self.restart, passed)
        running = passed - took
        safe = min(max((running - self.plan.persist_seconds) // self.segment, 0.0), self.left - 1.0)
        self.left -= int(safe)
        self.stretches.append(Stretch(self.waited, took, running, int(safe), hit))
        self.since, self.end = time, inf

    def _assign_idle(self, time: float) -> None:
        """Assign idle nodes to the job, and restart it once it has all of them."""
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
            self.clock_offset += self.waited
            self.end = time + self.restart + self.left * self.segment + self.tail

    def _next_other_event(self) -> float:
        comes = self.other_jobs[self.next_job][0] if self.next_job < len(self.other_jobs) else inf
        return min(comes, self.ends[0][0] if self.ends else inf)

    def _other_job_event(self, time: float) -> None:
        """Process the arrival or end of a job of another user."""
        if self.ends and self.ends[0][0] == time:
            _, key = heappop(self.ends)
            if key in self.holders:
                self._release(key, time)
        else:
            self.queue.append(self.other_jobs[self.next_job])
            self.next_job += 1
        self._start_queued_jobs(time)

    def _start_queued_jobs(self, time: float) -> None:
        """Start queued jobs of other users that fit, in order, unless the main job lacks nodes."""
        waiting = []
        for job in self.queue:
            if self.missing or job[1] > len(self.idle):
                waiting.append(job)
                continue
            taken = tuple(sorted(self.idle)[-job[1] :])  # highest numbers first, because the main job takes the lowest
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
        self._assign_idle(time)
