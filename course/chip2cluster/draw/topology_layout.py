"""Positions of a network's nodes in its picture, in pixels."""

from __future__ import annotations

from collections.abc import Collection, Hashable
from functools import lru_cache
from itertools import accumulate
from math import ceil
from typing import TYPE_CHECKING

from ..topology import Cut, cut, cut_around

if TYPE_CHECKING:
    from ..topology import Topology

STEP = 30  # between neighbours
DRAGGED = 32  # places of a cut that a hand can tell apart


def places(network: Topology, side: Collection[Hashable]) -> dict[Hashable, tuple[float, float]]:
    """Coordinates of all nodes, y downwards; ``side`` is one half of them."""
    return {node: (STEP * x, STEP * y) for node, (x, y) in network.positions(side).items()}


def around(network: Topology, a: Hashable, b: Hashable) -> bool:
    """Whether a link is drawn as two stubs, for it closes a ring around a grid."""
    return network.link_path(a, b) == "around"


def columns(network: Topology, side: Collection[Hashable]) -> tuple[tuple[Hashable, ...], ...]:
    """Terminals that stand over one another in the picture of `places`, from left to right."""
    found: dict[float, list[Hashable]] = {}
    for node, (x, _) in network.positions(side).items():
        if network.graph.nodes[node]["terminal"]:
            found.setdefault(round(x, 6), []).append(node)
    return tuple(tuple(found[x]) for x in sorted(found))


@lru_cache(maxsize=512)
def cut_places(network: Topology) -> tuple[int, ...]:
    """Numbers of terminals that a vertical line through the picture can have to its left, 0 first.

    Examples
    --------
    >>> from chip2cluster.topology import mesh
    >>> cut_places(mesh((3, 4)))
    (0, 3, 6, 9)
    """
    counts = tuple(accumulate(map(len, columns(network, cut(network).side))))[:-1]
    return (0, *counts[:: ceil(len(counts) / DRAGGED)]) if counts else (0,)


@lru_cache(maxsize=512)
def reader_cut(network: Topology, left: int) -> Cut:
    """Return the smallest cut that has these terminals of the picture to its left."""
    ordered = [node for column in columns(network, cut(network).side) for node in column]
    return cut_around(network, ordered[:left])
