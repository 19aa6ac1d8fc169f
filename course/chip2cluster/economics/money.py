"""Dollars: renting, owning, and from which use on the one is cheaper than the other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from .._validate import fraction, plain, positive, whole
from .energy import _ratio

if TYPE_CHECKING:
    from .._typing import ArrayLike, FloatOrArray

HOURS_PER_YEAR = 8760.0
HOUR = 3600.0


@dataclass(frozen=True)
class OwnCost:
    """Dollars for a device-hour that is used, by what they pay; floats or arrays.

    ``capital`` and ``staff_and_space`` are what an hour of the calendar costs, ``unused`` what the
    hours in which nobody uses the device add to both, ``energy`` what a used hour draws.
    """

    capital: FloatOrArray
    staff_and_space: FloatOrArray
    unused: FloatOrArray
    energy: FloatOrArray

    @property
    def parts(self) -> dict[str, FloatOrArray]:
        """Name and dollars of each part, in order."""
        return {name: getattr(self, name) for name in self.__dataclass_fields__}

    @property
    def total(self) -> FloatOrArray:
        """Dollars for a used device-hour."""
        return plain(sum(self.parts.values()))


def dollars(
    devices: ArrayLike, seconds: ArrayLike, dollars_per_device_hour: ArrayLike, *, used_fraction: ArrayLike = 1.0
) -> FloatOrArray:
    """What devices cost for a time, whoever they belong to.

    Parameters
    ----------
    devices : int or array of int
    seconds : float or array
        In which they work.
    dollars_per_device_hour : float or array
        Price of an hour that is paid, in which a device works or not.
    used_fraction : float or array
        Share of the paid hours in which they work, above 0 and at most 1.

    Returns
    -------
    float or array
        Dollars.

    Notes
    -----
    Ignores storage, network traffic and staff. Source: the definition.

    Examples
    --------
    >>> dollars(2048, 2788000 / 2048 * 3600, 2.0)            # DeepSeek-V3, the final run alone
    5576000.0
    """
    time = whole("devices", devices) * positive("seconds", seconds) / HOUR
    price = positive("dollars_per_device_hour", dollars_per_device_hour)
    return plain(time * price / fraction("used_fraction", used_fraction))


def dollars_per_million_tokens(
    devices: ArrayLike,
    dollars_per_device_hour: ArrayLike,
    tokens_per_second: ArrayLike,
    *,
    used_fraction: ArrayLike = 1.0,
) -> FloatOrArray:
    """Price of a million tokens.

    Parameters
    ----------
    devices, dollars_per_device_hour, used_fraction
        As `dollars`.
    tokens_per_second : float or array
        Of all devices together while they work; say which tokens are counted.

    Returns
    -------
    float or array
        Dollars.

    Notes
    -----
    Source: the definition.

    Examples
    --------
    >>> round(dollars_per_million_tokens(8, 2.0, 14800), 3)             # a decoding node of DeepSeek's
    0.3
    """
    rate = positive("tokens_per_second", tokens_per_second)
    return plain(1e6 / rate * dollars(devices, 1.0, dollars_per_device_hour, used_fraction=used_fraction))


def own_cost(
    capital_dollars: ArrayLike,
    years: ArrayLike,
    *,
    residual_fraction: ArrayLike = 0.0,
    used_fraction: ArrayLike = 1.0,
    mean_watts: ArrayLike = 0.0,
    pue: ArrayLike = 1.0,
    dollars_per_kwh: ArrayLike = 0.0,
    other_dollars_per_year: ArrayLike = 0.0,
) -> OwnCost:
    """What an own device costs for each hour that it is used.

    Parameters
    ----------
    capital_dollars : float or array
        Price of one device with its share of node and network.
    years : float or array
        For which it is kept.
    residual_fraction : float or array
        Share of the price that it is sold for in the end, 0 to 1.
    used_fraction : float or array
        Share of all hours in which it is used, above 0 and at most 1.
    mean_watts : float or array
        Of one device with its share of the node while it is used, W.
    pue : float or array
        Power usage effectiveness, at least 1.
    dollars_per_kwh : float or array
    other_dollars_per_year : float or array
        Staff, space and repair for one device.

    Returns
    -------
    OwnCost

    Notes
    -----
    ``(capital (1 - residual) / years + other) / (8760 used) + kW PUE price``. Ignores interest, and
    what an unused device draws. Source: Barroso et al., "The datacenter as a computer" (TCO).

    Examples
    --------
    >>> cost = own_cost(35e3, 4, used_fraction=0.7, mean_watts=1000, pue=1.2, dollars_per_kwh=0.1)
    >>> {name: round(part, 2) for name, part in cost.parts.items()}, round(cost.total, 2)
    ({'capital': 1.0, 'staff_and_space': 0.0, 'unused': 0.43, 'energy': 0.12}, 1.55)
    """
    kept = 1.0 - fraction("residual_fraction", residual_fraction, allow_zero=True)
    capital = positive("capital_dollars", capital_dollars) * kept / (positive("years", years) * HOURS_PER_YEAR)
    other = positive("other_dollars_per_year", other_dollars_per_year, allow_zero=True) / HOURS_PER_YEAR
    used = fraction("used_fraction", used_fraction)
    watts = positive("mean_watts", mean_watts, allow_zero=True) * _ratio("pue", pue)
    energy = watts / 1e3 * positive("dollars_per_kwh", dollars_per_kwh, allow_zero=True)
    unused = (capital + other) * (1.0 / used - 1.0)
    parts = capital, other, unused, energy
    if any(isinstance(part, np.ndarray) for part in parts):
        return OwnCost(*np.broadcast_arrays(*parts))
    return OwnCost(*parts)


def own_dollars_per_device_hour(capital_dollars: ArrayLike, years: ArrayLike, **options: ArrayLike) -> FloatOrArray:
    """What an own device costs for each hour that it is used, in one number.

    Parameters
    ----------
    capital_dollars, years : float or array
    **options
        All as `own_cost`.

    Returns
    -------
    float or array
        Dollars.

    Examples
    --------
    >>> [round(own_dollars_per_device_hour(35e3, 4, used_fraction=used), 2) for used in (1.0, 0.5, 0.1)]
    [1.0, 2.0, 9.99]
    """
    return own_cost(capital_dollars, years, **options).total


def break_even_used_fraction(
    own_dollars_per_calendar_hour: ArrayLike,
    rent_dollars_per_device_hour: ArrayLike,
    energy_dollars_per_device_hour: ArrayLike = 0.0,
) -> FloatOrArray:
    """Share of all hours from which on an own device is cheaper than one rented when needed.

    Parameters
    ----------
    own_dollars_per_calendar_hour : float or array
        Capital, staff and space for an hour of the calendar: `own_cost` at a share of 1 without
        its energy.
    rent_dollars_per_device_hour : float or array
        Of one that is rented for the used hours alone.
    energy_dollars_per_device_hour : float or array
        That the own one draws in a used hour.

    Returns
    -------
    float or array
        Above 1 renting is always cheaper; inf where energy alone costs as much as renting.

    Notes
    -----
    Ignores that rented ones are not there when all want them. Source: setting both costs equal.

    Examples
    --------
    >>> round(break_even_used_fraction(1.0, 2.99, 0.12), 2)
    0.35
    """
    own = positive("own_dollars_per_calendar_hour", own_dollars_per_calendar_hour)
    rent = positive("rent_dollars_per_device_hour", rent_dollars_per_device_hour)
    drawn = positive("energy_dollars_per_device_hour", energy_dollars_per_device_hour, allow_zero=True)
    saved = rent - drawn
    if isinstance(own + saved, np.ndarray):
        return np.where(saved > 0, own / np.where(saved > 0, saved, 1.0), np.inf)
    return own / saved if saved > 0 else float("inf")
