"""Distances in a network, in links (hops)."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from .layout import Node
from .network import Topology, require


@dataclass(frozen=True)
class Hops:
    """Lengths of shortest paths between different terminals, in links.

    Attributes
    ----------
    average : float
        Mean over all pairs of terminals.
    diameter : int
        Largest distance.
    """

    average: float
    diameter: int


def hops(topology: Topology) -> Hops:
    """Compute the mean and the largest number of links between two terminals.

    Parameters
    ----------
    topology : Topology
        Network to measure.

    Returns
    -------
    Hops
        Mean and largest distance, in links; zeros for a single terminal. Two hosts at one
        switch are 2 links apart.

    Raises
    ------
    ValueError
        If two terminals are not connected.

    Notes
    -----
    All pairs of terminals have equal weight. Counts links, not switches; ignores their
    length. Closed form for grids and trees, breadth-first search otherwise.
    Source: Dally and Towles 2004.

    Examples
    --------
    >>> from chip2cluster import topology
    >>> topology.hops(topology.torus((16, 16, 16))).diameter
    24
    >>> topology.hops(topology.fat_tree(4))
    Hops(average=5.466666666666667, diameter=6)
    """
    known = require(topology)._structure.hops()
    if known is not None:
        return Hops(*known)
    nodes = topology.terminal_nodes
    return _hops_between(topology, [(node, nodes) for node in nodes])


def same_rank_hops(topology: Topology) -> Hops:
    """Compute the distance between GPUs of one local rank in different nodes: data-parallel (DP) traffic.

    Parameters
    ----------
    topology : Topology
        Cluster built by `gpu_cluster`.

    Returns
    -------
    Hops
        Mean and largest distance: 2 links through one leaf, 4 through a spine.

    Raises
    ------
    ValueError
        If ``topology`` is not a `gpu_cluster`.

    Notes
    -----
    The reason for rail-optimized wiring: with the same switches, a leaf that connects one
    GPU of each node keeps a ring of equal local ranks behind one switch. Ignores the
    length of links. Source: NVIDIA DGX SuperPOD reference architecture.

    Examples
    --------
    >>> from chip2cluster import topology
    >>> rates = dict(nvlink_bandwidth_one_way=450e9, nic_bandwidth_one_way=50e9)
    >>> for wiring in ("rail", "rack"):
    ...     print(wiring, topology.same_rank_hops(topology.gpu_cluster(32, wiring=wiring, **rates)))
    rail Hops(average=2.0, diameter=2)
    rack Hops(average=3.806451612903226, diameter=4)
    """
    if require(topology).family != "GPU cluster":
        raise ValueError(f"topology must be a gpu_cluster, got a {topology.family}")
    nodes = topology.parameters["nodes"]
    # All local ranks are equivalent, so the first is enough.
    first = [("gpu", node, 0) for node in range(nodes)]
    return _hops_between(topology, [(node, first) for node in first])


def shortest_path(topology: Topology, source: Node, target: Node) -> tuple[Node, ...]:
    """Return a path with the fewest links between two nodes of a network.

    Parameters
    ----------
    topology : Topology
        Network that contains the nodes.
    source, target : hashable
        Nodes of the network's graph.

    Returns
    -------
    tuple
        Nodes of the path, both ends included.

    Notes
    -----
    Returns an arbitrary one of several shortest paths; ignores bandwidth and load of the
    links. Source: breadth-first search.

    Examples
    --------
    >>> from chip2cluster import topology
    >>> topology.shortest_path(topology.ring(6), 0, 2)
    (0, 1, 2)
    """
    import networkx as nx

    graph = require(topology).graph
    for name, node in (("source", source), ("target", target)):
        if node not in graph:
            raise ValueError(f"{name} must be a node of the network, such as {next(iter(graph))!r}, got {node!r}")
    return tuple(nx.shortest_path(graph, source, target))


def _hops_between(topology: Topology, pairs: Iterable[tuple[Node, Sequence[Node]]]) -> Hops:
    """Return the mean and the largest distance from each source to its other targets."""
    import networkx as nx

    total = number = largest = 0
    for source, targets in pairs:
        reached = nx.single_source_shortest_path_length(topology.graph, source)
        for target in targets:
            if target == source:
                continue
            if target not in reached:
                raise ValueError(f"{topology.name} has no path from {source!r} to {target!r}")
            total += reached[target]
            number += 1
            largest = max(largest, reached[target])
    return Hops(total / number if number else 0.0, largest)
