"""Which nodes of a tree of switches a job gets, and how far apart they are."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from .._validate import one_whole

Tree: TypeAlias = Mapping[str, Sequence[str]]


@dataclass(frozen=True)
class Spread:
    """How far apart the nodes of a job are.

    ``mean_hops`` are links between two of them on average (2 below one switch, 4 below two that
    meet above), ``most_hops`` the most, ``leaves`` the leaf switches that they hang on, ``highest``
    the lowest switch above all of them.
    """

    mean_hops: float
    most_hops: int
    leaves: int
    highest: str


def topology_cost(nodes: Iterable[str], tree: Tree) -> Spread:
    """How far apart a job's nodes are in a tree of switches.

    Parameters
    ----------
    nodes : iterable of str
        Nodes of the job.
    tree : mapping of str to sequence of str
        What hangs on each switch: nodes, or other switches; see `read_topology`.

    Returns
    -------
    Spread

    Raises
    ------
    ValueError, TypeError
        For a node that hangs nowhere or was given twice, no nodes, and a tree that is none.

    Notes
    -----
    Counts links, not what others send over them: `topology.place` and `topology.bisection` give
    bandwidth. Source: the definition of a path in a tree.

    Examples
    --------
    >>> tree = {"leaf1": ["n1", "n2"], "leaf2": ["n3", "n4"], "spine": ["leaf1", "leaf2"]}
    >>> topology_cost(["n1", "n2"], tree).mean_hops, topology_cost(["n1", "n3"], tree).mean_hops
    (2.0, 4.0)
    """
    above = parents(tree)
    mine = list(nodes)
    unknown = [node for node in mine if node not in above or node in tree]
    if not mine or unknown or len(set(mine)) < len(mine):
        wrong = unknown[0] if unknown else mine
        raise ValueError(f"nodes must be different ones that hang on a switch, at least one; got {wrong!r}")
    below = dict.fromkeys(tree, 0)  # nodes of the job
    away: dict[str, dict[str, int]] = {switch: {} for switch in tree}  # links to the farthest, by what hangs on it
    for node in mine:
        part = node
        for links, switch in enumerate(_chain(node, above), 1):
            below[switch] += 1
            away[switch][part] = max(links, away[switch].get(part, 0))
            part = switch
    common = [switch for switch in _chain(mine[0], above) if below[switch] == len(mine)]
    if not common:
        raise ValueError("nodes must hang below one switch, got some of trees that do not meet")
    # Each link is on the way of as many pairs as there are nodes on one side times those on the other.
    inside = [switch for switch in tree if below[switch] and switch not in common]
    count, pairs = len(mine), len(mine) * (len(mine) - 1) // 2
    hops = count * (count - 1) + sum(below[switch] * (count - below[switch]) for switch in inside)
    most = max(sum(sorted(away[switch].values())[-2:]) for switch in [*inside, common[0]]) if pairs else 0
    return Spread(hops / pairs if pairs else 0.0, most, len({above[node] for node in mine}), common[0])


def tree_allocation(nodes: int, free: Iterable[str], tree: Tree) -> tuple[str, ...] | None:
    """Choose free nodes that lie close together, on as few leaf switches as there need be.

    The lowest switch below which enough are free is taken, of several the one with the fewest
    left over; below it the leaves with the most free nodes are filled first, and the last one is
    the leaf that the rest fills best.

    Parameters
    ----------
    nodes : int
        How many.
    free : iterable of str
        Nodes that may be used.
    tree
        As `topology_cost`.

    Returns
    -------
    tuple of str or None
        None where not enough are free below one switch.

    Raises
    ------
    ValueError, TypeError
        As `topology_cost`, and for a free node that hangs nowhere.

    Notes
    -----
    Ignores who will come next. Source: the idea of Slurm's ``topology/tree``, which fits leaves
    best in the same manner.

    Examples
    --------
    >>> tree = {"leaf1": ["n1", "n2", "n3"], "leaf2": ["n4", "n5"], "spine": ["leaf1", "leaf2"]}
    >>> tree_allocation(2, ["n1", "n2", "n3", "n4", "n5"], tree)
    ('n4', 'n5')
    """
    count, above = one_whole("nodes", nodes), parents(tree)
    mine = list(dict.fromkeys(free))
    if unknown := [node for node in mine if node not in above or node in tree]:
        raise ValueError(f"free must hold nodes that hang on a switch, got {unknown[0]!r}")
    below: dict[str, list[str]] = {switch: [] for switch in tree}
    for node in mine:
        for switch in _chain(node, above):
            below[switch].append(node)
    height = {switch: _height(switch, tree) for switch in tree}
    enough = [switch for switch in tree if len(below[switch]) >= count]
    if not enough:
        return None
    root = min(enough, key=lambda switch: (height[switch], len(below[switch])))
    hanging: dict[str, list[str]] = {switch: [] for switch in tree}
    for node in below[root]:
        hanging[above[node]].append(node)
    leaves = [part for part in hanging.values() if part]
    chosen: list[str] = []
    while len(chosen) < count:
        rest = count - len(chosen)
        fitting = [leaf for leaf in leaves if len(leaf) >= rest]
        leaf = min(fitting, key=len) if fitting else max(leaves, key=len)
        leaves.remove(leaf)
        chosen += leaf[:rest]
    return tuple(node for node in mine if node in chosen)


def parents(tree: Tree) -> dict[str, str]:
    """The switch above each node and switch."""
    if not isinstance(tree, Mapping) or not tree:
        raise TypeError(f"tree must map switches to what hangs on them, got {tree!r}")
    above: dict[str, str] = {}
    for switch, parts in tree.items():
        for part in parts:
            if part in above:
                raise ValueError(f"tree must hang each part on one switch, got {part} on {above[part]} and {switch}")
            above[part] = switch
    for switch in tree:
        chain = _chain(switch, above)
        if switch in chain:
            raise ValueError(f"tree must have no circle, got {' below '.join([switch, *chain])}")
    return above


def _chain(part: str, above: Mapping[str, str]) -> list[str]:
    """The switches above a part, the lowest first."""
    chain: list[str] = []
    while part in above and above[part] not in chain:
        part = above[part]
        chain.append(part)
    return chain


def _height(switch: str, tree: Tree) -> int:
    return 1 + max((_height(part, tree) for part in tree[switch] if part in tree), default=0)
