"""Layouts of one machine: which have room, how long their steps take, and which is the fastest."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from heapq import heappop, heappush
from math import inf, log2
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np

from ..parallelism import Layout, costs
from . import figures
from .candidates import LADDER, Group, groups, on_rung

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
ROUNDING = 1e-9  # of a bound, which is reckoned in another order than the step
WEIGHTS = {"tensor": 1.0, "pipeline": 1.0, "data": 1.0, "context": 1.0, "expert": 0.5, "chunks": 0.25, "micro_batch": 0.25}  # fmt: skip


@dataclass(frozen=True)
class Found:
    """Layouts that fit on a machine, with bytes of their fullest chip and seconds of a step."""

    layouts: tuple[Layout, ...]
    seconds: tuple[float, ...]

    @property
    def fastest(self) -> Layout | None:
        """The layout with the shortest step; None if nothing fits."""
        if not self.layouts:
            return None
        return self.layouts[min(range(len(self.layouts)), key=self.seconds.__getitem__)]

    def nearest(self, layout: Layout) -> Layout | None:
        """The layout that differs least; of equally near ones the fastest."""
        if not self.layouts:
            return None
        order = sorted(
            range(len(self.layouts)), key=lambda one: (_distance(self.layouts[one], layout), self.seconds[one])
        )
        return self.layouts[order[0]]


def find(m: SimpleNamespace, scenario: Scenario) -> Found:
    """All layouts that are tried for a machine, those that fit."""
    return _find(*_keys(m, scenario))


def fastest(m: SimpleNamespace, scenario: Scenario) -> Layout | None:
    """Of all of them the one with the shortest step, without working out each; None if nothing fits."""
    return _fastest(*_keys(m, scenario))


def _keys(m: SimpleNamespace, scenario: Scenario) -> tuple[Any, ...]:
    asked = (scenario.config, scenario.sequence, scenario.global_batch, scenario.causal)
    return tuple(getattr(m, name) for name in MACHINE), asked, scenario if scenario.causal is None else _Asked(*asked)


@dataclass(frozen=True)
class _Asked:
    """What of a scenario the time of a step depends on."""

    config: Any
    sequence: int
    global_batch: int
    causal: bool


@lru_cache(maxsize=128)
def _find(machine: tuple[Any, ...], asked: tuple[Any, ...], scenario: Any) -> Found:
    m = SimpleNamespace(**dict(zip(MACHINE, machine, strict=True)))
    layouts: list[Layout] = []
    seconds: list[float] = []
    for group, rows, rung in _with_room(m.devices, m.domain, m.memory, scenario):
        layouts += [on_rung(group.layouts[row], *rung) for row in rows]
        seconds += _seconds(m, group, rows, rung, scenario).tolist()
    return Found(tuple(layouts), tuple(seconds))


def _room(group: Group, rows: Any, rung: tuple[Any, int], memory: float, scenario: Any) -> Any:
    """Which of the rows fit."""
    columns, micro = group.at(rows, rung)
    parts = figures.memory(scenario, columns, micro)
    held = [np.broadcast_to(part, (len(rows), columns.pipeline)) for part in parts.values()]
    return np.sum(held, axis=0).max(axis=1) <= memory


def _seconds(m: SimpleNamespace, group: Group, rows: Any, rung: tuple[Any, int], scenario: Any) -> Any:
    columns, micro = group.at(rows, rung)
    return np.broadcast_to(figures.step(m, scenario, columns, micro).step.seconds, micro.shape)[:, 0]


@lru_cache(maxsize=128)
def _with_room(devices: int, domain: int, memory: float, scenario: Any) -> tuple[Any, ...]:
    """Layouts that fit, in groups that are reckoned with together: no network and no peak changes them."""
    found = []
    for group in groups(devices, domain, scenario):
        rest = np.arange(len(group.layouts))
        for rung in group.rungs:  # what is not computed twice is faster: where that has room, nothing else is asked
            room = _room(group, rest, rung, memory, scenario)
            if room.any():
                found.append((group, rest[room], rung))
            rest = rest[~room]
            if not rest.size:
                break
    return tuple(found)


@lru_cache(maxsize=512)
def _fastest(machine: tuple[Any, ...], asked: tuple[Any, ...], scenario: Any) -> Layout | None:
    """The same as of all: a group whose arithmetic and bubble alone take longer than the best found is not reckoned with."""
    m = SimpleNamespace(**dict(zip(MACHINE, machine, strict=True)))
    tried = groups(m.devices, m.domain, scenario)
    busy = {kind: _arithmetic(m, scenario, kind) for kind, _ in LADDER}
    waiting: list[tuple[float, int, int, Any]] = []

    def wait(place: int, rung: int, rows: Any) -> None:
        kind = tried[place].rungs[rung][0]
        least = busy[kind] * (1 + tried[place].bubble()) * (1 - ROUNDING)
        heappush(waiting, (least, place, rung, rows))

    for place, group in enumerate(tried):
        wait(place, 0, np.arange(len(group.layouts)))
    best = (inf, 0, 0, 0)  # seconds; of equally fast ones the first
    while waiting and waiting[0][0] <= best[0]:
        _, place, rung, rows = heappop(waiting)
        group = tried[place]
        room = _room(group, rows, group.rungs[rung], m.memory, scenario)
        if room.any():
            seconds = _seconds(m, group, rows[room], group.rungs[rung], scenario)
            first = int(np.argmin(seconds))
            best = min(best, (float(seconds[first]), place, rung, int(rows[room][first])))
        if not room.all() and rung + 1 < len(group.rungs):
            wait(place, rung + 1, rows[~room])
    if best[0] == inf:
        return None
    _, place, rung, row = best
    return on_rung(tried[place].layouts[row], *tried[place].rungs[rung])


def _arithmetic(m: SimpleNamespace, scenario: Any, kind: Any) -> float:
    """Seconds of a step in which kernels run, whatever its layout."""
    model, again = costs.arithmetic(
        scenario.config, kind, m.peak, scenario.global_batch * scenario.sequence / m.devices, scenario.sequence, scenario.causal
    )  # fmt: skip
    return float((model + again) / m.share)


def _distance(one: Layout, other: Layout) -> float:
    steps = sum(weight * abs(log2(getattr(one, name) / getattr(other, name))) for name, weight in WEIGHTS.items())
    return steps + 0.25 * abs(one.zero_stage - other.zero_stage) + 0.25 * (one.recompute != other.recompute)
