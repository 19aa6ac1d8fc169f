"""Switched networks: hosts at the leaves of trees, fat-trees and leaf-spine fabrics."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from .clos import Clos, Level, tree_graph
from .network import Topology, connect, count, rate

if TYPE_CHECKING:
    import networkx as nx


def star(hosts: int, link_bandwidth_one_way: float = 1.0, *, links_per_host: int = 1) -> Topology:
    """``hosts`` around one ideal switch: the non-blocking fabric of the formula p/2 times β.

    Parameters
    ----------
    hosts : int
        Hosts, N.
    link_bandwidth_one_way : float
        Bytes/s of a link in one direction. Left at 1.0, bandwidths come out in links.
    links_per_host : int
        Parallel links of each host.

    Returns
    -------
    Topology
        Its bisection is ``floor(p/2)`` hosts' links: the middle host of an odd number
        adds nothing.

    Raises
    ------
    ValueError, TypeError
        For counts that are not whole numbers of at least 1, and rates not above zero.

    Notes
    -----
    Ignores that no switch has so many ports. Source: Dally and Towles 2004.

    Examples
    --------
    A cluster of 64 nodes with an uplink of 50 Gb/s each:

    >>> from chip2cluster import topology
    >>> topology.bisection(topology.star(64, 50e9 / 8)).bandwidth_one_way * 8 / 1e12   # Tb/s
    1.6
    """
    hosts, links = count("hosts", hosts), count("links_per_host", links_per_host)
    levels = (Level(hosts, links, links * rate("link_bandwidth_one_way", link_bandwidth_one_way)),)
    parameters = {"hosts": hosts, "links_per_host": links}
    return _clos("star", f"star {hosts}", parameters, levels, partial(tree_graph, levels))


def tree(branching: int, height: int, link_bandwidth_one_way: float = 1.0, *, links_growth: int = 1) -> Topology:
    """A complete tree of switches with ``branching**height`` hosts as its leaves.

    Parameters
    ----------
    branching : int
        Children of each switch.
    height : int
        Links from the root to a host.
    link_bandwidth_one_way : float
        Bytes/s of a link in one direction. Left at 1.0, bandwidths come out in links.
    links_growth : int
        Links between two switches multiply by this for each tier up: 1 is a plain
        tree, ``branching`` a full fat-tree.

    Returns
    -------
    Topology

    Raises
    ------
    ValueError, TypeError
        As `star`.

    Notes
    -----
    Terminals are the leaves, so an odd ``branching`` has to cut at several tiers.
    Source: Leiserson, "Fat-trees", IEEE Trans. Computers C-34, 1985.

    Examples
    --------
    >>> from chip2cluster import topology
    >>> topology.bisection(topology.tree(2, 10)).links
    1
    >>> topology.bisection(topology.tree(2, 10, links_growth=2)).links
    512
    """
    branching, height = count("branching", branching), count("height", height)
    growth = count("links_growth", links_growth)
    bandwidth = rate("link_bandwidth_one_way", link_bandwidth_one_way)
    links = [growth ** (height - 1 - depth) for depth in range(height)]
    levels = tuple(Level(branching, m, m * bandwidth) for m in links)
    parameters = {"branching": branching, "height": height, "links_growth": growth}
    return _clos("tree", f"tree {branching}^{height}", parameters, levels, partial(tree_graph, levels))


def leaf_spine(
    leaves: int,
    spines: int,
    hosts_per_leaf: int,
    link_bandwidth_one_way: float = 1.0,
    *,
    uplinks_per_spine: int = 1,
    uplink_bandwidth_one_way: float | None = None,
    oversubscription: float | None = None,
) -> Topology:
    """Two tiers: every leaf switch has uplinks to every spine switch.

    Parameters
    ----------
    leaves, spines, hosts_per_leaf : int
        Leaf switches, spine switches, hosts at each leaf.
    link_bandwidth_one_way : float
        Bytes/s of a host's link in one direction. Left at 1.0, bandwidths come out in links.
    uplinks_per_spine : int
        Parallel links from a leaf to each spine.
    uplink_bandwidth_one_way : float, optional
        Bytes/s of one uplink; that of the host links if left out.
    oversubscription : float, optional
        Ask for this ratio of host to uplink bandwidth at a leaf (4 is "4:1") and let
        it set the rate of the uplinks. Give this or the rate, not both.

    Returns
    -------
    Topology

    Raises
    ------
    ValueError, TypeError
        As `star`, and when both the uplink rate and the ratio are given.

    Notes
    -----
    Non-blocking only with uplinks for all hosts: a Clos network as such promises
    nothing. Ignores hash collisions of flows on the uplinks. Source: Al-Fares,
    Loukissas, Vahdat, SIGCOMM 2008.

    Examples
    --------
    >>> from chip2cluster import topology
    >>> fabric = topology.leaf_spine(4, 4, 16, 50e9 / 8)          # 64 hosts, 4:1
    >>> topology.oversubscription(fabric), topology.bisection(fabric).bandwidth_one_way / 1e9
    (4.0, 50.0)
    """
    leaves, spines = count("leaves", leaves), count("spines", spines)
    hosts, parallel = count("hosts_per_leaf", hosts_per_leaf), count("uplinks_per_spine", uplinks_per_spine)
    bandwidth = rate("link_bandwidth_one_way", link_bandwidth_one_way)
    if oversubscription is not None and uplink_bandwidth_one_way is not None:
        raise ValueError(
            "give uplink_bandwidth_one_way or oversubscription, not both, "
            f"got {uplink_bandwidth_one_way!r} and {oversubscription!r}"
        )
    uplink = bandwidth
    if oversubscription is not None:
        uplink = hosts * bandwidth / (spines * parallel * rate("oversubscription", oversubscription))
    elif uplink_bandwidth_one_way is not None:
        uplink = rate("uplink_bandwidth_one_way", uplink_bandwidth_one_way)
    links = spines * parallel
    levels = (Level(leaves, links, links * uplink), Level(hosts, 1, bandwidth))

    def build() -> nx.Graph:
        import networkx as nx

        graph = nx.Graph()
        graph.add_nodes_from((("spine", s) for s in range(spines)), terminal=False)
        graph.add_nodes_from((("leaf", leaf) for leaf in range(leaves)), terminal=False)
        for leaf in range(leaves):
            for s in range(spines):
                connect(graph, ("spine", s), ("leaf", leaf), parallel, parallel * uplink)
            for host in range(hosts):
                graph.add_node(("host", leaf, host), terminal=True)
                connect(graph, ("leaf", leaf), ("host", leaf, host), 1, bandwidth)
        return graph

    parameters = {
        "leaves": leaves,
        "spines": spines,
        "hosts_per_leaf": hosts,
        "uplinks_per_spine": parallel,
        "link_bandwidth_one_way": bandwidth,
        "uplink_bandwidth_one_way": uplink,
    }
    return _clos(
        "leaf-spine", f"leaf-spine {leaves}x{spines}, {hosts} hosts a leaf", parameters, levels, build, ("leaf", "host")
    )


def fat_tree(k: int, link_bandwidth_one_way: float = 1.0, *, oversubscription: float = 1.0) -> Topology:
    """Three tiers of equal ``k``-port switches and ``k**3 / 4`` hosts.

    Parameters
    ----------
    k : int
        Ports of a switch; even. ``k`` pods of ``k/2`` edge and ``k/2`` aggregation switches.
    link_bandwidth_one_way : float
        Bytes/s of a link in one direction. Left at 1.0, bandwidths come out in links.
    oversubscription : float
        The links to the core carry this much less than the full rate; 1 is non-blocking.

    Returns
    -------
    Topology

    Raises
    ------
    ValueError, TypeError
        For an odd ``k`` or one below 2, and as `star`.

    Notes
    -----
    Ignores hash collisions of flows. Source: Al-Fares, Loukissas, Vahdat, "A scalable,
    commodity data center network architecture", SIGCOMM 2008.

    Examples
    --------
    >>> from chip2cluster import topology
    >>> fabric = topology.fat_tree(64, 50e9)
    >>> fabric.terminals, topology.bisection(fabric).links
    (65536, 32768)
    """
    k = count("k", k, minimum=2)
    if k % 2:
        raise ValueError(f"k must be even, got {k}")
    half = k // 2
    bandwidth = rate("link_bandwidth_one_way", link_bandwidth_one_way)
    core = bandwidth / rate("oversubscription", oversubscription)
    levels = (Level(k, half * half, half * half * core), Level(half, half, half * bandwidth), Level(half, 1, bandwidth))

    def build() -> nx.Graph:
        import networkx as nx

        graph = nx.Graph()
        graph.add_nodes_from((("core", i, j) for i in range(half) for j in range(half)), terminal=False)
        for pod in range(k):
            graph.add_nodes_from((("aggregation", pod, i) for i in range(half)), terminal=False)
            graph.add_nodes_from((("edge", pod, i) for i in range(half)), terminal=False)
            for i in range(half):
                for j in range(half):
                    connect(graph, ("core", i, j), ("aggregation", pod, i), 1, core)
                    connect(graph, ("aggregation", pod, i), ("edge", pod, j), 1, bandwidth)
            for i in range(half):
                for host in range(half):
                    graph.add_node(("host", pod, i, host), terminal=True)
                    connect(graph, ("edge", pod, i), ("host", pod, i, host), 1, bandwidth)
        return graph

    return _clos("fat-tree", f"fat-tree {k}", {"k": k}, levels, build, ("pod", "edge switch", "host"))


def _clos(
    family: str,
    name: str,
    parameters: dict[str, Any],
    levels: tuple[Level, ...],
    build: Callable[[], nx.Graph],
    names: tuple[str, ...] = (),
) -> Topology:
    shape = Clos(levels, names=names)
    return Topology(name, family, parameters, shape.terminals, build, shape)
