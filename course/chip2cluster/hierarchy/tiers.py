"""The systems, their tiers, and the source of every number."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cache
from math import inf, prod
from pathlib import Path
from typing import Any

from .. import links
from ..provenance import Source

_DATA = Path(__file__).resolve().parent.parent / "data" / "systems.json"
_PROTOCOLS = _DATA.parent / "nccl.json"
_CONFIDENCE = ("low", "memory", "secondary", "confirmed")
_FIELDS = ("capacity_bytes_per_instance", "bandwidth_one_way", "latency_seconds")


@dataclass(frozen=True)
class TierProtocol:
    """One way to move bytes along a tier's wire: a latency, and the share of the wire that goes with it.

    ``latency_seconds`` until the first byte; ``bandwidth_one_way`` bytes/s, of the sheet's rate.
    """

    name: str
    latency_seconds: float
    bandwidth_one_way: float


@dataclass(frozen=True)
class Tier:
    """One rung of the ladder, seen from one accelerator.

    ``scope`` says what one instance belongs to (``"SM"``, ``"CU"``, ``"XCD"``,
    ``"TensorCore"``, ``"chip"``, ``"node"``, ``"pod"``, ``"cluster"``) and
    ``instances`` how many of them the accelerator has or shares. A number that no
    source gives is None; `source` says why. The capacity of remote storage is
    infinite: it grows with the installation.

    ``bandwidth_one_way`` is bytes/s towards the accelerator, all its instances
    together, while the other accelerators of the node do the same. ``latency_seconds``
    is the time from a request to its first byte on an idle path.

    Where a library has several protocols for the wire, ``protocols`` holds each with its
    own latency and bandwidth: no single one has the shortest of the latencies
    (``latency_seconds``) and the whole of the bandwidth. Elsewhere it is empty.
    """

    name: str
    scope: str
    instances: int
    capacity_bytes_per_instance: float | None
    bandwidth_one_way: float | None
    latency_seconds: float | None
    protocols: tuple[TierProtocol, ...]
    _sources: Mapping[str, Source] = field(repr=False, compare=False)

    @property
    def capacity_bytes(self) -> float | None:
        """Bytes in all instances together, or None."""
        if self.capacity_bytes_per_instance is None:
            return None
        return self.instances * self.capacity_bytes_per_instance

    def source(self, field: str) -> Source:
        """Return where one number comes from, or why it is unknown.

        Parameters
        ----------
        field : str
            ``"capacity_bytes"``, ``"capacity_bytes_per_instance"``,
            ``"bandwidth_one_way"`` or ``"latency_seconds"``.

        Returns
        -------
        Source
            Its citation begins with "unknown" where the number is None.

        Raises
        ------
        ValueError
            For another field.
        """
        name = "capacity_bytes_per_instance" if field == "capacity_bytes" else field
        if name not in self._sources:
            raise ValueError(f"field must be one of capacity_bytes, {', '.join(_FIELDS)}, got {field!r}")
        return self._sources[name]


@dataclass(frozen=True)
class System:
    """A named machine: its accelerators and the tiers from registers to remote storage."""

    name: str
    accelerator: str
    accelerators: int
    year: int
    tiers: tuple[Tier, ...]
    aliases: tuple[str, ...] = ()

    def tier(self, name: str) -> Tier:
        """Return one tier.

        Parameters
        ----------
        name : str
            Such as ``"HBM"``; letter case is ignored.

        Returns
        -------
        Tier

        Raises
        ------
        ValueError
            For an unknown name; the message lists the tiers.
        """
        for tier in self.tiers:
            if isinstance(name, str) and tier.name.casefold() == name.strip().casefold():
                return tier
        known = ", ".join(tier.name for tier in self.tiers)
        raise ValueError(f"name must be a tier of {self.name} ({known}), got {name!r}")


@cache
def systems() -> tuple[System, ...]:
    """All systems whose ladder is known, by vendor and year.

    Returns
    -------
    tuple of System

    Notes
    -----
    Capacities are as the vendor prints them, GB as 10**9 bytes: a tool that counts
    pages may find a few per cent more. Links are at their data rate, caches and memory at the vendor's peak where one is
    printed and at a measurement where not; `Tier.source` tells which.

    Examples
    --------
    >>> [system.name for system in systems() if system.accelerators == 1]
    ['GH200']
    """
    stored = json.loads(_DATA.read_text(encoding="utf-8"))
    return tuple(_system(row, stored["sources"]) for row in stored["systems"])


def system(name: str | System) -> System:
    """Return one system by its name or a common other name.

    Parameters
    ----------
    name : str
        Such as ``"DGX H100"`` or ``"TPU v5p"``; case is ignored. A `System` is
        returned as it is.

    Returns
    -------
    System

    Raises
    ------
    ValueError
        For an unknown name; the message lists the systems and near names.
    TypeError
        For anything but text or a `System`.

    Examples
    --------
    >>> system("hgx h100").name, system("DGX H100").tier("HBM").bandwidth_one_way
    ('DGX H100', 3350000000000.0)
    """
    if isinstance(name, System):
        return name
    names = _names()
    if not isinstance(name, str):
        raise TypeError(f"system must be a name or a System, got {name!r}")
    key = " ".join(name.casefold().split())
    if key in names:
        return names[key]
    near = get_close_matches(key, names, n=1)
    hint = f"; did you mean {names[near[0]].name!r}?" if near else ""
    raise ValueError(f"system must be one of {', '.join(repr(s.name) for s in systems())}, got {name!r}{hint}")


@cache
def _names() -> dict[str, System]:
    return {name.casefold(): system for system in systems() for name in (system.name, *system.aliases)}


def _system(row: dict[str, Any], sources: dict[str, Any]) -> System:
    tiers = tuple(_tier(tier, sources) for tier in row["tiers"])
    return System(row["name"], row["accelerator"], row["accelerators"], row["year"], tiers, tuple(row["aliases"]))


def _tier(row: dict[str, Any], sources: dict[str, Any]) -> Tier:
    numbers, cited = {}, {}
    for name in _FIELDS:
        numbers[name], cited[name] = _number(row[name], sources)
    rate, wire = numbers["bandwidth_one_way"], row["latency_seconds"].get("protocols")
    return Tier(
        name=row["name"],
        scope=row["scope"],
        instances=row["instances"],
        protocols=tuple(TierProtocol(name, latency, share * rate) for name, latency, share in _hops(wire))
        if wire and rate is not None
        else (),
        _sources=cited,
        **numbers,
    )


@cache
def _hops(wire: str) -> tuple[tuple[str, float, float], ...]:
    """Name, latency and share of the wire of each protocol, as the newest stored version of the library counts a hop."""
    stored = json.loads(_PROTOCOLS.read_text(encoding="utf-8"))
    *_, version = stored["versions"].values()
    latencies = (1e-6 * hop for hop in version["hop"][wire]["ring"])
    return tuple(zip(stored["protocols"], latencies, version["ring_share"], strict=True))


def _number(entry: dict[str, Any], sources: dict[str, Any]) -> tuple[float | None, Source]:
    """Return a stored number and its source; the stored form keeps the arithmetic."""
    if "unknown" in entry:
        return None, Source(f"unknown: {entry['unknown']}", "2026", "low")
    source = Source(**sources[entry["source"]], confidence=entry["confidence"])
    if "link" in entry:
        family, *arguments = entry["link"]
        link = getattr(links, family)(*arguments)
        rate = link.source()
        weaker = min(source.confidence, rate.confidence, key=_CONFIDENCE.index)
        return link.bandwidth_one_way, Source(
            f"{source.citation}; rate of {link.name}: {rate.citation}", source.as_of, weaker
        )
    if "product" in entry:
        return float(prod(entry["product"])), source
    if "protocols" in entry:
        return _hops(entry["protocols"])[0][1], source
    if "cycles" in entry:
        return entry["cycles"] / entry["clock_hz"], source
    return (inf if entry.get("unbounded") else float(entry["value"])), source
