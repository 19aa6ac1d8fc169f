"""The schedules by name: their order, what they ask of the counts, and how much they hold."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from .._validate import choice, whole
from . import orders
from .dualpipe import dualpipe


@dataclass(frozen=True)
class Kind:
    """One schedule. ``in_flight`` takes devices p, micro-batches m, chunks v and the device's number."""

    name: str
    orders: Callable[[int, int, int], orders.Orders]
    in_flight: Callable[[Any, Any, Any, Any], Any]
    splits: bool = False


def _at_most(limit: Any, m: Any) -> Any:
    return limit - (limit > m) * (limit - m)  # the smaller one, for numbers and arrays


_ALL = {
    kind.name: kind
    for kind in (
        Kind("gpipe", orders.gpipe, lambda p, m, v, i: m + 0 * i),
        Kind("1f1b", orders.one_f_one_b, lambda p, m, v, i: _at_most(p - i, m)),
        Kind(
            "interleaved_1f1b",
            orders.interleaved,
            lambda p, m, v, i: _at_most(2 * (p - 1 - i) + (v - 1) * p + 1, m * v) / v,
        ),
        Kind("zb_h1", orders.zero_bubble_h1, lambda p, m, v, i: _at_most(p + 0 * i, m), splits=True),
        Kind("zb_h2", orders.zero_bubble_h2, lambda p, m, v, i: _at_most(2 * p - 1 + 0 * i, m), splits=True),
        Kind("dualpipe", dualpipe, lambda p, m, v, i: p + 1 + 0 * m * i, splits=True),
    )
}


def schedules() -> tuple[str, ...]:
    """List the pipeline schedules.

    Returns
    -------
    tuple of str
        ``"gpipe"``: all forward passes, then all backward passes. ``"1f1b"``: a backward pass
        as soon as there can be one. ``"interleaved_1f1b"``: the same with several chunks of
        layers on a device. ``"zb_h1"``, ``"zb_h2"``: gradients of the weights fill the gaps, with the
        memory of 1F1B or nearly twice as much. ``"dualpipe"``: micro-batches enter at both ends.

    Notes
    -----
    Source: as `schedule`.

    Examples
    --------
    >>> schedules()
    ('gpipe', '1f1b', 'interleaved_1f1b', 'zb_h1', 'zb_h2', 'dualpipe')
    """
    return tuple(_ALL)


def find(name: str) -> Kind:
    """The schedule of that name."""
    return _ALL[choice("name", name, _ALL)]


def counts(kind: Kind, chunks: Any) -> Any:
    """The chunks that a schedule works with, or an error that says which it can."""
    if kind.name == "interleaved_1f1b":
        if chunks is None:
            raise ValueError("chunks must be given for 'interleaved_1f1b': at least 2")
        return whole("chunks", chunks, minimum=2)
    own = 2 if kind.name == "dualpipe" else 1
    if chunks is None:
        return own
    given = whole("chunks", chunks)
    if (given != own) if isinstance(given, int) else (given != own).any():
        raise ValueError(f"chunks must be {own} for {kind.name!r}, got {chunks!r}")
    return given


def misfit(kind: Kind, p: int, m: int) -> str:
    """What is wrong with these counts of devices and micro-batches for a schedule; nothing if they fit."""
    if kind.name == "interleaved_1f1b" and m % p:
        return f"micro_batches must be a multiple of the stages, {p}, for 'interleaved_1f1b', got {m}"
    if kind.name == "dualpipe":
        if p % 2:
            return f"stages must be even for 'dualpipe', got {p}"
        if m % 2 or m < 2 * p:
            return f"micro_batches must be even and at least {2 * p}, twice the stages, for 'dualpipe', got {m}"
    return ""


def checked(name: str, stages: Any, micro_batches: Any, chunks: Any) -> tuple[Kind, int, int, int]:
    """A schedule with counts that it works with, one whole number each."""
    kind = find(name)
    p, m, v = whole("stages", stages), whole("micro_batches", micro_batches), counts(kind, chunks)
    for argument, number in (("stages", p), ("micro_batches", m), ("chunks", v)):
        if not isinstance(number, int):
            raise TypeError(f"{argument} must be one whole number, got an array")
    if wrong := misfit(kind, p, m):
        raise ValueError(wrong)
    return kind, p, m, v
