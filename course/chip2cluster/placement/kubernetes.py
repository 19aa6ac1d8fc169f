"""Kubernetes' scores: whole numbers from 0 to 100, by which its scheduler picks a node for a pod."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt

from .._validate import choice, one_whole

MOST = 100  # MaxNodeScore
DEFAULT = {"cpu": 1, "memory": 1}  # what kube-scheduler weighs if nobody says otherwise: no GPU


def least_allocated(
    requested: Mapping[str, int], allocatable: Mapping[str, int], weights: Mapping[str, int] = DEFAULT
) -> int:
    """Score of a node that is high where much stays free: pods are spread.

    Parameters
    ----------
    requested : mapping of str to int
        What the pods of the node ask for, the new one included: CPU in thousandths, memory in
        bytes, GPUs in pieces.
    allocatable : mapping of str to int
        What the node has of each.
    weights : mapping of str to int
        Resources that count, and how much. By default CPU and memory alone: a scheduler that is
        not told of GPUs does not see that they are gone.

    Returns
    -------
    int
        0 to 100: the weighted mean of ``(allocatable - requested) * 100 / allocatable``, cut to a
        whole number at each division.

    Raises
    ------
    ValueError, TypeError
        For amounts that are not whole or below 0, and a weight for a resource that was not given.

    Notes
    -----
    A resource of which the node has none does not count; one of which more is asked than there
    is gives 0. Ignores the other plug-ins that vote. Source: Kubernetes'
    ``noderesources/least_allocated.go``.

    Examples
    --------
    >>> least_allocated({"cpu": 59500, "memory": 547608330240}, {"cpu": 96000, "memory": 1099511627776})
    44
    """
    return _weighted(
        requested, allocatable, weights, lambda ask, have: (have - ask) * MOST // have if ask <= have else 0
    )


def most_allocated(
    requested: Mapping[str, int], allocatable: Mapping[str, int], weights: Mapping[str, int] = DEFAULT
) -> int:
    """Score of a node that is high where little stays free: pods are packed, and whole nodes stay free.

    Parameters
    ----------
    requested, allocatable, weights
        As `least_allocated`.

    Returns
    -------
    int
        0 to 100: the weighted mean of ``requested * 100 / allocatable``, cut at each division.

    Raises
    ------
    ValueError, TypeError
        As `least_allocated`.

    Notes
    -----
    Ignores the same as `least_allocated`. Source: ``noderesources/most_allocated.go``.

    Examples
    --------
    >>> most_allocated({"gpu": 3}, {"gpu": 4}, {"gpu": 1})
    75
    """
    return _weighted(requested, allocatable, weights, lambda ask, have: min(ask, have) * MOST // have)


def balanced_allocation(
    requested: Mapping[str, int], allocatable: Mapping[str, int], weights: Mapping[str, int] = DEFAULT
) -> int:
    """Score of a node that is high where its resources are used up in equal parts.

    Parameters
    ----------
    requested, allocatable, weights
        As `least_allocated`; here a weight only says that a resource counts.

    Returns
    -------
    int
        0 to 100: ``(1 - s) * 100`` cut to a whole number, with s the standard deviation of the
        parts that are used.

    Raises
    ------
    ValueError, TypeError
        As `least_allocated`.

    Notes
    -----
    Ignores the same as `least_allocated`. Source: ``noderesources/balanced_allocation.go``.

    Examples
    --------
    >>> balanced_allocation({"cpu": 8000, "memory": 2**33}, {"cpu": 16000, "memory": 2**36})
    81
    """
    pairs = _pairs(requested, allocatable, weights)
    parts = [min(1.0, ask / have) for ask, have, _ in pairs]
    spread = 0.0
    if len(parts) == 2:
        spread = abs(parts[0] - parts[1]) / 2
    elif len(parts) > 2:
        mean = sum(parts) / len(parts)
        spread = sqrt(sum((part - mean) * (part - mean) for part in parts) / len(parts))
    return int((1 - spread) * MOST)


@dataclass(frozen=True)
class Pods:
    """Where pods went, one after the other: ``nodes[i]`` is that of pod i, None if no node had room."""

    nodes: tuple[int | None, ...]
    used: tuple[int, ...]
    free: tuple[int, ...]

    @property
    def largest_free_block(self) -> int:
        """GPUs of the largest pod that would still find a node."""
        return max(self.free)


def kubernetes_placement(pods_gpus: Sequence[int], nodes_gpus: Sequence[int], strategy: str) -> Pods:
    """Give each pod in turn the node with the best score for GPUs.

    Parameters
    ----------
    pods_gpus : sequence of int
        GPUs of each pod, in the order in which they come.
    nodes_gpus : sequence of int
        GPUs of each node.
    strategy : {"spread", "pack"}
        `least_allocated` or `most_allocated`.

    Returns
    -------
    Pods

    Raises
    ------
    ValueError, TypeError
        For another strategy, no node, and counts that are not whole.

    Notes
    -----
    A pod that finds no room waits, and those behind it go on. Of equal nodes the first is
    taken; the real scheduler draws one. Ignores CPUs and memory. Source: as `least_allocated`.

    Examples
    --------
    Four small pods, and then one that needs a whole node:

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
    places: list[int | None] = []
    for number, given in enumerate(pods_gpus):
        asked = one_whole(f"pods_gpus[{number}]", given, 0)
        node = best_node(asked, sizes, used, strategy)
        places.append(node)
        if node is not None:
            used[node] += asked
    return Pods(tuple(places), tuple(used), tuple(size - taken for size, taken in zip(sizes, used, strict=True)))


def best_node(asked: int, sizes: Sequence[int], used: Sequence[int], strategy: str) -> int | None:
    """The first of the nodes with the best score that have room for a pod's GPUs; None where there is none."""
    score = least_allocated if strategy == "spread" else most_allocated
    room = [node for node, size in enumerate(sizes) if used[node] + asked <= size]
    rank = lambda node: score({"gpu": used[node] + asked}, {"gpu": sizes[node]}, {"gpu": 1})
    return max(room, key=rank, default=None)


def _weighted(requested, allocatable, weights, score) -> int:  # type: ignore[no-untyped-def]
    pairs = _pairs(requested, allocatable, weights)
    total = sum(weight for _, _, weight in pairs)
    return sum(score(ask, have) * weight for ask, have, weight in pairs) // total if total else 0


def _pairs(
    requested: Mapping[str, int], allocatable: Mapping[str, int], weights: Mapping[str, int]
) -> list[tuple[int, int, int]]:
    """What is asked, what there is and its weight, for each resource that counts and of which there is any."""
    pairs = []
    for name, weight in weights.items():
        for where, table in (("requested", requested), ("allocatable", allocatable)):
            if name not in table:
                raise ValueError(f"{where} must say how much {name}, as weights name it; it has {', '.join(table)}")
        ask = one_whole(f"requested[{name!r}]", requested[name], 0)
        have = one_whole(f"allocatable[{name!r}]", allocatable[name], 0)
        if have:
            pairs.append((ask, have, one_whole(f"weights[{name!r}]", weight)))
    return pairs
