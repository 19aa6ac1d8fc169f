"""Parts of a node: processors, PCIe lanes, accelerators, NICs and drives."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache

from ..provenance import Source
from .tiers import _DATA, System, system


@dataclass(frozen=True)
class Node:
    """Parts of one server.

    Accelerators, NICs and drives are counted for the whole node and divided among the
    sockets. If a socket reaches an accelerator through its NIC, both share the lanes of
    ``lanes_per_accelerator``.

    Attributes
    ----------
    name : str
        Name of the system.
    sockets : int
        Number of CPU sockets.
    processor : str
        Name of the CPU.
    lanes_per_socket : int
        Number of PCIe lanes of a socket.
    accelerators : int
        Number of accelerators.
    lanes_per_accelerator : int
        Number of PCIe lanes of an accelerator.
    adapters : int
        Number of NICs.
    drives : int
        Number of drives for data.
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
        """Return the source of a number.

        Parameters
        ----------
        field : str
            Name of the attribute, such as ``"sockets"``.

        Returns
        -------
        Source
            Citation, date and confidence.
        """
        if field not in self._sources:
            raise ValueError(f"field must be one of {', '.join(self._sources)}, got {field!r}")
        return self._sources[field]


def node(name: str | System) -> Node:
    """Return the parts of a system's node.

    Parameters
    ----------
    name : str or System
        System such as ``"DGX H100"``; see `system`.

    Returns
    -------
    Node
        Numbers of sockets, lanes, accelerators, NICs and drives.

    Notes
    -----
    Omits power supplies, fans, NICs for storage and management, and the drives of the
    operating system. Source: `Node.source` of each number.

    Examples
    --------
    >>> parts = node("DGX H100")
    >>> parts.sockets * parts.lanes_per_socket, (parts.accelerators + parts.adapters) * parts.lanes_per_accelerator
    (160, 256)
    """
    key = system(name).name
    if key not in _nodes():
        raise ValueError(f"name must be one of {', '.join(_nodes())}, whose parts are known, got {key!r}")
    return _nodes()[key]


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
