"""Systems and the tiers of their memory hierarchies, with the source of every number."""

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
    """Protocol of a library on a tier's link.

    Attributes
    ----------
    name : str
        Name such as ``"LL"``.
    latency_seconds : float
        Time until the first byte, seconds.
    bandwidth_one_way : float
        Unidirectional bandwidth, as a fraction of the datasheet's rate, bytes/s.
    """

    name: str
    latency_seconds: float
    bandwidth_one_way: float


@dataclass(frozen=True)
class Tier:
    """Tier of a memory hierarchy, from the viewpoint of one accelerator.

    A number that no source states is None; `source` explains why.

    Attributes
    ----------
    name : str
        Name such as ``"HBM"``.
    scope : str
        Unit that one instance belongs to: ``"SM"``, ``"CU"``, ``"XCD"``, ``"TensorCore"``,
        ``"chip"``, ``"node"``, ``"pod"`` or ``"cluster"``.
    instances : int
        Number of instances that the accelerator has or shares.
    capacity_bytes_per_instance : float or None
        Capacity of an instance, bytes; infinite for remote storage.
    bandwidth_one_way : float or None
        Unidirectional bandwidth of all instances to the accelerator while the other
        accelerators of the node do the same, bytes/s.
    latency_seconds : float or None
        Time from a request to its first byte on an idle path, seconds.
    protocols : tuple of TierProtocol
        Protocols of a library that has several for the link; none of them has both the
        shortest latency (``latency_seconds``) and the full bandwidth. Empty for other tiers.
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
        """Total capacity of all instances, bytes; None if unknown."""
        if self.capacity_bytes_per_instance is None:
            return None
        return self.instances * self.capacity_bytes_per_instance

    def source(self, field: str) -> Source:
        """Return the source of a number, or the reason why it is unknown.

        Parameters
        ----------
        field : str
            ``"capacity_bytes"``, ``"capacity_bytes_per_instance"``,
            ``"bandwidth_one_way"`` or ``"latency_seconds"``.

        Returns
        -------
        Source
            Citation, date and confidence; the citation begins with "unknown" if the number
            is None.
        """
        name = "capacity_bytes_per_instance" if field == "capacity_bytes" else field
        if name not in self._sources:
            raise ValueError(f"field must be one of capacity_bytes, {', '.join(_FIELDS)}, got {field!r}")
        return self._sources[name]


@dataclass(frozen=True)
class System:
    """System with its accelerators and the tiers from registers to remote storage.

    Attributes
    ----------
    name : str
        Name such as ``"DGX H100"``.
    accelerator : str
        Name of the accelerator.
    accelerators : int
        Number of accelerators in a node.
    year : int
        Year of release.
    tiers : tuple of Tier
        Tiers from the registers outwards.
    aliases : tuple of str
        Other names.
    """

    name: str
    accelerator: str
    accelerators: int
    year: int
    tiers: tuple[Tier, ...]
    aliases: tuple[str, ...] = ()

    def tier(self, name: str) -> Tier:
        """Return one tier by name.

        Parameters
        ----------
        name : str
            Name such as ``"HBM"``, in any case.

        Returns
        -------
        Tier
            Capacity, bandwidth and latency.
        """
        for tier in self.tiers:
            if isinstance(name, str) and tier.name.casefold() == name.strip().casefold():
                return tier
        known = ", ".join(tier.name for tier in self.tiers)
        raise ValueError(f"name must be a tier of {self.name} ({known}), got {name!r}")


@cache
def systems() -> tuple[System, ...]:
    """List all stored systems, by vendor and year.

    Returns
    -------
    tuple of System
        Systems with their memory hierarchies.

    Notes
    -----
    Capacities are the vendor's figures with GB as 10**9 bytes; a tool that counts pages may
    report a few percent more. Bandwidths are data rates for links, and for caches and
    memory the vendor's peak if published, otherwise a measurement; see `Tier.source`.

    Examples
    --------
    >>> [system.name for system in systems() if system.accelerators == 1]
    ['GH200']
    """
    stored = json.loads(_DATA.read_text(encoding="utf-8"))
    return tuple(_system(row, stored["sources"]) for row in stored["systems"])


def system(name: str | System) -> System:
    """Return one system by its name or a common alias.

    Parameters
    ----------
    name : str or System
        Name such as ``"DGX H100"`` or ``"TPU v5p"``, in any case. A `System` is returned
        unchanged.

    Returns
    -------
    System
        System with its memory hierarchy.

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
    rate, link = numbers["bandwidth_one_way"], row["latency_seconds"].get("protocols")
    return Tier(
        name=row["name"],
        scope=row["scope"],
        instances=row["instances"],
        protocols=tuple(TierProtocol(name, latency, share * rate) for name, latency, share in _hops(link))
        if link and rate is not None
        else (),
        _sources=cited,
        **numbers,
    )


@cache
def _hops(link: str) -> tuple[tuple[str, float, float], ...]:
    """Return name, hop latency and fraction of the link of each NCCL protocol, from the newest stored version."""
    stored = json.loads(_PROTOCOLS.read_text(encoding="utf-8"))
    *_, version = stored["versions"].values()
    latencies = (1e-6 * hop for hop in version["hop"][link]["ring"])
    return tuple(zip(stored["protocols"], latencies, version["ring_share"], strict=True))


def _number(entry: dict[str, Any], sources: dict[str, Any]) -> tuple[float | None, Source]:
    """Return a stored number and its source; it may be stored as a calculation."""
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
