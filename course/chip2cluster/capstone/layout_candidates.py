"""Candidate layouts of one machine, in groups that are computed together."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from math import gcd
from types import SimpleNamespace
from typing import Any

import numpy as np

from ..parallelism import Layout
from ..parallelism.search import divisors_of, stack_layouts
from . import formulas

LADDER = tuple(
    (kind, zero) for kind in ("none", "selective", "full") for zero in (1, 2)
)  # recomputation and ZeRO stage, fastest first; ZeRO 3 has one stage
LONG = 8192  # tokens of a sequence from which context parallelism beyond the minimum is tried
CONTEXT_FACTORS = (1, 2, 4, 8)  # multiples of the minimal context-parallel degree that are tried
SHARDED = 1024  # most chips that gather weights layer by layer (ZeRO 3): with more, message latency dominates
USUAL_TENSOR, USUAL_PIPELINE = 8, 16  # largest degrees of layouts in common use
MICRO_BATCHES = (1, 2, 4, 8)
EXPERT_SCHEDULES = (None, "dualpipe")  # schedules tried with expert parallelism: the second overlaps the all-to-all
COLUMNS = ("tensor", "data", "context", "expert", "micro_batch")  # fields in which the layouts of a group differ


@dataclass(frozen=True)
class LayoutGroup:
    """Layouts that are computed together, as a tuple and as columns; recomputation and ZeRO 1 or 2 are still open."""

    layouts: tuple[Layout, ...]
    columns: SimpleNamespace
    micro_batches: Any
    place: slice  # position among the rows of all groups
    least: dict[int, Any]  # lower bound of the state bytes of a chip, by ZeRO stage

    def at(self, rows: Any, rung: tuple[Any, int]) -> tuple[SimpleNamespace, Any]:
        """Return the columns of some rows at one step of `LADDER`, and their micro-batches."""
        kind, zero = rung
        found = SimpleNamespace(**vars(self.columns))
        for name in COLUMNS:
            setattr(found, name, getattr(found, name)[rows])
        found.recompute, found.zero_stage = kind, 3 if found.zero_stage == 3 else zero
        return found, self.micro_batches[rows]

    @property
    def rungs(self) -> tuple[tuple[Any, int], ...]:
        """Steps of `LADDER` that apply: ZeRO 3 has no other stage."""
        return LADDER[::2] if self.columns.zero_stage == 3 else LADDER

    def bubble(self) -> float:
        """Return a lower bound of the pipeline bubble, relative to the arithmetic."""
        found = self.columns
        if found.schedule_name not in ("1f1b", "interleaved_1f1b"):
            return 0.0
        return (found.pipeline - 1) / float(self.micro_batches.max()) / found.chunks


@lru_cache(maxsize=128)
def groups(devices: int, domain: int, scenario: Any, usual: bool = False) -> tuple[LayoutGroup, ...]:
    """Return all candidate layouts of a machine, or those in common use, in groups."""
    found = defaultdict(list)
    for layout in _candidates(devices, domain, scenario):
        if usual and not _is_usual(layout, scenario.sequence):
            continue
        found[layout.pipeline, layout.chunks, layout.zero_stage, layout.schedule].append(layout)
    rows = [layout for some in found.values() for layout in some]
    all_of = columns(rows)
    split = all_of.tensor * all_of.pipeline * all_of.expert
    least = {
        zero: formulas.least_states(scenario.config, split, all_of.data * all_of.context, zero)[:, 0] if rows else ()
        for zero in (1, 2, 3)
    }
    result, before = [], 0
    for some in found.values():
        place = slice(before, before := before + len(some))
        own = {zero: each[place] for zero, each in least.items()}
        result.append(LayoutGroup(tuple(some), *stack_layouts(some, scenario.global_batch), place, own))
    return tuple(result)


def columns(rows: list[Layout]) -> SimpleNamespace:
    """Return the parallel degrees of layouts in columns."""
    names = ("tensor", "pipeline", "data", "context", "expert")
    return SimpleNamespace(**{name: np.array([[getattr(one, name)] for one in rows]) for name in names})


def on_rung(layout: Layout, kind: Any, zero: int) -> Layout:
    """Return the layout with the recomputation and ZeRO stage of one step of `LADDER`."""
    return replace(layout, recompute=kind, zero_stage=3 if layout.zero_stage == 3 else zero)


def _candidates(devices: int, domain: int, scenario: Any) -> Iterator[Layout]:
    """Yield valid layouts as people choose them: TP within the domain, CP for long sequences, PP by whole layers."""
    config, batch = scenario.config, scenario.global_batch
    divisors = divisors_of(devices)
    for tensor in (one for one in divisors if one <= domain and config.heads % one == 0):
        for pipeline in (one for one in divisors if devices // tensor % one == 0 and one <= config.layers):
            rest = devices // tensor // pipeline
            least = rest // gcd(rest, batch)  # without enough sequences, chips must share one (context parallelism)
            for times in CONTEXT_FACTORS if scenario.sequence >= LONG else (1,):
                context = least * times
                if rest % context:
                    continue
                data = rest // context
                if data > batch:
                    continue
                for expert in _experts(config, data):
                    for zero in (1, 3) if pipeline == 1 and 1 < rest <= SHARDED else (1,):
                        for chunks in (
                            {1, config.layers // pipeline} if pipeline > 1 else (1,)
                        ):  # one chunk, or one layer per chunk
                            for micro in MICRO_BATCHES if zero == 3 else (1,):
                                for schedule in (
                                    EXPERT_SCHEDULES if expert > 1 and pipeline > 1 and chunks == 1 else (None,)
                                ):
                                    one = Layout(
                                        tensor, pipeline, data, context, expert, chunks, zero, micro_batch=micro, schedule=schedule
                                    )  # fmt: skip
                                    if not one.problems(config, batch, sequence=scenario.sequence):
                                        yield one


def _is_usual(layout: Layout, sequence: int) -> bool:
    """Return whether a layout is of the kind that large training runs publish."""
    return (
        layout.tensor <= USUAL_TENSOR and layout.pipeline <= USUAL_PIPELINE and (layout.context == 1 or sequence > LONG)
    )


def _experts(config: Any, data: int) -> list[int]:
    """Return the expert-parallel (EP) degrees to try: 1, powers of eight, and the maximum."""
    if not config.experts:
        return [1]
    most = gcd(config.experts.routed, data)
    return sorted({1, gcd(8, most), gcd(64, most), most})
