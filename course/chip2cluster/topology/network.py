"""Topology: terminals, switches and full-duplex links, with a graph that is built on first use.

A link carries its unidirectional rate in both directions at once. In this package
``..._one_way`` counts one direction and ``..._both_ways`` the sum of the two, which some
vendors state.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from .._validate import one_positive, one_whole
from .layout import LinkPath, Node, Positions
from .structure import Structure, Tier

if TYPE_CHECKING:
    import networkx as nx


@dataclass(frozen=True, eq=False, repr=False)
class Topology:
    """Network of terminals and switches, with a graph that is built on first use.

    Attributes
    ----------
    name, family : str
        Name such as ``"torus 4x4x4"``, and family such as ``"torus"``.
    parameters : mapping
        Arguments of the function that built it.
    terminals : int
        Number of endpoints that send and receive (hosts, accelerators). A bisection halves
        these.
    graph : networkx.Graph
        Graph whose nodes have the attribute ``terminal`` (bool), and whose edges have
        ``links``, the number of parallel links, and ``capacity``, their total
        unidirectional bandwidth, bytes/s. It is frozen: change a ``graph.copy()`` and pass
        that to `from_graph`.

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
    _structure: Structure = field(default_factory=Structure)
    _cache: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Make the parameters read-only."""
        object.__setattr__(self, "parameters", MappingProxyType(dict(self.parameters)))

    def __repr__(self) -> str:
        """Return the name and the number of terminals."""
        return f"Topology({self.name!r}, {self.terminals} terminal{'s' if self.terminals != 1 else ''})"

    @cached_property
    def graph(self) -> nx.Graph:
        """Frozen graph of the network."""
        import networkx as nx

        return nx.freeze(self._build())  # the closed forms and cached results would not reflect a change

    @cached_property
    def terminal_nodes(self) -> tuple[Node, ...]:
        """Nodes of the graph that are terminals, in the order of the graph (builds the graph)."""
        return tuple(node for node, terminal in self.graph.nodes(data="terminal") if terminal)

    @cached_property
    def injection_bandwidth_one_way(self) -> float:
        """Total unidirectional bandwidth of the worst-connected terminal's links, bytes/s."""
        known = self._structure.injection()
        if known is not None:
            return known
        return float(min(self.graph.degree(node, weight="capacity") for node in self.terminal_nodes))

    @property
    def tiers(self) -> tuple[Tier, ...]:
        """Levels of the hierarchy, from the terminals outwards; empty for a network without a hierarchy.

        Examples
        --------
        >>> from chip2cluster import topology
        >>> for tier in topology.leaf_spine(4, 4, 16, 50e9).tiers:
        ...     print(tier.name, tier.number, tier.links, tier.bandwidth_one_way / 1e9)
        host 64 1 50.0
        leaf 4 4 200.0
        """
        return tuple(self._structure.tiers())

    def positions(self, side: Collection[Node] = ()) -> Positions:
        """Return the positions of the nodes in a drawing.

        Parameters
        ----------
        side : collection of nodes
            One half of the nodes, by which the nodes of an arbitrary graph are ordered.

        Returns
        -------
        dict
            Position ``(x, y)`` of every node: neighbours about 1 apart, y downwards.

        Examples
        --------
        >>> from chip2cluster import topology
        >>> topology.path(3).positions()
        {0: (0.0, 0.0), 1: (2.0, 0.0), 2: (4.0, 0.0)}
        """
        return self._structure.positions(self.graph, side)

    def link_path(self, node: Node, other: Node) -> LinkPath:
        """Return the way in which the link between two nodes is drawn.

        Parameters
        ----------
        node, other : hashable
            Nodes of the graph.

        Returns
        -------
        {"straight", "around", "over"}
            "around" the edge of a grid, to close a ring; "over" the nodes between the two.

        Examples
        --------
        >>> from chip2cluster import topology
        >>> square = topology.torus((4, 4))
        >>> square.link_path((0, 0), (0, 1)), square.link_path((0, 0), (0, 3))
        ('straight', 'around')
        """
        return self._structure.link_path(node, other)


def from_graph(
    graph: nx.Graph,
    terminals: Iterable[Node] | None = None,
    *,
    link_bandwidth_one_way: float = 1.0,
    name: str = "graph",
) -> Topology:
    """Build a topology from any undirected graph, such as a machine with broken links.

    Parameters
    ----------
    graph : networkx.Graph
        Graph, which is copied. An edge may have the attributes ``links`` (number of
        parallel links, default 1) and ``capacity`` (their total unidirectional bandwidth,
        bytes/s, default ``links * link_bandwidth_one_way``).
    terminals : iterable of nodes, optional
        Endpoints. By default the nodes whose ``terminal`` attribute is true, or all nodes
        if no node has that attribute.
    link_bandwidth_one_way : float
        Unidirectional bandwidth of a link of edges without ``capacity``, bytes/s.
    name : str
        Name for pictures and messages.

    Returns
    -------
    Topology
        Network with the graph's nodes and links.

    Raises
    ------
    TypeError
        If the graph is directed or a multigraph.

    Notes
    -----
    A link of the graph is full duplex with the same rate in both directions. Source: none.

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
    bandwidth = one_positive("link_bandwidth_one_way", link_bandwidth_one_way)
    if terminals is None:
        marked = any("terminal" in data for _, data in graph.nodes(data=True))
        chosen = {node for node, data in graph.nodes(data=True) if not marked or data.get("terminal")}
    else:
        chosen = set(terminals)
        unknown = chosen.difference(graph)
        if unknown:
            raise ValueError(f"terminals must be nodes of the graph, got {sorted(map(repr, unknown))}")
    if not chosen:
        raise ValueError("terminals must name at least one node of the graph, got none")

    copy = nx.Graph()
    for node in graph:
        copy.add_node(node, terminal=node in chosen)
    for node, other, data in graph.edges(data=True):
        if node == other:
            raise ValueError(f"graph must have no link from a node to itself, got one at {node!r}")
        links = one_whole(f"links of edge {node!r}-{other!r}", data.get("links", 1))
        capacity = data.get("capacity", links * bandwidth)
        connect(copy, node, other, links, one_positive(f"capacity of edge {node!r}-{other!r}", capacity))
    return Topology(name, "graph", {"nodes": len(copy), "edges": copy.number_of_edges()}, len(chosen), lambda: copy)


def connect(graph: nx.Graph, node: Node, other: Node, links: int, capacity: float) -> None:
    """Add an edge of ``links`` parallel links with a total of ``capacity`` bytes/s one way."""
    graph.add_edge(node, other, links=links, capacity=float(capacity))


def require(topology: Topology) -> Topology:
    """Return ``topology`` after checking its type."""
    if isinstance(topology, Topology):
        return topology
    raise TypeError(f"topology must be a Topology such as torus((4, 4)), got {topology!r}")


def sizes(name: str, value: Any) -> tuple[int, ...]:
    """Return the sizes of a grid's dimensions as a tuple of int."""
    if isinstance(value, (str, bytes, dict, set)) or not hasattr(value, "__iter__"):
        raise TypeError(f"{name} must be a sequence of sizes such as (4, 4), got {value!r}")
    result = tuple(one_whole(f"{name}[{index}]", size) for index, size in enumerate(value))
    if not result:
        raise ValueError(f"{name} must hold at least one size, got {value!r}")
    return result
