"""What came out: every run of every job, and the figures by which schedules are compared."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from heapq import heappop, heappush
from typing import NamedTuple

from .._validate import one_positive, shortened
from .dependencies import Name
from .fairshare import Fairshare, UsageSample, counted_at
from .jobs import Job
from .metrics import Metrics, gpu_hours, measured
from .outlook import Outlook, Reservation


class Run(NamedTuple):
    """A job from a start to the end that followed, seconds.

    ``limit`` is the time limit it was given, ``state`` how it ended: "COMPLETED", "FAILED",
    "TIMEOUT" or "PREEMPTED"; it could have started at ``eligible``, and held ``nodes``.
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
    nodes : int
        Nodes of the machine.
    policy : str
    runs : tuple of Run
        In order of their starts; a job that was preempted has several.
    never : dict
        Jobs that never start, with the moment since which they could have (None: their
        dependencies cannot be fulfilled).
    usage_samples : tuple of UsageSample
        With `Fairshare`: what was counted at each look at which something ran or waited.
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

    @cached_property
    def last(self) -> dict[Name, Run]:
        """The last run of each job that ever ran, in the order in which the jobs were given."""
        runs = {run.job: run for run in self.runs}
        return {job.id: runs[job.id] for job in self.jobs if job.id in runs}

    @property
    def starts(self) -> dict[Name, float]:
        """When each job started (its last run), seconds."""
        return {name: run.start for name, run in self.last.items()}

    @property
    def ends(self) -> dict[Name, float]:
        """When each job ended, seconds."""
        return {name: run.end for name, run in self.last.items()}

    @property
    def states(self) -> dict[Name, str]:
        """How each job ended; those that never started are "PENDING"."""
        return {name: run.state for name, run in self.last.items()} | dict.fromkeys(self.never, "PENDING")

    @cached_property
    def node_lists(self) -> tuple[tuple[int, ...], ...]:
        """The nodes of each run, numbered from 0: always the lowest that are free."""
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
        """The figures by which schedules are compared.

        Parameters
        ----------
        bound : float
            The shortest run that the bounded slowdown counts, seconds.

        Returns
        -------
        Metrics

        Raises
        ------
        ValueError
            No job of the schedule ever ran.

        Notes
        -----
        Ignores who waits: a mean hides whom a policy starves. Source: Feitelson, *Metrics for
        parallel job scheduling and their convergence*, JSSPP 2001.
        """
        return measured(self, one_positive("bound", bound))

    def gpu_hours(self, gpus_per_node: int) -> float:
        """GPU-hours held by all runs, the lost ones included.

        Parameters
        ----------
        gpus_per_node : int

        Returns
        -------
        float
            Hours: what an allocation is billed in.
        """
        return float(gpu_hours(sum((run.end - run.start) * run.nodes for run in self.runs), gpus_per_node))

    def reservations_at(self, time: float) -> tuple[Reservation, ...]:
        """Who waits at a moment with a place in the plan, after the pass of that moment.

        Parameters
        ----------
        time : float
            Seconds.

        Returns
        -------
        tuple of Reservation
            None under "fcfs" and its like, one under "easy", one for each waiting job under
            the conservative policies; tasks that their array holds back have none.
        """
        return self.outlook(time).reservations

    def priorities_at(self, time: float) -> dict[Name, float]:
        """Priority of each job that waits at a moment, as ``sprio`` would show it, the highest first.

        Parameters
        ----------
        time : float
            Seconds.

        Returns
        -------
        dict of id to float

        Raises
        ------
        ValueError
            The policy does not use priorities.
        """
        return self.outlook(time).priorities

    def usage_at(self, time: float) -> UsageSample:
        """What users are counted for at a moment, and the fair-share factor that they have.

        Parameters
        ----------
        time : float
            Seconds.

        Returns
        -------
        UsageSample
            As of the last look.

        Raises
        ------
        ValueError
            The schedule was simulated without `Fairshare`.
        """
        if self.fairshare is None:
            raise ValueError("usage is counted only where simulate was given a fairshare")
        return counted_at(self.fairshare, self.usage_samples, one_positive("time", time, allow_zero=True))

    def why(self, job: Name, time: float | None = None) -> str:
        """Why a job waits at a moment, in a sentence that ends with Slurm's word for it.

        Parameters
        ----------
        job : int or str
            Its id.
        time : float, optional
            Seconds; the moment of its submission where it is not given.

        Returns
        -------
        str

        Raises
        ------
        ValueError
            The job does not exist.
        """
        named = self._named(job)
        return self.outlook(named.submit if time is None else time).why(named)

    def lifecycle(self, job: Name) -> tuple[tuple[float, str], ...]:
        """The states that a job goes through, in Slurm's words, and since when.

        Parameters
        ----------
        job : int or str
            Its id.

        Returns
        -------
        tuple of (float, str)
            Seconds and state: "PENDING" from its submission on, "RUNNING", then how it ended; a job
            that is taken off its nodes is "PREEMPTED" and, if it comes back, "PENDING" again.

        Raises
        ------
        ValueError
            The job does not exist.

        Notes
        -----
        Ignores the moments between ("CONFIGURING", "COMPLETING"), and that Slurm lets a requeued job
        begin two minutes later: it is pending meanwhile. Source: the ``squeue`` manual, *Job state codes*.
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

    def outlook(self, time: float) -> Outlook:
        """The machine and its queue at a moment, as the scheduler saw them."""
        return Outlook(self, one_positive("time", time, allow_zero=True))
