"""Carbon intensity of grids by country, and published prices of device-hours, with their sources."""

from __future__ import annotations

import json
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from importlib.resources import files
from typing import Any

from ..provenance import Source


class UnknownCountry(ValueError):
    """Country without a grid in the data set; the message lists similar names."""


@dataclass(frozen=True)
class Grid:
    """Electricity grid of a country in one year: g of CO2 equivalent per kWh, and shares of generation, 0 to 1.

    ``fossil_share`` includes coal, gas and oil.
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
    """Published price of a device-hour, on demand and, if known, spot (preemptible), dollars."""

    device: str
    provider: str
    date: str
    dollars_per_device_hour: float
    spot_dollars_per_device_hour: float | None
    source: Source


def grids() -> tuple[Grid, ...]:
    """List all grids of the data set by country name.

    Returns
    -------
    tuple of Grid
        Grids with their sources.

    Notes
    -----
    Yearly location-based averages, mostly of 2022 and 2023. Source: the ``source`` of each grid.

    Examples
    --------
    >>> len(grids())
    213
    """
    return tuple(_grids().values())


def grid_intensity(country: str) -> Grid:
    """Look up the grid of a country.

    Parameters
    ----------
    country : str
        English name or three-letter code; case is ignored.

    Returns
    -------
    Grid
        Carbon intensity and generation mix.

    Raises
    ------
    UnknownCountry
        A ValueError: the country is not in the data set.

    Notes
    -----
    Yearly average of the whole country; regions and hours differ by more than most savings.
    Source: same as `grids`.

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
    raise UnknownCountry(f"country {country!r} is not in the data set; similar names: {listed}")


def gpu_hour_prices() -> tuple[Price, ...]:
    """List published prices of device-hours, 2023 to 2026.

    Returns
    -------
    tuple of Price
        Prices with their sources.

    Notes
    -----
    Confidence is low: copies of price lists without an exact date. Prices of one chip differ by a factor of
    nine and have both risen and fallen. Source: the ``source`` of each price.

    Examples
    --------
    >>> offers = [one.dollars_per_device_hour for one in gpu_hour_prices() if one.device.startswith("H100")]
    >>> min(offers), max(offers)
    (2.95, 10.8)
    """
    return _prices()


def stored(name: str) -> Any:
    """Return the content of a data file of this package."""
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
