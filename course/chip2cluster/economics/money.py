"""Cost of renting and of owning (capex and opex), and the break-even utilization of buy or rent."""

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
    """Cost of a used hour of an owned device, by part, dollars; floats or arrays.

    Attributes
    ----------
    capital : float or array
        Depreciation of the price (capex) per calendar hour.
    staff_and_space : float or array
        Staff, space and repair (opex) per calendar hour.
    unused : float or array
        Capital, staff and space of the unused hours, per used hour.
    energy : float or array
        Electricity (opex) of a used hour.
    """

    capital: FloatOrArray
    staff_and_space: FloatOrArray
    unused: FloatOrArray
    energy: FloatOrArray

    @property
    def parts(self) -> dict[str, FloatOrArray]:
        """Dollars of each part, by name and in order."""
        return {name: getattr(self, name) for name in self.__dataclass_fields__}

    @property
    def total(self) -> FloatOrArray:
        """Cost of a used device-hour, dollars."""
        return plain(sum(self.parts.values()))


def dollars(
    devices: ArrayLike, seconds: ArrayLike, dollars_per_device_hour: ArrayLike, *, used_fraction: ArrayLike = 1.0
) -> FloatOrArray:
    """Cost of devices for a time, owned or rented.

    Parameters
    ----------
    devices : int or array of int
        Number of devices.
    seconds : float or array
        Working time, seconds.
    dollars_per_device_hour : float or array
        Price of a paid device-hour, dollars.
    used_fraction : float or array
        Fraction of the paid hours in which the devices work, above 0 and at most 1: below 1 for a take-or-pay
        (reserved) contract, which bills idle hours, too.

    Returns
    -------
    float or array
        Dollars.

    Notes
    -----
    Ignores storage, network traffic and staff. Source: the definition.

    Examples
    --------
    >>> dollars(2048, 2788000 / 2048 * 3600, 2.0)            # DeepSeek-V3, final run only
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
    """Cost of a million tokens.

    Parameters
    ----------
    devices : int or array of int
        Number of devices.
    dollars_per_device_hour : float or array
        Price of a paid device-hour, dollars.
    tokens_per_second : float or array
        Throughput of all devices together while they work, tokens/s; state which tokens are counted.
    used_fraction : float or array
        Fraction of the paid hours in which the devices work, same as in `dollars`.

    Returns
    -------
    float or array
        Dollars.

    Notes
    -----
    Source: the definition.

    Examples
    --------
    >>> round(dollars_per_million_tokens(8, 2.0, 14800), 3)             # a decode node of DeepSeek
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
    """Cost of an owned device per used hour: depreciation (capex) plus energy, staff and space (opex).

    Parameters
    ----------
    capital_dollars : float or array
        Price of one device with its share of node and network.
    years : float or array
        Depreciation period, years.
    residual_fraction : float or array
        Resale value after that time as a fraction of the price, 0 to 1.
    used_fraction : float or array
        Fraction of all hours in which the device is used, above 0 and at most 1.
    mean_watts : float or array
        Mean power of one device with its share of the node during use, W.
    pue : float or array
        Power usage effectiveness (PUE), at least 1.
    dollars_per_kwh : float or array
        Price of electricity, dollars per kWh.
    other_dollars_per_year : float or array
        Staff, space and repair for one device, dollars per year.

    Returns
    -------
    OwnCost
        Parts of the cost.

    Notes
    -----
    ``(capital (1 - residual) / years + other) / (8760 used) + kW PUE price``. Ignores interest, and
    the power of an unused device. Source: Barroso et al., "The datacenter as a computer" (TCO).

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
    """Total cost of an owned device per used hour: the total of `own_cost`.

    Parameters
    ----------
    capital_dollars, years : float or array
        Price of one device, dollars, and depreciation period, years.
    **options
        Other arguments of `own_cost`.

    Returns
    -------
    float or array
        Dollars per used device-hour.

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
    """Break-even utilization of buy or rent: the fraction of hours above which owning is cheaper than renting on demand.

    Parameters
    ----------
    own_dollars_per_calendar_hour : float or array
        Capital, staff and space per calendar hour: `own_cost` at ``used_fraction=1`` without energy, dollars.
    rent_dollars_per_device_hour : float or array
        Price of a device rented for the used hours only, dollars.
    energy_dollars_per_device_hour : float or array
        Electricity of the owned device in a used hour, dollars.

    Returns
    -------
    float or array
        Fraction of all hours; above 1 if renting is always cheaper, inf if energy alone costs as much as renting.

    Notes
    -----
    Ignores shortages of rented devices. Source: equating both costs.

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
