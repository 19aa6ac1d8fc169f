"""Traffic on the links: routes a demand through a network and finds the busiest link."""

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
Load: TypeAlias = dict[tuple[Node, Node], float]


@dataclass(frozen=True)
class Loads:
    """What every link carries, one way, as multiples of a terminal's buffer.

    ``carried`` maps (from, to) to that multiple, ``busiest`` is the pair that takes
    longest, and ``seconds_per_byte`` how long it takes for each byte of a buffer.

    Examples
    --------
    >>> Loads({(0, 1): 0.5}, (0, 1), 0.5 / 50e9).seconds(1e9)
    0.01
    """

    carried: Load
    busiest: tuple[Node, Node] | None
    seconds_per_byte: float

    def seconds(self, message_bytes: ArrayLike) -> FloatOrArray:
        """Time until the busiest link has carried its part of buffers of that size, in seconds."""
        return plain(positive("message_bytes", message_bytes, allow_zero=True) * self.seconds_per_byte)


def link_loads(network: Topology, demand: ArrayLike, *, routing: Routing = "shortest") -> Loads:
    """Send a demand through a network and count what each link carries.

    Parameters
    ----------
    network : Topology
    demand : array, shape (p, p)
        Row i: what terminal i sends to each, as a share of its buffer; see `demand`.
    routing : {"shortest", "dimension_order"}
        "shortest": at every node spread evenly over the links that lead nearer, as ideal
        spraying does.
        "dimension_order": along the first dimension of a grid, then along the second, each
        the shorter way round; a tie is halved.

    Returns
    -------
    Loads

    Raises
    ------
    ValueError, TypeError
        For a demand of another shape, negative or not finite, a routing that does not
        exist or does not fit the network, and terminals that no path joins.

    Notes
    -----
    The time of the busiest link is a lower bound for this routing, never below that of a
    cut (`cut_demand_time`). Ignores latency, queues, and the hash: see `hash_time`.
    Source: Dally and Towles 2004, chapters 3 and 8.

    Examples
    --------
    A tornado on a ring of 8: everybody goes 3 links the same way, and half of the lanes
    stay empty.

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
    """Least time that cuts allow for a demand: around each terminal, each part of each tier, and through the middle.

    Parameters
    ----------
    network : Topology
    demand : array, shape (p, p)
        As `link_loads`.
    message_bytes : float or array
        Bytes in the buffer of each terminal.

    Returns
    -------
    float or array
        Seconds; a lower bound for any routing.

    Raises
    ------
    ValueError, TypeError
        As `link_loads`.

    Notes
    -----
    Looks at the cuts that `all_to_all_time` looks at, and gives the same for an all-to-all.
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
        part = np.arange(len(shares)) // tier.terminals  # a part's terminals stand in a row
        across = np.where(part[:, None] == part, 0.0, shares)
        most = max(float(np.bincount(part, across.sum(axis)).max()) for axis in (0, 1))
        per_byte = max(per_byte, most / tier.bandwidth_one_way)
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


def _shortest(network: Topology, shares: NDArray) -> Load:
    """For each target, every node hands on what it has, evenly over its links that lead nearer."""
    graph, nodes = network.graph, network.terminal_nodes
    near = {node: [(other, data["links"]) for other, data in graph[node].items()] for node in graph}
    carried: Load = defaultdict(float)
    for target, column in zip(nodes, shares.T, strict=True):
        held = {node: share for node, share in zip(nodes, column, strict=True) if share and node != target}
        if not held:
            continue
        order, far = [target], {target: 0}
        for node in order:  # grows while it is read
            for other, _ in near[node]:
                if other not in far:
                    far[other] = far[node] + 1
                    order.append(other)
        lost = next((node for node in held if node not in far), None)
        if lost is not None:
            raise ValueError(f"{network.name} has no path from {lost!r} to {target!r}")
        for node in reversed(order):
            here = held.get(node)
            if not here or node == target:
                continue
            nearer = [(other, links) for other, links in near[node] if far[other] == far[node] - 1]
            width = sum(links for _, links in nearer)
            for other, links in nearer:
                part = here * links / width
                carried[node, other] += part
                held[other] = held.get(other, 0.0) + part
    return carried


def _by_dimension(network: Topology, shares: NDArray) -> Load:
    graph, nodes = network.graph, network.terminal_nodes
    places = [node if isinstance(node, tuple) else (node,) for node in nodes]
    if network.family not in GRIDS:
        raise ValueError(f"routing 'dimension_order' needs a grid such as torus((4, 4)), got {network.name}")
    name: Callable[[tuple[int, ...]], Any] = dict(zip(places, nodes, strict=True)).__getitem__
    dims = [max(axis) + 1 for axis in zip(*places, strict=True)]
    origin = (0,) * len(dims)
    rings = [
        k > 2 and graph.has_edge(name(origin), name((*origin[:axis], k - 1, *origin[axis + 1 :])))
        for axis, k in enumerate(dims)
    ]
    carried: Load = defaultdict(float)
    for i, j in zip(*np.nonzero(shares), strict=True):
        for route, part in _routes(places[i], places[j], dims, rings):
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
    """The ways from start to end, dimension after dimension, and the share of each."""
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
                here, sign = route[-1], 1 if step > 0 else -1
                line = [
                    (*here[:axis], (here[axis] + sign * n) % size, *here[axis + 1 :]) for n in range(1, abs(step) + 1)
                ]
                longer.append((route + line, part / len(steps)))
        routes = longer
    return iter(routes)
