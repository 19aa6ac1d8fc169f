"""Discrete-event simulation behind `simulate`: state of the machine, and the effect of each event."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections import Counter
from heapq import heapify, heappop, heappush
from math import floor, inf
from typing import TYPE_CHECKING

from .dependencies import dependency_edges, sort_key
from .fairshare import Fairshare, UsageLedger, with_current_fairshare
from .jobs import Job, final_state
from .named_reservations import lowest_free, named_pass
from .policies import (
    AssociationLimits,
    Planned,
    Policy,
    SchedulerState,
    Starts,
    by_priority,
    compress,
    strict,
    within_limits,
)
from .schedule import Run

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from .queue_simulation import Preemption, Priority


class Simulation:
    """State of the machine between two events; jobs are indices into ``jobs``."""

    def __init__(
        self, jobs: Sequence[Job], machine: int, rule: Policy, priority: Priority | None,
        preemption: Preemption | None, delay: float, fairshare: Fairshare | None, named: bool = False,
        associations: AssociationLimits | None = None, gpus: int = 1,
    ) -> None:  # fmt: skip
        self.associations = associations
        self.named = named
        self.allocated: dict[tuple, tuple[int, ...]] = {}  # nodes of each run, by job and start
        self.ledger = UsageLedger(fairshare) if fairshare else None
        self.rated = list(jobs)  # with the fair-share factors of the last calculation
        self.passes: list[float] = []
        self.jobs, self.rule, self.priority, self.preemption = jobs, rule, priority, preemption
        self.delay = 0.0 if rule.one_pass is strict else delay
        self.machine, self.free = machine, machine * gpus
        self.nodes = [job.nodes * (job.gpus or gpus) for job in jobs]  # in GPUs if nodes are shared
        self.limits = [job.walltime for job in jobs]
        self.shortest = [job.walltime if job.walltime_min is None else job.walltime_min for job in jobs]
        self.work: list[float] = [job.runtime for job in jobs]  # type: ignore[misc]  # remaining work
        self.sort_keys = [sort_key(job.id) for job in jobs]
        self.keys = [self.key(number, job.submit) for number, job in enumerate(jobs)]
        self.arrivals = [(job.submit, number) for number, job in enumerate(jobs)]
        heapify(self.arrivals)
        self.endings: list[tuple[float, int, float]] = []  # time, job, its start
        self.expected: list[tuple[float, int]] = []
        self.running: dict[int, tuple[float, float, float]] = {}  # start, limit, eligible
        self.granted: dict[int, float] = {}
        self.leaving: set[int] = set()  # jobs that were told to stop
        self.queue: list[int] = []
        self.eligible: dict[int, float] = {}
        self.runs: list[Run] = []
        self.in_array: Counter = Counter()
        self.limited = any(job.array_limit is not None for job in jobs)
        self.state = SchedulerState(0.0, machine, self.expected, self.queue, self.nodes, self.limits, self.shortest)
        self.state.machine, self.state.since = machine * gpus, self.eligible
        self.state.gpus, self.state.shapes = gpus, [(job.nodes, job.gpus or gpus) for job in jobs]
        self.promises: list[tuple[float, int, float, float]] = []
        self.blocked = [list(others) for others in dependency_edges(jobs)]
        self.behind: dict[int, list[int]] = {}
        for number, others in enumerate(self.blocked):
            for _, other in others:
                self.behind.setdefault(other, []).append(number)
        self.submitted: set[int] = set()

    def key(self, number: int, since: float) -> tuple:
        """Return the key of the queue order, before any priority."""
        job = self.jobs[number]
        first = (-job.qos,) if self.preemption else ()
        length = (job.walltime,) if self.rule.order == "walltime" else ()
        return (*first, *length, since, self.sort_keys[number])

    def run(self) -> tuple[Run, ...]:
        """Process events until none is left."""
        delay, late = self.delay, inf
        while self.endings or self.arrivals or late < inf:
            now = min(late, self.endings[0][0] if self.endings else inf, self.arrivals[0][0] if self.arrivals else inf)
            if self.ledger and (self.running or self.queue):
                now = min(now, self.ledger.next)
            freed = self.release(now)
            if self.ledger:
                self.update_fairshare(self.ledger, now)
            self.admit(now)
            if not delay:
                self.one_pass(now, freed, self.rule.one_pass)
            elif now >= late:
                self.state.late = True
                self.one_pass(now, True, self.rule.one_pass)
                self.state.late = False
                late = inf
                if self.named and any(self.eligible[number] >= now for number in self.queue):
                    late = now + delay  # jobs that came with this pass are for the next one
            else:
                self.one_pass(now, freed, strict)
                late = min(late, now + delay) if self.queue else inf
        if self.ledger:  # charges the last jobs
            self.ledger.recalculate(self.ledger.next, [])
        return tuple(sorted(self.runs, key=lambda run: (run.start, run.end)))

    def unstarted(self) -> dict:
        """Return the jobs that never start, with the time since which they were eligible (None: never)."""
        done = {run.job for run in self.runs}
        return {job.id: self.eligible.get(number) for number, job in enumerate(self.jobs) if job.id not in done}

    def release(self, now: float) -> bool:
        """End the jobs that end now; return whether any did."""
        freed = False
        while self.endings and self.endings[0][0] <= now:
            _, number, start = heappop(self.endings)
            if number not in self.running or self.running[number][0] != start:
                continue
            freed = True
            self.end(number, now)
        return freed

    def update_fairshare(self, ledger: UsageLedger, now: float) -> None:
        """Recalculate the fair shares if it is time; skipped while nothing runs or waits."""
        if now < ledger.next:
            return
        ledger.recalculate(now, [(self.jobs[number], start) for number, (start, _, _) in self.running.items()])
        for number in self.queue:
            self.rated[number] = with_current_fairshare(self.rated[number], ledger.factors)

    def end(self, number: int, now: float) -> None:
        """Release the nodes of a job, and notify dependent jobs of its final state."""
        start, limit, eligible = self.running.pop(number)
        job = self.jobs[number]
        if self.ledger and self.ledger.rule.charge_final_interval:
            self.ledger.charge(job, start, now)
        self.free += self.nodes[number]
        self.state.held.pop(number, None)
        del self.expected[bisect_left(self.expected, (start + limit, number))]
        if job.array is not None:
            self.in_array[job.array] -= 1
        left = self.work[number]
        preempted = number in self.leaving and now < start + min(left, self.limits[number])
        self.leaving.discard(number)
        state = "PREEMPTED" if preempted else "TIMEOUT" if left > limit else final_state(job, job.runtime)  # type: ignore[arg-type]
        self.runs.append(Run(job.id, start, now, self.granted[number], state, eligible, job.nodes))
        if preempted and self.preemption and self.preemption.mode == "requeue":
            again = now + self.preemption.requeue_delay
            if every := self.preemption.checkpoint_interval:
                self.work[number] = left - floor((now - start) / every) * every
            self.keys[number] = self.key(number, again)
            heappush(self.arrivals, (again, number))
            return
        if number in self.behind:
            self.resolve_dependencies(number, now, state)

    def resolve_dependencies(self, number: int, now: float, event: str) -> None:
        """Update the jobs that depend on one after its start or end."""
        met = {"START": ("after",), "COMPLETED": ("afterok", "afterany")}.get(event, ("afternotok", "afterany"))
        for other in self.behind[number]:
            before = self.blocked[other]
            left = [edge for edge in before if edge[1] != number or edge[0] not in met]
            enough = "?" in self.jobs[other].dependency and len(left) < len(before)
            self.blocked[other] = [] if enough else left
            if before and not self.blocked[other] and other in self.submitted:
                heappush(self.arrivals, (now, other))

    def admit(self, now: float) -> None:
        """Add arriving jobs without open dependencies to the queue."""
        while self.arrivals and self.arrivals[0][0] <= now:
            number = heappop(self.arrivals)[1]
            self.submitted.add(number)
            if self.blocked[number] or self.jobs[number].nodes > self.machine:
                continue
            self.eligible[number] = now
            if self.ledger:
                self.rated[number] = with_current_fairshare(self.rated[number], self.ledger.factors)
            if self.queue and self.keys[number] < self.keys[self.queue[-1]]:
                insort(self.queue, number, key=self.keys.__getitem__)
            else:
                self.queue.append(number)

    def one_pass(self, now: float, freed: bool, rule: Callable[[SchedulerState], tuple[Starts, Planned]]) -> None:
        """Preempt for jobs of higher qos, then start the jobs that the policy selects."""
        if not self.queue or not (self.free or self.preemption or rule is compress):
            return
        queue = self.candidates(now)
        while self.preemption and self.preempt(queue, now, self.preemption.grace):
            queue, freed = self.candidates(now), True
        while self.start_selected(queue, now, freed, rule):
            queue = self.candidates(now)  # without the jobs whose user has just reached a limit

    def start_selected(
        self, queue: Sequence[int], now: float, freed: bool, rule: Callable[[SchedulerState], tuple[Starts, Planned]]
    ) -> bool:
        """Start the jobs that the policy selects; return whether it has to select anew, because of an association's limit."""
        state = self.state
        state.now, state.free, state.queue, state.freed = now, self.free, queue, freed
        state.chosen.clear()
        if self.named:
            starts = named_pass(state, rule)[0]
        else:
            starts = self.planned(state) if rule is compress else rule(state)[0]
        for number, limit in starts:
            if self.associations and not self.associations.admits(self.jobs[number], self.running_jobs()):
                return True
            self.start(number, now, limit)
            self.queue.remove(number)
        return False

    def candidates(self, now: float) -> Sequence[int]:
        """Return the queue in scheduling order, without tasks held back by the limit of their array."""
        queue: Sequence[int] = self.queue
        if self.rule.order == "priority":
            self.passes.append(now)
            aged = self.ledger.calculated if self.ledger else now
            queue = by_priority(
                queue, self.rated, self.eligible, aged, self.machine, self.priority, self.preemption is not None  # type: ignore[arg-type]
            )  # fmt: skip
        if self.associations:
            running = self.running_jobs()
            queue = [number for number in queue if self.associations.admits(self.jobs[number], running)]
        return within_limits(queue, self.jobs, self.in_array) if self.limited else queue

    def running_jobs(self) -> list[Job]:
        """Return the jobs that run now."""
        return [self.jobs[number] for number in self.running]

    def planned(self, state: SchedulerState) -> Starts:
        """Run a pass of a policy with guarantees, and log each new one."""
        before = dict(state.guaranteed)
        starts, _ = self.rule.one_pass(state)
        current = state.guaranteed.items()
        self.promises += [(state.now, number, *slot) for number, slot in current if before.get(number) != slot]
        return starts

    def start(self, number: int, now: float, limit: float) -> None:
        """Start a job."""
        job = self.jobs[number]
        self.free -= self.nodes[number]
        if self.free < 0:
            raise AssertionError(f"job {job.id} starts at {now:g} s on nodes that are in use")
        if self.named:
            self.allocate(number, now)
        self.running[number] = (now, limit, self.eligible[number])
        self.granted[number] = limit
        insort(self.expected, (now + limit, number))
        heappush(self.endings, (now + min(self.work[number], limit), number, now))
        if job.array is not None:
            self.in_array[job.array] += 1
        if number in self.behind:
            self.resolve_dependencies(number, now, "START")

    def allocate(self, number: int, now: float) -> None:
        """Give a job the nodes that the pass chose for it, or the lowest free ones."""
        taken = set().union(*self.state.held.values())
        nodes = self.state.chosen.get(number)
        if nodes is None or nodes & taken:
            nodes = lowest_free(self.state, taken, number)
        self.state.held[number] = nodes
        self.allocated[self.jobs[number].id, now] = tuple(sorted(nodes))

    def preempt(self, queue: Sequence[int], now: float, grace: float) -> bool:
        """Preempt enough jobs of lower qos for the first job that does not fit; return whether nodes became free."""
        free, first = self.free, None
        for number in queue:
            if self.nodes[number] > free:
                first = self.jobs[number]
                break
            free -= self.nodes[number]
        if first is None:
            return False
        short = first.nodes - free - sum(self.nodes[number] for number in self.leaving)
        lower = [number for number in self.running if self.jobs[number].qos < first.qos and number not in self.leaving]
        lower.sort(key=lambda number: (self.jobs[number].qos, -self.running[number][0], self.sort_keys[number]))
        if short <= 0 or sum(self.nodes[number] for number in lower) < short:
            return False
        for number in lower:
            if short <= 0:
                break
            short -= self.nodes[number]
            self.leaving.add(number)
            start, limit, eligible = self.running[number]
            if not grace:
                self.end(number, now)
                continue
            del self.expected[bisect_left(self.expected, (start + limit, number))]
            limit = min(limit, now - start + grace)
            self.running[number] = (start, limit, eligible)
            insort(self.expected, (start + limit, number))
            heappush(self.endings, (min(now + grace, start + self.work[number]), number, start))
        return not grace
