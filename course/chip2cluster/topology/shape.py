"""What a family of networks knows of itself: its proofs, its distances, its layout."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, NamedTuple

from numpy.typing import NDArray

from . import layout
from .layout import Node, Run, Spots

if TYPE_CHECKING:
    import networkx as nx


class Bounds(NamedTuple):
    """What a closed form knows of a bisection: bytes/s one way, and the links of the better cut."""

    lower: float
    upper: float
    links: int
    method: str


class Tier(NamedTuple):
    """One level of a machine's hierarchy: how many equal parts it has, and what leads out of each.

    ``name`` of a part in the singular, their ``number``, the ``terminals`` in each, and the
    ``links`` that leave one, with the ``bandwidth_one_way`` of these together, bytes/s.

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


class Shape:
    """What a family knows of its networks without their graph. This one knows nothing."""

    def injection(self) -> float | None:
        """Bytes/s that the worst-connected terminal can send."""
        return None

    def outward(self) -> float | None:
        """Bytes/s that half of the terminals could send to the others if no switch held them up.

        None where that is their whole injection.
        """
        return None

    def cuts(self) -> Sequence[tuple[int, float]]:
        """Cuts worth a look beside one terminal and the middle: terminals inside, bytes/s one way."""
        return ()

    def tiers(self) -> Sequence[Tier]:
        """The levels of the hierarchy, from the terminals outwards; empty where there is none."""
        return ()

    def bounds(self) -> Bounds | None:
        """What is proved of the bisection."""
        return None

    def side(self) -> NDArray | None:
        """Which terminals the best cut known puts on one side, as truth values in the order of the graph."""
        return None

    def hops(self) -> tuple[float, int] | None:
        """Mean and greatest distance of two terminals, in links."""
        return None

    def oversubscription(self) -> float | None:
        """Host over uplink bandwidth at the worst tier; None where there are no tiers."""
        return None

    def places(self, graph: nx.Graph, side: Collection[Node]) -> Spots:
        """Where the nodes stand when the network is drawn; ``side`` is one half of them."""
        return layout.any_graph(graph, side)

    def runs(self, node: Node, other: Node) -> Run:
        """How the link between two nodes runs, where `places` puts them."""
        return "straight"
