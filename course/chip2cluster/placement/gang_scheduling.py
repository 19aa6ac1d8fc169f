"""Placement of several jobs' pods on partly used nodes: pod by pod, or by gang scheduling."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .._validate import choice, flag, one_whole
from .kubernetes import best_node


@dataclass(frozen=True)
class PlacedJobs:
    """Placement of the pods of several equal jobs.

    Attributes
    ----------
    nodes : tuple of tuple
        Node of each pod of each job; None for a pod without a node.
    gpus_per_pod : int
        Number of GPUs of a pod.
    free : tuple of int
        Number of free GPUs of each node after the placement.

    Examples
    --------
    >>> halves = place_jobs(2, 3, 2, [4, 4], "spread", all_or_nothing=False)
    >>> halves.nodes, halves.running_jobs, halves.deadlock, halves.stranded_gpus
    (((0, 0, None), (1, 1, None)), 0, True, 8)
    """

    nodes: tuple[tuple[int | None, ...], ...]
    gpus_per_pod: int
    free: tuple[int, ...]

    @property
    def runs(self) -> tuple[bool, ...]:
        """Whether all pods of each job have a node."""
        return tuple(None not in pods for pods in self.nodes)

    @property
    def running_jobs(self) -> int:
        """Number of jobs that have all their pods."""
        return sum(self.runs)

    @property
    def stranded_gpus(self) -> int:
        """Number of GPUs held by jobs that lack pods and cannot start."""
        waiting = [pods for pods, runs in zip(self.nodes, self.runs, strict=True) if not runs]
        return self.gpus_per_pod * sum(node is not None for pods in waiting for node in pods)

    @property
    def deadlock(self) -> bool:
        """Whether jobs hold GPUs but none can start, so that none will release any."""
        return not self.running_jobs and self.stranded_gpus > 0


def place_jobs(
    jobs: int,
    pods_per_job: int,
    gpus_per_pod: int,
    nodes_gpus: Sequence[int],
    strategy: str,
    *,
    used: Sequence[int] | None = None,
    all_or_nothing: bool = True,
) -> PlacedJobs:
    """Place the pods of equal jobs on nodes by Kubernetes' score for GPUs, with or without gang scheduling.

    Parameters
    ----------
    jobs : int
        Number of jobs that arrive at the same time.
    pods_per_job : int
        Number of pods that a job needs before it can start.
    gpus_per_pod : int
        Number of GPUs of a pod.
    nodes_gpus : sequence of int
        Number of GPUs of each node.
    strategy : {"spread", "pack"}
        Score: `least_allocated` ("spread") or `most_allocated` ("pack").
    used : sequence of int, optional
        Number of GPUs of each node that others hold; by default 0.
    all_or_nothing : bool
        True (gang scheduling): jobs are placed one after the other, and a job whose pods do
        not all fit gets none. False: pods of the jobs arrive alternately, and each keeps its
        node.

    Returns
    -------
    PlacedJobs
        Node of each pod, and the GPUs that stay free.

    Raises
    ------
    ValueError
        If a node holds more GPUs than it has.

    Notes
    -----
    Chooses the first of equal nodes. Ignores CPUs and memory, and that a scheduler retries.
    Source: as `kubernetes_placement`; all-or-nothing as in *coscheduling*
    (scheduler-plugins, KEP 42), Volcano and Kueue.

    Examples
    --------
    >>> place_jobs(2, 3, 2, [4, 4], "spread").nodes
    ((0, 1, 0), (None, None, None))
    """
    choice("strategy", strategy, ("spread", "pack"))
    flag("all_or_nothing", all_or_nothing)
    jobs, pods_per_job = one_whole("jobs", jobs), one_whole("pods_per_job", pods_per_job)
    gpus_per_pod = one_whole("gpus_per_pod", gpus_per_pod)
    sizes = [one_whole(f"nodes_gpus[{at}]", size, 0) for at, size in enumerate(nodes_gpus)]
    held = [0] * len(sizes) if used is None else [one_whole(f"used[{at}]", count, 0) for at, count in enumerate(used)]
    if not sizes or len(held) != len(sizes) or any(map(int.__gt__, held, sizes)):
        raise ValueError(f"used must be at most nodes_gpus, of at least one node, got {held} of {sizes}")
    pods: list[list[int | None]] = [[] for _ in range(jobs)]
    if all_or_nothing:
        arrivals = [job for job in range(jobs) for _ in range(pods_per_job)]
    else:
        arrivals = list(range(jobs)) * pods_per_job
    for job in arrivals:
        node = best_node(gpus_per_pod, sizes, held, strategy)
        pods[job].append(node)
        if node is not None:
            held[node] += gpus_per_pod
        if all_or_nothing and len(pods[job]) == pods_per_job and None in pods[job]:
            for released in pods[job]:
                if released is not None:
                    held[released] -= gpus_per_pod
            pods[job] = [None] * pods_per_job
    free = tuple(size - count for size, count in zip(sizes, held, strict=True))
    return PlacedJobs(tuple(map(tuple, pods)), gpus_per_pod, free)
