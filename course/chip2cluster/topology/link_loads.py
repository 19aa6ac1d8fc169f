"""Link loads: route a traffic matrix through a network and find the busiest link."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from .._validate import choice, plain, positive
from .cuts import bisection, cut
from .layout import Node
from .network import Topology, require

if TYPE_CHECKING:
    from .._typing import ArrayLike, FloatOrArray, NDArray

Routing: TypeAlias = Literal["shortest", "dimension_order"]
GRIDS = ("path", "ring", "mesh", "torus", "hypercube", "TPU pod")
LinkLoads: TypeAlias = dict[tuple[Node, Node], float]


@dataclass(frozen=True)
class Loads:
    """Unidirectional load of every link, as a multiple of a terminal's send buffer.

    Attributes
    ----------
    carried : dict of tuple to float
        Load of each link, by (from, to).
    busiest : tuple or None
        Link that takes longest.
    seconds_per_byte : float
        Time of the busiest link for each byte of a buffer, s/byte.

    Examples
    --------
    >>> Loads({(0, 1): 0.5}, (0, 1), 0.5 / 50e9).seconds(1e9)
    0.01
    """

    carried: LinkLoads
    busiest: tuple[Node, Node] | None
    seconds_per_byte: float

    def seconds(self, message_bytes: ArrayLike) -> FloatOrArray:
        """Compute the time of the busiest link for buffers of ``message_bytes``, seconds."""
        return plain(positive("message_bytes", message_bytes, allow_zero=True) * self.seconds_per_byte)


def link_loads(network: Topology, demand: ArrayLike, *, routing: Routing = "shortest") -> Loads:
    """Route a traffic matrix through a network and compute the load of each link.

    Parameters
    ----------
    network : Topology
        Network that carries the traffic.
    demand : array, shape (p, p)
        Traffic matrix: row i has the fractions of its buffer that terminal i sends to each
        terminal; see `demand`.
    routing : {"shortest", "dimension_order"}
        "shortest": split evenly at every node over the links that lead closer, as ideal
        packet spraying does.
        "dimension_order": along the first dimension of a grid, then along the second, in
        the shorter direction; a tie is split in half.

    Returns
    -------
    Loads
        Load of each link, and the busiest link.

    Raises
    ------
    ValueError
        If the demand has another shape, the routing does not fit the network, or two terminals
        with traffic are not connected.

    Notes
    -----
    The time of the busiest link is a lower bound for this routing, never below that of a
    cut (`cut_demand_time`). Ignores latency, queues, and ECMP hashing: see `hash_time`.
    Source: Dally and Towles 2004, chapters 3 and 8.

    Examples
    --------
    Tornado traffic on a ring of 8 goes 3 links in the same direction, and the opposite
    direction of all links stays idle:

    >>> from chip2cluster import topology
    >>> ring = topology.ring(8, 50e9)
    >>> storm = topology.demand("tornado", 8)
    >>> topology.link_loads(ring, storm).seconds(1e9), topology.cut_demand_time(ring, storm, 1e9)
    (0.06, 0.03)
    """
    shares = _shares(network, demand)
    choice("routing", routing, ("shortest", "dimension_order"))
    carried = _by_dimension(network, shares) if routing == "dimension_order" else _shortest(network, shares)
    seconds = {(a, b): load / network.graph.edges[a, b]["capacity"] for (a, b), load in carried.items()}
    busiest = max(seconds, key=seconds.__getitem__) if seconds else None
    return Loads(dict(carried), busiest, seconds[busiest] if busiest is not None else 0.0)


def cut_demand_time(network: Topology, demand: ArrayLike, message_bytes: ArrayLike) -> FloatOrArray:
    """Compute the lower bound on the time of a traffic matrix from cuts: terminals, tiers and the bisection.

    Parameters
    ----------
    network : Topology
        Network that carries the traffic.
    demand : array, shape (p, p)
        Traffic matrix: row i has the fractions of its buffer that terminal i sends to each
        terminal; see `demand`.
    message_bytes : float or array
        Size of the send buffer of each terminal, bytes.

    Returns
    -------
    float or array
        Lower bound for any routing, seconds.

    Notes
    -----
    Uses the cuts that `all_to_all_time` uses, and gives the same for an all-to-all.
    Ignores latency. Source: Leighton and Rao 1999.

    Examples
    --------
    >>> from chip2cluster import topology
    >>> fabric = topology.leaf_spine(4, 2, 8, 50e9)
    >>> topology.cut_demand_time(fabric, topology.demand("opposite", 32), 1e9)
    0.08
    """
    shares = _shares(network, demand)
    size = positive("message_bytes", message_bytes, allow_zero=True)
    np.fill_diagonal(shares, 0.0)
    if network.terminals == 1:
        return plain(0.0 * size)
    nodes = network.terminal_nodes
    rates = np.array([network.graph.degree(node, weight="capacity") for node in nodes])
    per_byte = max(float((shares.sum(axis) / rates).max()) for axis in (0, 1))
    for tier in network.tiers:
        part = np.arange(len(shares)) // tier.terminals  # terminals of a part have consecutive numbers
        across = np.where(part[:, None] == part, 0.0, shares)
        largest = max(float(np.bincount(part, across.sum(axis)).max()) for axis in (0, 1))
        per_byte = max(per_byte, largest / tier.bandwidth_one_way)
    side = cut(network).side
    inside = np.array([node in side for node in nodes])
    crossing = max(shares[inside][:, ~inside].sum(), shares[~inside][:, inside].sum())
    if crossing:
        per_byte = max(per_byte, float(crossing / bisection(network).bandwidth_one_way))
    return plain(size * per_byte)


def _shares(network: Topology, demand: ArrayLike) -> NDArray:
    n = require(network).terminals
    shares = np.array(positive("demand", demand, allow_zero=True), dtype=float)
    if shares.shape != (n, n):
        raise ValueError(f"demand must have {n} rows of {n} shares for {network.name}, got shape {shares.shape}")
    return shares


def _shortest(network: Topology, shares: NDArray) -> LinkLoads:
    """Split the load evenly over the links that lead closer to the target, at each node and for each target."""
    graph, nodes = network.graph, network.terminal_nodes
    neighbours = {node: [(other, data["links"]) for other, data in graph[node].items()] for node in graph}
    carried: LinkLoads = defaultdict(float)
    for target, column in zip(nodes, shares.T, strict=True):
        held = {node: share for node, share in zip(nodes, column, strict=True) if share and node != target}
        if not held:
            continue
        order, distance = [target], {target: 0}
        for node in order:  # breadth-first search: the list grows during the loop
            for other, _ in neighbours[node]:
                if other not in distance:
                    distance[other] = distance[node] + 1
                    order.append(other)
        unreachable = next((node for node in held if node not in distance), None)
        if unreachable is not None:
            raise ValueError(f"{network.name} has no path from {unreachable!r} to {target!r}")
        for node in reversed(order):
            load = held.get(node)
            if not load or node == target:
                continue
            closer = [(other, links) for other, links in neighbours[node] if distance[other] == distance[node] - 1]
            width = sum(links for _, links in closer)
            for other, links in closer:
                part = load * links / width
                carried[node, other] += part
                held[other] = held.get(other, 0.0) + part
    return carried


def _by_dimension(network: Topology, shares: NDArray) -> LinkLoads:
    graph, nodes = network.graph, network.terminal_nodes
    coordinates = [node if isinstance(node, tuple) else (node,) for node in nodes]
    if network.family not in GRIDS:
        raise ValueError(f"routing 'dimension_order' needs a grid such as torus((4, 4)), got {network.name}")
    name: Callable[[tuple[int, ...]], Any] = dict(zip(coordinates, nodes, strict=True)).__getitem__
    dims = [max(axis) + 1 for axis in zip(*coordinates, strict=True)]
    origin = (0,) * len(dims)
    rings = [
        k > 2 and graph.has_edge(name(origin), name((*origin[:axis], k - 1, *origin[axis + 1 :])))
        for axis, k in enumerate(dims)
    ]
    carried: LinkLoads = defaultdict(float)
    for i, j in zip(*np.nonzero(shares), strict=True):
        for route, part in _routes(coordinates[i], coordinates[j], dims, rings):
            for a, b in pairwise(route):
                edge = name(a), name(b)
                if not graph.has_edge(*edge):
                    raise ValueError(
                        f"routing 'dimension_order' needs a grid such as torus((4, 4)), got {network.name}"
                    )
                carried[edge] += part * shares[i, j]
    return carried


def _routes(
    start: tuple[int, ...], end: tuple[int, ...], dims: list[int], rings: list[bool]
) -> Iterator[tuple[list[tuple[int, ...]], float]]:
    """Return the routes from start to end, dimension by dimension, with the fraction of each."""
    routes = [([start], 1.0)]
    for axis, (size, ring) in enumerate(zip(dims, rings, strict=True)):
        distance = end[axis] - start[axis]
        steps = [distance]
        if ring:
            ahead = distance % size
            steps = [ahead, ahead - size] if 2 * ahead == size else [ahead if 2 * ahead < size else ahead - size]
        longer = []
        for route, part in routes:
            for step in steps:
                node, sign = route[-1], 1 if step > 0 else -1
                line = [
                    (*node[:axis], (node[axis] + sign * n) % size, *node[axis + 1 :]) for n in range(1, abs(step) + 1)
                ]
                longer.append((route + line, part / len(steps)))
        routes = longer
    return iter(routes)
