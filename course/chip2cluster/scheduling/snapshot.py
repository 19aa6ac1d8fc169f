"""Snapshot of a schedule at one time: running and pending jobs, reservations, and pending reasons."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from .dependencies import Name, dependencies, sort_key
from .fairshare import with_current_fairshare
from .jobs import Job
from .named_reservations import lowest_free, named_pass
from .policies import SchedulerState, by_priority, easy, policy, strict, within_limits

if TYPE_CHECKING:
    from .schedule import Run, Schedule


class Reservation(NamedTuple):
    """Reservation of a pending job: ``nodes`` from ``start`` to ``end``, seconds, by the time limits of all jobs.

    ``node_list`` has their numbers if the schedule reserves named nodes.
    """

    job: Name
    start: float
    end: float
    nodes: int
    node_list: tuple[int, ...] = ()


class QueueSnapshot:
    """Machine and queue at one time, after the scheduling pass of that time."""

    def __init__(self, schedule: Schedule, time: float) -> None:
        self.schedule, self.time = schedule, time
        self.rule = policy(schedule.policy)
        self.number = {job.id: number for number, job in enumerate(schedule.jobs)}
        self.running: list[Run] = []
        self.before: dict[Name, Run] = {}
        self.next: dict[Name, Run] = {}
        for run in schedule.runs:
            if run.start > time:
                self.next.setdefault(run.job, run)
                continue
            self.before[run.job] = run
            if time < run.end:
                self.running.append(run)
        self.sizes = [job.nodes * (job.gpus or schedule.gpus) for job in schedule.jobs]  # in GPUs if nodes are shared
        self.free = schedule.nodes * schedule.gpus - sum(self.sizes[self.number[run.job]] for run in self.running)

    @cached_property
    def eligible(self) -> dict[Name, float]:
        """Time since which each pending job has been eligible."""
        since = {name: run.eligible for name, run in self.next.items() if run.eligible <= self.time}
        since |= {name: at for name, at in self.schedule.never.items() if at is not None and at <= self.time}
        now = {run.job for run in self.running}
        return {name: at for name, at in since.items() if name not in now}

    @cached_property
    def queue(self) -> list[int]:
        """Indices of the pending jobs in scheduling order."""
        jobs, schedule = self.schedule.jobs, self.schedule

        def key(number: int) -> tuple:
            job = jobs[number]
            since = self.eligible[job.id] if job.id in self.before else job.submit
            length = (job.walltime,) if self.rule.order == "walltime" else ()
            return (-job.qos if schedule.preempts else 0, *length, since, sort_key(job.id))

        queue = sorted((self.number[name] for name in self.eligible), key=key)
        if self.rule.order == "priority":
            passes = schedule.passes[: bisect_right(schedule.passes, self.time)]  # the order of the last pass holds
            queue, _ = self._ranked(queue, passes[-1] if passes else self.time)
        return queue

    def _ranked(self, queue: list[int], time: float) -> tuple[list[int], dict[Name, float]]:
        """Return pending jobs sorted by their priority at a time, and the priorities."""
        schedule, jobs = self.schedule, list(self.schedule.jobs)
        if schedule.fairshare:
            counted = schedule.usage_at(time)
            time = counted.time
            for number in queue:
                jobs[number] = with_current_fairshare(jobs[number], counted.factors)
        since = {number: self.eligible[jobs[number].id] for number in queue}
        priority, nodes = schedule.priority, schedule.nodes
        order = by_priority(queue, jobs, since, time, nodes, priority, schedule.preempts)  # type: ignore[arg-type]
        value = {n: priority(jobs[n], max(0.0, time - since[n]), nodes) for n in order}  # type: ignore[misc]
        return order, {jobs[n].id: value[n] for n in sorted(order, key=value.__getitem__, reverse=True)}

    @cached_property
    def priorities(self) -> dict[Name, float]:
        """Priority of each pending job, highest first."""
        if self.rule.order != "priority":
            raise ValueError(f"policy {self.schedule.policy!r} does not use priorities; the multifactor policies do")
        return self._ranked(self.queue, self.time)[1]

    @cached_property
    def candidates(self) -> list[int]:
        """Indices of the queue without tasks held back by the limit of their array."""
        jobs = self.schedule.jobs
        arrays = Counter(jobs[self.number[run.job]].array for run in self.running)
        limits = self.schedule.limits
        queue = [number for number in self.queue if limits.admits(jobs[number], self.running_jobs)]
        return within_limits(queue, jobs, arrays)

    @cached_property
    def running_jobs(self) -> list[Job]:
        """Jobs that run at this time."""
        return [self.schedule.jobs[self.number[run.job]] for run in self.running]

    @cached_property
    def reservations(self) -> tuple[Reservation, ...]:
        """Reservations of pending jobs."""
        jobs = self.schedule.jobs
        state = self.state(report=True)
        if self.schedule.allocated is None:
            _, planned = self.rule.one_pass(state)
        else:
            _, planned = named_pass(state, self.rule.one_pass)
        return tuple(
            Reservation(
                jobs[n].id,
                start,
                start + limit,
                jobs[n].nodes,
                tuple(sorted({unit // self.schedule.gpus for unit in state.chosen.get(n, ())})),
            )
            for n, start, limit in planned
        )

    def state(self, report: bool = False) -> SchedulerState:
        """Return the input of the scheduler at this time."""
        jobs = self.schedule.jobs
        waiting, nodes = set(self.queue), self.schedule.allocated
        kept = {n: (start, limit) for at, n, start, limit in self.schedule.promises if at <= self.time and n in waiting}
        return SchedulerState(
            self.time, self.free, sorted((run.start + run.limit, self.number[run.job]) for run in self.running),
            self.candidates, self.sizes, [job.walltime for job in jobs],
            [job.walltime if job.walltime_min is None else job.walltime_min for job in jobs], kept, False, report,
            self.schedule.nodes * self.schedule.gpus,
            {self.number[run.job]: frozenset(nodes[run.job, run.start]) for run in self.running} if nodes else {},
            gpus=self.schedule.gpus, shapes=[(job.nodes, job.gpus or self.schedule.gpus) for job in jobs],
        )  # fmt: skip

    # --- pending reasons ----------------------------------------------------------------
    def why(self, job: Job) -> str:
        """Explain the state of a job in a sentence, with Slurm's pending reason."""
        if (run := self.before.get(job.id)) and self.time < run.end:
            return f"Job {job.id} has been running since {_at(run.start)}."
        if job.submit > self.time:
            return f"Job {job.id} is submitted at {_at(job.submit)}, not before."
        if run and job.id not in self.next and job.id not in self.schedule.never:
            return f"Job {job.id} ended at {_at(run.end)} ({run.state})."
        if job.id not in self.eligible:
            return self._held(job)
        number = self.number[job.id]
        if over := self.schedule.limits.exceeded(job, self.running_jobs):
            name, kind, limit, used = over
            if kind == "nodes":
                may, reason = f"may hold {_nodes(limit)}, and they hold {used}", "AssocGrpNodeLimit"
            else:
                may, reason = (
                    f"may run {limit} at once, and {used} {'runs' if used == 1 else 'run'}",
                    "AssocGrpJobsLimit",
                )
            return f"Job {job.id} waits because the jobs of {name} {may} ({reason})."
        if number not in self.candidates:
            many = sum(self.schedule.jobs[self.number[run.job]].array == job.array for run in self.running)
            return (
                f"Job {job.id} waits because its array {job.array} may run {job.array_limit} "
                f"task{'s' if job.array_limit != 1 else ''} at once, and {many} run{'s' if many == 1 else ''} "
                f"(JobArrayTaskLimit)."
            )
        if self.schedule.gpus > 1:
            return self._shared(job, number)
        if number == self.candidates[0]:
            return self._first(job)
        return self._behind(job)

    def _held(self, job: Job) -> str:
        if job.nodes > self.schedule.nodes:
            return (
                f"Job {job.id} can never start: it needs {_nodes(job.nodes)}, and the machine has {self.schedule.nodes} "
                "(PartitionNodeLimit)."
            )
        before, after = self.before.get(job.id), self.next.get(job.id)
        if before and after:
            return f"Job {job.id} was preempted at {_at(before.end)} and may start again at {_at(after.eligible)} (BeginTime)."
        if after is None and self.schedule.never.get(job.id) is None:
            code, words = "DependencyNeverSatisfied", "can never start"
        else:
            code, words = "Dependency", "waits for other jobs"
        joined = " or " if "?" in job.dependency else ", "
        required = joined.join(f"{kind} {name}".rstrip() for kind, name in dependencies(job.dependency))
        return f"Job {job.id} {words}: its dependency is {required} ({code})."

    def _shared(self, job: Job, number: int) -> str:
        """Explain why a job waits for GPUs of nodes that jobs share."""
        each = job.gpus or self.schedule.gpus
        needed = f"needs {each} GPU{'s' if each > 1 else ''} on each of {_nodes(job.nodes)}"
        free = f"{self.free} GPUs are free" if self.free != 1 else "1 GPU is free"
        held = [frozenset(self.schedule.allocated[run.job, run.start]) for run in self.running]  # type: ignore[index]
        fits = bool(lowest_free(self.state(), set().union(*held), number))
        start = next((one.start for one in self.reservations if one.job == job.id), None)
        later = f"; its reservation is at {_at(start)}" if start is not None else ""
        if number != self.candidates[0]:
            return f"Job {job.id} {needed}, behind others in the queue{later} (Priority)."
        where = "" if fits or self.free < each * job.nodes else ", but not on enough nodes"
        return f"Job {job.id} {needed}, and {free}{where}{later} (Resources)."

    def _first(self, job: Job) -> str:
        start = self.state().profile().earliest(job.nodes, 0.0)
        return (
            f"Job {job.id} needs {_nodes(job.nodes)} and {_free(self.free)}; by the time limits of running jobs they are free "
            f"at {_at(start)} (Resources)."
        )

    def _behind(self, job: Job) -> str:
        head = self.schedule.jobs[self.candidates[0]]
        fits = job.nodes <= self.free
        room = f"fits the {_nodes(self.free, 'free ')}" if fits else f"needs {_nodes(job.nodes)} and {_free(self.free)}"
        if self.rule.one_pass is strict:
            more = f"no job may overtake job {head.id}, the head of the queue"
            return (
                f"Job {job.id} {room}, but {more} (Priority)." if fits else f"Job {job.id} {room}; {more} (Priority)."
            )
        reserved = {one.job: one for one in self.reservations}
        if self.rule.one_pass is easy:
            kept = reserved[head.id]
            if not fits:
                return f"Job {job.id} {room}; job {head.id}, the head of the queue, has a reservation at {_at(kept.start)} (Priority)."
            return (
                f"Job {job.id} {room}, but by its limit it would hold {'it' if self.free == 1 else 'them'} until {_at(self.time + job.walltime)}, and "
                f"job {head.id} has a reservation for {_nodes(head.nodes)} at {_at(kept.start)} (Priority)."
            )
        if job.id not in reserved:  # only with a backfill delay
            return f"Job {job.id} {room}, and starts in the next backfill pass (None)."
        mine = reserved[job.id]
        if not fits:
            return f"Job {job.id} {room}; its reservation is at {_at(mine.start)} (Priority)."
        return (
            f"Job {job.id} {room}, but not for its time limit of {_at(job.walltime)}, because jobs ahead of it have reservations; "
            f"its own is at {_at(mine.start)} (Priority)."
        )


def _at(seconds: float) -> str:
    """Format a time in minutes if they are whole, otherwise in seconds."""
    return f"{seconds / 60:,.10g} min" if seconds >= 120 and not seconds % 60 else f"{seconds:,.10g} s"


def _nodes(count: int, kind: str = "") -> str:
    return f"{count} {kind}node{'' if count == 1 else 's'}"


def _free(count: int) -> str:
    return "none is free" if not count else "1 is free" if count == 1 else f"{count} are free"
