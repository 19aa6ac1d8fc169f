"""Carbon intensity of grids by country, and what device-hours were offered for: data with their sources."""

from __future__ import annotations

import json
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from importlib.resources import files
from typing import Any

from ..provenance import Source


class UnknownCountry(ValueError):
    """No grid of that name; the message lists the near ones."""


@dataclass(frozen=True)
class Grid:
    """A country's grid over a year: g of CO2 equivalent a kWh, and shares of the kinds of power, 0 to 1.

    ``fossil_share`` holds coal, gas and oil.
    """

    country: str
    iso: str
    year: int
    grams_per_kwh: float
    fossil_share: float
    coal_share: float
    gas_share: float
    nuclear_share: float
    renewables_share: float
    source: Source


@dataclass(frozen=True)
class Price:
    """What a device-hour was offered for, dollars; ``spot_dollars`` where it could be taken away."""

    device: str
    provider: str
    date: str
    dollars_per_device_hour: float
    spot_dollars_per_device_hour: float | None
    source: Source


def grids() -> tuple[Grid, ...]:
    """Every grid that is known here, by name.

    Returns
    -------
    tuple of Grid

    Notes
    -----
    Averages of a year, by location; mostly of 2022 and 2023. Source: each one's ``source``.

    Examples
    --------
    >>> len(grids())
    213
    """
    return tuple(_grids().values())


def grid_intensity(country: str) -> Grid:
    """The grid of a country.

    Parameters
    ----------
    country : str
        Its English name or its three letters; case does not matter.

    Returns
    -------
    Grid

    Raises
    ------
    UnknownCountry
        A ValueError: the country is not in the data set.

    Notes
    -----
    The average of a year and a country: regions and hours differ by more than most savings.
    Source: as `grids`.

    Examples
    --------
    >>> [(grid_intensity(name).grams_per_kwh) for name in ("France", "POL")]
    [56.039, 661.926]
    """
    if not isinstance(country, str):
        raise TypeError(f"country must be text, got {country!r}")
    wanted = country.strip().lower()
    by_name = _by_name()
    if wanted in by_name:
        return by_name[wanted]
    near = get_close_matches(wanted, by_name, n=4, cutoff=0.6)
    listed = ", ".join(dict.fromkeys(by_name[key].country for key in near)) or "France, Germany, USA by three letters"
    raise UnknownCountry(f"country {country!r} is not known here; near ones: {listed}")


def gpu_hour_prices() -> tuple[Price, ...]:
    """What device-hours were offered for, 2023 to 2026.

    Returns
    -------
    tuple of Price

    Notes
    -----
    All of low confidence: copies of price lists whose day is not known. They differ by a factor of
    nine for one chip and have risen as well as fallen. Source: each one's ``source``.

    Examples
    --------
    >>> offers = [one.dollars_per_device_hour for one in gpu_hour_prices() if one.device.startswith("H100")]
    >>> min(offers), max(offers)
    (2.95, 10.8)
    """
    return _prices()


def stored(name: str) -> Any:
    """A data file of this package."""
    return json.loads((files("chip2cluster") / "data" / name).read_text(encoding="utf-8"))


_GRID_COLUMNS = tuple(Grid.__dataclass_fields__)[:-1]  # in the order of the file


@cache
def _grids() -> dict[str, Grid]:
    data = stored("grid_intensity.json")
    cited = data["source"]
    found = {}
    for row in sorted(data["rows"]):
        source = Source(cited["citation"], str(row[2]), cited["confidence"])
        found[row[0]] = Grid(**dict(zip(_GRID_COLUMNS, row, strict=True)), source=source)
    return found


@cache
def _prices() -> tuple[Price, ...]:
    return tuple(
        Price(
            row["device"],
            row["provider"],
            row["date"],
            row["dollars_per_device_hour"],
            row.get("spot_dollars_per_device_hour"),
            Source(row["source"], row["date"], row["confidence"], row.get("note", "")),
        )
        for row in stored("prices_2023_to_2026.json")["rows"]
    )


@cache
def _by_name() -> dict[str, Grid]:
    return {key.lower(): one for one in grids() for key in (one.country, one.iso)}
