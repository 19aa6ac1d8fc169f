"""Topology-aware placement in a tree of switches: choice of a job's nodes, and their distance."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from .._validate import one_whole

Tree: TypeAlias = Mapping[str, Sequence[str]]


@dataclass(frozen=True)
class TreeDistance:
    """Distances of a job's nodes in a tree of switches.

    Attributes
    ----------
    mean_hops : float
        Mean number of links between two nodes: 2 below one switch, 4 below two switches
        with a common parent.
    max_hops : int
        Largest number of links between two nodes.
    leaves : int
        Number of leaf switches that the nodes are connected to.
    common_switch : str
        Lowest switch above all of the nodes.
    """

    mean_hops: float
    max_hops: int
    leaves: int
    common_switch: str


def topology_cost(nodes: Iterable[str], tree: Tree) -> TreeDistance:
    """Compute the distances of a job's nodes in a tree of switches.

    Parameters
    ----------
    nodes : iterable of str
        Names of the job's nodes.
    tree : mapping of str to sequence of str
        Nodes or switches below each switch; see `read_topology`.

    Returns
    -------
    TreeDistance
        Mean and largest distance, leaf switches, and the common switch.

    Raises
    ------
    ValueError
        If a node is missing from the tree or given twice, or the switches do not form a tree.

    Notes
    -----
    Counts links and ignores their traffic: `topology.place` and `topology.bisection` give
    bandwidth. Source: the definition of a path in a tree.

    Examples
    --------
    >>> tree = {"leaf1": ["n1", "n2"], "leaf2": ["n3", "n4"], "spine": ["leaf1", "leaf2"]}
    >>> topology_cost(["n1", "n2"], tree).mean_hops, topology_cost(["n1", "n3"], tree).mean_hops
    (2.0, 4.0)
    """
    above = parent_switches(tree)
    job_nodes = list(nodes)
    unknown = [node for node in job_nodes if node not in above or node in tree]
    if not job_nodes or unknown or len(set(job_nodes)) < len(job_nodes):
        wrong = unknown[0] if unknown else job_nodes
        raise ValueError(f"nodes must be distinct nodes below a switch, at least one; got {wrong!r}")
    below = dict.fromkeys(tree, 0)  # number of the job's nodes below each switch
    farthest: dict[str, dict[str, int]] = {switch: {} for switch in tree}  # links to the farthest node, by child
    for node in job_nodes:
        child = node
        for links, switch in enumerate(_switches_above(node, above), 1):
            below[switch] += 1
            farthest[switch][child] = max(links, farthest[switch].get(child, 0))
            child = switch
    common = [switch for switch in _switches_above(job_nodes[0], above) if below[switch] == len(job_nodes)]
    if not common:
        raise ValueError("nodes must be below one switch, got nodes of separate trees")
    # A link is on the path of as many pairs as the product of the numbers of nodes on its two sides.
    inside = [switch for switch in tree if below[switch] and switch not in common]
    count, pairs = len(job_nodes), len(job_nodes) * (len(job_nodes) - 1) // 2
    hops = count * (count - 1) + sum(below[switch] * (count - below[switch]) for switch in inside)
    largest = max(sum(sorted(farthest[switch].values())[-2:]) for switch in [*inside, common[0]]) if pairs else 0
    return TreeDistance(hops / pairs if pairs else 0.0, largest, len({above[node] for node in job_nodes}), common[0])


def tree_allocation(nodes: int, free: Iterable[str], tree: Tree) -> tuple[str, ...] | None:
    """Choose free nodes that are close together, on as few leaf switches as possible (topology-aware).

    Chooses the lowest switch with enough free nodes below it, and among several the one with
    the fewest free nodes; below it fills the leaves with the most free nodes first, and
    chooses as the last leaf the best fit for the rest.

    Parameters
    ----------
    nodes : int
        Number of nodes to allocate.
    free : iterable of str
        Names of the free nodes.
    tree : mapping of str to sequence of str
        Nodes or switches below each switch; see `read_topology`.

    Returns
    -------
    tuple of str or None
        Names of the chosen nodes; None if no switch has enough free nodes below it.

    Raises
    ------
    ValueError
        If a free node is missing from the tree.

    Notes
    -----
    Ignores future jobs. Source: the idea of Slurm's ``topology/tree``, which also uses a
    best fit of leaves.

    Examples
    --------
    >>> tree = {"leaf1": ["n1", "n2", "n3"], "leaf2": ["n4", "n5"], "spine": ["leaf1", "leaf2"]}
    >>> tree_allocation(2, ["n1", "n2", "n3", "n4", "n5"], tree)
    ('n4', 'n5')
    """
    count, above = one_whole("nodes", nodes), parent_switches(tree)
    free_nodes = list(dict.fromkeys(free))
    if unknown := [node for node in free_nodes if node not in above or node in tree]:
        raise ValueError(f"free must hold nodes that are below a switch, got {unknown[0]!r}")
    below: dict[str, list[str]] = {switch: [] for switch in tree}
    for node in free_nodes:
        for switch in _switches_above(node, above):
            below[switch].append(node)
    height = {switch: _height(switch, tree) for switch in tree}
    enough = [switch for switch in tree if len(below[switch]) >= count]
    if not enough:
        return None
    root = min(enough, key=lambda switch: (height[switch], len(below[switch])))
    by_leaf: dict[str, list[str]] = {switch: [] for switch in tree}
    for node in below[root]:
        by_leaf[above[node]].append(node)
    leaves = [leaf for leaf in by_leaf.values() if leaf]
    chosen: list[str] = []
    while len(chosen) < count:
        rest = count - len(chosen)
        fitting = [leaf for leaf in leaves if len(leaf) >= rest]
        leaf = min(fitting, key=len) if fitting else max(leaves, key=len)
        leaves.remove(leaf)
        chosen += leaf[:rest]
    return tuple(node for node in free_nodes if node in chosen)


def parent_switches(tree: Tree) -> dict[str, str]:
    """Return the switch above each node and switch."""
    if not isinstance(tree, Mapping) or not tree:
        raise TypeError(f"tree must map switches to the nodes or switches below them, got {tree!r}")
    above: dict[str, str] = {}
    for switch, children in tree.items():
        for child in children:
            if child in above:
                raise ValueError(
                    f"tree must put each name below one switch, got {child} below {above[child]} and {switch}"
                )
            above[child] = switch
    for switch in tree:
        chain = _switches_above(switch, above)
        if switch in chain:
            raise ValueError(f"tree must have no cycle, got {' below '.join([switch, *chain])}")
    return above


def _switches_above(name: str, above: Mapping[str, str]) -> list[str]:
    """Return the switches above a node or switch, the lowest first."""
    chain: list[str] = []
    while name in above and above[name] not in chain:
        name = above[name]
        chain.append(name)
    return chain


def _height(switch: str, tree: Tree) -> int:
    return 1 + max((_height(child, tree) for child in tree[switch] if child in tree), default=0)
