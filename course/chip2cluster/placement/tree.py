"""Which nodes of a tree of switches a job gets, and how far apart they are."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TypeAlias

from .._validate import whole

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
    above = _above(tree)
    mine = list(nodes)
    unknown = [node for node in mine if node not in above or node in tree]
    if not mine or unknown or len(set(mine)) < len(mine):
        wrong = unknown[0] if unknown else mine
        raise ValueError(f"nodes must be different ones that hang on a switch, at least one; got {wrong!r}")
    chains = {node: _chain(node, above) for node in mine}
    hops = [_hops(chains[one], chains[other]) for one, other in combinations(mine, 2)]
    common = [switch for switch in chains[mine[0]] if all(switch in chain for chain in chains.values())]
    if not common:
        raise ValueError("nodes must hang below one switch, got some of trees that do not meet")
    return Spread(
        sum(hops) / len(hops) if hops else 0.0, max(hops, default=0), len({chain[0] for chain in chains.values()}), common[0]
    )  # fmt: skip


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
        None where not enough are free.

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
    count, above = int(whole("nodes", nodes)), _above(tree)
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
    leaves = [below[switch] for switch in tree if height[switch] == 1 and set(below[switch]) & set(below[root])]
    chosen: list[str] = []
    while len(chosen) < count:
        rest = count - len(chosen)
        fitting = [leaf for leaf in leaves if len(leaf) >= rest]
        leaf = min(fitting, key=len) if fitting else max(leaves, key=len)
        leaves.remove(leaf)
        chosen += leaf[:rest]
    return tuple(node for node in mine if node in chosen)


def read_topology(text: str) -> dict[str, tuple[str, ...]]:
    """Read a tree of switches from Slurm's ``topology.conf``.

    Parameters
    ----------
    text : str
        Lines such as ``SwitchName=leaf1 Nodes=n[1-16]`` and ``SwitchName=spine Switches=leaf[1-2]``.

    Returns
    -------
    dict of str to tuple of str
        What hangs on each switch.

    Raises
    ------
    ValueError
        For a line that is none of these, with its number, and for a tree that is none.

    Notes
    -----
    Ignores ``LinkSpeed``. Source: the ``topology.conf`` manual.

    Examples
    --------
    >>> read_topology("SwitchName=leaf1 Nodes=n[1-2]\\nSwitchName=leaf2 Nodes=n3\\nSwitchName=top Switches=leaf[1-2]")
    {'leaf1': ('n1', 'n2'), 'leaf2': ('n3',), 'top': ('leaf1', 'leaf2')}
    """
    tree: dict[str, tuple[str, ...]] = {}
    for place, line in enumerate(text.splitlines(), 1):
        line = line.partition("#")[0].strip()
        if not line:
            continue
        fields = dict(re.findall(r"(\w+)=(\S+)", line))
        name, parts = fields.get("SwitchName"), fields.get("Nodes") or fields.get("Switches")
        if not name or not parts or name in tree:
            raise ValueError(f"line {place} must name a new switch and its Nodes or Switches, got {line[:60]!r}")
        tree[name] = tuple(expand_hosts(parts))
    if not tree:
        raise ValueError("text must hold at least one line with SwitchName=")
    _above(tree)
    return tree


def expand_hosts(text: str) -> list[str]:
    """The names that a list of hosts stands for.

    Parameters
    ----------
    text : str
        As Slurm writes it: ``"n[1-3,7],login"``; zeros in front are kept.

    Returns
    -------
    list of str

    Raises
    ------
    ValueError
        For brackets that are not closed or hold something else, and ranges that run backwards.

    Notes
    -----
    Ignores several brackets in one name. Source: Slurm's ``scontrol show hostnames``.

    Examples
    --------
    >>> expand_hosts("n[1-3,7],gpu[08-10]")
    ['n1', 'n2', 'n3', 'n7', 'gpu08', 'gpu09', 'gpu10']
    """
    if not re.fullmatch(r"[\w.-]+(\[[\d,-]+\])?(,[\w.-]+(\[[\d,-]+\])?)*", text):
        raise ValueError(f"a list of hosts looks like 'n[1-3,7],login', got {text!r}")
    hosts = []
    for name, ranges in re.findall(r"([\w.-]+)(?:\[([\d,-]+)\])?", text):
        for part in ranges.split(",") if ranges else ():
            first, _, last = part.partition("-")
            if not first or (last and int(last) < int(first)):
                raise ValueError(f"a range of hosts must run upwards, got {part!r} in {text!r}")
            hosts += [f"{name}{number:0{len(first)}d}" for number in range(int(first), int(last or first) + 1)]
        if not ranges:
            hosts.append(name)
    return hosts


def _above(tree: Tree) -> dict[str, str]:
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


def _hops(one: Sequence[str], other: Sequence[str]) -> int:
    for up, switch in enumerate(one):
        if switch in other:
            return up + 1 + other.index(switch) + 1
    return 0


def _height(switch: str, tree: Tree) -> int:
    return 1 + max((_height(part, tree) for part in tree[switch] if part in tree), default=0)
