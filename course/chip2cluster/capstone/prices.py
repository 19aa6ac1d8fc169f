"""Assumed prices and failure rates of a scenario, each with its source."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import Any

from .. import reliability, specs
from .._validate import one_positive, one_whole
from ..provenance import Source

YEAR = 365 * 86400.0
DAY = 86400.0


@cache
def stored(name: str) -> Any:
    """Return the content of a data file of this package."""
    return json.loads((files("chip2cluster") / "data" / name).read_text(encoding="utf-8"))


def chip_prices() -> Mapping[str, float]:
    """Illustrative price of each chip in the catalogue, to compare designs at equal prices.

    Returns
    -------
    mapping of str to float
        Dollars for one chip, by its name in the catalogue.

    Notes
    -----
    Round numbers in the range of press reports, none of them an offer. Ignores quantity, year
    and bundled parts. Source: `Prices.source`.

    Examples
    --------
    >>> chip_prices()["H100 SXM"]
    28000.0
    """
    return MappingProxyType({name: float(price) for name, price in stored("design_prices.json")["chips"].items()})


@dataclass(frozen=True, kw_only=True)
class Prices:
    """Capital and electricity prices of a cluster (capex and opex), dollars; all defaults are illustrative: see `source`.

    Parameters
    ----------
    chips : mapping of str to float
        Dollars for one chip, by name in the catalogue; they override or extend `chip_prices`.
    node : float
        Dollars for a node without its chips: CPUs, memory, NICs, chassis.
    port : float
        Dollars for a switch port with half a cable, independent of its rate.
    port_per_byte_per_second : float
        Additional dollars per port for each byte/s of unidirectional bandwidth.
    storage_per_byte_per_second : float
        Dollars of storage for each byte/s of write bandwidth.
    storage_per_byte : float
        Dollars of storage for each byte of capacity.
    per_kwh : float
        Price of electricity, dollars per kWh.
    years : float
        Depreciation period of the machine, years.

    Examples
    --------
    >>> prices = Prices(chips={"H100 SXM": 25e3}, per_kwh=0.06)
    >>> prices.of_chip("H100 SXM"), prices.source().confidence
    (25000.0, 'low')
    """

    chips: Mapping[str, float] = field(default_factory=dict, hash=False)
    node: float = 60e3
    port: float = 400.0
    port_per_byte_per_second: float = 2e-8
    storage_per_byte_per_second: float = 5e-6
    storage_per_byte: float = 1e-10
    per_kwh: float = 0.10
    years: float = 4.0

    def __post_init__(self) -> None:
        """Check and normalize the fields."""
        if not isinstance(self.chips, Mapping):
            raise TypeError(f"chips must be a mapping of names to dollars, got {self.chips!r}")
        given = {specs.accelerator(name).name if not _own(name) else str(name): one_positive(f"chips[{name!r}]", price)
                 for name, price in self.chips.items()}  # fmt: skip
        object.__setattr__(self, "chips", MappingProxyType({**chip_prices(), **given}))
        for name in ("node", "port", "port_per_byte_per_second", "storage_per_byte_per_second", "storage_per_byte",
                     "per_kwh"):  # fmt: skip
            object.__setattr__(self, name, one_positive(name, getattr(self, name), allow_zero=True))
        object.__setattr__(self, "years", one_positive("years", self.years))

    def of_chip(self, name: str) -> float:
        """Price of one chip.

        Parameters
        ----------
        name : str
            Name in the catalogue, or that of a custom chip.

        Returns
        -------
        float
            Dollars.

        Raises
        ------
        ValueError
            The chip has no price; the message lists the chips that have one.
        """
        if name not in self.chips:
            raise ValueError(
                f"chip {name!r} has no price here: give one, as in Prices(chips={{{name!r}: 30e3}}); "
                f"there are prices of {', '.join(self.chips)}"
            )
        return self.chips[name]

    def source(self) -> Source:
        """Source of the default prices.

        Returns
        -------
        Source
            Citation, date and confidence.
        """
        return Source(**stored("design_prices.json")["sources"]["illustrative"])


def _own(name: object) -> bool:
    """Return whether the name is missing in the catalogue: a custom chip."""
    try:
        specs.accelerator(name)  # type: ignore[arg-type]
    except specs.UnknownAccelerator:
        return isinstance(name, str)
    return False


@dataclass(frozen=True, kw_only=True)
class FailureRates:
    """Failure rates of nodes and switches, with repair and restart times.

    Parameters
    ----------
    node_mtbf : float, optional
        Mean time between failures (MTBF) of one node, seconds; None uses that of Llama 3 405B, 264 days.
    group_nodes : int, optional
        Number of nodes behind one switch, which stop when it fails; None ignores switches.
    group_mtbf : float, optional
        Mean time between failures of one such switch, seconds.
    repair_seconds : float
        Time until a broken node is a spare again, seconds; illustrative.
    restart_seconds : float
        Time from a failure until the job reads its checkpoint (detect, drain, restart), seconds; illustrative.

    Raises
    ------
    ValueError
        Only one of ``group_nodes`` and ``group_mtbf`` is given.

    Notes
    -----
    Every failure is assumed to break a node until it is repaired; a software failure breaks none in practice.
    The default counts everything that stopped the job, switches included: use ``group_nodes`` only with a
    ``node_mtbf`` of the nodes alone. Source: `reliability.observed_rates`.

    Examples
    --------
    >>> round(FailureRates().node_mtbf / 86400)
    264
    """

    node_mtbf: float | Any = None
    group_nodes: int | None = None
    group_mtbf: float | None = None
    repair_seconds: float = DAY
    restart_seconds: float = 600.0

    def __post_init__(self) -> None:
        """Check and normalize the fields."""
        if self.node_mtbf is None:
            object.__setattr__(self, "node_mtbf", 1.0 / reliability.observed_rates()[0].failures_per_node_second)
        if (self.group_nodes is None) != (self.group_mtbf is None):
            raise ValueError(
                f"group_nodes and group_mtbf go together, got {self.group_nodes!r} and {self.group_mtbf!r}"
            )
        object.__setattr__(self, "node_mtbf", one_positive("node_mtbf", self.node_mtbf))
        if self.group_nodes is not None:
            object.__setattr__(self, "group_nodes", one_whole("group_nodes", self.group_nodes))
            object.__setattr__(self, "group_mtbf", one_positive("group_mtbf", self.group_mtbf))
        for name in ("repair_seconds", "restart_seconds"):
            object.__setattr__(self, name, one_positive(name, getattr(self, name)))

    def source(self) -> Source:
        """Source of the default ``node_mtbf``; the other times are illustrative.

        Returns
        -------
        Source
            Citation, date and confidence.

        Examples
        --------
        >>> FailureRates().source().as_of
        '2024-07'
        """
        return reliability.observed_rates()[0].source
