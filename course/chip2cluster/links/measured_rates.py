"""Three rates of each link: datasheet, payload (after headers) and measured."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from .._validate import choice
from ..provenance import Source
from .cost import payload_efficiency
from .fabrics import ethernet, infiniband, nvlink, nvlink_c2c, pcie
from .link import data
from .lookup import row_key

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

ENGINES = {"copy engine": "copy engine", "sm": "SM", "nic": "NIC"}  # units that move bytes, with their names in tables


@dataclass(frozen=True)
class MeasuredRate:
    """One measurement of a link.

    Attributes
    ----------
    by : str
        Unit that moved the bytes: a ``"copy engine"`` of the GPU, its ``"sm"`` (streaming
        multiprocessors, as in NCCL's kernels), or the ``"nic"``.
    low, high : float
        Lowest and highest unidirectional rate that the tool reported, bytes/s.
    system, tool : str
        Description of the system and of the tool.
    source : Source
        Citation, date and confidence.
    """

    by: str
    low: float
    high: float
    system: str
    tool: str
    source: Source


@dataclass(frozen=True)
class Rates:
    """Datasheet, payload and measured rates of one link.

    Attributes
    ----------
    link : str
        Name of the link.
    sheet_one_way : float
        Unidirectional datasheet rate, an upper bound, bytes/s.
    payload_one_way : float or None
        Unidirectional rate after packet headers, bytes/s; None if no source states it.
    payload_by : str
        Unit that this payload rate holds for: ``"sm"`` or ``"any"``.
    payload_source : Source or None
        Citation of the payload rate.
    measured : tuple of MeasuredRate
        Measurements, each with its system and tool.
    copies_one_way : float or None
        Payload rate of a copy engine if its packets are larger, bytes/s.
    """

    link: str
    sheet_one_way: float
    payload_one_way: float | None
    payload_by: str
    payload_source: Source | None
    measured: tuple[MeasuredRate, ...]
    copies_one_way: float | None = None

    def payload_of(self, engine: str) -> float | None:
        """Return the payload rate of one engine, or None if no source states it.

        Parameters
        ----------
        engine : str
            ``"copy engine"``, ``"sm"`` or ``"nic"``.

        Returns
        -------
        float or None
            Unidirectional rate after packet headers, bytes/s.
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
            Lowest and highest unidirectional rate over all systems measured, bytes/s.

        Raises
        ------
        ValueError
            If the engine was not measured on this link; the message names those that were.
        """
        found = [rate for rate in self.measured if rate.by == engine]
        if not found:
            known = dict.fromkeys(rate.by for rate in self.measured)
            if not known:
                raise ValueError(f"engine of {self.link} has not been measured, got {engine!r}")
            raise ValueError(f"engine of {self.link} must be one of {', '.join(map(repr, known))}, got {engine!r}")
        return min(rate.low for rate in found), max(rate.high for rate in found)


def measured_links() -> tuple[str, ...]:
    """List the links whose measured rates the package has.

    Returns
    -------
    tuple of str
        Names that `rates` accepts.

    Notes
    -----
    Source: the data, one for each value.

    Examples
    --------
    >>> measured_links()[1:4]
    ('NVLink 3', 'NVLink 4', 'NVLink 5')
    """
    return tuple(data()["rates"])


def rates(link: str) -> Rates:
    """Return the datasheet, payload and measured rates of one link, each with its source.

    Parameters
    ----------
    link : str
        One of `measured_links`, in any case. NVLink means all links of one GPU.

    Returns
    -------
    Rates
        Unidirectional rates, bytes/s.

    Notes
    -----
    A GPU's SMs move NVLink's data in packets of 128 bytes, its copy engines in packets of
    256, so the same link has two payload rates: `Rates.payload_of`. The rate of the SMs is
    that which NVIDIA's engineers state or their library uses, 80 to 82 %: a header flit
    for each packet and one for the traffic in the other direction. The rate of the copy
    engines is computed from one header flit, for unidirectional traffic. Payload rates of
    PCIe and InfiniBand follow from `payload_efficiency`. Measured rates are those of
    single systems, for messages of gigabytes.

    Examples
    --------
    >>> nvlink4 = rates("NVLink 4")
    >>> [round(rate / 1e9) for rate in (nvlink4.sheet_one_way, nvlink4.payload_one_way, *nvlink4.measured_by("sm"))]
    [450, 371, 363, 368]
    """
    return _rates(row_key("link", link, "rates"))


def rates_table(names: Iterable[str] | None = None) -> DataFrame:
    """Compare datasheet, payload and measured rates of links, by link and engine.

    Parameters
    ----------
    names : iterable of str, optional
        Links that `rates` accepts; by default all of them.

    Returns
    -------
    pandas.DataFrame
        Rows by link and engine; unidirectional rates in GB/s, and fractions in percent.

    Notes
    -----
    As `rates`. Omits links without a measurement.

    Examples
    --------
    >>> rates_table(["NVLink 3"])["highest of sheet (%)"].round().to_dict()
    {('NVLink 3', 'copy engine'): 92.0, ('NVLink 3', 'SM'): 78.0}
    """
    import pandas  # imported here because the models do not need it

    rows = []
    for link in map(rates, measured_links() if names is None else names):
        for engine in dict.fromkeys(rate.by for rate in link.measured):
            low, high = link.measured_by(engine)
            payload = link.payload_of(engine)
            rows.append(
                {
                    "link": link.link,
                    "moved by": ENGINES[engine],
                    "sheet (GB/s)": link.sheet_one_way / 1e9,
                    "payload (GB/s)": payload / 1e9 if payload else float("nan"),
                    "measured, lowest (GB/s)": low / 1e9,
                    "measured, highest (GB/s)": high / 1e9,
                    "highest of sheet (%)": 100 * high / link.sheet_one_way,
                }
            )
    return pandas.DataFrame(rows).set_index(["link", "moved by"])


@cache
def _rates(name: str) -> Rates:
    row = data()["rates"][name]
    family, *generation = row["link"]
    link = _BUILD[family](*generation)
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
    return Rates(name, link.bandwidth_one_way, payload, by, source, measured, copies)


def _source(row: dict[str, Any]) -> Source:
    return Source(**data()["sources"][row["source"]], confidence=row["confidence"])
