"""Carbon of an energy, by the grid it came from or by the contracts that were signed, and of making the chips."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._validate import fraction, plain, positive, whole
from .energy import JOULES_PER_KWH

if TYPE_CHECKING:
    from .._typing import ArrayLike, FloatOrArray


def carbon_by_location(facility_joules: ArrayLike, grams_per_kwh: ArrayLike) -> FloatOrArray:
    """Emissions of the power that flowed: energy times the intensity of the grid.

    Parameters
    ----------
    facility_joules : float or array
        As `facility_energy`, J.
    grams_per_kwh : float or array
        Of the grid, g of CO2 equivalent; see `grid_intensity`. The same number in kg/MWh and t/GWh.

    Returns
    -------
    float or array
        kg of CO2 equivalent.

    Notes
    -----
    Yearly averages hide hours; what one user more causes is the margin, not the average. Source:
    GHG Protocol, Scope 2 Guidance (location-based).

    Examples
    --------
    >>> round(carbon_by_location(1287e3 * JOULES_PER_KWH, 429) / 1e3, 1)      # t, GPT-3 as Patterson et al. count
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
    """Emissions by what was bought: contracts for their share, the residual mix for the rest.

    Parameters
    ----------
    facility_joules : float or array
        As `facility_energy`, J.
    contracted_fraction : float or array
        Share of the energy that contracts cover, 0 to 1.
    contract_grams_per_kwh, residual_grams_per_kwh : float or array
        Of the contracts, often 0, and of the grid without what others bought, g of CO2 equivalent.

    Returns
    -------
    float or array
        kg of CO2 equivalent; 0 does not say that nothing was emitted.

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
    """Share of what it took to make the devices that a use of them has to carry.

    Parameters
    ----------
    devices : int or array of int
    seconds : float or array
        Of the use.
    kg_per_device : float or array
        To make one with its share of the node, kg of CO2 equivalent.
    life_seconds : float or array
        From purchase to scrap.
    used_fraction : float or array
        Share of its life in which anybody uses it: those who do carry the rest too.

    Returns
    -------
    float or array
        kg of CO2 equivalent.

    Notes
    -----
    A use longer than a life takes more than one device for each. Source: Gupta et al. 2022, "ACT"; Luccioni et al. 2022 (by hours of use).

    Examples
    --------
    >>> year = 365 * 86400
    >>> round(embodied_carbon(1024, 30 * 86400, kg_per_device=150, life_seconds=4 * year, used_fraction=0.8))
    3945
    """
    used = positive("life_seconds", life_seconds) * fraction("used_fraction", used_fraction)
    share = positive("seconds", seconds, allow_zero=True) / used
    return plain(whole("devices", devices) * positive("kg_per_device", kg_per_device, allow_zero=True) * share)
