"""Operational carbon, location-based and market-based, and embodied carbon."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._validate import fraction, plain, positive, whole
from .energy import JOULES_PER_KWH

if TYPE_CHECKING:
    from .._typing import ArrayLike, FloatOrArray


def carbon_by_location(facility_joules: ArrayLike, grams_per_kwh: ArrayLike) -> FloatOrArray:
    """Location-based emissions: energy times the carbon intensity of the grid.

    Parameters
    ----------
    facility_joules : float or array
        Energy of the facility, from `facility_energy`, J.
    grams_per_kwh : float or array
        Carbon intensity of the grid, g of CO2 equivalent per kWh (same number in kg/MWh and t/GWh); see
        `grid_intensity`.

    Returns
    -------
    float or array
        Emissions, kg of CO2 equivalent.

    Notes
    -----
    Ignores hourly variation, and the marginal emissions of an additional user, which differ from the average. Source:
    GHG Protocol, Scope 2 Guidance (location-based).

    Examples
    --------
    >>> round(carbon_by_location(1287e3 * JOULES_PER_KWH, 429) / 1e3, 1)      # t, GPT-3 according to Patterson et al.
    552.1
    """
    energy = positive("facility_joules", facility_joules, allow_zero=True)
    return plain(energy / JOULES_PER_KWH * positive("grams_per_kwh", grams_per_kwh, allow_zero=True) / 1e3)


def carbon_by_market(
    facility_joules: ArrayLike,
    contracted_fraction: ArrayLike,
    contract_grams_per_kwh: ArrayLike,
    residual_grams_per_kwh: ArrayLike,
) -> FloatOrArray:
    """Market-based emissions: contracted energy at its intensity, the rest at the residual mix.

    Parameters
    ----------
    facility_joules : float or array
        Energy of the facility, from `facility_energy`, J.
    contracted_fraction : float or array
        Fraction of the energy that contracts cover, 0 to 1.
    contract_grams_per_kwh, residual_grams_per_kwh : float or array
        Intensity of the contracts, often 0, and of the residual mix of the grid, g of CO2 equivalent per kWh.

    Returns
    -------
    float or array
        Emissions, kg of CO2 equivalent; 0 does not mean that nothing was emitted.

    Notes
    -----
    Source: GHG Protocol, Scope 2 Guidance (market-based).

    Examples
    --------
    >>> carbon_by_market(3.6e12, contracted_fraction=1.0, contract_grams_per_kwh=0, residual_grams_per_kwh=400)
    0.0
    """
    share = fraction("contracted_fraction", contracted_fraction, allow_zero=True)
    contract = positive("contract_grams_per_kwh", contract_grams_per_kwh, allow_zero=True)
    residual = positive("residual_grams_per_kwh", residual_grams_per_kwh, allow_zero=True)
    return carbon_by_location(facility_joules, share * contract + (1 - share) * residual)


def embodied_carbon(
    devices: ArrayLike,
    seconds: ArrayLike,
    kg_per_device: ArrayLike,
    life_seconds: ArrayLike,
    used_fraction: ArrayLike = 1.0,
) -> FloatOrArray:
    """Embodied carbon: the share of the manufacturing emissions of devices attributed to one use.

    Parameters
    ----------
    devices : int or array of int
        Number of devices.
    seconds : float or array
        Duration of the use, seconds.
    kg_per_device : float or array
        Manufacturing emissions of a device with its share of the node, kg of CO2 equivalent.
    life_seconds : float or array
        Lifetime from purchase to disposal, seconds.
    used_fraction : float or array
        Fraction of the lifetime in which the device is used; unused time is attributed to the uses.

    Returns
    -------
    float or array
        Emissions, kg of CO2 equivalent.

    Notes
    -----
    A use longer than the lifetime counts more than one device. Source: Gupta et al. 2022, "ACT"; Luccioni et al. 2022
    (by hours of use).

    Examples
    --------
    >>> year = 365 * 86400
    >>> round(embodied_carbon(1024, 30 * 86400, kg_per_device=150, life_seconds=4 * year, used_fraction=0.8))
    3945
    """
    used = positive("life_seconds", life_seconds) * fraction("used_fraction", used_fraction)
    share = positive("seconds", seconds, allow_zero=True) / used
    return plain(whole("devices", devices) * positive("kg_per_device", kg_per_device, allow_zero=True) * share)
