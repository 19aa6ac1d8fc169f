"""Bisection: the smallest bandwidth between two equal halves of the terminals."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .._validate import one_positive
from .layout import Node
from .network import Topology, require
from .search import search_bisection
from .structure import Bounds

if TYPE_CHECKING:
    import networkx as nx

SEARCHED_TERMINALS = 256  # a family that has bounds is searched only up to this size


@dataclass(frozen=True)
class Bisection:
    """Result of `bisection`.

    If it is not exact, the bisection is between ``lower_one_way`` and ``upper_one_way``,
    and ``links`` and ``bandwidth_one_way`` describe the best known cut, the upper end.

    Attributes
    ----------
    links : int
        Number of links cut.
    bandwidth_one_way : float
        Unidirectional bandwidth of the cut, bytes/s.
    exact : bool
        Whether the cut is proved to be the smallest.
    method : str
        Name of the proof.
    lower_one_way : float
        Proved lower bound of the unidirectional bandwidth, bytes/s.

    Examples
    --------
    >>> Bisection(16, 1.6e12, True, "by hand", 1.6e12).bandwidth_both_ways / 1e12
    3.2
    """

    links: int
    bandwidth_one_way: float
    exact: bool
    method: str
    lower_one_way: float

    @property
    def upper_one_way(self) -> float:
        """Unidirectional bandwidth of the best known cut, bytes/s."""
        return self.bandwidth_one_way

    @property
    def bandwidth_both_ways(self) -> float:
        """Bidirectional bandwidth of the cut links, as NVIDIA states it, bytes/s."""
        return 2 * self.bandwidth_one_way


@dataclass(frozen=True)
class Cut:
    """Two halves of a network and the links between them.

    Attributes
    ----------
    side, other : frozenset
        Nodes of the two halves.
    edges : tuple of tuple
        Pairs of nodes whose links are cut.
    links : int
        Number of links cut, with parallel links counted.
    bandwidth_one_way : float
        Unidirectional bandwidth of the links cut, bytes/s.
    """

    side: frozenset[Node]
    other: frozenset[Node]
    edges: tuple[tuple[Node, Node], ...]
    links: int
    bandwidth_one_way: float


def bisection(topology: Topology, *, time_limit: float = 10.0) -> Bisection:
    """Compute the bisection bandwidth: the smallest bandwidth between two halves of the terminals.

    The halves hold ``floor(n/2)`` and ``ceil(n/2)`` of the n terminals; switches may be
    on either side.

    Parameters
    ----------
    topology : Topology
        Network to bisect.
    time_limit : float
        Time that a search may take, seconds. Closed forms need microseconds.

    Returns
    -------
    Bisection
        Links and bandwidth of the cut, whether it is exact, and the method.

    Notes
    -----
    Uses a closed form where one is proved; otherwise a search, which solves any graph of
    up to twenty nodes and many with some dozens of nodes; otherwise the result is an
    interval with ``exact=False``. A large bisection is necessary but not sufficient:
    ignores routing, congestion and protocol overhead. With links of unequal rates the
    bandwidth is minimized, not the number of links. Sources: named by ``method``.

    Examples
    --------
    >>> from chip2cluster import topology
    >>> topology.bisection(topology.torus((16, 16), link_bandwidth_one_way=50e9))
    Bisection(links=32, bandwidth_one_way=1600000000000.0, exact=True,
        method='closed form: product of paths or rings (Arjona Aroca and Fernandez Anta 2014)',
        lower_one_way=1600000000000.0)
    """
    return _solve(require(topology), one_positive("time_limit", time_limit))[0]


def cut(topology: Topology, *, time_limit: float = 10.0) -> Cut:
    """Return the best known cut: the nodes on each side and the links between them.

    Parameters
    ----------
    topology : Topology
        Network to bisect.
    time_limit : float
        Time that a search may take, seconds.

    Returns
    -------
    Cut
        Cut with the bandwidth that `bisection` reports, or less if that is an interval.

    Notes
    -----
    Builds the graph; switches are assigned by a minimum cut between the two halves of
    the terminals (networkx). Source: Ford and Fulkerson 1956.

    Examples
    --------
    >>> from chip2cluster import topology
    >>> halves = topology.cut(topology.ring(6))
    >>> halves.links, len(halves.side)
    (2, 3)
    """
    topology = require(topology)
    result, side = _solve(topology, one_positive("time_limit", time_limit))
    if side is None:
        chosen = topology._structure.side()
        if chosen is None:
            side = search_bisection(topology.graph, time_limit).side
        else:
            side = _with_switches(topology, chosen, upper_tiers=True)
            if _capacity(topology.graph, side) > result.bandwidth_one_way * (1 + 1e-9):
                side = _with_switches(topology, chosen)
    return _cut(topology.graph, side)


def cut_around(topology: Topology, terminals: Collection[Node]) -> Cut:
    """Return the smallest cut that separates some terminals from the others.

    Parameters
    ----------
    topology : Topology
        Network to cut.
    terminals : collection of nodes
        Terminals on one side, at least one and not all.

    Returns
    -------
    Cut
        Cut with the least bandwidth; ``side`` holds the given terminals.

    Raises
    ------
    ValueError
        For a node that is not a terminal of the network, no terminals, or all of them.

    Notes
    -----
    Builds the graph; switches are assigned by a minimum cut (networkx). The traffic that must
    cross the cut needs at least its time: see `cut_time`. Source: Ford and Fulkerson 1956.

    Examples
    --------
    >>> from chip2cluster import topology
    >>> corner = topology.cut_around(topology.mesh((3, 3)), [(0, 0)])
    >>> corner.links, len(corner.other)
    (2, 8)
    """
    topology, chosen = require(topology), frozenset(terminals)
    hosts = topology.terminal_nodes
    if strangers := chosen.difference(hosts):
        raise ValueError(f"terminals must be terminals of {topology.name}; got {next(iter(strangers))!r}")
    if not 0 < len(chosen) < len(hosts):
        raise ValueError(f"terminals must be some of the {len(hosts)}, not none and not all; got {len(chosen)}")
    return _cut(topology.graph, _with_switches(topology, [host in chosen for host in hosts]))


def _cut(graph: nx.Graph, side: Collection[Node]) -> Cut:
    edges = tuple((u, v) if u in side else (v, u) for u, v in graph.edges if (u in side) != (v in side))
    links = sum(graph.edges[edge]["links"] for edge in edges)
    bandwidth = float(sum(graph.edges[edge]["capacity"] for edge in edges))
    return Cut(frozenset(side), frozenset(graph).difference(side), edges, links, bandwidth)


def _solve(topology: Topology, time_limit: float) -> tuple[Bisection, frozenset[Node] | None]:
    """Return the bisection and, if a search found it, one side; results are cached."""
    known = topology._cache.get("bisection")
    if known and (known[0].exact or known[2] >= time_limit):
        return known[:2]
    bounds = topology._structure.bounds()
    if bounds and (bounds.lower >= bounds.upper or topology.terminals > SEARCHED_TERMINALS):
        exact = bounds.lower >= bounds.upper
        result = Bisection(int(bounds.links), float(bounds.upper), exact, bounds.method, float(bounds.lower))
        side = None
    else:
        result, side = _searched(topology, bounds, time_limit)
    topology._cache["bisection"] = result, side, time_limit
    return result, side


def _searched(topology: Topology, bounds: Bounds | None, time_limit: float) -> tuple[Bisection, frozenset[Node]]:
    graph = topology.graph
    chosen = topology._structure.side()
    hint = None if chosen is None else _with_switches(topology, chosen)
    lower, side, method = search_bisection(graph, time_limit, hint)
    severed = [data for u, v, data in graph.edges(data=True) if (u in side) != (v in side)]
    bandwidth = float(sum(data["capacity"] for data in severed))
    if bounds and bounds.lower > lower:
        lower = bounds.lower
        if lower >= bandwidth * (1 - 1e-9):
            method = "search: the best cut found meets the family's bound"
    exact = lower >= bandwidth * (1 - 1e-9)
    links = sum(data["links"] for data in severed)
    return Bisection(links, bandwidth, exact, method, bandwidth if exact else lower), side


def _capacity(graph: nx.Graph, side: Collection[Node]) -> float:
    return sum(c for u, v, c in graph.edges(data="capacity") if (u in side) != (v in side))


def _with_switches(topology: Topology, chosen: Collection[bool], upper_tiers: bool = False) -> frozenset[Node]:
    """Add the switches that belong with a half of the terminals.

    ``upper_tiers`` chooses, among cuts of equal cost, the one farthest from the terminals
    (between the boards of a node, not at each GPU): a millionth more capacity for links
    close to the terminals breaks the tie.
    """
    import networkx as nx

    hosts = topology.terminal_nodes
    side = {host for host, first in zip(hosts, chosen, strict=True) if first}
    graph = topology.graph
    if len(hosts) == len(graph):
        return frozenset(side)
    flow = nx.Graph(graph)
    if upper_tiers:
        far = nx.multi_source_dijkstra_path_length(graph, set(hosts), weight=lambda *_: 1)
        for u, v in flow.edges:
            flow.edges[u, v]["capacity"] *= 1 + 1e-6 / (1 + min(far.get(u, 0), far.get(v, 0)))
    source, sink = object(), object()
    flow.add_nodes_from((source, sink))
    flow.add_edges_from((source, host) for host in side)  # no capacity: unlimited
    flow.add_edges_from((sink, host) for host in hosts if host not in side)
    return frozenset(nx.minimum_cut(flow, source, sink)[1][0]) - {source}
