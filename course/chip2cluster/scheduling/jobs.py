"""A job as a scheduler sees it: what it asks for, and what it will really take."""

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
    """A rigid job: a fixed number of whole nodes, held from its start to its end.

    The scheduler knows ``walltime``, what the user asks for. ``runtime`` is what nobody
    knows before; a job that would run longer than its walltime is ended then.

    Parameters
    ----------
    id : int or str
        Name of the job; ``"27_3"`` is task 3 of the array 27.
    submit : float
        When it enters the queue, seconds.
    nodes : int
        Nodes it holds.
    walltime : float
        Time limit it asks for (Slurm's ``--time``), seconds.
    runtime : float, optional
        Time that its work takes, seconds; the walltime where it is not given.
    user : str
        Whose job it is.
    qos, fairshare : float
        Factors of a multifactor priority, 0 to 1; with preemption a higher qos displaces a lower.
    walltime_min : float, optional
        The shortest limit that a backfill may cut ``walltime`` down to (``--time-min``), seconds.
    dependency : str
        Other jobs to wait for, as Slurm writes it: ``"afterok:12:13,afterany:9"``; all
        must be fulfilled, or any one if ``?`` stands between them. The name of an array means all its
        tasks (``aftercorr``: the one of the same number); ``"singleton"`` all earlier jobs of the
        same ``user`` and ``name``.
    array : int or str, optional
        The array of which it is a task.
    array_limit : int, optional
        Tasks of its array that may run at once, the number after the ``%``.
    fails : bool
        Whether its work ends in an error.
    name : str
        What its user calls it (``--job-name``).

    Notes
    -----
    Ignores memory, cores and devices within a node, licences and partitions: whole nodes,
    all alike. Source: Feitelson and Rudolph, *Metrics and benchmarking for parallel job
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

    def __post_init__(self) -> None:
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
        if self.dependency:
            dependencies(self.dependency)
        flag("fails", self.fails)

    @property
    def seconds(self) -> float:
        """How long it holds its nodes with the whole walltime."""
        return min(self.walltime, self.walltime if self.runtime is None else self.runtime)

    @property
    def node_seconds(self) -> float:
        """Nodes times the seconds that it holds them."""
        return self.nodes * self.seconds

    @property
    def state(self) -> str:
        """How it ends with the whole walltime: "COMPLETED", "FAILED" or "TIMEOUT"."""
        return ended(self, self.walltime)


def ended(job: Job, limit: float) -> str:
    """How a job ends that was given this limit."""
    if job.runtime > limit:  # type: ignore[operator]
        return "TIMEOUT"
    return "FAILED" if job.fails else "COMPLETED"


def checked(jobs: Iterable[Job], nodes: int) -> list[Job]:
    """The jobs as a list, once they are known to be jobs, of different names, that fit the machine."""
    listed = list(jobs)
    for job in listed:
        if not isinstance(job, Job):
            raise TypeError(f"jobs must hold scheduling.Job objects, got {job!r}")
        if job.nodes > nodes:
            raise ValueError(f"job {job.id} asks for {job.nodes} nodes, and the machine has {nodes}")
    twice = [name for name, times in Counter(str(job.id) for job in listed).items() if times > 1]
    if twice:
        raise ValueError(f"jobs must have different ids, got {', '.join(twice[:5])} more than once")
    return listed


def with_walltimes(jobs: Iterable[Job], factor: float) -> list[Job]:
    """The same jobs, each asking for ``factor`` times what it really takes.

    Parameters
    ----------
    jobs : iterable of Job
    factor : float
        At least 1; 1 is a perfect estimate.

    Returns
    -------
    list of Job

    Notes
    -----
    Users ask for more than they need, since a job over its limit dies. Ignores that they
    round to whole hours. Source: Mu'alem and Feitelson, IEEE TPDS 12(6), 2001.

    Examples
    --------
    >>> with_walltimes([Job(1, 0, 1, walltime=100, runtime=40)], 2)[0].walltime
    80.0
    """
    factor = one_positive("factor", factor)
    if factor < 1:
        raise ValueError(f"factor must be at least 1, or every job would be cut off, got {factor!r}")
    return [replace(job, walltime=max(job.seconds * factor, 1e-9), walltime_min=None) for job in jobs]
