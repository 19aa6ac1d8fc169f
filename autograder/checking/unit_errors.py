"""Constant ratios between an answer and the truth that betray a unit or a count."""

import re
from collections.abc import Collection, Iterator
from enum import StrEnum
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from chip2cluster.exercise import verdict_codes as v

if TYPE_CHECKING:
    from chip2cluster.exercise.model import Exercise

Numbers: TypeAlias = NDArray[np.float64]
Diagnosis: TypeAlias = tuple[v.Ruling, str]


class Suspect(StrEnum):
    """What an exercise can contain that a familiar factor may come from."""

    BYTES = "bytes"
    PERCENT = "percent"
    HOURS = "hours"
    SPARSE = "sparse"
    PAIRS = "multiply-accumulates"
    DIRECTIONS = "directions"


# How each is recognised: in the unit and the arguments, and in all that the exercise says.
_ASKED = {
    Suspect.BYTES: re.compile(r"bytes?|bits|bandwidth|B/s"),
    Suspect.HOURS: re.compile(r"^\(?\[?s\b|seconds|hours|days"),
    Suspect.PERCENT: re.compile(r"^ |percent|share|fraction|efficiency"),  # a number without a unit may be a share
}
_SAID = {
    Suspect.SPARSE: re.compile(r"spars"),
    Suspect.PAIRS: re.compile(r"multiply-(?:accumulate|add)|multipl\w+ and (?:an )?add|\bMACs?\b"),
    Suspect.DIRECTIONS: re.compile(r"(?:both|one|each) (?:direction|way)s?\b|(?:one|both)_ways?"),
}


def suspects(exercise: "Exercise") -> frozenset[Suspect]:
    """What an exercise can contain, by its own words: nobody is asked about what is not on the page."""
    asked = f"{exercise.unit} {exercise.signature.partition('(')[2]}"
    said = " ".join(
        [asked, exercise.title, *exercise.hints, exercise.explanation]
        + [f"{mistake.name} {mistake.message}" for mistake in exercise.mistakes]
    )
    found = {suspect for suspect, words in _ASKED.items() if words.search(asked)}
    return frozenset(found | {suspect for suspect, words in _SAID.items() if words.search(said)})


Known: TypeAlias = tuple[float, v.Ruling, str, Suspect | None]
KNOWN: list[Known] = [
    (8, v.UNIT, "Your answer is 8 times too large: bits where bytes are wanted? A byte is 8 bits.", Suspect.BYTES),
    (1 / 8, v.UNIT, "Your answer is 8 times too small: bytes were taken for bits. A byte is 8 bits.", Suspect.BYTES),
    (
        2**30 / 1e9,
        v.UNIT,
        "Your answer is 7.4 % too large: GiB and GB are mixed. 1 GiB is 2**30 bytes, 1 GB is 10**9.",
        Suspect.BYTES,
    ),
    (
        1e9 / 2**30,
        v.UNIT,
        "Your answer is 6.9 % too small: GiB and GB are mixed. 1 GiB is 2**30 bytes, 1 GB is 10**9.",
        Suspect.BYTES,
    ),
    (100, v.UNIT, "Your answer is 100 times too large: a percentage where a fraction is wanted.", Suspect.PERCENT),
    (1 / 100, v.UNIT, "Your answer is 100 times too small: a fraction where a percentage is wanted.", Suspect.PERCENT),
    (3600, v.UNIT, "Your answer is 3600 times too large: seconds and hours are mixed.", Suspect.HOURS),
    (1 / 3600, v.UNIT, "Your answer is 3600 times too small: seconds and hours are mixed.", Suspect.HOURS),
]
# Twice and half the right answer have many causes; those that the exercise can contain are asked about.
TWICE = {
    Suspect.SPARSE: "Was a sparse peak used for a dense one?",
    Suspect.DIRECTIONS: "Were both directions of a link counted?",
    None: "Was something counted twice?",
}
HALF = {
    Suspect.PAIRS: "Was a multiply-accumulate counted once?",
    Suspect.DIRECTIONS: "Was the rate of one direction halved, or that of both taken for one?",
    None: "Was something halved twice, or counted once instead of twice?",
}
_BRACKETS = "Python reads a / b * c as (a / b) * c. Put brackets round the whole denominator."
KNOWN += [(scale, v.FACTOR, _BRACKETS, None) for scale in (1e18, 2.0**60, 1e24)]
PREFIXES = {3: "a thousand (k)", 6: "a million (M)", 9: "a billion (G)", 12: "a trillion (T)"}
for _power, _name in PREFIXES.items():
    KNOWN.append(
        (10.0**_power, v.UNIT, f"Your answer is too large by {_name}: a prefix was left in or left out.", None)
    )
    KNOWN.append(
        (10.0**-_power, v.UNIT, f"Your answer is too small by {_name}: a prefix was left in or left out.", None)
    )


CLOSE = 0.02  # relative; what is nearer than this is a small term, no factor


def known(
    got: Numbers,
    expected: Numbers,
    tolerance: float,
    possible: Collection[Suspect] = tuple(Suspect),
    *,
    halves: bool = True,
) -> Diagnosis | None:
    """Return (verdict, message) when one known factor explains every answer, else None.

    ``got`` and ``expected`` are flat arrays of numbers; ``possible`` is what the exercise can
    contain. Without ``halves`` a factor of two is not tried.
    """
    ratio = _constant_ratio(got, expected, tolerance)
    if ratio is None:
        return None
    near = partial(np.isclose, ratio, rtol=max(tolerance, 1e-6), atol=0)
    for factor, verdict, message, suspect in KNOWN:
        if (suspect is None or suspect in possible) and near(factor):
            return verdict, message
    for factor, words, causes in ((2, "twice", TWICE), (1 / 2, "half", HALF)):
        if halves and near(factor):
            asked = [question for suspect, question in causes.items() if suspect in possible] or [causes[None]]
            return v.FACTOR, f"Your answer is exactly {words} the right one. {' '.join(asked)}"
    return None


def diagnose(
    got: Numbers,
    expected: Numbers,
    tolerance: float,
    possible: Collection[Suspect] = tuple(Suspect),
    *,
    hidden: bool = False,
    close: str = "",
) -> Diagnosis | None:
    """Return (verdict, message) when a simple relation explains every answer, else None.

    Where the inputs are ``hidden``, a ratio that is no known one is not told: it could be an input.
    ``close`` is what an exercise says of answers that are all nearly right.
    """
    if familiar := known(got, expected, tolerance, possible):
        return familiar
    ratio = _constant_ratio(got, expected, tolerance)
    if ratio is not None and np.isclose(ratio, -1, rtol=tolerance):
        return v.FACTOR, "Your answer has the wrong sign."
    if ratio is not None and abs(ratio - 1) > CLOSE:
        times = "the same number of" if hidden else f"{ratio:.4g}"
        return v.FACTOR, f"Your answer is always {times} times the right one: a constant factor is wrong."
    if _usable(got, expected) and np.allclose(got * expected, 1, rtol=tolerance):
        return v.MISCONCEPTION, "Your answer is one over the right one: the fraction is upside down."
    if _one_off(got, expected):
        side = "large" if got[0] > expected[0] else "small"
        return v.VALUE, f"Your answer is always one too {side}. Look at where the counting begins and ends."
    if any(np.allclose(got, rounded, rtol=1e-9, atol=0) for rounded in _rounded(expected)):
        return v.VALUE, "Right, but rounded. Don't round: a later step may need the digits."
    if np.allclose(got, expected, rtol=CLOSE, atol=0):
        return (
            v.VALUE,
            f"Very close, always within {100 * CLOSE:g} %. {close or 'Look for a small term that was left out or counted twice.'}",
        )
    return None


def _one_off(got: Numbers, expected: Numbers) -> bool:
    """Whether whole numbers are all one too large, or all one too small."""
    if got.shape != expected.shape or got.size < 2 or not np.array_equal(expected, np.round(expected)):
        return False
    difference = got - expected
    # Beyond 1e9 one is no slip of counting.
    return bool(abs(difference[0]) == 1 and np.all(difference == difference[0]) and np.all(abs(expected) < 1e9))


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
