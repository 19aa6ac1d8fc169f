"""Sensitivity analysis: the uncertain number that changes a result most."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from .. import reliability
from .._validate import choice
from .design import Design, check_design
from .evaluation import evaluate
from .outcome import FOLLOWS, Outcome
from .scenario import Scenario, check_scenario


@dataclass(frozen=True)
class Sensitivity:
    """Effect of one uncertain number on a result.

    Attributes
    ----------
    name : str
        Uncertain number.
    low, high : float
        Ends of its range.
    at_low, at_high : float
        Result at either end.
    because : str
        Origin of the range.
    """

    name: str
    low: float
    high: float
    at_low: float
    at_high: float
    because: str

    @property
    def factor(self) -> float:
        """Ratio of the larger result to the smaller one, at least 1: the value of measuring the number."""
        low, high = sorted((self.at_low, self.at_high))
        return high / low


def ranges(design: Design, scenario: Scenario) -> dict[str, tuple[float, float, str]]:
    """List the uncertain numbers of a design in a scenario, with their ranges.

    Parameters
    ----------
    design : Design
        Cluster and layout; it must be able to run.
    scenario : Scenario
        Training run, its limits and assumptions.

    Returns
    -------
    dict of str to (float, float, str)
        Low end, high end and origin of each range, by name of the number.

    Notes
    -----
    A range without a published source is illustrative and says so. Source: the text of each entry.

    Examples
    --------
    >>> scenario = Scenario(model="Llama 3 8B", tokens=1e12, global_batch=512)
    >>> low, high, why = ranges(Design(chip="H100 SXM", nodes=16), scenario)["node_mtbf"]
    >>> round(low / 86400), round(high / 86400)
    (71, 427)
    """
    out = evaluate(design, scenario, nearest=False)
    seen = [1.0 / rate.failures_per_node_second for rate in reliability.observed_rates()]
    failures, prices, each = scenario.failures, scenario.prices, "illustrative"
    mine = (min(*seen, failures.node_mtbf), max(*seen, failures.node_mtbf))
    chip = prices.of_chip(design.accelerator.name)
    found = {
        "kernel_share": (*out.kernel_share.ends, "distance of published training runs from the model; at most the best known share"),
        "domain_share": (0.75 * scenario.domain_share, scenario.domain_share, f"{each}: messages seldom reach the payload rate"),
        "network_share": (0.5 * scenario.network_share, scenario.network_share, f"{each}: congestion"),
        "node_mtbf": (*mine, "observed on large machines"),
        "repair_seconds": (failures.repair_seconds / 4, failures.repair_seconds * 4, each),
        "restart_seconds": (failures.restart_seconds / 2, failures.restart_seconds * 3, each),
        "storage_share": (scenario.storage_share / 4, scenario.storage_share, f"{each}: others write, too"),
        "mean_share_of_tdp": (0.6, 0.9, "measured means lie there"),
        "node_over_device": (1.3, 1.82, f"{each}; a DGX H100 is rated at 1.82"),
        "pue": (1.08, 1.5, f"{each}; the best sites publish 1.1"),
        "per_kwh": (prices.per_kwh / 2, prices.per_kwh * 2, each),
        "chip_price": (0.7 * chip, 1.5 * chip, each),
        "grams_per_kwh": (scenario.grams_per_kwh / 4, scenario.grams_per_kwh * 1.5, f"{each}: the grid of another country"),
    }  # fmt: skip
    return {name: values for name, values in found.items() if values[1] > values[0] > 0}


def sensitivity(
    design: Design, scenario: Scenario, of: str = "days", given: Mapping[str, tuple[float, float]] | None = None
) -> tuple[Sensitivity, ...]:
    """Rank the uncertain numbers by their effect on a result: the first is the one to measure.

    Parameters
    ----------
    design : Design
        Cluster and layout; it must be able to run.
    scenario : Scenario
        Training run, its limits and assumptions.
    of : str
        Result: name of a number of `Outcome`, such as ``"days"``, ``"dollars"`` or ``"kg_by_location"``.
    given : mapping of str to (float, float), optional
        Ranges that replace some of `ranges`.

    Returns
    -------
    tuple of Sensitivity
        Effects, largest first.

    Raises
    ------
    ValueError
        The design cannot run.

    Notes
    -----
    Varies one number at a time at a fixed layout. Ignores correlated errors. Source: `evaluate` at both ends.

    Examples
    --------
    >>> scenario = Scenario(model="Llama 3 8B", tokens=1e12, global_batch=512)
    >>> design = Design(chip="H100 SXM", nodes=16, spares=1)
    >>> sensitivity(design, scenario)[0].name, sensitivity(design, scenario, "dollars")[0].name
    ('kernel_share', 'chip_price')
    """
    check_design(design)
    check_scenario(scenario)
    choice("of", of, FOLLOWS)
    now = evaluate(design, scenario, nearest=False)
    if not now.fits:
        raise ValueError(f"design must be one that can run, got one that cannot: {now.problems[0].says}")
    ends = ranges(now.design, scenario)
    for name, (low, high) in (given or {}).items():
        ends[choice("given", name, ends)] = (float(low), float(high), "given")
    found = []
    for name, (low, high, because) in ends.items():
        at = [getattr(_moved(now, scenario, name, value), of) for value in (low, high)]
        found.append(Sensitivity(name, low, high, at[0], at[1], because))
    return tuple(sorted(found, key=lambda one: -one.factor))


def _moved(now: Outcome, scenario: Scenario, name: str, value: float) -> Outcome:
    """Return the outcome with one number changed."""
    design = now.design
    changes: dict[str, Any] = {name: value}
    if name in scenario.failures.__dataclass_fields__:
        changes = {"failures": replace(scenario.failures, **changes)}
    elif name == "chip_price":
        chips = {**scenario.prices.chips, design.accelerator.name: value}
        changes = {"prices": replace(scenario.prices, chips=chips)}
    elif name == "per_kwh":
        changes = {"prices": replace(scenario.prices, per_kwh=value)}
    return evaluate(design, replace(scenario, **changes), nearest=False)
