"""Total cost, energy and carbon of using devices, per use, token, answer or training run."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from .._validate import plain, positive
from ..utilization import training_time_at
from .carbon import carbon_by_location, carbon_by_market, embodied_carbon
from .device_cost import dollars
from .energy import device_energy, facility_energy, node_energy

if TYPE_CHECKING:
    from .._typing import ArrayLike, FloatOrArray


@dataclass(frozen=True, kw_only=True)
class Rates:
    """Price, power and carbon intensity of a device-hour.

    Parameters
    ----------
    dollars_per_device_hour : float
        Price of a paid device-hour, dollars.
    mean_watts_per_device : float
        Mean power of the device alone, W.
    node_over_device : float
        Power of a node divided by that of its devices, as in `node_energy`.
    pue : float
        Power usage effectiveness (PUE), as in `facility_energy`.
    grams_per_kwh : float
        Location-based carbon intensity of the grid, g per kWh.
    contracted_fraction, contract_grams_per_kwh : float
        Contracted part of the energy and its intensity, as in `carbon_by_market`; the residual mix is the grid's.
    embodied_kg_per_device, life_seconds : float
        Carbon of manufacturing and lifetime of a device, as in `embodied_carbon`.
    used_fraction : float
        Fraction of the paid hours in which the devices work.

    Examples
    --------
    >>> Rates(dollars_per_device_hour=2.0, mean_watts_per_device=500.0).pue
    1.0
    """

    dollars_per_device_hour: float
    mean_watts_per_device: float
    node_over_device: float = 1.0
    pue: float = 1.0
    grams_per_kwh: float = 0.0
    contracted_fraction: float = 0.0
    contract_grams_per_kwh: float = 0.0
    embodied_kg_per_device: float = 0.0
    life_seconds: float = 4 * 365 * 86400.0
    used_fraction: float = 1.0


@dataclass(frozen=True)
class Bill:
    """Cost, energy and carbon of using devices; floats, or arrays that broadcast together.

    Attributes
    ----------
    dollars : float or array
        Cost.
    device_joules, node_joules, facility_joules : float or array
        Energy by scope, J.
    kg_by_location, kg_by_market : float or array
        Carbon of the electricity, location-based and market-based, kg of CO2 equivalent.
    kg_embodied : float or array
        Carbon of manufacturing the devices, kg of CO2 equivalent.
    """

    dollars: FloatOrArray
    device_joules: FloatOrArray
    node_joules: FloatOrArray
    facility_joules: FloatOrArray
    kg_by_location: FloatOrArray
    kg_by_market: FloatOrArray
    kg_embodied: FloatOrArray

    def per(self, count: ArrayLike) -> Bill:
        """Divide the bill by a number of tokens, answers, FLOP or training runs.

        Parameters
        ----------
        count : float or array
            Number of units.

        Returns
        -------
        Bill
            Bill per unit.
        """
        many = positive("count", count)
        return replace(self, **{name: plain(getattr(self, name) / many) for name in self.__dataclass_fields__})


def bill(devices: ArrayLike, seconds: ArrayLike, rates: Rates) -> Bill:
    """Compute cost, energy and carbon of devices over a time.

    Parameters
    ----------
    devices : int or array of int
        Number of devices.
    seconds : float or array
        Working time, seconds.
    rates : Rates
        Price, power and carbon intensity.

    Returns
    -------
    Bill
        Cost, energy and carbon.

    Notes
    -----
    Ignores the power of devices in paid hours without work. Source: `dollars`,
    `facility_energy`, `carbon_by_location`, `carbon_by_market`, `embodied_carbon`.

    Examples
    --------
    >>> rates = Rates(dollars_per_device_hour=2.0, mean_watts_per_device=500.0, pue=1.1, grams_per_kwh=400.0)
    >>> answer = bill(8, 3600, rates).per(3600 * 2000 / 500)          # 2,000 tokens/s, answers of 500
    >>> round(answer.dollars, 5), round(answer.facility_joules), round(1e3 * answer.kg_by_location, 2)
    (0.00111, 1100, 0.12)
    """
    if not isinstance(rates, Rates):
        raise TypeError(f"rates must be economics.Rates, got {rates!r}")
    drawn = device_energy(devices, seconds, rates.mean_watts_per_device)
    node = node_energy(drawn, rates.node_over_device)
    facility = facility_energy(node, rates.pue)
    bought = (rates.contracted_fraction, rates.contract_grams_per_kwh, rates.grams_per_kwh)
    return Bill(
        dollars(devices, seconds, rates.dollars_per_device_hour, used_fraction=rates.used_fraction),
        drawn,
        node,
        facility,
        carbon_by_location(facility, rates.grams_per_kwh),
        carbon_by_market(facility, *bought),
        embodied_carbon(devices, seconds, rates.embodied_kg_per_device, rates.life_seconds, rates.used_fraction),
    )


def training_bill(
    total_flops: ArrayLike, devices: ArrayLike, peak_flops_dense: ArrayLike, utilization: ArrayLike, rates: Rates
) -> Bill:
    """Compute cost, energy and carbon of a training run at a given utilization (MFU).

    Parameters
    ----------
    total_flops : float or array
        Model FLOPs of the training run, FLOP.
    devices : int or array of int
        Number of devices.
    peak_flops_dense : float or array
        Dense peak of one device, FLOP/s.
    utilization : float or array
        Model FLOPs utilization (MFU), 0 to 1.
    rates : Rates
        Price, power and carbon intensity.

    Returns
    -------
    Bill
        Cost, energy and carbon of the run.

    Notes
    -----
    Counts the final run only, without search, failures and data. Source: ``utilization.training_time_at`` and `bill`.

    Examples
    --------
    >>> rates = Rates(dollars_per_device_hour=2.0, mean_watts_per_device=600.0, pue=1.1)
    >>> round(training_bill(6 * 70e9 * 15e12, 1024, 989.4e12, 0.4, rates).dollars / 1e6, 2)
    8.84
    """
    return bill(devices, training_time_at(total_flops, devices, peak_flops_dense, utilization), rates)
