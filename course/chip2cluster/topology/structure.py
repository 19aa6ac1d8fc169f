"""Closed-form properties of a family of networks: bounds, distances and drawing."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, NamedTuple

from numpy.typing import NDArray

from . import layout
from .layout import LinkPath, Node, Positions

if TYPE_CHECKING:
    import networkx as nx


class Bounds(NamedTuple):
    """Proved bounds of a bisection (bytes/s one way), and the links of the best known cut."""

    lower: float
    upper: float
    links: int
    method: str


class Tier(NamedTuple):
    """One level of a network's hierarchy: a number of equal parts and the links that leave each.

    Attributes
    ----------
    name : str
        Name of a part, in the singular.
    number : int
        Number of parts.
    terminals : int
        Number of terminals in a part.
    links : int
        Number of links that leave a part.
    bandwidth_one_way : float
        Total unidirectional bandwidth of these links, bytes/s.

    Examples
    --------
    >>> Tier("rack", 4, 16, 4, 200e9).bandwidth_one_way / 1e9
    200.0
    """

    name: str
    number: int
    terminals: int
    links: int
    bandwidth_one_way: float


class Structure:
    """Properties of a network that are known without its graph; this base class knows none."""

    def injection(self) -> float | None:
        """Return the bandwidth of the worst-connected terminal's links, bytes/s."""
        return None

    def outward(self) -> float | None:
        """Return the bandwidth of half of the terminals to the others, bytes/s.

        None if it is their whole injection bandwidth.
        """
        return None

    def cuts(self) -> Sequence[tuple[int, float]]:
        """Return cuts other than a terminal and the bisection: terminals inside, bytes/s one way."""
        return ()

    def tiers(self) -> Sequence[Tier]:
        """Return the levels of the hierarchy, from the terminals outwards; empty if there is none."""
        return ()

    def bounds(self) -> Bounds | None:
        """Return the proved bounds of the bisection."""
        return None

    def side(self) -> NDArray | None:
        """Return the terminals on one side of the best known cut, as an array of bool in the order of the graph."""
        return None

    def hops(self) -> tuple[float, int] | None:
        """Return the mean and the largest distance of two terminals, in links."""
        return None

    def oversubscription(self) -> float | None:
        """Return host bandwidth over uplink bandwidth at the worst tier; None without tiers."""
        return None

    def positions(self, graph: nx.Graph, side: Collection[Node]) -> Positions:
        """Return the positions of the nodes in a drawing; ``side`` is one half of them."""
        return layout.default_positions(graph, side)

    def link_path(self, node: Node, other: Node) -> LinkPath:
        """Return the way in which the link between two nodes is drawn."""
        return "straight"
