"""Switched networks: hosts at the leaves of trees, fat-trees and leaf-spine fabrics."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from .._validate import one_positive, one_whole
from .clos import Clos, Level, tree_graph
from .network import Topology, connect

if TYPE_CHECKING:
    import networkx as nx


def star(hosts: int, link_bandwidth_one_way: float = 1.0, *, links_per_host: int = 1) -> Topology:
    """Build a star: ``hosts`` at one ideal non-blocking switch, as in the formula p/2 times β.

    Parameters
    ----------
    hosts : int
        Number of hosts, p.
    link_bandwidth_one_way : float
        Unidirectional bandwidth of a link, bytes/s; with the default 1.0 bandwidths are
        numbers of links.
    links_per_host : int
        Number of parallel links of each host.

    Returns
    -------
    Topology
        Star; its bisection is the links of ``floor(p/2)`` hosts, because the middle host
        of an odd number adds nothing.

    Notes
    -----
    Ignores the limit on a switch's ports. Source: Dally and Towles 2004.

    Examples
    --------
    A cluster of 64 nodes with an uplink of 50 Gb/s each:

    >>> from chip2cluster import topology
    >>> topology.bisection(topology.star(64, 50e9 / 8)).bandwidth_one_way * 8 / 1e12   # Tb/s
    1.6
    """
    hosts, links = one_whole("hosts", hosts), one_whole("links_per_host", links_per_host)
    levels = (Level(hosts, links, links * one_positive("link_bandwidth_one_way", link_bandwidth_one_way)),)
    parameters = {"hosts": hosts, "links_per_host": links}
    return _clos("star", f"star {hosts}", parameters, levels, partial(tree_graph, levels))


def tree(branching: int, height: int, link_bandwidth_one_way: float = 1.0, *, links_growth: int = 1) -> Topology:
    """Build a complete tree of switches with ``branching**height`` hosts as its leaves.

    Parameters
    ----------
    branching : int
        Number of children of each switch.
    height : int
        Number of links from the root to a host.
    link_bandwidth_one_way : float
        Unidirectional bandwidth of a link, bytes/s; with the default 1.0 bandwidths are
        numbers of links.
    links_growth : int
        Factor by which the links between two switches multiply at each tier up: 1 is a
        simple tree, ``branching`` a full fat-tree.

    Returns
    -------
    Topology
        Tree of switches and hosts.

    Notes
    -----
    Terminals are the leaves, so with an odd ``branching`` the bisection cuts several tiers.
    Source: Leiserson, "Fat-trees", IEEE Trans. Computers C-34, 1985.

    Examples
    --------
    >>> from chip2cluster import topology
    >>> topology.bisection(topology.tree(2, 10)).links
    1
    >>> topology.bisection(topology.tree(2, 10, links_growth=2)).links
    512
    """
    branching, height = one_whole("branching", branching), one_whole("height", height)
    growth = one_whole("links_growth", links_growth)
    bandwidth = one_positive("link_bandwidth_one_way", link_bandwidth_one_way)
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
    """Build a leaf-spine fabric: two tiers, with uplinks from every leaf switch to every spine switch.

    Parameters
    ----------
    leaves : int
        Number of leaf switches.
    spines : int
        Number of spine switches.
    hosts_per_leaf : int
        Number of hosts at each leaf.
    link_bandwidth_one_way : float
        Unidirectional bandwidth of a host's link, bytes/s; with the default 1.0 bandwidths
        are numbers of links.
    uplinks_per_spine : int
        Number of parallel links from a leaf to each spine.
    uplink_bandwidth_one_way : float, optional
        Unidirectional bandwidth of one uplink, bytes/s; by default that of a host's link.
    oversubscription : float, optional
        Ratio of host to uplink bandwidth at a leaf (4 is "4:1"), which sets the rate of
        the uplinks. Give this or the rate, not both.

    Returns
    -------
    Topology
        Fabric of switches and hosts.

    Raises
    ------
    ValueError
        If both the uplink rate and the oversubscription ratio are given.

    Notes
    -----
    Non-blocking only if the uplinks match the hosts; a Clos network is not non-blocking by
    itself. Ignores ECMP hash collisions of flows on the uplinks. Source: Al-Fares,
    Loukissas, Vahdat, SIGCOMM 2008.

    Examples
    --------
    >>> from chip2cluster import topology
    >>> fabric = topology.leaf_spine(4, 4, 16, 50e9 / 8)          # 64 hosts, 4:1
    >>> topology.oversubscription(fabric), topology.bisection(fabric).bandwidth_one_way / 1e9
    (4.0, 50.0)
    """
    leaves, spines = one_whole("leaves", leaves), one_whole("spines", spines)
    hosts, parallel = one_whole("hosts_per_leaf", hosts_per_leaf), one_whole("uplinks_per_spine", uplinks_per_spine)
    bandwidth = one_positive("link_bandwidth_one_way", link_bandwidth_one_way)
    if oversubscription is not None and uplink_bandwidth_one_way is not None:
        raise ValueError(
            "give uplink_bandwidth_one_way or oversubscription, not both, "
            f"got {uplink_bandwidth_one_way!r} and {oversubscription!r}"
        )
    uplink = bandwidth
    if oversubscription is not None:
        uplink = hosts * bandwidth / (spines * parallel * one_positive("oversubscription", oversubscription))
    elif uplink_bandwidth_one_way is not None:
        uplink = one_positive("uplink_bandwidth_one_way", uplink_bandwidth_one_way)
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
    """Build a fat-tree: three tiers of equal ``k``-port switches and ``k**3 / 4`` hosts.

    Parameters
    ----------
    k : int
        Number of ports of a switch, even; there are ``k`` pods of ``k/2`` edge and ``k/2``
        aggregation switches.
    link_bandwidth_one_way : float
        Unidirectional bandwidth of a link, bytes/s; with the default 1.0 bandwidths are
        numbers of links.
    oversubscription : float
        Ratio by which the links to the core are slower than the others; 1 is non-blocking.

    Returns
    -------
    Topology
        Network of switches and hosts.

    Raises
    ------
    ValueError
        If ``k`` is odd.

    Notes
    -----
    Ignores ECMP hash collisions of flows. Source: Al-Fares, Loukissas, Vahdat, "A scalable,
    commodity data center network architecture", SIGCOMM 2008.

    Examples
    --------
    >>> from chip2cluster import topology
    >>> fabric = topology.fat_tree(64, 50e9)
    >>> fabric.terminals, topology.bisection(fabric).links
    (65536, 32768)
    """
    k = one_whole("k", k, minimum=2)
    if k % 2:
        raise ValueError(f"k must be even, got {k}")
    half = k // 2
    bandwidth = one_positive("link_bandwidth_one_way", link_bandwidth_one_way)
    core = bandwidth / one_positive("oversubscription", oversubscription)
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
    structure = Clos(levels, names=names)
    return Topology(name, family, parameters, structure.terminals, build, structure)
