"""Dragonfly: groups of fully linked routers, with links between each two groups."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from math import ceil
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from .._validate import one_positive, one_whole
from . import layout
from .layout import Node, Positions
from .network import Topology, connect
from .structure import Bounds, Structure

if TYPE_CHECKING:
    import networkx as nx


def dragonfly(
    a: int,
    h: int,
    g: int | None = None,
    p: int = 0,
    link_bandwidth_one_way: float = 1.0,
    *,
    global_bandwidth_one_way: float | None = None,
    host_bandwidth_one_way: float | None = None,
) -> Topology:
    """Build a dragonfly: fully linked groups of ``a`` routers, each with ``h`` links to other groups.

    Parameters
    ----------
    a : int
        Number of routers in a group.
    h : int
        Number of global links of each router.
    g : int, optional
        Number of groups, at most ``a h + 1``, which is the default (each two groups then
        share one link). With fewer groups, each two share ``floor(a h / (g - 1))`` links
        and the remaining ports are unused.
    p : int
        Number of hosts at each router; with 0 the routers are the terminals.
    link_bandwidth_one_way : float
        Unidirectional bandwidth of a local link, bytes/s; with the default 1.0 bandwidths
        are numbers of links.
    global_bandwidth_one_way : float, optional
        Unidirectional bandwidth of a global link, bytes/s; by default that of a local link.
    host_bandwidth_one_way : float, optional
        Unidirectional bandwidth of a host's link, bytes/s; by default that of a local link.

    Returns
    -------
    Topology
        Network of routers and hosts.

    Raises
    ------
    ValueError
        If the ports reach fewer groups than asked for.

    Notes
    -----
    Port q of a group leads to the q-th of the other groups ("absolute" arrangement).
    A closed form is proved for an even number of groups with ``a >= 2 h + 1`` (for the
    general case see the module's source); otherwise search or an interval. Ignores
    routing: only adaptive routing uses the whole cut. Source: Kim, Dally, Scott, Abts,
    "Technology-driven, highly-scalable dragonfly topology", ISCA 2008.

    Examples
    --------
    >>> from chip2cluster import topology
    >>> topology.bisection(topology.dragonfly(a=2, h=1, g=3)).links
    2
    """
    a, h, p = one_whole("a", a), one_whole("h", h), one_whole("p", p, minimum=0)
    g = a * h + 1 if g is None else one_whole("g", g)
    if g > a * h + 1:
        raise ValueError(f"g must be at most a h + 1 = {a * h + 1} for the global links to reach, got {g}")
    if host_bandwidth_one_way is not None and not p:
        raise ValueError("host_bandwidth_one_way needs p of at least 1, got 0")
    local = one_positive("link_bandwidth_one_way", link_bandwidth_one_way)
    outside = (
        local
        if global_bandwidth_one_way is None
        else one_positive("global_bandwidth_one_way", global_bandwidth_one_way)
    )
    host = local if host_bandwidth_one_way is None else one_positive("host_bandwidth_one_way", host_bandwidth_one_way)
    structure = Dragonfly(a, h, g, p, local, outside, host)
    parameters = {"a": a, "h": h, "g": g, "p": p}
    return Topology(
        f"dragonfly a={a} h={h} g={g}", "dragonfly", parameters, structure.terminals, structure.build, structure
    )


@dataclass(frozen=True)
class Dragonfly(Structure):
    """Bounds of a dragonfly's bisection.

    *Upper.* Whole groups on each side; with an odd number of groups one group is halved,
    and at most half of its global links cross the cut.

    *Lower.* Let routers of different groups exchange one unit each, evenly over the m
    links between their groups. A global link then carries a*a/m units and a local one
    at most 2 a h/m. A cut that splits groups into s and a - s routers severs
    D = sum of s (a - s) local links and separates at least F - D of these pairs, where
    F = floor(N/2) ceil(N/2), so it severs at least (F - D)/(a*a/m) - D 2 h/a global
    links, and it costs at least

        global F m/(a*a) + D (local - global (m/(a*a) + 2 h/a)).

    If the bracket is not negative (equal rates: a (a - 2 h) >= m), D = 0 is the worst
    case, and for an even number of groups the two bounds meet.
    """

    a: int
    h: int
    g: int
    p: int
    local: float
    outside: float
    host: float

    @property
    def parallel(self) -> int:
        """Number of parallel links between two groups."""
        return self.a * self.h // (self.g - 1) if self.g > 1 else 0

    @property
    def terminals(self) -> int:
        """Number of terminals."""
        return self.a * self.g * (self.p or 1)

    def injection(self) -> float:
        """Return the bandwidth of the worst-connected terminal's links, bytes/s."""
        if self.p:
            return self.host
        unused = self.a * self.h - self.parallel * (self.g - 1)
        # Unused ports are the last ones, so the last router is the worst-connected.
        return (self.a - 1) * self.local + max(0, self.h - unused) * self.outside

    def cuts(self) -> tuple[tuple[int, float], ...]:
        """Return cuts other than a terminal and the bisection: terminals inside, bytes/s one way."""
        return ((self.a * (self.p or 1), self.parallel * (self.g - 1) * self.outside),)

    def bounds(self) -> Bounds:
        """Return the proved bounds of the bisection."""
        a, h, g, m = self.a, self.h, self.g, self.parallel
        local, outside, routers = self.local, self.outside, self.a * self.g
        pairs = (routers // 2) * (routers - routers // 2)
        routed = outside * pairs * m / (a * a)
        bracket = local - outside * (m / (a * a) + 2 * h / a)
        most_split = g * (a * a // 4)
        severed = m * (g // 2) * (g - g // 2)
        inside = (a // 2) * (a - a // 2) * (g % 2)
        upper, links = outside * severed + local * inside, severed + inside
        if self.p:
            half = self.terminals // 2
            spare = half - self.p * (routers // 2)
            upper, links = min((upper + self.host * spare, links + spare), (self.host * half, half))
            # Moving hosts away from their routers is linear, the routed pairs are concave:
            # all routers on one side or half of them is the worst case.
            lower = min(self.host * half, routed) + min(0.0, bracket) * most_split
        else:
            # An odd number of groups splits one of them: at least a - 1 local links.
            lower = routed + bracket * ((a - 1) * (g % 2) if bracket >= 0 else most_split)
        lower = max(0.0, lower)
        if local == outside == (self.host if self.p else local):
            lower = local * ceil(lower / local - 1e-9)
        if lower >= upper * (1 - 1e-12):
            return Bounds(upper, upper, links, "closed form: group cut meets the routing bound")
        return Bounds(lower, upper, links, "bounds: group cut and routing bound")

    def side(self) -> NDArray | None:
        """Return the terminals on one side of the best known cut."""
        return np.arange(self.terminals) < self.terminals // 2 if self.g % 2 == 0 else None

    def positions(self, graph: nx.Graph, side: Collection[Node]) -> Positions:
        """Return the positions of the nodes in a drawing."""
        return layout.groups_with_hosts(self.a, self.g, self.p) if self.p else layout.groups(self.a, self.g)

    def build(self) -> nx.Graph:
        """Build the graph."""
        import networkx as nx

        a, h, g, m = self.a, self.h, self.g, self.parallel
        graph = nx.Graph()
        for group in range(g):
            graph.add_nodes_from(((group, router) for router in range(a)), terminal=not self.p)
            for router in range(a):
                for other in range(router + 1, a):
                    connect(graph, (group, router), (group, other), 1, self.local)
        trunks: dict[tuple[Node, Node], int] = {}
        for group in range(g):
            for other in range(group + 1, g):
                for lane in range(m):
                    # Ports are numbered by the peer's index among the other groups, then by parallel link.
                    ends = (
                        (group, (lane * (g - 1) + other - 1) // h),
                        (other, (lane * (g - 1) + group) // h),
                    )
                    trunks[ends] = trunks.get(ends, 0) + 1
        for (port, peer), links in trunks.items():
            connect(graph, port, peer, links, links * self.outside)
        for group, router in [*graph] if self.p else ():
            for host in range(self.p):
                graph.add_node(("host", group, router, host), terminal=True)
                connect(graph, (group, router), ("host", group, router, host), 1, self.host)
        return graph
