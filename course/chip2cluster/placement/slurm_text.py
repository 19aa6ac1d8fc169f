"""Parsers of Slurm's notation for host lists and of its ``topology.conf``."""

from __future__ import annotations

import re

from .._validate import shortened
from .switch_tree import parent_switches

_RANGE = r"\d+(?:-\d+)?"
_HOST = re.compile(rf"([\w.-]+)(?:\[({_RANGE}(?:,{_RANGE})*)\])?")
_HOSTS = re.compile(rf"{_HOST.pattern}(?:,{_HOST.pattern})*")


def read_topology(text: str) -> dict[str, tuple[str, ...]]:
    r"""Parse a tree of switches from Slurm's ``topology.conf``.

    Parameters
    ----------
    text : str
        Lines such as ``SwitchName=leaf1 Nodes=n[1-16]`` and ``SwitchName=spine Switches=leaf[1-2]``.

    Returns
    -------
    dict of str to tuple of str
        Nodes or switches below each switch.

    Raises
    ------
    ValueError
        If a line is malformed (the message has its number) or the switches do not form a tree.

    Notes
    -----
    Ignores ``LinkSpeed``. Source: the ``topology.conf`` manual.

    Examples
    --------
    >>> read_topology("SwitchName=leaf1 Nodes=n[1-2]\nSwitchName=leaf2 Nodes=n3\nSwitchName=top Switches=leaf[1-2]")
    {'leaf1': ('n1', 'n2'), 'leaf2': ('n3',), 'top': ('leaf1', 'leaf2')}
    """
    if not isinstance(text, str):
        raise TypeError(f"text must be the lines of a topology.conf, got {shortened(text)}")
    tree: dict[str, tuple[str, ...]] = {}
    for number, line in enumerate(text.splitlines(), 1):
        line = line.partition("#")[0].strip()
        if not line:
            continue
        fields = dict(re.findall(r"(\w+)=(\S+)", line))
        name, parts = fields.get("SwitchName"), fields.get("Nodes") or fields.get("Switches")
        if not name or not parts or name in tree:
            raise ValueError(f"line {number} must name a new switch and its Nodes or Switches, got {line[:60]!r}")
        tree[name] = tuple(expand_hosts(parts))
    if not tree:
        raise ValueError("text must hold at least one line with SwitchName=")
    parent_switches(tree)
    return tree


def expand_hosts(text: str) -> list[str]:
    """Expand a host list in Slurm's notation.

    Parameters
    ----------
    text : str
        Host list such as ``"n[1-3,7],login"``; leading zeros are significant.

    Returns
    -------
    list of str
        Host names.

    Raises
    ------
    ValueError
        If a bracket is malformed or a range runs backwards.

    Notes
    -----
    Ignores several brackets in one name. Source: Slurm's ``scontrol show hostnames``.

    Examples
    --------
    >>> expand_hosts("n[1-3,7],gpu[08-10]")
    ['n1', 'n2', 'n3', 'n7', 'gpu08', 'gpu09', 'gpu10']
    """
    if not isinstance(text, str):
        raise TypeError(f"text must be a list of hosts such as 'n[1-3,7]', got {shortened(text)}")
    if not _HOSTS.fullmatch(text):
        raise ValueError(f"text must be a list of hosts such as 'n[1-3,7],login', got {text!r}")
    hosts = []
    for name, ranges in _HOST.findall(text):
        for part in ranges.split(",") if ranges else ():
            first, _, last = part.partition("-")
            if not first or (last and int(last) < int(first)):
                raise ValueError(f"a range of hosts must be ascending, got {part!r} in {text!r}")
            hosts += [f"{name}{number:0{len(first)}d}" for number in range(int(first), int(last or first) + 1)]
        if not ranges:
            hosts.append(name)
    return hosts
