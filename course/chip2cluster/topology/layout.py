"""Positions of a network's nodes in a drawing: neighbours about 1 apart, y downwards."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from math import cos, hypot, pi, sin
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    import networkx as nx

Node = Any  # any node of a networkx graph: a number, a name, a tuple
Positions = dict[Node, tuple[float, float]]
LinkPath = Literal["straight", "around", "over"]

TIER_DISTANCE = 3.2  # from one tier of switches to the next
DEPTH_STEP = 17 / 15, -4 / 5  # step along the third dimension, drawn obliquely
CIRCLE_SPACING = 1.2  # distance of nodes on a circle


def circle(nodes: Iterable[Node], least: float = 2.5, centre: tuple[float, float] = (0.0, 0.0)) -> Positions:
    """Place the nodes clockwise on a circle with a radius of at least ``least``."""
    nodes = list(nodes)
    radius = max(least, len(nodes) * CIRCLE_SPACING / (2 * pi)) if len(nodes) > 1 else 0.0
    step = 2 * pi / max(len(nodes), 1)
    return {
        node: (centre[0] + radius * sin((i + 0.5) * step), centre[1] - radius * cos((i + 0.5) * step))
        for i, node in enumerate(nodes)
    }


def line(nodes: Iterable[Node]) -> Positions:
    """Place the nodes on a horizontal line."""
    return {node: (2.0 * i, 0.0) for i, node in enumerate(nodes)}


def grid(nodes: Iterable[Sequence[int]], dims: Sequence[int], space: float) -> Positions:
    """Place a grid: longest dimension to the right, then down, then in depth; further ones as panels.

    ``space`` is the distance of neighbours; steps in depth may need more.
    """
    order = dimensions_by_size(dims)
    right, down, deep = ([dims[i] for i in order] + [1, 1, 1])[:3]
    if deep > 1:
        space = (17 * deep + 13) / 15
    steps = [(space, 0.0), (0.0, space), DEPTH_STEP]
    across, below = right * space + deep * DEPTH_STEP[0], down * space - deep * DEPTH_STEP[1]
    for i, dimension in enumerate(order[3:]):
        steps.append((0.0, below) if i % 2 else (across, 0.0))
        if i % 2:
            below *= dims[dimension]
        else:
            across *= dims[dimension]

    def along(node: Sequence[int], axis: int) -> float:
        return sum(
            node[i] * step[axis] for i, step in zip(order, steps, strict=False)
        )  # there are at least three steps

    return {node: (along(node, 0), along(node, 1)) for node in nodes}


def dimensions_by_size(dims: Sequence[int]) -> list[int]:
    """Return the dimensions of a grid, the longest first."""
    return sorted(range(len(dims)), key=lambda i: -dims[i])


def groups(a: int, g: int) -> Positions:
    """Place ``g`` circles of ``a`` routers, named (group, router), on one large circle."""
    small = max(1.0, a * CIRCLE_SPACING / (2 * pi))
    large = 0.0 if g == 1 else (small + 1) / sin(pi / g)
    positions: Positions = {}
    for group in range(g):
        angle = 2 * pi * (group + 0.5) / g
        positions |= circle([(group, router) for router in range(a)], small, (large * sin(angle), -large * cos(angle)))
    return positions


def groups_with_hosts(a: int, g: int, p: int) -> Positions:
    """Place the routers on one circle with a gap between groups, and the ``p`` hosts of each outside it."""
    slots, step = g * (a + 1), max(1.4, 0.9 * p)
    radius = max(3.0, slots * step / (2 * pi))
    positions: Positions = {}
    for group in range(g):
        for router in range(a):
            angle = 2 * pi * (group * (a + 1) + router) / slots
            positions[group, router] = (radius * sin(angle), -radius * cos(angle))
            for host in range(p):
                direction, outer = angle + (host - (p - 1) / 2) * 0.85 / radius, radius + 1.6
                positions["host", group, router, host] = (outer * sin(direction), -outer * cos(direction))
    return positions


def rows(tiers: Sequence[Sequence[Node]], lowest: int = 0) -> Positions:
    """Place each tier in a row, from the bottom up; hosts are tier 0."""
    width = max(map(len, tiers))
    height = max(TIER_DISTANCE, width / 4.5)
    return {
        node: ((i + 0.5) * width / len(row), -level * height)
        for level, row in enumerate(tiers, start=lowest)
        for i, node in enumerate(row)
    }


def switched(graph: nx.Graph, below: Collection[Node] = ()) -> Positions:
    """Place hosts in a row, tiers of switches above, and the nodes ``below`` under them.

    A network with links within a tier is drawn as a hub.
    """
    import networkx as nx

    hosts = {node for node, terminal in graph.nodes(data="terminal") if terminal}
    distances = nx.multi_source_dijkstra_path_length(graph, hosts, weight=lambda *_: 1)
    tier = {node: -1 if node in below else distances.get(node, 1) for node in graph}
    if any(tier[u] == tier[v] for u, v in graph.edges):
        return hub(graph)
    lowest, highest = min(tier.values()), max(tier.values())
    return rows([[node for node in graph if tier[node] == level] for level in range(lowest, highest + 1)], lowest)


def hub(graph: nx.Graph) -> Positions:
    """Place switches on a circle with single-link hosts around them; otherwise all nodes on one circle."""
    terminal = graph.nodes(data="terminal")
    switches = [node for node, is_host in terminal if not is_host]
    if any(is_host and graph.degree(node) != 1 for node, is_host in terminal):
        return circle(graph)
    outside = circle([host for switch in switches for host in graph[switch] if terminal[host]], 5.0)
    radius = max(hypot(x, y) for x, y in outside.values())
    return circle(switches, radius - 2.2) | outside


def default_positions(graph: nx.Graph, side: Collection[Node]) -> Positions:
    """Place the nodes of an arbitrary graph: by tiers if it has switches, otherwise one half next to the other."""
    if all(terminal for _, terminal in graph.nodes(data="terminal")):
        return circle(sorted(graph, key=lambda node: node not in side), 0.2 * len(graph))
    return switched(graph)
