"""How many links a message passes."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from .layout import Node
from .network import Topology, require


@dataclass(frozen=True)
class Hops:
    """Links on shortest paths between different terminals: the mean and the most."""

    average: float
    diameter: int


def hops(topology: Topology) -> Hops:
    """Links that a message passes between two terminals, on average and at most.

    Parameters
    ----------
    topology : Topology

    Returns
    -------
    Hops
        Zeros for a single terminal. Two hosts of one switch are 2 links apart.

    Raises
    ------
    ValueError, TypeError
        For terminals that no path joins, and for anything but a topology.

    Notes
    -----
    All pairs of terminals weigh the same. Counts links, not switches; ignores their
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
    known = require(topology)._shape.hops()
    if known is not None:
        return Hops(*known)
    nodes = topology.terminal_nodes
    return _mean(topology, [(node, nodes) for node in nodes])


def same_rank_hops(topology: Topology) -> Hops:
    """Links between GPUs of one local rank in different nodes: the path of data-parallel traffic.

    Parameters
    ----------
    topology : Topology
        Made by `gpu_cluster`.

    Returns
    -------
    Hops
        2 links through one leaf, 4 through a spine.

    Raises
    ------
    ValueError, TypeError
        For any other topology.

    Notes
    -----
    Why rails: with the same switches, a leaf that takes one GPU of each node keeps a
    ring of equal ranks within one hop. Ignores length. Source: NVIDIA DGX SuperPOD
    reference architecture.

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
    # All ranks are alike, so the first stands for them.
    first = [("gpu", node, 0) for node in range(nodes)]
    return _mean(topology, [(node, first) for node in first])


def shortest_way(topology: Topology, source: Node, target: Node) -> tuple[Node, ...]:
    """One of the ways with the fewest links from a node of a network to another.

    Parameters
    ----------
    topology : Topology
    source, target : hashable
        Nodes of its graph.

    Returns
    -------
    tuple
        The nodes passed, both ends included.

    Raises
    ------
    ValueError, TypeError
        For what is no topology, and for a node that it does not have.

    Notes
    -----
    Of equal ways any; ignores how fast and how busy the links are. Source: breadth-first search.

    Examples
    --------
    >>> from chip2cluster import topology
    >>> topology.shortest_way(topology.ring(6), 0, 2)
    (0, 1, 2)
    """
    import networkx as nx

    graph = require(topology).graph
    for name, node in (("source", source), ("target", target)):
        if node not in graph:
            raise ValueError(f"{name} must be a node of the network, such as {next(iter(graph))!r}, got {node!r}")
    return tuple(nx.shortest_path(graph, source, target))


def _mean(topology: Topology, pairs: Iterable[tuple[Node, Sequence[Node]]]) -> Hops:
    """Mean and greatest distance from each source to its targets, itself left out."""
    import networkx as nx

    total = number = most = 0
    for source, targets in pairs:
        reached = nx.single_source_shortest_path_length(topology.graph, source)
        for target in targets:
            if target == source:
                continue
            if target not in reached:
                raise ValueError(f"{topology.name} has no path from {source!r} to {target!r}")
            total += reached[target]
            number += 1
            most = max(most, reached[target])
    return Hops(total / number if number else 0.0, most)
