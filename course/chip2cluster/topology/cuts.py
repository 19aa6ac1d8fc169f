"""Bisection: the least bandwidth between two equal halves of the terminals."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .layout import Node
from .network import Topology, rate, require
from .search import search
from .shape import Bounds

if TYPE_CHECKING:
    import networkx as nx

SEARCHED_TERMINALS = 256  # a family with bounds of its own is searched only up to this size


@dataclass(frozen=True)
class Bisection:
    """Result of `bisection`; all bandwidths in bytes/s.

    ``exact`` says whether it is proved. If not, the truth lies between ``lower_one_way``
    and ``upper_one_way``, and ``links`` and ``bandwidth_one_way`` are those of the best
    cut known, the upper end. ``method`` names the proof.

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
        """Bandwidth of the best cut known, one way, bytes/s."""
        return self.bandwidth_one_way

    @property
    def bandwidth_both_ways(self) -> float:
        """Both directions of the cut links together, bytes/s: what NVIDIA prints."""
        return 2 * self.bandwidth_one_way


@dataclass(frozen=True)
class Cut:
    """Two halves and what joins them.

    ``side`` and ``other`` are sets of nodes, ``edges`` the pairs of nodes cut,
    ``links`` their number with parallel links counted, and ``bandwidth_one_way``
    what they carry in one direction, bytes/s.
    """

    side: frozenset[Node]
    other: frozenset[Node]
    edges: tuple[tuple[Node, Node], ...]
    links: int
    bandwidth_one_way: float


def bisection(topology: Topology, *, time_limit: float = 10.0) -> Bisection:
    """Least bandwidth that joins two halves of the terminals, over all ways to halve them.

    The halves hold ``floor(n/2)`` and ``ceil(n/2)`` of the n terminals; switches may
    stand on either side.

    Parameters
    ----------
    topology : Topology
    time_limit : float
        Seconds that a search may take. Closed forms need microseconds.

    Returns
    -------
    Bisection

    Raises
    ------
    ValueError, TypeError
        For anything but a topology, and a limit that is not above zero.

    Notes
    -----
    A closed form where one is proved; otherwise a search, which settles any graph of up
    to twenty nodes, and many of some dozens that are narrow somewhere or whose spectrum
    says enough; otherwise an interval with ``exact=False``. A wide
    bisection is necessary and not sufficient: ignores routing, congestion and
    protocol overhead. With links of unequal rates the bandwidth is least, not the
    number of links. Sources: named by ``method``.

    Examples
    --------
    >>> from chip2cluster import topology
    >>> topology.bisection(topology.torus((16, 16), link_bandwidth_one_way=50e9))
    Bisection(links=32, bandwidth_one_way=1600000000000.0, exact=True,
        method='closed form: product of paths or rings (Arjona Aroca and Fernandez Anta 2014)',
        lower_one_way=1600000000000.0)
    """
    return _solve(require(topology), rate("time_limit", time_limit))[0]


def cut(topology: Topology, *, time_limit: float = 10.0) -> Cut:
    """The best cut known itself: which nodes are on which side, and the links between them.

    Parameters
    ----------
    topology : Topology
    time_limit : float
        Seconds that a search may take.

    Returns
    -------
    Cut
        Of the bandwidth that `bisection` reports, or less where that is an interval.

    Raises
    ------
    ValueError, TypeError
        As `bisection`.

    Notes
    -----
    Builds the graph; switches are placed by a minimum cut between the two halves of
    the terminals (networkx). Source: Ford and Fulkerson 1956 for the latter.

    Examples
    --------
    >>> from chip2cluster import topology
    >>> halves = topology.cut(topology.ring(6))
    >>> halves.links, len(halves.side)
    (2, 3)
    """
    topology = require(topology)
    result, side = _solve(topology, rate("time_limit", time_limit))
    if side is None:
        chosen = topology._shape.side()
        if chosen is None:
            side = search(topology.graph, time_limit).side
        else:
            side = _with_switches(topology, chosen, upper_tiers=True)
            if _capacity(topology.graph, side) > result.bandwidth_one_way * (1 + 1e-9):
                side = _with_switches(topology, chosen)
    graph = topology.graph
    edges = tuple((u, v) if u in side else (v, u) for u, v in graph.edges if (u in side) != (v in side))
    links = sum(graph.edges[edge]["links"] for edge in edges)
    bandwidth = float(sum(graph.edges[edge]["capacity"] for edge in edges))
    return Cut(frozenset(side), frozenset(graph) - side, edges, links, bandwidth)


def _solve(topology: Topology, time_limit: float) -> tuple[Bisection, frozenset[Node] | None]:
    """Return the bisection and, if a search found it, one side; what is settled is kept."""
    known = topology._kept.get("bisection")
    if known and (known[0].exact or known[2] >= time_limit):
        return known[:2]
    bounds = topology._shape.bounds()
    if bounds and (bounds.lower >= bounds.upper or topology.terminals > SEARCHED_TERMINALS):
        exact = bounds.lower >= bounds.upper
        result = Bisection(int(bounds.links), float(bounds.upper), exact, bounds.method, float(bounds.lower))
        side = None
    else:
        result, side = _searched(topology, bounds, time_limit)
    topology._kept["bisection"] = result, side, time_limit
    return result, side


def _searched(topology: Topology, bounds: Bounds | None, time_limit: float) -> tuple[Bisection, frozenset[Node]]:
    graph = topology.graph
    chosen = topology._shape.side()
    lower, side, method = search(graph, time_limit, None if chosen is None else _with_switches(topology, chosen))
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
    """Add to a half of the terminals the switches that belong with it.

    ``upper_tiers`` takes, of cuts that cost the same, the one farthest from the
    terminals (between the boards of a box, not at each GPU): a millionth more for
    links close to them decides the tie.
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
