"""Lower bounds on time, chips, cost and carbon that hold for every design."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, floor, inf
from typing import TYPE_CHECKING

from .. import economics, specs, transformer
from .._validate import one_whole
from . import formulas
from .outcome import DAY
from .scenario import Scenario, check_scenario

if TYPE_CHECKING:
    from ..specs import Accelerator

STATES = 16.0  # bytes of weight, gradient and optimizer state per parameter


@dataclass(frozen=True)
class Bounds:
    """Bounds for all designs with one chip model in a scenario.

    Attributes
    ----------
    chip : str
        Name of the chip.
    chips_for_memory, chips_for_deadline : int
        Least number of chips that holds weights, gradients and optimizer state once; that meets the deadline at peak.
    chips_by_capital, chips_by_watts : float
        Largest number of chips within the capital limit (capex) and within the power limit; inf without a limit.
    days_at_least : float
        Duration at peak on the largest affordable number of chips, days; 0 without a limit.
    dollars_at_least, kg_at_least : float
        Depreciation and electricity, and carbon, of the chip-seconds at peak, on any number of chips.
    rules_out : str
        Reason why no design with this chip is feasible; empty if no bound forbids it.
    """

    chip: str
    chips_for_memory: int
    chips_for_deadline: int
    chips_by_capital: float
    chips_by_watts: float
    days_at_least: float
    dollars_at_least: float
    kg_at_least: float
    rules_out: str

    @property
    def fewest_chips(self) -> int:
        """Least number of chips that meets memory and deadline."""
        return max(self.chips_for_memory, self.chips_for_deadline)

    @property
    def most_chips(self) -> float:
        """Largest number of chips within capital and power."""
        return min(self.chips_by_capital, self.chips_by_watts)


def bounds(scenario: Scenario, chip: str | Accelerator, *, chips_per_node: int = 8) -> Bounds:
    """Compute lower bounds for all designs with one chip model, before any design is chosen.

    Parameters
    ----------
    scenario : Scenario
        Training run, its limits and assumptions.
    chip : str or specs.Accelerator
        Chip, by name in the catalogue or custom.
    chips_per_node : int
        Number of chips that share the price of a node.

    Returns
    -------
    Bounds
        The bounds, and the reason if they rule the chip out.

    Notes
    -----
    All kernels run at peak, with no messages, failures, network or storage: a design within a factor of 2 is good.
    Attention is counted in full, so kernels that skip its masked half may beat the bound by a few percent, unless the
    scenario is ``causal``. Ignores activations. Source: arithmetic divided by peak; 16 bytes per parameter.

    Examples
    --------
    >>> scenario = Scenario(model="Llama 3 70B", tokens=15e12, global_batch=2048, watts=2e6, deadline_seconds=90 * 86400)
    >>> found = bounds(scenario, "H100 SXM")
    >>> found.fewest_chips, found.most_chips, round(found.days_at_least)
    (939, 1488, 57)
    """
    check_scenario(scenario)
    device, each = specs.accelerator(chip), one_whole("chips_per_node", chips_per_node)
    flops = transformer.training_flops_per_token(
        scenario.config, scenario.sequence, "megatron", causal=scenario.causal
    )  # fmt: skip
    chip_seconds = scenario.tokens * flops / device.peak_flops_dense(scenario.precision)
    prices = scenario.prices
    price = prices.of_chip(device.name) + prices.node / each
    power = formulas.watts(device, scenario) * scenario.node_over_device * scenario.pue
    mean = formulas.watts(device, scenario) * scenario.mean_share_of_tdp
    own = economics.own_cost(price, prices.years, mean_watts=mean * scenario.node_over_device, pue=scenario.pue,
                             dollars_per_kwh=prices.per_kwh)  # fmt: skip
    joules = mean * scenario.node_over_device * scenario.pue * chip_seconds
    by_capital = _floor(scenario.capital_dollars / price)
    by_watts = _floor(scenario.watts / power)
    found = {
        "chips_for_memory": ceil(STATES * formulas.parameters(scenario.config) / device.driver_memory_bytes),
        "chips_for_deadline": max(1, ceil(chip_seconds / scenario.deadline_seconds)),
        "chips_by_capital": by_capital, "chips_by_watts": by_watts,
        "days_at_least": chip_seconds / max(min(by_capital, by_watts), 1) / DAY,
        "dollars_at_least": own.total * chip_seconds / 3600.0,
        "kg_at_least": economics.carbon_by_location(joules, scenario.grams_per_kwh),
    }  # fmt: skip
    return Bounds(device.name, **found, rules_out=_why(scenario, found))  # type: ignore[arg-type]


def _floor(value: float) -> float:
    return floor(value * (1 + 1e-12)) if value < inf else inf


def _why(scenario: Scenario, found: dict[str, float]) -> str:
    most = min(found["chips_by_capital"], found["chips_by_watts"])
    by = "the price of the machine" if found["chips_by_capital"] <= found["chips_by_watts"] else "the power"
    for name, what in (("chips_for_memory", "the model alone fills"), ("chips_for_deadline", "the deadline needs")):
        if found[name] > most:
            return f"{what} {found[name]:,} chips, and {by} allows {most:,.0f}"
    for name, limit, what in (("dollars_at_least", "dollars", "dollars"), ("kg_at_least", "kg_co2", "kg of CO2")):
        if found[name] > getattr(scenario, limit):
            return f"the arithmetic at the peak takes {found[name]:,.0f} {what}, and {getattr(scenario, limit):,.0f} are allowed"
    return ""
