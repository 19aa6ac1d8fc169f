"""Slurm's multifactor priority: factors from 0 to 1, weights, and a sum that is cut to a whole number."""

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
    """What each factor counts: ``PriorityWeightAge`` and its like, and ``PriorityMaxAge`` in seconds.

    Called with a job, the seconds that it has been eligible, and the nodes of the machine it
    gives the job's priority, as `simulate` needs it; a simulated machine has one partition, whose weight changes nothing.

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
        for name in ("age", "fairshare", "job_size", "partition", "qos"):
            one_positive(name, getattr(self, name), allow_zero=True)
        one_positive("age_max", self.age_max)

    def __call__(self, job: Job, waited: float, nodes: int) -> int:
        return _cut(
            self.age * min(1, waited / self.age_max)
            + self.job_size * job.nodes / nodes
            + self.qos * job.qos
            + self.fairshare * job.fairshare
        )


def _cut(total: float) -> int:
    """A whole number, and at least 0; a rounding error in the twelfth digit is no missing point."""
    return max(0, floor(total + 1e-9))


@dataclass(frozen=True)
class Factors:
    """The parts of a job's priority, each already times its weight; ``nice`` is taken off.

    ``printed`` is what ``sprio`` shows of them: whole numbers.
    """

    age: float
    fairshare: float
    job_size: float
    partition: float
    qos: float
    nice: float = 0.0

    @property
    def priority(self) -> int:
        """Their sum, cut to a whole number, and at least 0."""
        return _cut(self.age + self.fairshare + self.job_size + self.partition + self.qos - self.nice)

    @property
    def printed(self) -> dict[str, int]:
        """The parts as ``sprio`` prints them, rounded one by one."""
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
    """A job's priority from its factors.

    Parameters
    ----------
    weights : Weights
    age, fairshare, job_size, partition, qos : float
        Factors, 0 to 1; see `age_factor`, `fair_tree` and `job_size_factor`. Those of
        partitions and qos are their priorities over the highest that there is.
    nice : float
        Points that the user gives away (``--nice``); negative ones are an operator's gift.

    Returns
    -------
    Factors
        With ``.priority`` and, as ``sprio`` shows it, ``.printed``.

    Notes
    -----
    Ignores the ``TRES`` and ``site`` factors. Source: Slurm's *Multifactor priority plugin*;
    held against ``sprio`` of Slurm 22.05.8.

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
    """The share of ``PriorityMaxAge`` that a job has been able to start, at most 1.

    Parameters
    ----------
    eligible_seconds : float or array
        Since the job was *eligible*: a job with a dependency is as old as the fulfilment.
    max_age : float or array
        ``PriorityMaxAge``, seconds; 7 days where nobody set it.

    Returns
    -------
    float or array

    Notes
    -----
    Slurm brings it up to date once in a ``PriorityCalcPeriod`` (5 minutes); ignored here.
    Source: as `priority`.

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
    """How much of the machine a job asks for: the mean of its shares of nodes and of CPUs.

    Parameters
    ----------
    nodes, cpus : int or array of int
        Of the job. An exclusive job counts only the CPUs that it asked for until the first
        pass has looked at it, then all those of its nodes.
    cluster_nodes, cluster_cpus : int or array of int
        Of the machine.
    favor_small : bool
        ``PriorityFavorSmall``: the smaller, the more.

    Returns
    -------
    float or array
        From 0 to 1; a job of the whole machine has 1 (or 0, if small ones are favoured).

    Notes
    -----
    Ignores ``PriorityFlags=SMALL_RELATIVE_TO_TIME``. Source: as `priority`.

    Examples
    --------
    >>> job_size_factor(4, 4, cluster_nodes=4, cluster_cpus=32), job_size_factor(4, 32, cluster_nodes=4, cluster_cpus=32)
    (0.5625, 1.0)
    """
    all_nodes, all_cpus = whole("cluster_nodes", cluster_nodes), whole("cluster_cpus", cluster_cpus)
    of_nodes, of_cpus = whole("nodes", nodes) / all_nodes, whole("cpus", cpus) / all_cpus
    for name, share, given in (("nodes", of_nodes, nodes), ("cpus", of_cpus, cpus)):
        if holds(share > 1):
            raise ValueError(f"{name} must be at most what the machine has, got {shortened(given)}")
    size = (of_nodes + of_cpus) / 2
    return plain(1 - size if flag("favor_small", favor_small) else size)
