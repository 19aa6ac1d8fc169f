"""Layout search on one machine: layouts that fit, their step times, and the fastest one."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from heapq import heappop, heappush
from math import inf, log2
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np

from ..parallelism import Layout, costs
from . import formulas
from .layout_candidates import LADDER, LayoutGroup, columns, groups, on_rung

if TYPE_CHECKING:
    from .scenario import Scenario

MACHINE = (
    "peak",
    "memory",
    "inside",
    "share",
    "chips_per_node",
    "devices",
    "domain",
    "wire",
    "oversubscription",
    "leaf",
)
ROUNDING = 1e-9  # relative; a bound is summed in another order than the step
WEIGHTS = {"tensor": 1.0, "pipeline": 1.0, "data": 1.0, "context": 1.0, "expert": 0.5, "chunks": 0.25, "micro_batch": 0.25}  # fmt: skip


@dataclass(frozen=True)
class FittingLayouts:
    """Layouts that fit on a machine, with their step seconds."""

    layouts: tuple[Layout, ...]
    seconds: tuple[float, ...]

    @property
    def fastest(self) -> Layout | None:
        """Layout with the shortest step; None if nothing fits."""
        if not self.layouts:
            return None
        return self.layouts[min(range(len(self.layouts)), key=self.seconds.__getitem__)]

    def nearest(self, layout: Layout) -> Layout | None:
        """Return the layout that differs least from another; of equally near ones the fastest."""
        if not self.layouts:
            return None
        order = sorted(
            range(len(self.layouts)), key=lambda one: (_distance(self.layouts[one], layout), self.seconds[one])
        )
        return self.layouts[order[0]]


def fitting_layouts(m: SimpleNamespace, scenario: Scenario) -> FittingLayouts:
    """Return all candidate layouts that fit on a machine."""
    return _fitting_layouts(*_keys(m, scenario))


def fastest(m: SimpleNamespace, scenario: Scenario, usual: bool = False) -> Layout | None:
    """Return the fitting layout with the shortest step, without computing all; None if nothing fits."""
    return _fastest(*_keys(m, scenario), usual)


def _keys(m: SimpleNamespace, scenario: Scenario) -> tuple[Any, ...]:
    inputs = (scenario.config, scenario.sequence, scenario.global_batch, scenario.causal)
    return (
        tuple(getattr(m, name) for name in MACHINE),
        inputs,
        scenario if scenario.causal is None else _StepInputs(*inputs),
    )


@dataclass(frozen=True)
class _StepInputs:
    """Fields of a scenario that determine the step time."""

    config: Any
    sequence: int
    global_batch: int
    causal: bool


@lru_cache(maxsize=128)
def _fitting_layouts(machine: tuple[Any, ...], inputs: tuple[Any, ...], scenario: Any) -> FittingLayouts:
    m = SimpleNamespace(**dict(zip(MACHINE, machine, strict=True)))
    layouts: list[Layout] = []
    seconds: list[float] = []
    for group, rows, rung in _with_room(m.devices, m.domain, m.memory, scenario):
        layouts += [on_rung(group.layouts[row], *rung) for row in rows]
        seconds += _seconds(m, group, rows, rung, scenario).tolist()
    return FittingLayouts(tuple(layouts), tuple(seconds))


def _room(group: LayoutGroup, rows: Any, rung: tuple[Any, int], memory: float, scenario: Any, bare: Any) -> Any:
    """Return which of the rows fit, with cheap lower bounds first.

    A row is out if its states alone are too large, or everything but the gradients, because ZeRO 2 shards only
    those in addition. ``bare`` caches the bytes without gradients by row (0: not computed yet), from ZeRO 1 for ZeRO 2.
    """
    least = np.maximum(group.least[3 if group.columns.zero_stage == 3 else rung[1]], bare)[rows]
    room = least * (1 - ROUNDING) <= memory
    if room.any():
        held = _held(group, rows[room], rung, scenario)
        bare[rows[room]] = (held[0] - held[1]).max(axis=1)
        room[room] = held[0].max(axis=1) <= memory
    return room


def _held(group: LayoutGroup, rows: Any, rung: tuple[Any, int], scenario: Any) -> tuple[Any, Any]:
    """Return bytes by row and stage, and the part that is gradients."""
    stacked, micro = group.at(rows, rung)
    parts = formulas.memory(scenario, stacked, micro)
    held = {name: np.broadcast_to(part, (len(rows), stacked.pipeline)) for name, part in parts.items()}
    return np.sum(list(held.values()), axis=0), held["gradients"]


def _seconds(
    m: SimpleNamespace, group: LayoutGroup, rows: Any, rung: tuple[Any, int], scenario: Any, lines: Any = None
) -> Any:
    stacked, micro = group.at(rows, rung)
    if lines:
        lines = {axis: [part[group.place][rows] for part in parts] for axis, parts in lines.items()}
    return np.broadcast_to(formulas.step(m, scenario, stacked, micro, lines).step.seconds, micro.shape)[:, 0]


@lru_cache(maxsize=128)
def _with_room(devices: int, domain: int, memory: float, scenario: Any) -> tuple[Any, ...]:
    """Return fitting layouts in groups that are computed together; independent of network and peak."""
    found = []
    for group in groups(devices, domain, scenario):
        rest = np.arange(len(group.layouts))
        for rung in group.rungs:  # less recomputation is faster: a layout that fits needs no further step
            room = _held(group, rest, rung, scenario)[0].max(axis=1) <= memory
            if room.any():
                found.append((group, rest[room], rung))
            rest = rest[~room]
            if not rest.size:
                break
    return tuple(found)


@lru_cache(maxsize=512)
def _fastest(machine: tuple[Any, ...], inputs: tuple[Any, ...], scenario: Any, usual: bool) -> Layout | None:
    """Return the fastest layout, skipping each group whose arithmetic and bubble alone exceed the best step so far."""
    m = SimpleNamespace(**dict(zip(MACHINE, machine, strict=True)))
    tried = groups(m.devices, m.domain, scenario, usual)
    busy = {kind: _arithmetic(m, scenario, kind) for kind, _ in LADDER}
    waiting: list[tuple[float, int, int, Any]] = []
    bare: dict[tuple[int, Any], Any] = {}

    def wait(place: int, rung: int, rows: Any) -> None:
        kind = tried[place].rungs[rung][0]
        least = busy[kind] * (1 + tried[place].bubble()) * (1 - ROUNDING)
        heappush(waiting, (least, place, rung, rows))

    for place, group in enumerate(tried):
        wait(place, 0, np.arange(len(group.layouts)))
    lines = formulas.lines(m, columns([layout for group in tried for layout in group.layouts])) if tried else None
    best = (inf, 0, 0, 0)  # seconds and indices; the first of equally fast layouts wins
    while waiting and waiting[0][0] <= best[0]:
        _, place, rung, rows = heappop(waiting)
        group = tried[place]
        known = bare.setdefault((place, group.rungs[rung][0]), np.zeros(len(group.layouts)))
        room = _room(group, rows, group.rungs[rung], m.memory, scenario, known)
        if room.any():
            seconds = _seconds(m, group, rows[room], group.rungs[rung], scenario, lines)
            first = int(np.argmin(seconds))
            best = min(best, (float(seconds[first]), place, rung, int(rows[room][first])))
        if not room.all() and rung + 1 < len(group.rungs):
            wait(place, rung + 1, rows[~room])
    if best[0] == inf:
        return None
    _, place, rung, row = best
    return on_rung(tried[place].layouts[row], *tried[place].rungs[rung])


def _arithmetic(m: SimpleNamespace, scenario: Any, kind: Any) -> float:
    """Return the kernel seconds of a step, which do not depend on the layout."""
    model, again = costs.arithmetic_seconds(
        scenario.config, kind, m.peak, scenario.global_batch * scenario.sequence / m.devices, scenario.sequence, scenario.causal
    )  # fmt: skip
    return float((model + again) / m.share)


def _distance(one: Layout, other: Layout) -> float:
    steps = sum(weight * abs(log2(getattr(one, name) / getattr(other, name))) for name, weight in WEIGHTS.items())
    return steps + 0.25 * abs(one.zero_stage - other.zero_stage) + 0.25 * (one.recompute != other.recompute)
