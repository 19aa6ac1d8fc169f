"""Batch jobs: requested resources, and actual run time."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from .._validate import flag, one_fraction, one_positive, one_whole
from .dependencies import Name, dependencies

if TYPE_CHECKING:
    from collections.abc import Iterable


@dataclass(frozen=True)
class Job:
    """Rigid job (gang scheduled): a fixed number of nodes, or of GPUs on nodes, held from its start to its end.

    The scheduler knows the requested ``walltime``, but not the actual ``runtime``. A job that reaches its walltime is
    terminated.

    Parameters
    ----------
    id : int or str
        Id of the job; ``"27_3"`` is task 3 of the array 27.
    submit : float
        Time of submission, seconds.
    nodes : int
        Number of nodes.
    walltime : float
        Requested time limit (Slurm's ``--time``), seconds.
    runtime : float, optional
        Actual duration of the work, seconds; None for the walltime.
    user : str
        Owner of the job.
    qos, fairshare : float
        Factors of a multifactor priority, 0 to 1; with preemption a higher qos preempts a lower one.
    walltime_min : float, optional
        Shortest limit to which backfill may reduce ``walltime`` (``--time-min``), seconds; at most ``walltime``.
    dependency : str
        Dependencies in Slurm's syntax, such as ``"afterok:12:13,afterany:9"``; all must be satisfied, or any one if
        separated by ``?``. The id of an array means all its tasks (with ``aftercorr``, the one with the same
        number); ``"singleton"`` means all earlier jobs with the same ``user`` and ``name``.
    array : int or str, optional
        Id of the array to which the task belongs.
    array_limit : int, optional
        Number of tasks of the array that may run at once, after the ``%``.
    fails : bool
        Whether the work ends in an error.
    name : str
        Name given by the user (``--job-name``).
    gpus : int, optional
        GPUs on each node (``--gpus-per-node``), if the job shares its nodes with others; None takes whole nodes.
    account : str
        Account that is charged (``--account``).

    Notes
    -----
    Ignores memory and cores within a node, licences and partitions: all nodes are equal, and only GPUs are shared.
    Source: Feitelson and Rudolph, *Metrics and benchmarking for parallel job
    scheduling*, 1998 (rigid jobs); Slurm's ``sbatch`` manual (dependencies, limits).

    Examples
    --------
    >>> job = Job(1, submit=0, nodes=4, walltime=3600, runtime=1000)
    >>> job.seconds, job.node_seconds, job.state
    (1000.0, 4000.0, 'COMPLETED')
    >>> Job(2, submit=0, nodes=4, walltime=3600, runtime=4000).state
    'TIMEOUT'
    """

    id: Name
    submit: float
    nodes: int
    walltime: float
    runtime: float | None = None
    user: str = ""
    qos: float = 0.0
    fairshare: float = 1.0
    walltime_min: float | None = None
    dependency: str = ""
    array: Name | None = None
    array_limit: int | None = None
    fails: bool = False
    name: str = ""
    gpus: int | None = None
    account: str = ""

    def __post_init__(self) -> None:
        """Check and normalize the fields."""
        if isinstance(self.id, bool) or not isinstance(self.id, (int, str)) or self.id == "":
            raise TypeError(f"id must be a whole number or a name, got {self.id!r}")
        take = lambda name, value: object.__setattr__(self, name, value)
        take("submit", one_positive("submit", self.submit, allow_zero=True))
        take("nodes", one_whole("nodes", self.nodes))
        take("walltime", one_positive("walltime", self.walltime))
        runtime = self.walltime if self.runtime is None else one_positive("runtime", self.runtime, allow_zero=True)
        take("runtime", runtime)
        for name in ("qos", "fairshare"):
            take(name, one_fraction(name, getattr(self, name), allow_zero=True))
        if self.walltime_min is not None:
            take("walltime_min", one_positive("walltime_min", self.walltime_min))
            if self.walltime_min > self.walltime:
                raise ValueError(
                    f"walltime_min must be at most the walltime, {self.walltime:g} s, got {self.walltime_min:g}"
                )
        if self.array_limit is not None:
            take("array_limit", one_whole("array_limit", self.array_limit))
        if self.gpus is not None:
            take("gpus", one_whole("gpus", self.gpus))
        if self.dependency:
            dependencies(self.dependency)
        flag("fails", self.fails)

    @property
    def associations(self) -> frozenset[str]:
        """User and account, whose limits hold for the job."""
        return frozenset((self.user, self.account or self.user))

    @property
    def seconds(self) -> float:
        """Time for which the job holds its nodes with the full walltime, seconds."""
        return min(self.walltime, self.walltime if self.runtime is None else self.runtime)

    @property
    def node_seconds(self) -> float:
        """Nodes times seconds held."""
        return self.nodes * self.seconds

    @property
    def state(self) -> str:
        """Final state with the full walltime: "COMPLETED", "FAILED" or "TIMEOUT"."""
        return final_state(self, self.walltime)


def final_state(job: Job, limit: float) -> str:
    """Return the final state of a job with a given time limit."""
    if job.runtime > limit:  # type: ignore[operator]
        return "TIMEOUT"
    return "FAILED" if job.fails else "COMPLETED"


def check_jobs(jobs: Iterable[Job], nodes: int | None) -> list[Job]:
    """Return the jobs as a list after checking types, unique ids, and sizes unless ``nodes`` is None."""
    listed = list(jobs)
    for job in listed:
        if not isinstance(job, Job):
            raise TypeError(f"jobs must hold scheduling.Job objects, got {job!r}")
        if nodes is not None and job.nodes > nodes:
            raise ValueError(f"job {job.id} requests {job.nodes} nodes, but the machine has {nodes}")
    twice = [name for name, times in Counter(str(job.id) for job in listed).items() if times > 1]
    if twice:
        raise ValueError(f"jobs must have different ids, got {', '.join(twice[:5])} more than once")
    return listed


def with_walltimes(jobs: Iterable[Job], factor: float) -> list[Job]:
    """Return the jobs with walltimes of ``factor`` times the actual run time.

    Parameters
    ----------
    jobs : iterable of Job
        Jobs to change.
    factor : float
        Overestimation factor, at least 1; 1 is a perfect estimate.

    Returns
    -------
    list of Job
        Same jobs with new walltimes.

    Notes
    -----
    Users overestimate because a job that reaches its limit is killed. Ignores rounding to whole hours. Source: Mu'alem and Feitelson, IEEE TPDS 12(6), 2001.

    Examples
    --------
    >>> with_walltimes([Job(1, 0, 1, walltime=100, runtime=40)], 2)[0].walltime
    80.0
    """
    factor = one_positive("factor", factor)
    if factor < 1:
        raise ValueError(f"factor must be at least 1, or every job would time out, got {factor!r}")
    return [replace(job, walltime=max(job.seconds * factor, 1e-9), walltime_min=None) for job in jobs]
