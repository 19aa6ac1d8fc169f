"""Gang scheduling: jobs that need all of their pods at once, and the deadlock without all-or-nothing allocation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .._validate import flag, one_whole


@dataclass(frozen=True)
class GangAllocation:
    """GPUs that equal jobs hold; a job runs only if it has all its pods.

    Attributes
    ----------
    gpus : int
        Number of GPUs of the cluster.
    pods_per_job : int
        Number of pods, each with one GPU, that a job needs.
    held : tuple of int
        Number of GPUs that each job holds.

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
        """Number of jobs that have all their pods."""
        return sum(pods == self.pods_per_job for pods in self.held)

    @property
    def idle_gpus(self) -> int:
        """Number of GPUs that do no work: free ones, and those held by waiting jobs."""
        return self.gpus - self.running_jobs * self.pods_per_job

    @property
    def deadlock(self) -> bool:
        """Whether jobs hold GPUs but none can run, so that none will release any."""
        return not self.running_jobs and any(self.held)


def gang(gpus: int, pods_per_job: int, jobs: int, *, all_or_nothing: bool = True) -> GangAllocation:
    """Allocate GPUs to equal jobs of several one-GPU pods, with or without gang scheduling.

    Parameters
    ----------
    gpus : int
        Number of GPUs of the cluster.
    pods_per_job : int
        Number of pods that a job needs before it can start.
    jobs : int
        Number of jobs that arrive at the same time.
    all_or_nothing : bool
        True (gang scheduling: Volcano, Kueue, an allocation of Slurm): a job gets all its
        pods or none. False: pods of the jobs arrive alternately, and each takes a GPU as
        long as one is free.

    Returns
    -------
    GangAllocation
        GPUs that each job holds.

    Notes
    -----
    Ignores nodes: see `kubernetes_placement` for free GPUs on the wrong nodes.
    Source: enumeration; the deadlock is the reason for *coscheduling* plug-ins (Kubernetes
    enhancement proposal 583 of scheduler-plugins).

    Examples
    --------
    >>> gang(6, pods_per_job=4, jobs=2).held
    (4, 0)
    """
    gpus, pods_per_job, jobs = one_whole("gpus", gpus), one_whole("pods_per_job", pods_per_job), one_whole("jobs", jobs)
    if flag("all_or_nothing", all_or_nothing):
        running = min(jobs, gpus // pods_per_job)
        return GangAllocation(gpus, pods_per_job, (pods_per_job,) * running + (0,) * (jobs - running))
    each, rest = divmod(min(gpus, jobs * pods_per_job), jobs)  # alternately: the first few have one more
    return GangAllocation(gpus, pods_per_job, (each + 1,) * rest + (each,) * (jobs - rest))


def fragmentation(free: Sequence[int], pod: int) -> float:
    """Compute the fraction of free GPUs that pods of a given size cannot use because of fragmentation.

    Parameters
    ----------
    free : sequence of int
        Number of free GPUs of each node.
    pod : int
        Number of GPUs that a pod needs on one node.

    Returns
    -------
    float
        Fraction, 0 to 1; 0 if no GPU is free.

    Notes
    -----
    A quota counts the sum of GPUs and may admit a pod that fits on no node. Source: the
    definition, as in Weng et al., *Beware of fragmentation*, USENIX ATC 2023, for one size.

    Examples
    --------
    >>> fragmentation([3, 3, 2], 4), fragmentation([3, 3, 2], 2)
    (1.0, 0.25)
    """
    size = one_whole("pod", pod)
    counts = [one_whole(f"free[{node}]", count, 0) for node, count in enumerate(free)]
    total = sum(counts)
    return sum(count % size for count in counts) / total if total else 0.0
