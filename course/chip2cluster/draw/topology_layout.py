"""Positions of a network's nodes in its picture, in pixels."""

from __future__ import annotations

from collections.abc import Collection, Hashable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..topology import Topology

STEP = 30  # between neighbours


def places(network: Topology, side: Collection[Hashable]) -> dict[Hashable, tuple[float, float]]:
    """Coordinates of all nodes, y downwards; ``side`` is one half of them."""
    return {node: (STEP * x, STEP * y) for node, (x, y) in network.positions(side).items()}


def around(network: Topology, a: Hashable, b: Hashable) -> bool:
    """Whether a link is drawn as two stubs, for it closes a ring around a grid."""
    return network.link_path(a, b) == "around"
