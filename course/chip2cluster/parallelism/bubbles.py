"""Pipeline bubble by formula, relative to the ideal time or to the whole step."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .._validate import plain, positive, whole
from .pipeline_schedules import check_chunks, find_schedule

if TYPE_CHECKING:
    from .._typing import ArrayLike, FloatOrArray


def bubble_over_ideal(
    name: str,
    stages: ArrayLike,
    micro_batches: ArrayLike,
    chunks: ArrayLike | None = None,
    *,
    forward_seconds: ArrayLike = 1.0,
    backward_seconds: ArrayLike = 1.0,
    weight_seconds: ArrayLike = 1.0,
) -> FloatOrArray:
    """Compute the bubble relative to the arithmetic: how much longer pipeline parallelism (PP) makes a step.

    Parameters
    ----------
    name : str
        One of `schedules`.
    stages, micro_batches : int or array of int
        Devices of the pipeline, p, and micro-batches of a step, m.
    chunks : int or array of int, optional
        Chunks of layers on each device (virtual stages), v, see `schedule`.
    forward_seconds, backward_seconds, weight_seconds : float or array
        Times of one micro-batch on one device: forward, f; gradients of the inputs, b; gradients of
        the weights, w, which may be 0 for a schedule that does not split the backward pass. Only their
        ratios matter, and for GPipe, 1F1B and interleaved not even these.

    Returns
    -------
    float or array
        The bubble divided by ``m (f + b + w)``. It can exceed 1.

    Raises
    ------
    ValueError
        If no formula holds for these counts or times: `schedule` simulates them.

    Notes
    -----
    GPipe and 1F1B: ``(p - 1)(f + b + w)``, so ``(p - 1) / m`` of the ideal; interleaved: 1/v of that. ZB-H1:
    ``(p - 1) max(f + b - w, b)``, for m of at least p. ZB-H2: ``(p - 1) max(f + b - 2 w, b - f, 0)``, for m
    of at least 2 p - 1. The papers print the first terms, and 0, which is right if w is at most f; the others
    follow from the memory limit: before the first gradient arrives a device can only start as many
    micro-batches as it may hold. DualPipe: ``(p / 2 - 1)(FB + B - 3 w)`` with B = b + w and a pair that takes
    FB = f + B; right for f = b and w at most f. DeepSeek-V3's table gives F + B - 2 W for a zero-bubble
    pipeline; its B is the whole backward pass, so this is the same as f + b - w here. Ignores P2P time and
    unequal stages. Source: Narayanan et al. 2021; Qi et al. 2023; DeepSeek-AI 2024, table 2; each checked
    against `schedule`.

    Examples
    --------
    >>> bubble_over_ideal("1f1b", 8, 32), bubble_over_ideal("interleaved_1f1b", 8, 32, 2)
    (0.21875, 0.109375)
    >>> bubble_over_ideal("zb_h1", 8, 32), bubble_over_ideal("zb_h2", 8, 32)
    (0.07291666666666667, 0.0)
    """
    bubble, ideal = _bubble(name, stages, micro_batches, chunks, forward_seconds, backward_seconds, weight_seconds)
    return plain(bubble / ideal)


def bubble_over_makespan(
    name: str,
    stages: ArrayLike,
    micro_batches: ArrayLike,
    chunks: ArrayLike | None = None,
    *,
    forward_seconds: ArrayLike = 1.0,
    backward_seconds: ArrayLike = 1.0,
    weight_seconds: ArrayLike = 1.0,
) -> FloatOrArray:
    """Compute the pipeline bubble as a fraction of the whole step.

    Parameters
    ----------
    name : str
        One of `schedules`.
    stages, micro_batches : int or array of int
        Devices of the pipeline, p, and micro-batches of a step, m.
    chunks : int or array of int, optional
        Chunks of layers on each device, v.
    forward_seconds, backward_seconds, weight_seconds : float or array
        Times of one micro-batch on one device, see `bubble_over_ideal`.

    Returns
    -------
    float or array
        The bubble divided by arithmetic plus bubble: with x the bubble over ideal, ``x / (1 + x)``.
        Always below 1.

    Raises
    ------
    ValueError
        If no formula holds for these counts or times.

    Notes
    -----
    For 1F1B ``(p - 1) / (m + p - 1)``. Ignores what `bubble_over_ideal` ignores. Source: see there.

    Examples
    --------
    >>> bubble_over_makespan("1f1b", 4, [4, 12, 60]).round(3)
    array([0.429, 0.2  , 0.048])
    """
    bubble, ideal = _bubble(name, stages, micro_batches, chunks, forward_seconds, backward_seconds, weight_seconds)
    return plain(bubble / (bubble + ideal))


def _bubble(name: str, stages: Any, micro_batches: Any, chunks: Any, *seconds: Any) -> tuple[Any, Any]:
    pipeline = find_schedule(name)
    p, m, v = whole("stages", stages), whole("micro_batches", micro_batches), check_chunks(pipeline, chunks)
    names = ("forward_seconds", "backward_seconds", "weight_seconds")
    f, b = (positive(*pair) for pair in zip(names[:2], seconds, strict=False))
    w = positive(names[2], seconds[2], allow_zero=not pipeline.splits)
    whole_pass = f + b + w
    ideal = m * whole_pass
    if name in ("gpipe", "1f1b"):
        return (p - 1) * whole_pass, ideal
    if name == "interleaved_1f1b":
        _require(name, np.all(m % p == 0), "micro_batches that are a multiple of the stages", micro_batches)
        return (p - 1) * whole_pass / v, ideal
    if name == "zb_h1":
        _require(name, np.all(m >= p), "at least as many micro_batches as stages", micro_batches)
        return (p - 1) * np.maximum(f + b - w, b), ideal
    if name == "zb_h2":
        _require(name, np.all(m >= 2 * p - 1), "at least 2 stages - 1 micro_batches", micro_batches)
        return (p - 1) * np.maximum(np.maximum(f + b - 2 * w, b - f), 0.0), ideal
    _require(name, np.all(p % 2 == 0), "an even number of stages", stages)
    _require(name, np.all((m % 2 == 0) & (m >= 2 * p)), "an even number of micro_batches, twice the stages or more", m)
    fits = np.all((np.abs(f - b) <= 1e-9 * f) & (w <= f * (1 + 1e-9)))
    _require(name, fits, "forward_seconds equal to backward_seconds and weight_seconds no longer", tuple(seconds))
    return (p / 2 - 1) * (f + 2 * b - w), ideal


def _require(name: str, holds: Any, what: str, given: Any) -> None:
    if not holds:
        raise ValueError(f"the formula for {name!r} needs {what}, got {given!r}; schedule(...) simulates it")
