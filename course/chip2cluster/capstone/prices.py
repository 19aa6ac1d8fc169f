"""What things cost and how often they break: what a scenario assumes, each with where it comes from."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import Any

from .. import reliability, specs
from .._validate import fraction, one_positive, one_whole
from ..provenance import Source

YEAR = 365 * 86400.0
DAY = 86400.0


@cache
def stored(name: str) -> Any:
    """A data file of this package."""
    return json.loads((files("chip2cluster") / "data" / name).read_text(encoding="utf-8"))


def chip_prices() -> Mapping[str, float]:
    """Dollars of one chip, by its name in the catalogue: illustrative, for designs to be compared at equal prices.

    Returns
    -------
    mapping of str to float

    Notes
    -----
    Round numbers of the size that is talked about, none of them an offer. Ignores quantity, year
    and what comes with a chip. Source: `Prices.source`.

    Examples
    --------
    >>> chip_prices()["H100 SXM"]
    28000.0
    """
    return MappingProxyType({name: float(price) for name, price in stored("design_prices.json")["chips"].items()})


@dataclass(frozen=True, kw_only=True)
class Prices:
    """What a cluster is built from costs, in dollars. All defaults are illustrative: see `source`.

    Parameters
    ----------
    chips : mapping of str to float
        A chip by its name in the catalogue; what is given is added to `chip_prices`.
    node : float
        A node besides its chips: processors, memory, adapters, chassis.
    port : float
        A port of a switch with its half of a cable, whatever its rate.
    port_per_byte_per_second : float
        What a port costs beyond that for each byte/s one way.
    storage_per_byte_per_second : float
        Of storage, for each byte/s that it takes in.
    storage_per_byte : float
        Of storage, for each byte that it holds.
    per_kwh : float
        Electricity, dollars a kWh as it is quoted.
    years : float
        In which all of it is written off.

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
        """Dollars of one chip.

        Parameters
        ----------
        name : str
            As the catalogue prints it, or of one's own chip.

        Returns
        -------
        float

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
        """Say where the defaults come from.

        Returns
        -------
        Source
        """
        return Source(**stored("design_prices.json")["sources"]["illustrative"])


def _own(name: object) -> bool:
    """Whether the catalogue does not know a name: a chip of the reader's own."""
    try:
        specs.accelerator(name)  # type: ignore[arg-type]
    except specs.UnknownAccelerator:
        return isinstance(name, str)
    return False


@dataclass(frozen=True, kw_only=True)
class FailureRates:
    """How often parts fail, and how long it takes until they are back.

    Parameters
    ----------
    node_mtbf : float, optional
        Mean time between failures of one node, seconds; that of Llama 3 405B, 264 days, when left out.
    group_nodes : int, optional
        Nodes that hang on one switch and stop with it; None: none does.
    group_mtbf : float, optional
        Mean time between failures of one such switch, seconds.
    repair_seconds : float
        Until a broken node is back among the spares. Illustrative.
    restart_seconds : float
        From a failure until the job reads its checkpoint: found, drained, started anew. Illustrative.

    Raises
    ------
    ValueError
        Only one of ``group_nodes`` and ``group_mtbf`` is given.

    Notes
    -----
    Every failure is taken to break a node, until it is repaired; software that stops takes none in truth.
    The default counts whatever stopped the job, switches included: give ``group_nodes`` only with a
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
        """Say where the default of ``node_mtbf`` comes from; the other times are illustrative.

        Returns
        -------
        Source

        Examples
        --------
        >>> FailureRates().source().as_of
        '2024-07'
        """
        return reliability.observed_rates()[0].source


def share_of(name: str, value: Any) -> float:
    """One share above 0 and at most 1."""
    return fraction(name, one_positive(name, value))
