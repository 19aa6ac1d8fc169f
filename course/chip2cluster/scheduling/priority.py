"""Slurm's multifactor priority: weighted sum of factors (age, fair share, job size, partition, QOS)."""

from __future__ import annotations

from dataclasses import dataclass
from math import floor
from typing import TYPE_CHECKING

import numpy as np

from .._validate import flag, holds, one_fraction, one_positive, plain, positive, shortened, whole

if TYPE_CHECKING:
    from .._typing import ArrayLike, FloatOrArray
    from .jobs import Job

WEEK = 7 * 86400.0


@dataclass(frozen=True)
class Weights:
    """Weights of the priority factors (``PriorityWeightAge`` etc.), and ``PriorityMaxAge`` in seconds.

    Calling it with a job, the seconds since it became eligible, and the nodes of the machine returns the priority, as
    `simulate` needs it; a simulated machine has one partition, whose weight has no effect.

    Examples
    --------
    >>> from chip2cluster.scheduling import Job
    >>> weights = Weights(age=1000, fairshare=10000, job_size=1000, partition=1000, qos=2000, age_max=600)
    >>> weights(Job(1, submit=0, nodes=1, walltime=60, qos=0.2), 75, 4)   # a quarter of the machine, 75 s old
    10775
    """

    age: float = 0.0
    fairshare: float = 0.0
    job_size: float = 0.0
    partition: float = 0.0
    qos: float = 0.0
    age_max: float = WEEK

    def __post_init__(self) -> None:
        """Check and normalize the fields."""
        for name in ("age", "fairshare", "job_size", "partition", "qos"):
            one_positive(name, getattr(self, name), allow_zero=True)
        one_positive("age_max", self.age_max)

    def __call__(self, job: Job, waited: float, nodes: int) -> int:
        """Return the priority of a job."""
        return _truncate(
            self.age * min(1, waited / self.age_max)
            + self.job_size * job.nodes / nodes
            + self.qos * job.qos
            + self.fairshare * job.fairshare
        )


def _truncate(total: float) -> int:
    """Truncate to an integer of at least 0, tolerant of rounding errors."""
    return max(0, floor(total + 1e-9))


@dataclass(frozen=True)
class Factors:
    """Weighted parts of a job's priority; ``nice`` is subtracted."""

    age: float
    fairshare: float
    job_size: float
    partition: float
    qos: float
    nice: float = 0.0

    @property
    def priority(self) -> int:
        """Priority: the sum, truncated to an integer of at least 0."""
        return _truncate(self.age + self.fairshare + self.job_size + self.partition + self.qos - self.nice)

    @property
    def printed(self) -> dict[str, int]:
        """Parts as ``sprio`` prints them, each rounded to an integer."""
        return {name: floor(getattr(self, name) + 0.5) for name in self.__dataclass_fields__}


def priority(
    weights: Weights,
    *,
    age: float = 0.0,
    fairshare: float = 0.0,
    job_size: float = 0.0,
    partition: float = 0.0,
    qos: float = 0.0,
    nice: float = 0.0,
) -> Factors:
    """Compute Slurm's multifactor priority of a job from its factors.

    Parameters
    ----------
    weights : Weights
        Weights of the factors.
    age, fairshare, job_size, partition, qos : float
        Factors, 0 to 1; see `age_factor`, `fair_tree` and `job_size_factor`. The factors of
        partition and QOS are their priorities over the highest configured one.
    nice : float
        Points subtracted by the user (``--nice``); negative values are reserved for operators.

    Returns
    -------
    Factors
        Weighted parts, with ``.priority`` and ``.printed`` (the output of ``sprio``).

    Notes
    -----
    Ignores the ``TRES`` and ``site`` factors. Source: Slurm's *Multifactor priority plugin*;
    verified against ``sprio`` of Slurm 22.05.8.

    Examples
    --------
    >>> weights = Weights(age=1000, fairshare=10000, job_size=1000, partition=1000, qos=2000)
    >>> size = job_size_factor(1, 8, cluster_nodes=4, cluster_cpus=32)
    >>> priority(weights, age=0.025, fairshare=0.2, job_size=size, partition=1, qos=0.2).priority
    3675
    """
    if not isinstance(weights, Weights):
        raise TypeError(f"weights must be a scheduling.Weights, got {weights!r}")
    given = {"age": age, "fairshare": fairshare, "job_size": job_size, "partition": partition, "qos": qos}
    parts = {name: getattr(weights, name) * one_fraction(name, value, allow_zero=True) for name, value in given.items()}
    sign = -1.0 if nice < 0 else 1.0
    return Factors(**parts, nice=sign * one_positive("nice", abs(nice), allow_zero=True))


def age_factor(eligible_seconds: ArrayLike, max_age: ArrayLike = WEEK) -> FloatOrArray:
    """Age factor: time since a job became eligible over ``PriorityMaxAge``, at most 1.

    Parameters
    ----------
    eligible_seconds : float or array
        Time since the job became *eligible* (for a dependent job, since the dependency was satisfied), seconds.
    max_age : float or array
        ``PriorityMaxAge``, seconds; 7 days by default.

    Returns
    -------
    float or array
        Factor, 0 to 1.

    Notes
    -----
    Ignores that Slurm updates it once per ``PriorityCalcPeriod`` (5 minutes). Source: same as `priority`.

    Examples
    --------
    >>> age_factor([0, 75, 9000], 600).tolist()
    [0.0, 0.125, 1.0]
    """
    age = positive("eligible_seconds", eligible_seconds, allow_zero=True)
    share = age / positive("max_age", max_age)
    return min(share, 1.0) if type(share) is float else plain(np.minimum(share, 1.0))


def job_size_factor(
    nodes: ArrayLike, cpus: ArrayLike, *, cluster_nodes: ArrayLike, cluster_cpus: ArrayLike, favor_small: bool = False
) -> FloatOrArray:
    """Job-size factor: mean of the fractions of nodes and CPUs that a job requests.

    Parameters
    ----------
    nodes, cpus : int or array of int
        Nodes and CPUs of the job. An exclusive job counts the requested CPUs before the first
        scheduling pass, and all CPUs of its nodes after it.
    cluster_nodes, cluster_cpus : int or array of int
        Nodes and CPUs of the machine.
    favor_small : bool
        ``PriorityFavorSmall``, which gives smaller jobs a larger factor.

    Returns
    -------
    float or array
        Factor, 0 to 1; a job of the whole machine has 1, or 0 with ``favor_small``.

    Notes
    -----
    Ignores ``PriorityFlags=SMALL_RELATIVE_TO_TIME``. Source: same as `priority`.

    Examples
    --------
    >>> job_size_factor(4, 4, cluster_nodes=4, cluster_cpus=32), job_size_factor(4, 32, cluster_nodes=4, cluster_cpus=32)
    (0.5625, 1.0)
    """
    all_nodes, all_cpus = whole("cluster_nodes", cluster_nodes), whole("cluster_cpus", cluster_cpus)
    of_nodes, of_cpus = whole("nodes", nodes) / all_nodes, whole("cpus", cpus) / all_cpus
    for name, share, given in (("nodes", of_nodes, nodes), ("cpus", of_cpus, cpus)):
        if holds(share > 1):
            raise ValueError(f"{name} must be at most those of the machine, got {shortened(given)}")
    size = (of_nodes + of_cpus) / 2
    return plain(1 - size if flag("favor_small", favor_small) else size)
