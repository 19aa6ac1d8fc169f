"""Kubernetes scheduler scores: integers from 0 to 100 by which it chooses a node for a pod."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt

from .._validate import choice, one_whole

MAX_SCORE = 100  # MaxNodeScore
DEFAULT_WEIGHTS = {"cpu": 1, "memory": 1}  # default of kube-scheduler: GPUs do not count


def least_allocated(
    requested: Mapping[str, int], allocatable: Mapping[str, int], weights: Mapping[str, int] = DEFAULT_WEIGHTS
) -> int:
    """Compute the LeastAllocated score of a node, which favors empty nodes and spreads pods.

    Parameters
    ----------
    requested : mapping of str to int
        Requests of the node's pods, the new one included: CPU in millicores, memory in
        bytes, number of GPUs.
    allocatable : mapping of str to int
        Capacity of the node for each resource, in the same units.
    weights : mapping of str to int
        Weight of each resource that counts. By default only CPU and memory: such a
        scheduler ignores that GPUs are in use.

    Returns
    -------
    int
        Score, 0 to 100: the weighted mean of ``(allocatable - requested) * 100 /
        allocatable``, rounded down at each division.

    Raises
    ------
    ValueError
        If a weight names a resource that is not given.

    Notes
    -----
    A resource with a capacity of 0 does not count; one whose request exceeds its capacity
    gives 0. Ignores other score plug-ins. Source: Kubernetes'
    ``noderesources/least_allocated.go``.

    Examples
    --------
    >>> least_allocated({"cpu": 59500, "memory": 547608330240}, {"cpu": 96000, "memory": 1099511627776})
    44
    """
    return _weighted(
        requested,
        allocatable,
        weights,
        lambda request, capacity: (capacity - request) * MAX_SCORE // capacity if request <= capacity else 0,
    )


def most_allocated(
    requested: Mapping[str, int], allocatable: Mapping[str, int], weights: Mapping[str, int] = DEFAULT_WEIGHTS
) -> int:
    """Compute the MostAllocated score of a node, which favors full nodes and packs pods.

    Parameters
    ----------
    requested : mapping of str to int
        Requests of the node's pods, the new one included: CPU in millicores, memory in
        bytes, number of GPUs.
    allocatable : mapping of str to int
        Capacity of the node for each resource, in the same units.
    weights : mapping of str to int
        Weight of each resource that counts. By default only CPU and memory: such a
        scheduler ignores that GPUs are in use.

    Returns
    -------
    int
        Score, 0 to 100: the weighted mean of ``requested * 100 / allocatable``, rounded
        down at each division.

    Notes
    -----
    Ignores what `least_allocated` ignores. Source: ``noderesources/most_allocated.go``.

    Examples
    --------
    >>> most_allocated({"gpu": 3}, {"gpu": 4}, {"gpu": 1})
    75
    """
    return _weighted(
        requested, allocatable, weights, lambda request, capacity: min(request, capacity) * MAX_SCORE // capacity
    )


def balanced_allocation(
    requested: Mapping[str, int], allocatable: Mapping[str, int], weights: Mapping[str, int] = DEFAULT_WEIGHTS
) -> int:
    """Compute the BalancedAllocation score of a node, which favors equal utilization of its resources.

    Parameters
    ----------
    requested : mapping of str to int
        Requests of the node's pods, the new one included: CPU in millicores, memory in
        bytes, number of GPUs.
    allocatable : mapping of str to int
        Capacity of the node for each resource, in the same units.
    weights : mapping of str to int
        Resources that count; the size of a weight has no effect here.

    Returns
    -------
    int
        Score, 0 to 100: ``(1 - s) * 100`` rounded down, with s the standard deviation of the
        utilizations.

    Notes
    -----
    Ignores what `least_allocated` ignores. Source: ``noderesources/balanced_allocation.go``.

    Examples
    --------
    >>> balanced_allocation({"cpu": 8000, "memory": 2**33}, {"cpu": 16000, "memory": 2**36})
    81
    """
    pairs = _pairs(requested, allocatable, weights)
    used = [min(1.0, request / capacity) for request, capacity, _ in pairs]
    deviation = 0.0
    if len(used) == 2:
        deviation = abs(used[0] - used[1]) / 2
    elif len(used) > 2:
        mean = sum(used) / len(used)
        deviation = sqrt(sum((fraction - mean) * (fraction - mean) for fraction in used) / len(used))
    return int((1 - deviation) * MAX_SCORE)


@dataclass(frozen=True)
class PodPlacement:
    """Placement of pods on nodes.

    Attributes
    ----------
    nodes : tuple
        Node of each pod; None if the pod fits on no node.
    used : tuple of int
        Number of GPUs in use on each node.
    free : tuple of int
        Number of free GPUs on each node.
    """

    nodes: tuple[int | None, ...]
    used: tuple[int, ...]
    free: tuple[int, ...]

    @property
    def largest_free_block(self) -> int:
        """Number of GPUs of the largest pod that still fits on a node."""
        return max(self.free)


def kubernetes_placement(pods_gpus: Sequence[int], nodes_gpus: Sequence[int], strategy: str) -> PodPlacement:
    """Place pods one after the other, each on the node with the best score for GPUs.

    Parameters
    ----------
    pods_gpus : sequence of int
        Number of GPUs of each pod, in the order of arrival.
    nodes_gpus : sequence of int
        Number of GPUs of each node.
    strategy : {"spread", "pack"}
        Score: `least_allocated` ("spread") or `most_allocated` ("pack").

    Returns
    -------
    PodPlacement
        Node of each pod, and the used and free GPUs of each node.

    Notes
    -----
    A pod that does not fit waits without blocking later pods. Chooses the first of equal
    nodes; the real scheduler chooses one at random. Ignores CPUs and memory. Source: as
    `least_allocated`.

    Examples
    --------
    Four small pods, followed by one that needs a whole node:

    >>> kubernetes_placement([1, 1, 1, 1, 8], [8, 8], "spread").nodes
    (0, 1, 0, 1, None)
    >>> kubernetes_placement([1, 1, 1, 1, 8], [8, 8], "pack").nodes
    (0, 0, 0, 0, 1)
    """
    choice("strategy", strategy, ("spread", "pack"))
    sizes = [one_whole(f"nodes_gpus[{at}]", size, 0) for at, size in enumerate(nodes_gpus)]
    if not sizes:
        raise ValueError("nodes_gpus must hold at least one node")
    used = [0] * len(sizes)
    nodes: list[int | None] = []
    for number, given in enumerate(pods_gpus):
        request = one_whole(f"pods_gpus[{number}]", given, 0)
        node = best_node(request, sizes, used, strategy)
        nodes.append(node)
        if node is not None:
            used[node] += request
    free = tuple(size - held for size, held in zip(sizes, used, strict=True))
    return PodPlacement(tuple(nodes), tuple(used), free)


def best_node(request: int, sizes: Sequence[int], used: Sequence[int], strategy: str) -> int | None:
    """Return the first node with the best score among those that fit a pod's GPUs; None if it fits on none."""
    score = least_allocated if strategy == "spread" else most_allocated
    fitting = [node for node, size in enumerate(sizes) if used[node] + request <= size]
    rank = lambda node: score({"gpu": used[node] + request}, {"gpu": sizes[node]}, {"gpu": 1})
    return max(fitting, key=rank, default=None)


def _weighted(
    requested: Mapping[str, int],
    allocatable: Mapping[str, int],
    weights: Mapping[str, int],
    score: Callable[[int, int], int],
) -> int:
    pairs = _pairs(requested, allocatable, weights)
    total = sum(weight for _, _, weight in pairs)
    return sum(score(request, capacity) * weight for request, capacity, weight in pairs) // total if total else 0


def _pairs(
    requested: Mapping[str, int], allocatable: Mapping[str, int], weights: Mapping[str, int]
) -> list[tuple[int, int, int]]:
    """Return request, capacity and weight of each resource that counts and has a capacity."""
    pairs = []
    for name, weight in weights.items():
        for argument, table in (("requested", requested), ("allocatable", allocatable)):
            if name not in table:
                raise ValueError(f"{argument} must include {name}, which weights names; it has {', '.join(table)}")
        request = one_whole(f"requested[{name!r}]", requested[name], 0)
        capacity = one_whole(f"allocatable[{name!r}]", allocatable[name], 0)
        if capacity:
            pairs.append((request, capacity, one_whole(f"weights[{name!r}]", weight)))
    return pairs
