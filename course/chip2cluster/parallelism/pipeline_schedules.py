"""Pipeline schedules by name: their orders, the counts that they accept, and micro-batches in flight."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from .._validate import choice, one_whole, whole
from . import pass_orders
from .dualpipe import dualpipe


@dataclass(frozen=True)
class PipelineSchedule:
    """A pipeline schedule.

    Attributes
    ----------
    name : str
        Name of the schedule.
    orders : callable
        Function of devices, micro-batches and chunks that returns the order of passes.
    in_flight : callable
        Function of devices p, micro-batches m, chunks v and the number of a device that returns its
        micro-batches in flight.
    splits : bool
        Whether the backward pass is split into gradients of inputs and of weights.
    """

    name: str
    orders: Callable[[int, int, int], pass_orders.Orders]
    in_flight: Callable[[Any, Any, Any, Any], Any]
    splits: bool = False


def _smaller(limit: Any, m: Any) -> Any:
    return limit - (limit > m) * (limit - m)  # works for numbers and arrays


SCHEDULES = {
    pipeline.name: pipeline
    for pipeline in (
        PipelineSchedule("gpipe", pass_orders.gpipe, lambda p, m, v, i: m + 0 * i),
        PipelineSchedule("1f1b", pass_orders.one_f_one_b, lambda p, m, v, i: _smaller(p - i, m)),
        PipelineSchedule(
            "interleaved_1f1b",
            pass_orders.interleaved,
            lambda p, m, v, i: _smaller(2 * (p - 1 - i) + (v - 1) * p + 1, m * v) / v,
        ),
        PipelineSchedule("zb_h1", pass_orders.zero_bubble_h1, lambda p, m, v, i: _smaller(p + 0 * i, m), splits=True),
        PipelineSchedule(
            "zb_h2", pass_orders.zero_bubble_h2, lambda p, m, v, i: _smaller(2 * p - 1 + 0 * i, m), splits=True
        ),
        PipelineSchedule("dualpipe", dualpipe, lambda p, m, v, i: p + 1 + 0 * m * i, splits=True),
    )
}


def schedules() -> tuple[str, ...]:
    """List the pipeline schedules.

    Returns
    -------
    tuple of str
        ``"gpipe"``: all forward passes, then all backward passes. ``"1f1b"``: a backward pass
        as soon as possible. ``"interleaved_1f1b"``: the same with several chunks of
        layers on a device (virtual stages). ``"zb_h1"``, ``"zb_h2"``: zero-bubble, gradients of the
        weights fill the idle time, with the memory of 1F1B or nearly twice as much. ``"dualpipe"``:
        micro-batches enter at both ends.

    Notes
    -----
    Source: see `schedule`.

    Examples
    --------
    >>> schedules()
    ('gpipe', '1f1b', 'interleaved_1f1b', 'zb_h1', 'zb_h2', 'dualpipe')
    """
    return tuple(SCHEDULES)


def find_schedule(name: str) -> PipelineSchedule:
    """Return the schedule of a name."""
    return SCHEDULES[choice("name", name, SCHEDULES)]


def check_chunks(pipeline: PipelineSchedule, chunks: Any) -> Any:
    """Return the number of chunks of a schedule, or raise an error that says which are possible."""
    if pipeline.name == "interleaved_1f1b":
        if chunks is None:
            raise ValueError("chunks must be given for 'interleaved_1f1b': at least 2")
        return whole("chunks", chunks, minimum=2)
    fixed = 2 if pipeline.name == "dualpipe" else 1
    if chunks is None:
        return fixed
    given = whole("chunks", chunks)
    if (given != fixed) if isinstance(given, int) else (given != fixed).any():
        raise ValueError(f"chunks must be {fixed} for {pipeline.name!r}, got {chunks!r}")
    return given


def schedule_problem(pipeline: PipelineSchedule, p: int, m: int) -> str:
    """Return why a schedule cannot run with these devices and micro-batches; empty if it can."""
    if pipeline.name == "interleaved_1f1b" and m % p:
        return f"micro_batches must be a multiple of the stages, {p}, for 'interleaved_1f1b', got {m}"
    if pipeline.name == "dualpipe":
        if p % 2:
            return f"stages must be even for 'dualpipe', got {p}"
        if m % 2 or m < 2 * p:
            return f"micro_batches must be even and at least {2 * p}, twice the stages, for 'dualpipe', got {m}"
    return ""


def check_schedule(name: str, stages: Any, micro_batches: Any, chunks: Any) -> tuple[PipelineSchedule, int, int, int]:
    """Return a schedule and its counts, one whole number each."""
    pipeline = find_schedule(name)
    p, m = one_whole("stages", stages), one_whole("micro_batches", micro_batches)
    v = one_whole("chunks", check_chunks(pipeline, chunks))
    if wrong := schedule_problem(pipeline, p, m):
        raise ValueError(wrong)
    return pipeline, p, m, v
