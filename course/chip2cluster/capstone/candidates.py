"""Layouts of one machine that make sense, in groups that are reckoned with together."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from math import gcd
from types import SimpleNamespace
from typing import Any

from ..parallelism import Layout
from ..parallelism.search import _divisors, _stacked

LADDER = tuple((kind, zero) for kind in ("none", "selective", "full") for zero in (1, 2))  # of ZeRO 3 there is one
LONG = 8192  # tokens of a sequence, from which on it may be cut over chips that do not need it
CUTS = (1, 2, 4, 8)  # and over so many times as many as do
SHARDED = 1024  # chips among which weights are gathered layer by layer: more wait for the start of so many messages
MICRO_BATCHES = (1, 2, 4, 8)
BESIDE = (None, "dualpipe")  # schedules where experts lie on several chips: the second sends to them beside arithmetic
COLUMNS = ("tensor", "data", "context", "expert", "micro_batch")  # in which the layouts of a group differ


@dataclass(frozen=True)
class Group:
    """Layouts that are reckoned with together, as a tuple and as columns; recomputation and ZeRO 2 are still open."""

    layouts: tuple[Layout, ...]
    columns: SimpleNamespace
    micro_batches: Any

    def at(self, rows: Any, rung: tuple[Any, int]) -> tuple[SimpleNamespace, Any]:
        """The columns of some rows on a rung of `LADDER`, and their micro-batches."""
        kind, zero = rung
        found = SimpleNamespace(**vars(self.columns))
        for name in COLUMNS:
            setattr(found, name, getattr(found, name)[rows])
        found.recompute, found.zero_stage = kind, 3 if found.zero_stage == 3 else zero
        return found, self.micro_batches[rows]

    @property
    def rungs(self) -> tuple[tuple[Any, int], ...]:
        """What of `LADDER` is a choice: with ZeRO 3 there is no other stage."""
        return LADDER[::2] if self.columns.zero_stage == 3 else LADDER

    def bubble(self) -> float:
        """At least so much longer than its arithmetic a step takes."""
        found = self.columns
        if found.schedule_name not in ("1f1b", "interleaved_1f1b"):
            return 0.0
        return (found.pipeline - 1) / float(self.micro_batches.max()) / found.chunks


@lru_cache(maxsize=128)
def groups(devices: int, domain: int, scenario: Any) -> tuple[Group, ...]:
    found = defaultdict(list)
    for layout in _sensible(devices, domain, scenario):
        found[layout.pipeline, layout.chunks, layout.zero_stage, layout.schedule].append(layout)
    return tuple(Group(tuple(some), *_stacked(some, scenario.global_batch)) for some in found.values())


def on_rung(layout: Layout, kind: Any, zero: int) -> Layout:
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
