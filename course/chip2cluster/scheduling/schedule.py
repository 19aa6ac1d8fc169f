"""Result of a simulated schedule: runs of all jobs, metrics, reservations, and pending reasons."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from heapq import heappop, heappush
from typing import NamedTuple

from .._validate import one_positive, shortened
from .dependencies import Name
from .fairshare import Fairshare, UsageSample, usage_sample_at
from .jobs import Job
from .metrics import Metrics, gpu_hours, schedule_metrics
from .policies import AssociationLimits
from .snapshot import QueueSnapshot, Reservation


class Run(NamedTuple):
    """One run of a job, from ``start`` to ``end``, seconds.

    ``limit`` is the granted time limit; ``state`` is "COMPLETED", "FAILED", "TIMEOUT" or "PREEMPTED"; ``eligible`` is
    the time from which it could have started, and ``nodes`` the number of nodes.
    """

    job: Name
    start: float
    end: float
    limit: float
    state: str
    eligible: float
    nodes: int


@dataclass(frozen=True, eq=False)
class Schedule:
    """The result of `simulate`.

    Attributes
    ----------
    jobs : tuple of Job
        Jobs of the simulation.
    nodes : int
        Number of nodes of the machine.
    policy : str
        Scheduling policy.
    runs : tuple of Run
        Runs in order of their starts; a preempted and requeued job has several.
    never : dict
        Jobs that never start, with the time since which they were eligible (None: their
        dependencies can never be satisfied).
    usage_samples : tuple of UsageSample
        Samples of each priority calculation while jobs ran or waited, with `Fairshare` only.
    """

    jobs: tuple[Job, ...]
    nodes: int
    policy: str
    runs: tuple[Run, ...] = field(repr=False)
    never: dict[Name, float | None]
    priority: Callable[[Job, float, int], float] | None = field(repr=False)
    promises: tuple[tuple[float, int, float, float], ...] = field(repr=False)
    preempts: bool = False
    fairshare: Fairshare | None = field(default=None, repr=False)
    usage_samples: tuple[UsageSample, ...] = field(default=(), repr=False)
    passes: tuple[float, ...] = field(default=(), repr=False)
    allocated: dict[tuple[Name, float], tuple[int, ...]] | None = field(default=None, repr=False)
    limits: AssociationLimits = field(default=AssociationLimits(), repr=False)
    gpus: int = field(default=1, repr=False)  # of a node, if jobs share nodes

    @cached_property
    def last(self) -> dict[Name, Run]:
        """Last run of each job that ran, in the order of the jobs."""
        runs = {run.job: run for run in self.runs}
        return {job.id: runs[job.id] for job in self.jobs if job.id in runs}

    @property
    def starts(self) -> dict[Name, float]:
        """Start of the last run of each job, seconds."""
        return {name: run.start for name, run in self.last.items()}

    @property
    def ends(self) -> dict[Name, float]:
        """End of each job, seconds."""
        return {name: run.end for name, run in self.last.items()}

    @property
    def states(self) -> dict[Name, str]:
        """Final state of each job; "PENDING" if it never started."""
        return {name: run.state for name, run in self.last.items()} | dict.fromkeys(self.never, "PENDING")

    @cached_property
    def node_lists(self) -> tuple[tuple[int, ...], ...]:
        """Nodes of each run, numbered from 0: those that its reservation named, or the lowest free ones."""
        if self.allocated is not None:
            units = (self.allocated[run.job, run.start] for run in self.runs)
            return tuple(tuple(sorted({unit // self.gpus for unit in one})) for one in units)
        free = list(range(self.nodes))
        busy: list[tuple[float, tuple[int, ...]]] = []
        lists = []
        for run in self.runs:
            while busy and busy[0][0] <= run.start:
                for node in heappop(busy)[1]:
                    heappush(free, node)
            mine = tuple(heappop(free) for _ in range(run.nodes))
            heappush(busy, (run.end, mine))
            lists.append(mine)
        return tuple(lists)

    def metrics(self, bound: float = 10.0) -> Metrics:
        """Compute wait, slowdown, utilization and makespan.

        Parameters
        ----------
        bound : float
            Shortest run in the bounded slowdown, seconds.

        Returns
        -------
        Metrics
            Metrics of the schedule.

        Raises
        ------
        ValueError
            No job of the schedule ever ran.

        Notes
        -----
        Means hide the starvation of single users or jobs. Source: Feitelson, *Metrics for
        parallel job scheduling and their convergence*, JSSPP 2001.
        """
        return schedule_metrics(self, one_positive("bound", bound))

    def gpu_hours(self, gpus_per_node: int) -> float:
        """GPU-hours held by all runs, including preempted ones.

        Parameters
        ----------
        gpus_per_node : int
            Number of GPUs in a node.

        Returns
        -------
        float
            GPU-hours, the usual unit of billing.
        """
        return float(gpu_hours(sum(map(self.node_seconds, self.runs)), gpus_per_node))

    @cached_property
    def _parts_of_a_node(self) -> dict[Name, float]:
        return {job.id: (job.gpus or self.gpus) / self.gpus for job in self.jobs}

    def node_seconds(self, run: Run) -> float:
        """Node-seconds held by a run; a job that shares nodes holds the fraction of its GPUs.

        Parameters
        ----------
        run : Run
            Run of this schedule.

        Returns
        -------
        float
            Nodes times seconds times the fraction of each node.
        """
        return (run.end - run.start) * run.nodes * self._parts_of_a_node[run.job]

    def reservations_at(self, time: float) -> tuple[Reservation, ...]:
        """Reservations of pending jobs at a given time, after the scheduling pass of that time.

        Parameters
        ----------
        time : float
            Time, seconds.

        Returns
        -------
        tuple of Reservation
            Empty under "fcfs" and "sjf", one under "easy", one for each pending job under
            the conservative policies; tasks held back by the limit of their array have none.
        """
        return self.snapshot_at(time).reservations

    def priorities_at(self, time: float) -> dict[Name, float]:
        """Priorities of pending jobs at a given time, in the form of ``sprio``, highest first.

        Parameters
        ----------
        time : float
            Time, seconds.

        Returns
        -------
        dict of id to float
            Priority by job.

        Raises
        ------
        ValueError
            The policy does not use priorities.
        """
        return self.snapshot_at(time).priorities

    def usage_at(self, time: float) -> UsageSample:
        """Decayed usage and fair-share factors of the users at a given time.

        Parameters
        ----------
        time : float
            Time, seconds.

        Returns
        -------
        UsageSample
            Values of the last priority calculation.

        Raises
        ------
        ValueError
            The schedule was simulated without `Fairshare`.
        """
        if self.fairshare is None:
            raise ValueError("usage is recorded only if simulate gets a fairshare")
        return usage_sample_at(self.fairshare, self.usage_samples, one_positive("time", time, allow_zero=True))

    def why(self, job: Name, time: float | None = None) -> str:
        """Explain why a job waits at a given time, with Slurm's pending reason.

        Parameters
        ----------
        job : int or str
            Id of the job.
        time : float, optional
            Time, seconds; None is the time of submission.

        Returns
        -------
        str
            Sentence that ends with the reason in parentheses.

        Raises
        ------
        ValueError
            The job does not exist.
        """
        named = self._named(job)
        return self.snapshot_at(named.submit if time is None else time).why(named)

    def lifecycle(self, job: Name) -> tuple[tuple[float, str], ...]:
        """List the states of a job over time, in Slurm's terms.

        Parameters
        ----------
        job : int or str
            Id of the job.

        Returns
        -------
        tuple of (float, str)
            Time in seconds and state: "PENDING" from submission, "RUNNING", then the final state; a preempted
            job is "PREEMPTED" and, if requeued, "PENDING" again.

        Raises
        ------
        ValueError
            The job does not exist.

        Notes
        -----
        Ignores transient states ("CONFIGURING", "COMPLETING"), and that Slurm delays a requeued job by two
        minutes, in which it is pending. Source: the ``squeue`` manual, *Job state codes*.
        """
        states = [(self._named(job).submit, "PENDING")]
        runs = [run for run in self.runs if run.job == job]
        for place, run in enumerate(runs, 1):
            states += [(run.start, "RUNNING"), (run.end, run.state)]
            if place < len(runs):
                states.append((run.end, "PENDING"))
        return tuple(states)

    def _named(self, job: Name) -> Job:
        named = next((one for one in self.jobs if one.id == job), None)
        if named is None:
            names = shortened([one.id for one in self.jobs])
            raise ValueError(f"job must be one of {names}, got {job!r}")
        return named

    def snapshot_at(self, time: float) -> QueueSnapshot:
        """Return the machine and its queue at a given time, as the scheduler sees them."""
        return QueueSnapshot(self, one_positive("time", time, allow_zero=True))
