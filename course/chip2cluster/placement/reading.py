"""Slurm's own way of writing hosts and switches, read."""

from __future__ import annotations

import re

from .._validate import shortened
from .tree import parents

_RANGE = r"\d+(?:-\d+)?"
_HOST = re.compile(rf"([\w.-]+)(?:\[({_RANGE}(?:,{_RANGE})*)\])?")
_HOSTS = re.compile(rf"{_HOST.pattern}(?:,{_HOST.pattern})*")


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
    if not isinstance(text, str):
        raise TypeError(f"text must be the lines of a topology.conf, got {shortened(text)}")
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
    parents(tree)
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
    if not isinstance(text, str):
        raise TypeError(f"text must be a list of hosts such as 'n[1-3,7]', got {shortened(text)}")
    if not _HOSTS.fullmatch(text):
        raise ValueError(f"a list of hosts looks like 'n[1-3,7],login', got {text!r}")
    hosts = []
    for name, ranges in _HOST.findall(text):
        for part in ranges.split(",") if ranges else ():
            first, _, last = part.partition("-")
            if not first or (last and int(last) < int(first)):
                raise ValueError(f"a range of hosts must run upwards, got {part!r} in {text!r}")
            hosts += [f"{name}{number:0{len(first)}d}" for number in range(int(first), int(last or first) + 1)]
        if not ranges:
            hosts.append(name)
    return hosts
