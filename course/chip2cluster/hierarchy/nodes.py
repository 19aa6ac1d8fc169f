"""What is in the box: the parts of a node, and which of them hang together."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache

from ..provenance import Source
from .tiers import _DATA, System, system


@dataclass(frozen=True)
class Node:
    """The parts of one server.

    Accelerators, adapters and drives are counted for the whole node; each socket has its
    part of them. Where a socket reaches an accelerator through its adapter, the two share
    the lanes of ``lanes_per_accelerator``.
    """

    name: str
    sockets: int
    processor: str
    lanes_per_socket: int
    accelerators: int
    lanes_per_accelerator: int
    adapters: int
    drives: int
    _sources: Mapping[str, Source] = field(repr=False, compare=False)

    def source(self, field: str) -> Source:
        """Return where a number comes from, by the name of its field.

        Parameters
        ----------
        field : str
            Such as ``"sockets"``.

        Returns
        -------
        Source

        Raises
        ------
        ValueError
            For another field.
        """
        if field not in self._sources:
            raise ValueError(f"field must be one of {', '.join(self._sources)}, got {field!r}")
        return self._sources[field]


def node(name: str | System) -> Node:
    """Return what is in the box of a system.

    Parameters
    ----------
    name : str or System
        As `system` takes it.

    Returns
    -------
    Node

    Raises
    ------
    ValueError, TypeError
        For an unknown system, and for one whose parts are not stored; the message names the others.

    Notes
    -----
    Leaves out power supplies, fans, adapters for storage and management, and the drives of the
    operating system. Source: `Node.source` of each number.

    Examples
    --------
    >>> box = node("DGX H100")
    >>> box.sockets * box.lanes_per_socket, (box.accelerators + box.adapters) * box.lanes_per_accelerator
    (160, 256)
    """
    found = system(name)
    if found.name not in _nodes():
        raise ValueError(f"the parts of {', '.join(_nodes())} are known, got {found.name!r}")
    return _nodes()[found.name]


@cache
def _nodes() -> dict[str, Node]:
    stored = json.loads(_DATA.read_text(encoding="utf-8"))
    return {row["name"]: _node(row, stored["sources"]) for row in stored["systems"] if "node" in row}


def _node(row: dict, sources: dict) -> Node:
    parts = {name: entry["value"] for name, entry in row["node"].items()}
    cited = {
        name: Source(**sources[entry["source"]], confidence=entry["confidence"]) for name, entry in row["node"].items()
    }
    return Node(name=row["name"], accelerators=row["accelerators"], _sources=cited, **parts)
