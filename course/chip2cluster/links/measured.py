"""Three rates of one wire: the sheet's, what headers leave of it, and what was measured."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from .._validate import choice
from ..provenance import Source
from .cost import payload_efficiency
from .fabrics import ethernet, infiniband, nvlink, nvlink_c2c, pcie
from .link import data
from .names import row_key

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pandas import DataFrame

_BUILD: dict[str, Any] = {
    "nvlink": nvlink,
    "nvlink_c2c": lambda _generation: nvlink_c2c(),
    "pcie": pcie,
    "infiniband": infiniband,
    "ethernet": ethernet,
}

ENGINES = {"copy engine": "copy engine", "sm": "SM", "nic": "NIC"}  # what moves bytes, and its name in a table


@dataclass(frozen=True)
class MeasuredRate:
    """One measurement: the lowest and highest rate that a tool printed, bytes/s one way.

    ``by`` says what moved the bytes: a ``"copy engine"`` of the GPU, the ``"sm"``, its
    processors, as in NCCL's kernels, or the ``"nic"``.
    """

    by: str
    low: float
    high: float
    system: str
    tool: str
    source: Source


@dataclass(frozen=True)
class Rates:
    """The rates of one wire, bytes/s one way.

    ``sheet_one_way`` is a bound that nothing reaches. ``payload_one_way`` is what packet
    headers leave (None where no source says) to bytes moved by ``payload_by``: the
    ``"sm"`` or ``"any"`` engine; ``copies_one_way`` the same for a copy engine, where its
    packets are larger.
    ``measured`` holds what was reached, each with its system and tool.
    """

    wire: str
    sheet_one_way: float
    payload_one_way: float | None
    payload_by: str
    payload_source: Source | None
    measured: tuple[MeasuredRate, ...]
    copies_one_way: float | None = None

    def payload_of(self, engine: str) -> float | None:
        """Return what packet headers leave to one engine, or None where nobody says.

        Parameters
        ----------
        engine : str
            ``"copy engine"``, ``"sm"`` or ``"nic"``.

        Returns
        -------
        float or None
            Bytes/s one way.

        Raises
        ------
        ValueError
            For another engine.
        """
        choice("engine", engine, ENGINES)
        if engine == "copy engine" and self.copies_one_way is not None:
            return self.copies_one_way
        return self.payload_one_way if self.payload_by in (engine, "any") else None

    def measured_by(self, engine: str) -> tuple[float, float]:
        """Return the lowest and the highest rate that one engine reached.

        Parameters
        ----------
        engine : str
            ``"copy engine"``, ``"sm"`` or ``"nic"``.

        Returns
        -------
        tuple of float
            Bytes/s one way, over all systems measured.

        Raises
        ------
        ValueError
            For an engine that was not measured on this wire, naming those that were.
        """
        found = [rate for rate in self.measured if rate.by == engine]
        if not found:
            known = dict.fromkeys(rate.by for rate in self.measured)
            if not known:
                raise ValueError(f"engine of {self.wire} has not been measured, got {engine!r}")
            raise ValueError(f"engine of {self.wire} must be one of {', '.join(map(repr, known))}, got {engine!r}")
        return min(rate.low for rate in found), max(rate.high for rate in found)


def wires() -> tuple[str, ...]:
    """Names of the wires whose measured rates the package holds.

    Returns
    -------
    tuple of str

    Notes
    -----
    Source: see the data, one for each value.

    Examples
    --------
    >>> wires()[1:4]
    ('NVLink 3', 'NVLink 4', 'NVLink 5')
    """
    return tuple(data()["rates"])


def rates(wire: str) -> Rates:
    """Sheet, payload and measured rates of one wire, each with its source.

    Parameters
    ----------
    wire : str
        One of `wires`, whatever its letter case. NVLink means all links of one GPU.

    Returns
    -------
    Rates
        Bytes/s one way.

    Raises
    ------
    ValueError, TypeError
        For another wire, naming those that are known.

    Notes
    -----
    A GPU's processors move NVLink's data in packets of 128 bytes, its copy engines in
    packets of 256, so the same wire has two payload rates: `Rates.payload_of`. That of the
    processors is as NVIDIA's engineers state it or their library counts it: 80 to 82 %,
    which is a header flit for each packet and one for the traffic the other way. That of
    the copy engines is reckoned from a header flit alone, one way. Payloads of PCIe and
    InfiniBand follow from `payload_efficiency`. Measured rates are those of single systems, for messages of gigabytes.

    Examples
    --------
    >>> wire = rates("NVLink 4")
    >>> [round(rate / 1e9) for rate in (wire.sheet_one_way, wire.payload_one_way, *wire.measured_by("sm"))]
    [450, 371, 363, 368]
    """
    return _rates(row_key("wire", wire, "rates"))


def rates_table(names: Iterable[str] | None = None) -> DataFrame:
    """Return one row a wire and engine: sheet, payload, measured, and the share of the sheet.

    Parameters
    ----------
    names : iterable of str, optional
        Wires as for `rates`; left out, all of them.

    Returns
    -------
    pandas.DataFrame
        Indexed by wire and engine; GB/s one way, shares in percent.

    Raises
    ------
    ValueError, TypeError
        As `rates`.

    Notes
    -----
    As `rates`. Wires without a measurement are left out.

    Examples
    --------
    >>> rates_table(["NVLink 3"])["best of sheet (%)"].round().to_dict()
    {('NVLink 3', 'copy engine'): 92.0, ('NVLink 3', 'SM'): 78.0}
    """
    import pandas  # here, because the models do not need it

    rows = []
    for wire in map(rates, wires() if names is None else names):
        for engine in dict.fromkeys(rate.by for rate in wire.measured):
            low, high = wire.measured_by(engine)
            payload = wire.payload_of(engine)
            rows.append(
                {
                    "wire": wire.wire,
                    "moved by": ENGINES[engine],
                    "sheet (GB/s)": wire.sheet_one_way / 1e9,
                    "payload (GB/s)": payload / 1e9 if payload else float("nan"),
                    "measured, least (GB/s)": low / 1e9,
                    "measured, most (GB/s)": high / 1e9,
                    "best of sheet (%)": 100 * high / wire.sheet_one_way,
                }
            )
    return pandas.DataFrame(rows).set_index(["wire", "moved by"])


@cache
def _rates(wire: str) -> Rates:
    row = data()["rates"][wire]
    family, *which = row["link"]
    link = _BUILD[family](*which)
    payload, by, source = None, "any", None
    if stated := row.get("payload"):
        by = stated.get("by", "any")
        if "packet" in stated:
            payload = link.bandwidth_one_way * payload_efficiency(stated["packet"], stated["payload_bytes"])
            packet = data()["packets"][stated["packet"]]
            source = _source(packet)
        else:
            payload, source = stated["rate"], _source(stated)
    measured = tuple(
        MeasuredRate(one["by"], one["low"], one["high"], one["system"], one["tool"], _source(one))
        for one in row["measured"]
    )
    copies = None
    if packed := row.get("copies"):
        copies = link.bandwidth_one_way * payload_efficiency(packed["packet"], packed["payload_bytes"])
    return Rates(wire, link.bandwidth_one_way, payload, by, source, measured, copies)


def _source(row: dict[str, Any]) -> Source:
    return Source(**data()["sources"][row["source"]], confidence=row["confidence"])
