"""Constant ratios between an answer and the truth that betray a unit or a count."""

from collections.abc import Collection, Iterator
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from . import verdict as v

Numbers: TypeAlias = NDArray[np.float64]
Diagnosis: TypeAlias = tuple[v.Ruling, str]

KNOWN: list[tuple[float, v.Ruling, str]] = [
    (8, v.UNIT, "Your answer is 8 times too large: bits where bytes are wanted? A byte is 8 bits."),
    (1 / 8, v.UNIT, "Your answer is 8 times too small: bytes were taken for bits. A byte is 8 bits."),
    (2**30 / 1e9, v.UNIT, "Your answer is 7.4 % too large: GiB and GB are mixed. 1 GiB is 2**30 bytes, 1 GB is 10**9."),
    (1e9 / 2**30, v.UNIT, "Your answer is 6.9 % too small: GiB and GB are mixed. 1 GiB is 2**30 bytes, 1 GB is 10**9."),
    (
        2,
        v.FACTOR,
        "Your answer is exactly twice the right one. Was something counted twice, or a sparse peak used for a dense one?",
    ),
    (
        1 / 2,
        v.FACTOR,
        "Your answer is exactly half the right one. Was something halved twice, or a multiply-accumulate counted once?",
    ),
    (100, v.UNIT, "Your answer is 100 times too large: a percentage where a fraction is wanted."),
    (1 / 100, v.UNIT, "Your answer is 100 times too small: a fraction where a percentage is wanted."),
    (3600, v.UNIT, "Your answer is 3600 times too large: seconds and hours are mixed."),
    (1 / 3600, v.UNIT, "Your answer is 3600 times too small: seconds and hours are mixed."),
]
_BRACKETS = "Python reads a / b * c as (a / b) * c. Put brackets round the whole denominator."
KNOWN += [(scale, v.FACTOR, _BRACKETS) for scale in (1e18, 2.0**60, 1e24)]
PREFIXES = {3: "a thousand (k)", 6: "a million (M)", 9: "a billion (G)", 12: "a trillion (T)"}
for _power, _name in PREFIXES.items():
    KNOWN.append((10.0**_power, v.UNIT, f"Your answer is too large by {_name}: a prefix was left in or left out."))
    KNOWN.append((10.0**-_power, v.UNIT, f"Your answer is too small by {_name}: a prefix was left in or left out."))


CLOSE = 0.02  # relative; what is nearer than this is a small term, no factor


def known(got: Numbers, expected: Numbers, tolerance: float, without: Collection[float] = ()) -> Diagnosis | None:
    """Return (verdict, message) when one known factor explains every answer, else None.

    ``got`` and ``expected`` are flat arrays of numbers; factors in ``without`` are not tried.
    """
    ratio = _constant_ratio(got, expected, tolerance)
    if ratio is None:
        return None
    for factor, verdict, message in KNOWN:
        if factor not in without and np.isclose(ratio, factor, rtol=max(tolerance, 1e-6), atol=0):
            return verdict, message
    return None


def diagnose(got: Numbers, expected: Numbers, tolerance: float, *, hidden: bool = False) -> Diagnosis | None:
    """Return (verdict, message) when a simple relation explains every answer, else None.

    Where the inputs are ``hidden``, a ratio that is no known one is not told: it could be an input.
    """
    if familiar := known(got, expected, tolerance):
        return familiar
    ratio = _constant_ratio(got, expected, tolerance)
    if ratio is not None and np.isclose(ratio, -1, rtol=tolerance):
        return v.FACTOR, "Your answer has the wrong sign."
    if ratio is not None and abs(ratio - 1) > CLOSE:
        times = "the same number of" if hidden else f"{ratio:.4g}"
        return v.FACTOR, f"Your answer is always {times} times the right one: a constant factor is wrong."
    if _usable(got, expected) and np.allclose(got * expected, 1, rtol=tolerance):
        return v.MISCONCEPTION, "Your answer is one over the right one: the fraction is upside down."
    if any(np.allclose(got, rounded, rtol=1e-9, atol=0) for rounded in _rounded(expected)):
        return v.VALUE, "Right, but rounded. Don't round: a later step may need the digits."
    if np.allclose(got, expected, rtol=CLOSE, atol=0):
        return (
            v.VALUE,
            f"Very close, always within {100 * CLOSE:g} %. Look for a small term that was left out or counted twice.",
        )
    return None


def _rounded(expected: Numbers) -> Iterator[Numbers]:
    yield np.floor(expected)
    yield np.ceil(expected)
    for digits in range(5):
        yield np.round(expected, digits)


def _constant_ratio(got: Numbers, expected: Numbers, tolerance: float) -> float | None:
    if not _usable(got, expected):
        return None
    ratios = got / expected
    ratio = float(np.median(ratios))
    return ratio if np.allclose(ratios, ratio, rtol=tolerance, atol=0) else None


def _usable(got: Numbers, expected: Numbers) -> bool:
    if got.shape != expected.shape:
        return False
    return len(got) > 1 and bool(np.all(np.isfinite(got) & np.isfinite(expected) & (got != 0) & (expected != 0)))
