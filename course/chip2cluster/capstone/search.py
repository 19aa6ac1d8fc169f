"""Layouts of one machine: all that make sense, which have room, and how long their steps take."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from math import gcd, log2
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np

from ..parallelism import Layout
from ..parallelism.search import _divisors, _stacked
from . import figures

if TYPE_CHECKING:
    from .scenario import Scenario

LADDER = tuple((kind, zero) for kind in ("none", "selective", "full") for zero in (1, 2))  # of ZeRO 3 there is one
LONG = 8192  # tokens of a sequence, from which on it may be cut over chips that do not need it
CUTS = (1, 2, 4, 8)  # and over so many times as many as do
SHARDED = 1024  # chips among which weights are gathered layer by layer: more wait for the start of so many messages
MICRO_BATCHES = (1, 2, 4, 8)
BESIDE = (None, "dualpipe")  # schedules where experts lie on several chips: the second sends to them beside arithmetic
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
    machine = (
        m.peak,
        m.memory,
        m.inside,
        m.share,
        m.chips_per_node,
        m.devices,
        m.domain,
        m.wire,
        m.oversubscription,
        m.leaf,
    )
    asked = (scenario.config, scenario.sequence, scenario.global_batch, scenario.causal)
    return _find(machine, asked, scenario if scenario.causal is None else _Asked(*asked))


@dataclass(frozen=True)
class _Asked:
    """What of a scenario the time of a step depends on."""

    config: Any
    sequence: int
    global_batch: int
    causal: bool


@lru_cache(maxsize=128)
def _find(machine: tuple[Any, ...], asked: tuple[Any, ...], scenario: Any) -> Found:
    names = (
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
    m = SimpleNamespace(**dict(zip(names, machine, strict=True)))
    layouts: list[Layout] = []
    seconds: list[float] = []
    for kept, stacked, micro in _with_room(m.devices, m.domain, m.memory, scenario):
        step = figures.step(m, scenario, stacked, micro).step.seconds
        layouts += kept
        seconds += np.broadcast_to(step, micro.shape)[:, 0].tolist()
    return Found(tuple(layouts), tuple(seconds))


@lru_cache(maxsize=128)
def _with_room(devices: int, domain: int, memory: float, scenario: Any) -> tuple[Any, ...]:
    """Layouts that fit, in groups that are reckoned with together: no network and no peak changes them."""
    groups = defaultdict(list)
    for layout in _sensible(devices, domain, scenario):
        groups[layout.pipeline, layout.chunks, layout.zero_stage, layout.schedule].append(layout)
    found = []
    for some in groups.values():
        rest = some
        for kind, zero in LADDER:  # what is not computed twice is faster: where that has room, nothing else is asked
            if not rest or (zero == 2 and some[0].zero_stage == 3):
                continue
            tried = [_with(one, kind, zero) for one in rest]
            stacked, micro = _stacked(tried, scenario.global_batch)
            parts = figures.memory(scenario, stacked, micro)
            held = [np.broadcast_to(part, (len(tried), stacked.pipeline)) for part in parts.values()]
            room = np.sum(held, axis=0).max(axis=1) <= memory
            if room.any():
                kept = [one for one, has in zip(tried, room, strict=True) if has]
                found.append((kept, *_stacked(kept, scenario.global_batch)))
            rest = [one for one, has in zip(rest, room, strict=True) if not has]
    return tuple(found)


def _with(layout: Layout, kind: Any, zero: int) -> Layout:
    return replace(layout, recompute=kind, zero_stage=3 if layout.zero_stage == 3 else zero)


def _sensible(devices: int, domain: int, scenario: Any) -> Iterator[Layout]:
    """Legal layouts as people choose them: tensors within the domain, long sequences cut, stages by whole layers."""
    config, batch = scenario.config, scenario.global_batch
    divisors = _divisors(devices)
    for tensor in (one for one in divisors if one <= domain and config.heads % one == 0):
        for pipeline in (one for one in divisors if devices // tensor % one == 0 and one <= config.layers):
            rest = devices // tensor // pipeline
            least = rest // gcd(rest, batch)  # chips that find no sequence of their own must share one
            for times in CUTS if scenario.sequence >= LONG else (1,):
                context = least * times
                if rest % context:
                    continue
                data = rest // context
                if data > batch:
                    continue
                for expert in _experts(config, data):
                    for zero in (1, 3) if pipeline == 1 and 1 < rest <= SHARDED else (1,):
                        for chunks in {1, config.layers // pipeline} if pipeline > 1 else (1,):  # one, or a layer each
                            for micro in MICRO_BATCHES if zero == 3 else (1,):
                                for schedule in BESIDE if expert > 1 and pipeline > 1 and chunks == 1 else (None,):
                                    one = Layout(
                                        tensor, pipeline, data, context, expert, chunks, zero, micro_batch=micro, schedule=schedule
                                    )  # fmt: skip
                                    if not one.problems(config, batch, sequence=scenario.sequence):
                                        yield one


def _experts(config: Any, data: int) -> list[int]:
    """Over how many chips the experts lie: not at all, or over some powers of eight, or as many as can be."""
    if not config.experts:
        return [1]
    most = gcd(config.experts.routed, data)
    return sorted({1, gcd(8, most), gcd(64, most), most})


def _distance(one: Layout, other: Layout) -> float:
    steps = sum(weight * abs(log2(getattr(one, name) / getattr(other, name))) for name, weight in WEIGHTS.items())
    return steps + 0.25 * abs(one.zero_stage - other.zero_stage) + 0.25 * (one.recompute != other.recompute)
