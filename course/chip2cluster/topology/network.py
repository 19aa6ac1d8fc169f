"""What a topology is: terminals, switches and full-duplex links, built only when somebody looks.

A link carries its one-way rate in each direction at once. Everywhere in this
package ``..._one_way`` counts one direction and ``..._both_ways`` the sum of the
two, which is what some vendors print.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from .._validate import one_positive as rate
from .._validate import one_whole as count
from .layout import Node, Run, Spots
from .shape import Shape, Tier

if TYPE_CHECKING:
    import networkx as nx


@dataclass(frozen=True, eq=False, repr=False)
class Topology:
    """A network: who is in it, and a graph that is built when first asked for.

    Attributes
    ----------
    name, family : str
        ``"torus 4x4x4"`` and ``"torus"``.
    parameters : mapping
        The arguments that made it.
    terminals : int
        Endpoints that send and receive (hosts, accelerators). A bisection halves these.
    graph : networkx.Graph
        Nodes carry ``terminal`` (bool). Edges carry ``links``, the parallel links
        drawn as one edge, and ``capacity``, what they carry together one way, bytes/s.
        It is frozen: change a ``graph.copy()`` and give that to `from_graph`.

    Examples
    --------
    >>> from chip2cluster import topology
    >>> box = topology.torus((4, 4, 4), link_bandwidth_one_way=50e9)
    >>> box
    Topology('torus 4x4x4', 64 terminals)
    >>> box.graph.number_of_edges()
    192
    """

    name: str
    family: str
    parameters: Mapping[str, Any]
    terminals: int
    _build: Callable[[], nx.Graph]
    _shape: Shape = field(default_factory=Shape)
    _kept: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "parameters", MappingProxyType(dict(self.parameters)))

    def __repr__(self) -> str:
        return f"Topology({self.name!r}, {self.terminals} terminal{'s' if self.terminals != 1 else ''})"

    @cached_property
    def graph(self) -> nx.Graph:
        import networkx as nx

        return nx.freeze(self._build())  # what is known of it would not follow a change

    @cached_property
    def terminal_nodes(self) -> tuple[Node, ...]:
        """Nodes of the graph that are terminals, in their natural order (builds the graph)."""
        return tuple(node for node, terminal in self.graph.nodes(data="terminal") if terminal)

    @cached_property
    def injection_bandwidth_one_way(self) -> float:
        """Bytes/s that the worst-connected terminal can send: all its links together."""
        known = self._shape.injection()
        if known is not None:
            return known
        return float(min(self.graph.degree(node, weight="capacity") for node in self.terminal_nodes))

    @property
    def tiers(self) -> tuple[Tier, ...]:
        """The levels of its hierarchy, from the terminals outwards; empty where all stand side by side.

        Examples
        --------
        >>> from chip2cluster import topology
        >>> for tier in topology.leaf_spine(4, 4, 16, 50e9).tiers:
        ...     print(tier.name, tier.number, tier.links, tier.bandwidth_one_way / 1e9)
        host 64 1 50.0
        leaf 4 4 200.0
        """
        return tuple(self._shape.tiers())

    def places(self, side: Collection[Node] = ()) -> Spots:
        """Where each node stands when the network is drawn; its family knows.

        Parameters
        ----------
        side : collection of nodes
            One half of the nodes; it orders those of a graph that has no order of its own.

        Returns
        -------
        dict
            ``(x, y)`` of every node: neighbours about 1 apart, y downwards.

        Examples
        --------
        >>> from chip2cluster import topology
        >>> topology.path(3).places()
        {0: (0.0, 0.0), 1: (2.0, 0.0), 2: (4.0, 0.0)}
        """
        return self._shape.places(self.graph, side)

    def runs(self, node: Node, other: Node) -> Run:
        """How the link between two nodes runs, where `places` puts them.

        Parameters
        ----------
        node, other : nodes

        Returns
        -------
        {"straight", "around", "over"}
            "around" the rim of a grid, to close a ring; "over" the nodes between the two.

        Examples
        --------
        >>> from chip2cluster import topology
        >>> square = topology.torus((4, 4))
        >>> square.runs((0, 0), (0, 1)), square.runs((0, 0), (0, 3))
        ('straight', 'around')
        """
        return self._shape.runs(node, other)


def from_graph(
    graph: nx.Graph,
    terminals: Iterable[Node] | None = None,
    *,
    link_bandwidth_one_way: float = 1.0,
    name: str = "graph",
) -> Topology:
    """Make a topology of any undirected graph: a machine with its broken links, a new idea.

    Parameters
    ----------
    graph : networkx.Graph
        An edge may carry ``links`` (parallel links, 1 if absent) and ``capacity``
        (bytes/s one way of all of them; ``links * link_bandwidth_one_way`` if absent).
        It is copied.
    terminals : iterable of nodes, optional
        The endpoints. Left out, the nodes whose ``terminal`` attribute is true,
        or all nodes when no node carries that attribute.
    link_bandwidth_one_way : float
        Bytes/s of a link in one direction, for edges that do not say.
    name : str
        Shown in pictures and messages.

    Returns
    -------
    Topology

    Raises
    ------
    ValueError, TypeError
        For directed graphs and multigraphs, terminals that are not nodes, no
        terminal at all, and capacities that are not positive numbers.

    Notes
    -----
    A link of the graph is full duplex and as fast in both directions. Source:
    the graph is yours.

    Examples
    --------
    >>> import networkx as nx
    >>> from chip2cluster import topology
    >>> topology.bisection(topology.from_graph(nx.petersen_graph())).links
    5
    """
    import networkx as nx

    if not isinstance(graph, nx.Graph):
        raise TypeError(f"graph must be a networkx.Graph, got {type(graph).__name__}")
    if graph.is_directed() or graph.is_multigraph():
        raise TypeError(
            "graph must be an undirected networkx.Graph; give parallel links as the edge attribute 'links', "
            f"got a {type(graph).__name__}"
        )
    bandwidth = rate("link_bandwidth_one_way", link_bandwidth_one_way)
    if terminals is None:
        marked = any("terminal" in data for _, data in graph.nodes(data=True))
        chosen = {node for node, data in graph.nodes(data=True) if not marked or data.get("terminal")}
    else:
        chosen = set(terminals)
        strangers = chosen.difference(graph)
        if strangers:
            raise ValueError(f"terminals must be nodes of the graph, got {sorted(map(repr, strangers))}")
    if not chosen:
        raise ValueError("terminals must name at least one node of the graph, got none")

    copy = nx.Graph()
    for node in graph:
        copy.add_node(node, terminal=node in chosen)
    for node, other, data in graph.edges(data=True):
        if node == other:
            raise ValueError(f"graph must have no link from a node to itself, got one at {node!r}")
        links = count(f"links of edge {node!r}-{other!r}", data.get("links", 1))
        capacity = data.get("capacity", links * bandwidth)
        connect(copy, node, other, links, rate(f"capacity of edge {node!r}-{other!r}", capacity))
    return Topology(name, "graph", {"nodes": len(copy), "edges": copy.number_of_edges()}, len(chosen), lambda: copy)


def connect(graph: nx.Graph, node: Node, other: Node, links: int, capacity: float) -> None:
    """Add an edge of ``links`` parallel links that carry ``capacity`` bytes/s together, one way."""
    graph.add_edge(node, other, links=links, capacity=float(capacity))


def require(topology: Topology) -> Topology:
    """Return ``topology`` if it is one."""
    if isinstance(topology, Topology):
        return topology
    raise TypeError(f"topology must be a Topology such as torus((4, 4)), got {topology!r}")


def sizes(name: str, value: Any) -> tuple[int, ...]:
    """Return the sizes of a grid's dimensions as a tuple of whole numbers."""
    if isinstance(value, (str, bytes, dict, set)) or not hasattr(value, "__iter__"):
        raise TypeError(f"{name} must be a sequence of sizes such as (4, 4), got {value!r}")
    result = tuple(count(f"{name}[{index}]", size) for index, size in enumerate(value))
    if not result:
        raise ValueError(f"{name} must hold at least one size, got {value!r}")
    return result
