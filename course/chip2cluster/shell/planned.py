"""What a plan tells of an outcome of `capstone.evaluate`: its numbers, what it misses, and what would not."""

from __future__ import annotations

from dataclasses import fields, replace
from math import isfinite
from typing import TYPE_CHECKING, Any

from .answer import Number
from .shown import shown

if TYPE_CHECKING:
    from ..capstone import Design, Outcome
    from ..parallelism import Layout

MOST_CHIPS = 131_072
MEASURED_FIRST = 3  # of what is not known
_ALWAYS = ("zero_stage", "recompute")  # what a layout does about memory
_LIMITS = {
    "deadline_seconds": ("expected time", "s"),
    "dollars": ("dollars of the training", "dollars"),
    "capital_dollars": ("dollars of the machine", "dollars"),
    "watts": ("power", "W"),
    "kg_co2": ("carbon", "kg"),
    "memory_bytes": ("bytes of the fullest chip", "B"),
}


def numbers(out: Outcome) -> tuple[Number, ...]:
    """All that a plan tells of a design that can run."""
    rows = (
        ("seconds", "expected, with failures", out.seconds, "s", "reliability.expected_time", "storage"),
        ("dollars", "write-off and electricity", out.dollars, "dollars", "economics.own_cost", "economics"),
        ("capital_dollars", "the machine", out.capital_dollars, "dollars", "capstone.Prices", "economics"),
        ("chip_hours", "chip-hours", out.design.devices * out.seconds / 3600, "h", "utilization.device_time", "mfu"),
        ("joules", "energy of the facility", out.joules, "J", "economics.facility_energy", "economics"),
        ("watts", "power to be provided", out.watts, "W", "economics.facility_energy", "economics"),
        ("kg_by_location", "carbon of that energy, CO2 equivalent", out.kg_by_location, "kg", "economics.carbon_by_location", "economics"),
        ("mfu", "share of the peak that is the model's (MFU)", out.mfu, "share", "parallelism.step_time", "mfu"),
        ("goodput", "share of the time that is kept work", out.goodput, "share", "reliability.goodput", "storage"),
        ("checkpoint_interval", "work between two checkpoints", out.checkpoint_interval, "s", "reliability.optimal_interval", "storage"),
        ("mtbf", "between two failures of the job", out.mtbf, "s", "reliability.mtbf", "storage"),
        ("memory_bytes", "memory of the fullest chip", out.memory_bytes, "B", "parallelism.memory_by_stage", "parallelism"),
        ("step_seconds", "a step", out.step_seconds, "s", "parallelism.step_time", "parallelism"),
    )  # fmt: skip
    found = []
    for name, says, value, unit, function, topic in rows:
        low, high = _span(out, name)
        found.append(
            Number(name=name, says=says, value=value, unit=unit, low=low, high=high, function=function, topic=topic)
        )
    found.append(Number(
        name="layout", says="degrees", value=degrees(out.layout), function="parallelism.layouts", topic="parallelism", group="the layout",
    ))  # fmt: skip
    for group, terms in (("a step", out.terms), ("the run", out.run_terms)):
        found += [
            Number(name=f"{group.split()[1]}: {term.name}", says=term.name, value=term.seconds, unit="s",
                   function=term.function, topic=term.chapter, group=group)
            for term in terms if term.seconds
        ]  # fmt: skip
    return (*found, *_unknown(out))


def _unknown(out: Outcome) -> list[Number]:
    """What is not known and moves the time most: the time at both of its ends."""
    from .. import capstone

    rows = capstone.sensitivity(out.design, out.scenario, "days")[:MEASURED_FIRST]
    return [
        Number(
            name=f"unknown: {one.name}", says=f"{one.name.replace('_', ' ')}, {_range(one)}", value=out.seconds, unit="s",
            low=86400 * min(one.at_low, one.at_high), high=86400 * max(one.at_low, one.at_high),
            function="capstone.sensitivity", topic="mfu", group="the time, by what is not known",
        )
        for one in rows if one.factor > 1.001
    ]  # fmt: skip


def _range(one: Any) -> str:
    """Between what an unknown number lies."""
    unit = "s" if one.name.endswith(("seconds", "mtbf")) else ""
    return f"{shown(one.low, unit)} to {shown(one.high, unit)}"


def _span(out: Outcome, name: str) -> tuple[float | None, float | None]:
    """Between what a number of the outcome lies; nothing where nothing is uncertain here."""
    key = "seconds" if name == "chip_hours" else name
    low, high = out.interval(key)
    if name == "chip_hours":
        low, high = (out.design.devices * one / 3600 for one in (low, high))
    return (low, high) if low < high and isfinite(high) else (None, None)


def degrees(layout: Layout | None) -> str:
    """A layout in a line, as ``--layout`` reads it: what is not as usual, and how it saves memory."""
    if layout is None:
        return "none"
    told = [one.name for one in fields(layout) if getattr(layout, one.name) != one.default or one.name in _ALWAYS]
    values = {name: getattr(layout, name) for name in told}
    return " ".join(f"{name}={int(value) if isinstance(value, bool) else value}" for name, value in values.items())


def instead(nearest: Design | None, design: Design) -> str:
    """The nearest design that can, as options."""
    if nearest is None:
        return ""
    changed = [f'--layout "{degrees(nearest.layout)}"'] if nearest.layout else []
    if nearest.nodes != design.nodes:
        changed.insert(0, f"--chips {nearest.devices}")
    return f"; the nearest that can: {' '.join(changed)}"


def missed(out: Outcome) -> list[str]:
    """Each limit that a design breaks which can run, and how many chips make a deadline."""
    found = []
    for one in out.constraints:
        if out.fits and not one.met:
            says, unit = _LIMITS[one.name]
            found.append(f"{says}: {shown(one.value, unit)}, not {shown(one.limit, unit)}{_more(out, one.name)}")
    return found


def _more(out: Outcome, name: str) -> str:
    """How many chips make the deadline, in steps of twice as many; empty for another limit, and where none do."""
    from .. import capstone

    design = out.design
    while name == "deadline_seconds" and design.devices * 2 <= MOST_CHIPS:
        design = replace(design, nodes=2 * design.nodes, layout=None)
        larger = capstone.evaluate(design, out.scenario, nearest=False)
        if larger.fits and larger.seconds <= out.scenario.deadline_seconds:
            return f"; --chips {design.devices} take {shown(larger.seconds, 's')}"
    return ""
