"""Kinds of memory: energy per bit read, price per byte, and latency."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING

from .._validate import choice, positive
from ..provenance import Source
from .tiers import _DATA

if TYPE_CHECKING:
    from pandas import DataFrame

    from .._typing import ArrayLike, FloatOrArray

Range = tuple[float, float]


@dataclass(frozen=True)
class MemoryKind:
    """Kind of memory with its costs; each is a range from low to high, or None if no source states it.

    Attributes
    ----------
    name : str
        Name such as ``"HBM"``.
    joules_per_bit : tuple of float or None
        Energy to read a bit, in the device and its link, joules.
    dollars_per_byte : tuple of float or None
        Purchase price, dollars per byte.
    latency_seconds : tuple of float or None
        Time from a request to its data without load, seconds.
    """

    name: str
    joules_per_bit: Range | None
    dollars_per_byte: Range | None
    latency_seconds: Range | None
    _sources: Mapping[str, tuple[Source, ...]] = field(repr=False, compare=False)

    def sources(self, name: str) -> tuple[Source, ...]:
        """Return the sources of a range.

        Parameters
        ----------
        name : str
            Name of the attribute, such as ``"joules_per_bit"``.

        Returns
        -------
        tuple of Source
            Sources; empty if the range is None.
        """
        choice("name", name, tuple(_FIELDS))
        return self._sources.get(name, ())


_FIELDS = {
    "joules_per_bit": ("picojoules_per_bit", 1e-12),
    "dollars_per_byte": ("dollars_per_gb", 1e-9),
    "latency_seconds": ("latency_ns", 1e-9),
}


def kinds() -> tuple[MemoryKind, ...]:
    """Return the kinds of memory from the chip outwards.

    Returns
    -------
    tuple of MemoryKind
        Kinds of memory with their costs.

    Notes
    -----
    Figures are from different years and processes, and prices are estimates: use them for
    orders of magnitude, not to rank similar values. Source: `MemoryKind.sources` of each.

    Examples
    --------
    >>> [kind.name for kind in kinds()][1:4]
    ['HBM', 'GDDR6', 'DDR']
    """
    return _kinds()


def reading_joules(message_bytes: ArrayLike, name: str) -> tuple[FloatOrArray, FloatOrArray]:
    """Compute the lowest and highest energy to read bytes once from a kind of memory.

    Parameters
    ----------
    message_bytes : float or array
        Amount of data, bytes.
    name : str
        Name of one of `kinds`.

    Returns
    -------
    tuple of float or array
        Energy at the low and at the high end of the range, joules.

    Notes
    -----
    Ignores static power and the energy of the path across the chip. Source: as `kinds`.

    Examples
    --------
    >>> [round(joules, 2) for joules in reading_joules(16e9, "HBM")]     # the weights of 8 billion parameters, bf16
    [0.5, 0.77]
    """
    known = {kind.name: kind for kind in _kinds()}
    choice("name", name, tuple(known))
    bits = 8.0 * positive("message_bytes", message_bytes, allow_zero=True)
    low, high = known[name].joules_per_bit or (float("nan"),) * 2
    return bits * low, bits * high


def kinds_table() -> DataFrame:
    """Compare the kinds of memory, with each cost as a range.

    Returns
    -------
    pandas.DataFrame
        One row for each kind; pJ/bit, dollars/GB and ns as text, low to high.

    Notes
    -----
    Source: as `kinds`.

    Examples
    --------
    >>> kinds_table().loc["DDR"].tolist()
    ['20 to 40', '3 to 6', '80 to 120']
    """
    import pandas  # imported here because the models do not need it

    header = {"joules_per_bit": "pJ/bit", "dollars_per_byte": "dollars/GB", "latency_seconds": "latency (ns)"}
    rows = {
        kind.name: [_range_text(getattr(kind, name), scale) for name, (_, scale) in _FIELDS.items()]
        for kind in _kinds()
    }
    table = pandas.DataFrame.from_dict(rows, orient="index", columns=list(header.values()))
    table.index.name = "kind of memory"
    return table


def _range_text(ends: Range | None, scale: float) -> str:
    if ends is None:
        return ""
    low, high = (f"{end / scale:,.6g}" for end in ends)
    return low if low == high else f"{low} to {high}"


@cache
def _kinds() -> tuple[MemoryKind, ...]:
    stored = json.loads((_DATA.parent / "memory_kinds.json").read_text(encoding="utf-8"))
    sources = {name: Source(**entry) for name, entry in stored["sources"].items()}
    found = []
    for row in stored["kinds"]:
        ends = {name: _scaled(row[key], scale) for name, (key, scale) in _FIELDS.items()}
        cited = {}
        for name, (key, _) in _FIELDS.items():
            keys = row["sources"].get(key, [])
            cited[name] = tuple(sources[one] for one in ([keys] if isinstance(keys, str) else keys))
        found.append(MemoryKind(row["name"], **ends, _sources=cited))
    return tuple(found)


def _scaled(ends: list[float] | None, scale: float) -> Range | None:
    return None if ends is None else (ends[0] * scale, ends[1] * scale)
