"""Max-min fair rates of flows that share links."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from .._validate import one_positive
from .network import Topology, require

if TYPE_CHECKING:
    from numpy.typing import NDArray

Link = Hashable


def max_min_rates(paths: Sequence[Sequence[Link]], capacity: Mapping[Link, float]) -> NDArray:
    """Share links between flows by max-min fairness (progressive filling).

    Parameters
    ----------
    paths : sequence of sequence of link
        Links of each flow; a link is any hashable name, such as ``("a", "b")``.
    capacity : mapping of link to float
        Bandwidth of each link, bytes/s.

    Returns
    -------
    array
        Rate of each flow, bytes/s: no flow can be faster without a slower or equal one losing.

    Raises
    ------
    ValueError
        If a flow uses no link, or one without a capacity.

    Notes
    -----
    All rates rise together until a link is full; its flows keep their rate and the others go on rising. This is the
    long-run share that congestion control of equal flows aims at. Ignores its start, bursts and losses.
    Source: Bertsekas and Gallager, *Data Networks*, 1992, section 6.5.2.

    Examples
    --------
    Three flows over two links: the one that crosses both gets half of the slower.

    >>> max_min_rates([["a"], ["a", "b"], ["b"]], {"a": 100.0, "b": 40.0}).tolist()
    [80.0, 20.0, 20.0]
    """
    users: dict[Link, list[int]] = {}
    for flow, path in enumerate(paths):
        if not len(path):
            raise ValueError(f"paths must have at least one link for each flow, got none for flow {flow}")
        for link in dict.fromkeys(path):
            if link not in capacity:
                raise ValueError(f"capacity must have every link of the paths, got none for {link!r}")
            users.setdefault(link, []).append(flow)
    left = {link: one_positive(f"capacity of {link!r}", capacity[link]) for link in users}
    waiting = {link: len(flows) for link, flows in users.items()}
    rates = np.full(len(paths), np.nan)
    while waiting:
        full = min(waiting, key=lambda link: left[link] / waiting[link])
        share = left[full] / waiting[full]
        for flow in users[full]:
            if not np.isnan(rates[flow]):
                continue
            rates[flow] = share
            for link in dict.fromkeys(paths[flow]):
                left[link] = max(left[link] - share, 0.0)
                waiting[link] -= 1
        waiting = {link: count for link, count in waiting.items() if count}
    return rates


def flow_rates(network: Topology, flows: Sequence[tuple[int, int]], *, seed: int = 0) -> NDArray:
    """Max-min fair rates of flows between terminals, each on one shortest path.

    Parameters
    ----------
    network : Topology
        Network of links.
    flows : sequence of (int, int)
        Source and destination of each flow, as numbers of the terminals.
    seed : int
        Seed of the choice among equally short paths, as hashing makes it (ECMP).

    Returns
    -------
    array
        Rate of each flow, bytes/s.

    Notes
    -----
    Links are full duplex. Ignores the same as `max_min_rates`. Source: see there.

    Examples
    --------
    Four senders to one receiver (incast) share its link:

    >>> from chip2cluster import topology
    >>> star = topology.leaf_spine(1, 1, 5, link_bandwidth_one_way=50e9)
    >>> (flow_rates(star, [(1, 0), (2, 0), (3, 0), (4, 0)]) / 1e9).tolist()
    [12.5, 12.5, 12.5, 12.5]
    """
    import networkx as nx

    graph, nodes = require(network).graph, network.terminal_nodes
    draw = np.random.default_rng(seed)
    capacity: dict[Link, float] = {}
    paths = []
    for source, target in flows:
        ends = [_terminal(nodes, name, one) for name, one in (("source", source), ("destination", target))]
        if ends[0] == ends[1]:
            raise ValueError(f"flows must have different ends, got {source} twice")
        path = [ends[0]]
        distance = nx.single_source_shortest_path_length(graph, ends[1])
        if ends[0] not in distance:
            raise ValueError(f"{network.name} has no path from {ends[0]!r} to {ends[1]!r}")
        while path[-1] != ends[1]:
            closer = [other for other in graph[path[-1]] if distance[other] == distance[path[-1]] - 1]
            path.append(closer[int(draw.integers(len(closer)))])
        links = list(pairwise(path))
        capacity.update({link: graph.edges[link]["capacity"] for link in links})
        paths.append(links)
    return max_min_rates(paths, capacity)


def _terminal(nodes: Sequence, name: str, number: int) -> Hashable:
    """Return a terminal by its number."""
    if isinstance(number, bool) or not isinstance(number, (int, np.integer)) or not 0 <= number < len(nodes):
        raise ValueError(f"{name} of a flow must be the number of a terminal, 0 to {len(nodes) - 1}, got {number!r}")
    return nodes[number]
