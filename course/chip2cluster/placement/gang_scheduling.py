"""Pods of several jobs on nodes that others use too: pod by pod, or a whole job at a time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .._validate import choice, flag, one_whole
from .kubernetes import best_node


@dataclass(frozen=True)
class PlacedJobs:
    """Where the pods of equal jobs are: ``nodes[j][p]`` is the node of pod p of job j, None if it has none.

    ``free`` are the GPUs that nobody holds then, of each node.

    Examples
    --------
    >>> halves = place_jobs(2, 3, 2, [4, 4], "spread", all_or_nothing=False)
    >>> halves.nodes, halves.running_jobs, halves.deadlock, halves.held_in_vain
    (((0, 0, None), (1, 1, None)), 0, True, 8)
    """

    nodes: tuple[tuple[int | None, ...], ...]
    gpus_per_pod: int
    free: tuple[int, ...]

    @property
    def runs(self) -> tuple[bool, ...]:
        """Of each job, whether all its pods have a node."""
        return tuple(None not in places for places in self.nodes)

    @property
    def running_jobs(self) -> int:
        """Jobs that have all their pods."""
        return sum(self.runs)

    @property
    def held_in_vain(self) -> int:
        """GPUs of jobs that have some of their pods, and cannot begin."""
        waiting = [places for places, runs in zip(self.nodes, self.runs, strict=True) if not runs]
        return self.gpus_per_pod * sum(node is not None for places in waiting for node in places)

    @property
    def deadlock(self) -> bool:
        """Whether jobs hold GPUs, none of them can begin, and so none will give any back."""
        return not self.running_jobs and self.held_in_vain > 0


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
    """Give the pods of equal jobs to nodes by Kubernetes' score for GPUs.

    Parameters
    ----------
    jobs, pods_per_job, gpus_per_pod : int
        Jobs that came at the same time, pods that each needs before it can begin, and GPUs of a pod.
    nodes_gpus : sequence of int
        GPUs of each node.
    strategy : {"spread", "pack"}
        As `kubernetes_placement`.
    used : sequence of int, optional
        GPUs of each node that others hold; none if it is not given.
    all_or_nothing : bool
        True: the jobs come in turn, and one whose pods do not all find room gets none. False: pods
        of the jobs come alternately, and each keeps what it finds.

    Returns
    -------
    PlacedJobs

    Raises
    ------
    ValueError, TypeError
        For another strategy, no node, counts that are not whole, and nodes that hold more than they have.

    Notes
    -----
    Of equal nodes the first is taken. Ignores CPUs and memory, and that a scheduler tries again.
    Source: as `kubernetes_placement`; all or nothing as in *coscheduling* (scheduler-plugins, KEP 42), Volcano and Kueue.

    Examples
    --------
    >>> place_jobs(2, 3, 2, [4, 4], "spread").nodes
    ((0, 1, 0), (None, None, None))
    """
    choice("strategy", strategy, ("spread", "pack"))
    flag("all_or_nothing", all_or_nothing)
    many, need, each = (
        one_whole(name, value)
        for name, value in (("jobs", jobs), ("pods_per_job", pods_per_job), ("gpus_per_pod", gpus_per_pod))
    )
    sizes = [one_whole(f"nodes_gpus[{at}]", size, 0) for at, size in enumerate(nodes_gpus)]
    taken = [0] * len(sizes) if used is None else [one_whole(f"used[{at}]", count, 0) for at, count in enumerate(used)]
    if not sizes or len(taken) != len(sizes) or any(map(int.__gt__, taken, sizes)):
        raise ValueError(f"used must be at most nodes_gpus, of at least one node, got {taken} of {sizes}")
    places: list[list[int | None]] = [[] for _ in range(many)]
    turns = [job for job in range(many) for _ in range(need)] if all_or_nothing else list(range(many)) * need
    for job in turns:
        node = best_node(each, sizes, taken, strategy)
        places[job].append(node)
        if node is not None:
            taken[node] += each
        if all_or_nothing and len(places[job]) == need and None in places[job]:
            for back in places[job]:
                if back is not None:
                    taken[back] -= each
            places[job] = [None] * need
    free = tuple(size - count for size, count in zip(sizes, taken, strict=True))
    return PlacedJobs(tuple(map(tuple, places)), each, free)
