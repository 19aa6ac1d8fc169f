"""Total cost of ownership (TCO: capex, interest, opex) per hour, and the break-even utilization of buy or rent."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from .._validate import fraction, plain, positive
from .energy import _ratio

if TYPE_CHECKING:
    from .._typing import ArrayLike, FloatOrArray

HOURS_PER_YEAR = 8760.0
MONTHS_PER_YEAR = 12


@dataclass(frozen=True)
class OwnCost:
    """Cost of a used hour of an owned device, by part, dollars; floats or arrays.

    Attributes
    ----------
    capital : float or array
        Depreciation of the price (capex) per calendar hour.
    interest : float or array
        Interest on the money that is tied up in the device (capex) per calendar hour.
    staff_and_space : float or array
        Staff, space and repair (opex) per calendar hour.
    unused : float or array
        Capital, interest, staff and space of the unused hours, per used hour.
    energy : float or array
        Electricity (opex) of a used hour.
    """

    capital: FloatOrArray
    interest: FloatOrArray
    staff_and_space: FloatOrArray
    unused: FloatOrArray
    energy: FloatOrArray

    @property
    def parts(self) -> dict[str, FloatOrArray]:
        """Dollars of each part, by name and in order."""
        return {name: getattr(self, name) for name in self.__dataclass_fields__}

    @property
    def per_calendar_hour(self) -> FloatOrArray:
        """Capital, interest, staff and space of every hour, used or not, dollars."""
        return plain(self.capital + self.interest + self.staff_and_space)

    @property
    def total(self) -> FloatOrArray:
        """Cost of a used device-hour, dollars."""
        return plain(sum(self.parts.values()))


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
    interest_per_year: ArrayLike = 0.0,
    space_dollars_per_kw_month: ArrayLike = 0.0,
) -> OwnCost:
    """Cost of an owned device per used hour: depreciation and interest (capex) plus energy, staff and space (opex).

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
    interest_per_year : float or array
        Interest rate on the money that is tied up, 0 to 1 per year.
    space_dollars_per_kw_month : float or array
        Rent of space with power and cooling (colocation) without the energy, dollars per kW of ``mean_watts`` and month.

    Returns
    -------
    OwnCost
        Parts of the cost.

    Notes
    -----
    ``(payment + other + 12 kW space) / (8760 used) + kW PUE price``; ``payment`` is the annuity at the end of each year
    that pays back the price and its interest, less the resale value: ``capital (1 - residual) / years`` at no interest.
    Ignores taxes and the power of an unused device. Source: Barroso et al., "The datacenter as a computer" (TCO).

    Examples
    --------
    >>> cost = own_cost(35e3, 4, used_fraction=0.7, mean_watts=1000, pue=1.2, dollars_per_kwh=0.1)
    >>> {name: round(part, 2) for name, part in cost.parts.items()}, round(cost.total, 2)
    ({'capital': 1.0, 'interest': 0.0, 'staff_and_space': 0.0, 'unused': 0.43, 'energy': 0.12}, 1.55)
    >>> round(own_cost(35e3, 4, residual_fraction=0.1, interest_per_year=0.08).per_calendar_hour, 2)
    1.12
    """
    price, time = positive("capital_dollars", capital_dollars), positive("years", years)
    kept = 1.0 - fraction("residual_fraction", residual_fraction, allow_zero=True)
    capital = price * kept / (time * HOURS_PER_YEAR)
    interest = _interest(price, kept, time, fraction("interest_per_year", interest_per_year, allow_zero=True))
    used = fraction("used_fraction", used_fraction)
    watts = positive("mean_watts", mean_watts, allow_zero=True) * _ratio("pue", pue)
    energy = watts / 1e3 * positive("dollars_per_kwh", dollars_per_kwh, allow_zero=True)
    other = _other(other_dollars_per_year, mean_watts, space_dollars_per_kw_month)
    unused = (capital + interest + other) * (1.0 / used - 1.0)
    parts = capital, interest, other, unused, energy
    if any(isinstance(part, np.ndarray) for part in parts):
        return OwnCost(*np.broadcast_arrays(*parts))
    return OwnCost(*parts)


def _interest(price: FloatOrArray, kept: FloatOrArray, years: FloatOrArray, rate: FloatOrArray) -> FloatOrArray:
    """Dollars of interest per calendar hour: what the annuity is above the depreciation."""
    if isinstance(rate, float) and not rate:
        return 0.0
    safe = np.where(rate > 0, rate, 1.0)
    saved = safe / np.expm1(years * np.log1p(safe))  # of each dollar that is lost, put aside every year
    return plain(np.where(rate > 0, price * (rate + kept * (saved - 1.0 / years)) / HOURS_PER_YEAR, 0.0))


def _other(dollars_per_year: ArrayLike, watts: ArrayLike, space: ArrayLike) -> FloatOrArray:
    """Staff, repair and rented space, dollars per calendar hour."""
    staff = positive("other_dollars_per_year", dollars_per_year, allow_zero=True)
    kilowatts = positive("mean_watts", watts, allow_zero=True) / 1e3
    rent = positive("space_dollars_per_kw_month", space, allow_zero=True)
    return plain((staff + MONTHS_PER_YEAR * kilowatts * rent) / HOURS_PER_YEAR)


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
        Capital, interest, staff and space per calendar hour: ``per_calendar_hour`` of `own_cost`, dollars.
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
