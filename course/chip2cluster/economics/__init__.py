"""Cost (capex, opex, TCO), energy and carbon of using accelerators, and audits of published figures.

The scope of an energy is in its name: ``device``, ``node`` (all IT equipment) and ``facility`` (with cooling and power
supply: PUE). Prices are dollars per hour and carbon intensities grams per kWh, as usually quoted; the name says so.

>>> from chip2cluster import economics
>>> drawn = economics.device_energy(1024, 30 * 86400, 500)
>>> whole = economics.facility_energy(economics.node_energy(drawn, 1.5), pue=1.2)
>>> round(economics.carbon_by_location(whole, economics.grid_intensity("Germany").grams_per_kwh) / 1e3)      # t
253
"""

from .audit import Audit, Check, Claim, audit
from .bill import Bill, Rates, bill, training_bill
from .carbon import carbon_by_location, carbon_by_market, embodied_carbon
from .device_cost import dollars, dollars_per_million_tokens
from .energy import device_energy, facility_energy, joules_per_flop, joules_per_token, node_energy
from .grid import Grid, Price, UnknownCountry, gpu_hour_prices, grid_intensity, grids
from .measured_energy import AnswerEnergy, TuningEnergy, measured_answers, measured_tunings, tuning_table
from .ownership import OwnCost, break_even_used_fraction, own_cost, own_dollars_per_device_hour
from .printed import printed_table
from .published_footprints import PublishedRun, audit_table, published_run, published_runs
from .upgrade_timing import best_wait, growth_factor, time_with_wait

__all__ = [
    "AnswerEnergy",
    "Audit",
    "Bill",
    "Check",
    "Claim",
    "Grid",
    "OwnCost",
    "Price",
    "PublishedRun",
    "Rates",
    "TuningEnergy",
    "UnknownCountry",
    "audit",
    "audit_table",
    "best_wait",
    "bill",
    "break_even_used_fraction",
    "carbon_by_location",
    "carbon_by_market",
    "device_energy",
    "dollars",
    "dollars_per_million_tokens",
    "embodied_carbon",
    "facility_energy",
    "gpu_hour_prices",
    "grid_intensity",
    "grids",
    "growth_factor",
    "joules_per_flop",
    "joules_per_token",
    "measured_answers",
    "measured_tunings",
    "node_energy",
    "own_cost",
    "own_dollars_per_device_hour",
    "printed_table",
    "published_run",
    "published_runs",
    "time_with_wait",
    "training_bill",
    "tuning_table",
]
