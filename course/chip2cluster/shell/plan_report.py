"""Report of a plan from an outcome of `capstone.evaluate`: numbers, violated limits, and alternatives."""

from __future__ import annotations

from dataclasses import fields, replace
from math import isfinite
from typing import TYPE_CHECKING, Any

from .answer import Number
from .text_format import format_value

if TYPE_CHECKING:
    from ..capstone import Design, Outcome
    from ..parallelism import Layout

MOST_CHIPS = 131_072
MEASURED_FIRST = 3  # most uncertain inputs that are listed
_ALWAYS = ("zero_stage", "recompute")  # fields of a layout that save memory
_LIMITS = {
    "deadline_seconds": ("expected time", "s"),
    "dollars": ("cost of the training run", "dollars"),
    "capital_dollars": ("price of the machine", "dollars"),
    "watts": ("power", "W"),
    "kg_co2": ("carbon", "kg"),
    "memory_bytes": ("memory of the fullest chip", "B"),
}


def numbers(out: Outcome, without: tuple[str, ...] = ()) -> tuple[Number, ...]:
    """Return the numbers of a design that can run, except rows whose price or power is not known."""
    rows = (
        ("seconds", "expected time, with failures", out.seconds, "s", "reliability.expected_time", "storage"),
        ("dollars", "depreciation and electricity", out.dollars, "dollars", "economics.own_cost", "economics"),
        ("capital_dollars", "price of the machine (capex)", out.capital_dollars, "dollars", "capstone.Prices", "economics"),
        ("chip_hours", "chip-hours", out.design.devices * out.seconds / 3600, "h", "utilization.device_time", "mfu"),
        ("joules", "energy of the facility", out.joules, "J", "economics.facility_energy", "economics"),
        ("watts", "provisioned power", out.watts, "W", "economics.facility_energy", "economics"),
        ("kg_by_location", "carbon of that energy, CO2 equivalent", out.kg_by_location, "kg", "economics.carbon_by_location", "economics"),
        ("mfu", "model FLOPs utilization (MFU)", out.mfu, "share", "parallelism.step_time", "mfu"),
        ("goodput", "goodput: fraction of productive time", out.goodput, "share", "reliability.goodput", "storage"),
        ("checkpoint_interval", "work between two checkpoints", out.checkpoint_interval, "s", "reliability.optimal_interval", "storage"),
        ("mtbf", "MTBF of the job", out.mtbf, "s", "reliability.mtbf", "storage"),
        ("memory_bytes", "memory of the fullest chip", out.memory_bytes, "B", "parallelism.memory_by_stage", "parallelism"),
        ("step_seconds", "time of a step", out.step_seconds, "s", "parallelism.step_time", "parallelism"),
    )  # fmt: skip
    found = []
    for name, says, value, unit, function, topic in rows:
        if name in without:
            continue
        low, high = _span(out, name)
        found.append(
            Number(name=name, says=says, value=value, unit=unit, low=low, high=high, function=function, topic=topic)
        )
    found.append(Number(
        name="layout", says="parallel degrees", value=degrees(out.layout), function="parallelism.layouts", topic="parallelism", group="the layout",
    ))  # fmt: skip
    for group, terms in (("a step", out.terms), ("the run", out.run_terms)):
        found += [
            Number(name=f"{group.split()[1]}: {term.name}", says=term.name, value=term.seconds, unit="s",
                   function=term.function, topic=term.chapter, group=group)
            for term in terms if term.seconds
        ]  # fmt: skip
    return (*found, *_unknown(out))


def _unknown(out: Outcome) -> list[Number]:
    """Return the most uncertain inputs, with the time at both ends of their ranges."""
    from .. import capstone

    rows = capstone.sensitivity(out.design, out.scenario, "days")[:MEASURED_FIRST]
    return [
        Number(
            name=f"unknown: {one.name}", says=f"{one.name.replace('_', ' ')}, {_range(one)}", value=out.seconds, unit="s",
            low=86400 * min(one.at_low, one.at_high), high=86400 * max(one.at_low, one.at_high),
            function="capstone.sensitivity", topic="mfu", group="time, by uncertain input",
        )
        for one in rows if one.factor > 1.001
    ]  # fmt: skip


def _range(one: Any) -> str:
    """Format the range of an uncertain input."""
    unit = "s" if one.name.endswith(("seconds", "mtbf")) else ""
    return f"{format_value(one.low, unit)} to {format_value(one.high, unit)}"


def _span(out: Outcome, name: str) -> tuple[float | None, float | None]:
    """Return the interval of a number of the outcome; None if it is certain."""
    key = "seconds" if name == "chip_hours" else name
    low, high = out.interval(key)
    if name == "chip_hours":
        low, high = (out.design.devices * one / 3600 for one in (low, high))
    return (low, high) if low < high and isfinite(high) else (None, None)


def degrees(layout: Layout | None) -> str:
    """Format a layout for ``--layout``: fields that differ from the defaults, and those that save memory."""
    if layout is None:
        return "none"
    told = [one.name for one in fields(layout) if getattr(layout, one.name) != one.default or one.name in _ALWAYS]
    values = {name: getattr(layout, name) for name in told}
    return " ".join(f"{name}={int(value) if isinstance(value, bool) else value}" for name, value in values.items())


def instead(nearest: Design | None, design: Design) -> str:
    """Format the nearest feasible design as options."""
    if nearest is None:
        return ""
    changed = [f'--layout "{degrees(nearest.layout)}"'] if nearest.layout else []
    if nearest.nodes != design.nodes:
        changed.insert(0, f"--chips {nearest.devices}")
    return f"; nearest feasible: {' '.join(changed)}"


def missed(out: Outcome) -> list[str]:
    """List the violated limits of a design that can run, with the chips that meet a deadline."""
    found = []
    for one in out.constraints:
        if out.fits and not one.met:
            says, unit = _LIMITS[one.name]
            found.append(
                f"{says}: {format_value(one.value, unit)}, not {format_value(one.limit, unit)}{_more(out, one.name)}"
            )
    return found


def _more(out: Outcome, name: str) -> str:
    """Return the chips that meet the deadline, by doubling; empty for another limit, or if none do."""
    from .. import capstone

    design = out.design
    while name == "deadline_seconds" and design.devices * 2 <= MOST_CHIPS:
        design = replace(design, nodes=2 * design.nodes, layout=None)
        larger = capstone.evaluate(design, out.scenario, nearest=False)
        if larger.fits and larger.seconds <= out.scenario.deadline_seconds:
            return f"; --chips {design.devices} take {format_value(larger.seconds, 's')}"
    return ""
