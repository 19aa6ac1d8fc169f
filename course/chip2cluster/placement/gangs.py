"""Gangs: jobs that need all of their pods at once, and what happens to those that get some."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .._validate import flag, one_whole


@dataclass(frozen=True)
class Gangs:
    """Which GPUs jobs hold: ``held[i]`` are those of job i, which runs only if it has all its pods.

    Examples
    --------
    >>> halves = gang(6, pods_per_job=4, jobs=2, all_or_nothing=False)
    >>> halves.held, halves.running_jobs, halves.idle_gpus, halves.deadlock
    ((3, 3), 0, 6, True)
    """

    gpus: int
    pods_per_job: int
    held: tuple[int, ...]

    @property
    def running_jobs(self) -> int:
        """Jobs that have all their pods."""
        return sum(pods == self.pods_per_job for pods in self.held)

    @property
    def idle_gpus(self) -> int:
        """GPUs that do no work: free ones, and those held by jobs that wait for more."""
        return self.gpus - self.running_jobs * self.pods_per_job

    @property
    def deadlock(self) -> bool:
        """Whether jobs hold GPUs, none can run, and so none will ever give any back."""
        return not self.running_jobs and any(self.held)


def gang(gpus: int, pods_per_job: int, jobs: int, *, all_or_nothing: bool = True) -> Gangs:
    """Give GPUs to equal jobs of several pods, a GPU each.

    Parameters
    ----------
    gpus : int
        Of the cluster.
    pods_per_job : int
        Pods that a job needs before it can begin.
    jobs : int
        Jobs that came at the same time.
    all_or_nothing : bool
        True: a job gets all its pods or none (gang scheduling: Volcano, Kueue, an allocation of
        Slurm). False: pods of the jobs come alternately and each takes a GPU while there is one.

    Returns
    -------
    Gangs

    Raises
    ------
    ValueError, TypeError
        For counts that are not whole or below 1.

    Notes
    -----
    Ignores nodes: see `kubernetes_placement` for GPUs that are free and in the wrong place.
    Source: enumeration; the deadlock is the reason for *coscheduling* plug-ins (Kubernetes
    enhancement proposal 583 of scheduler-plugins).

    Examples
    --------
    >>> gang(6, pods_per_job=4, jobs=2).held
    (4, 0)
    """
    total, need, count = one_whole("gpus", gpus), one_whole("pods_per_job", pods_per_job), one_whole("jobs", jobs)
    if flag("all_or_nothing", all_or_nothing):
        runs = min(count, total // need)
        return Gangs(total, need, (need,) * runs + (0,) * (count - runs))
    each, rest = divmod(min(total, count * need), count)  # in turns: the first few are one ahead
    return Gangs(total, need, (each + 1,) * rest + (each,) * (count - rest))


def fragmentation(free: Sequence[int], pod: int) -> float:
    """The share of free GPUs that no pod of a size can use, because they lie scattered.

    Parameters
    ----------
    free : sequence of int
        Free GPUs of each node.
    pod : int
        GPUs that a pod needs on one node.

    Returns
    -------
    float
        0 to 1; 0 where nothing is free.

    Raises
    ------
    ValueError, TypeError
        For counts that are not whole.

    Notes
    -----
    A quota counts sums and admits what then finds no node. Source: the definition, as in Weng et
    al., *Beware of fragmentation*, USENIX ATC 2023, for one size.

    Examples
    --------
    >>> fragmentation([3, 3, 2], 4), fragmentation([3, 3, 2], 2)
    (1.0, 0.25)
    """
    size = one_whole("pod", pod)
    counts = [one_whole(f"free[{node}]", count, 0) for node, count in enumerate(free)]
    total = sum(counts)
    return sum(count % size for count in counts) / total if total else 0.0
