"""Unit errors: constant ratios between an answer and the right one that show a wrong unit or count."""

import re
from collections.abc import Collection, Iterator
from enum import StrEnum
from math import ceil, floor, isfinite
from statistics import median
from typing import TypeAlias

from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.answers import all_close, is_close
from chip2cluster.exercise.model import Exercise

Numbers: TypeAlias = list[float]
Diagnosis: TypeAlias = tuple[v.Ruling, str]


class Cause(StrEnum):
    """Cause of a familiar factor that an exercise can contain."""

    BYTES = "bytes"
    PERCENT = "percent"
    HOURS = "hours"
    SPARSE = "sparse"
    PAIRS = "multiply-accumulates"
    DIRECTIONS = "directions"


# Patterns for each cause: in the unit and the arguments, and in all text of the exercise.
_IN_SIGNATURE = {
    Cause.BYTES: re.compile(r"bytes?|bits|bandwidth|B/s"),
    Cause.HOURS: re.compile(r"^\(?\[?s\b|seconds|hours|days"),
    Cause.PERCENT: re.compile(r"^ |percent|share|fraction|efficiency"),  # a number without a unit may be a share
}
_IN_TEXT = {
    Cause.SPARSE: re.compile(r"spars"),
    Cause.PAIRS: re.compile(r"multiply-(?:accumulate|add)|multipl\w+ and (?:an )?add|\bMACs?\b"),
    Cause.DIRECTIONS: re.compile(r"(?:both|one|each) (?:direction|way)s?\b|(?:one|both)_ways?"),
}


def possible_causes(exercise: Exercise) -> frozenset[Cause]:
    """Return the causes that an exercise's own words mention; a message asks only about these."""
    signature = f"{exercise.unit} {exercise.signature.partition('(')[2]}"
    text = " ".join(
        [signature, exercise.title, *exercise.hints, exercise.explanation]
        + [f"{mistake.name} {mistake.message}" for mistake in exercise.mistakes]
    )
    found = {cause for cause, words in _IN_SIGNATURE.items() if words.search(signature)}
    return frozenset(found | {cause for cause, words in _IN_TEXT.items() if words.search(text)})


KnownFactor: TypeAlias = tuple[float, v.Ruling, str, Cause | None]
KNOWN_FACTORS: list[KnownFactor] = [
    (8, v.UNIT, "Your answer is 8 times too large: bits where bytes are wanted? A byte is 8 bits.", Cause.BYTES),
    (1 / 8, v.UNIT, "Your answer is 8 times too small: bytes were taken for bits. A byte is 8 bits.", Cause.BYTES),
    (
        2**30 / 1e9,
        v.UNIT,
        "Your answer is 7.4 % too large: GiB and GB are mixed. 1 GiB is 2**30 bytes, 1 GB is 10**9.",
        Cause.BYTES,
    ),
    (
        1e9 / 2**30,
        v.UNIT,
        "Your answer is 6.9 % too small: GiB and GB are mixed. 1 GiB is 2**30 bytes, 1 GB is 10**9.",
        Cause.BYTES,
    ),
    (100, v.UNIT, "Your answer is 100 times too large: a percentage where a fraction is wanted.", Cause.PERCENT),
    (1 / 100, v.UNIT, "Your answer is 100 times too small: a fraction where a percentage is wanted.", Cause.PERCENT),
    (3600, v.UNIT, "Your answer is 3600 times too large: seconds and hours are mixed.", Cause.HOURS),
    (1 / 3600, v.UNIT, "Your answer is 3600 times too small: seconds and hours are mixed.", Cause.HOURS),
]
# A factor of two has many causes; the message asks about those that the exercise can contain.
TWICE = {
    Cause.SPARSE: "Was a sparse peak used for a dense one?",
    Cause.DIRECTIONS: "Were both directions of a link counted?",
    None: "Was something counted twice?",
}
HALF = {
    Cause.PAIRS: "Was a multiply-accumulate counted once?",
    Cause.DIRECTIONS: "Was the rate of one direction halved, or that of both taken for one?",
    None: "Was something halved twice, or counted once instead of twice?",
}
_BRACKETS = "Python reads a / b * c as (a / b) * c. Put brackets round the whole denominator."
KNOWN_FACTORS += [(scale, v.FACTOR, _BRACKETS, None) for scale in (1e18, 2.0**60, 1e24)]
PREFIXES = {3: "a thousand (k)", 6: "a million (M)", 9: "a billion (G)", 12: "a trillion (T)"}
for _power, _name in PREFIXES.items():
    KNOWN_FACTORS.append(
        (10.0**_power, v.UNIT, f"Your answer is too large by {_name}: a prefix was left in or left out.", None)
    )
    KNOWN_FACTORS.append(
        (10.0**-_power, v.UNIT, f"Your answer is too small by {_name}: a prefix was left in or left out.", None)
    )


CLOSE = 0.02  # relative; a ratio nearer to 1 is a small term, not a factor


def known_factor(
    got: Numbers,
    expected: Numbers,
    tolerance: float,
    possible: Collection[Cause] = tuple(Cause),
    *,
    halves: bool = True,
) -> Diagnosis | None:
    """Return (verdict, message) if one known factor explains every answer, else None.

    Parameters
    ----------
    got, expected : list of float
        Answers and right answers, flat.
    tolerance : float
        Relative tolerance of the exercise.
    possible : collection of Cause
        Causes that the exercise can contain.
    halves : bool
        Whether a factor of two is tried.
    """
    ratio = _constant_ratio(got, expected, tolerance)
    if ratio is None:
        return None
    within = max(tolerance, 1e-6)
    for factor, verdict, message, cause in KNOWN_FACTORS:
        if (cause is None or cause in possible) and is_close(ratio, factor, within):
            return verdict, message
    for factor, words, causes in ((2, "twice", TWICE), (1 / 2, "half", HALF)):
        if halves and is_close(ratio, factor, within):
            questions = [question for cause, question in causes.items() if cause in possible] or [causes[None]]
            return v.FACTOR, f"Your answer is exactly {words} the right one. {' '.join(questions)}"
    return None


def diagnose_ratio(
    got: Numbers,
    expected: Numbers,
    tolerance: float,
    possible: Collection[Cause] = tuple(Cause),
    *,
    hidden: bool = False,
    close: str = "",
) -> Diagnosis | None:
    """Return (verdict, message) if a simple relation explains every answer, else None.

    Parameters
    ----------
    got, expected, tolerance, possible
        Same as for `known_factor`.
    hidden : bool
        Whether an unknown ratio stays out of the message, because it could be an input.
    close : str
        Advice of the exercise for answers that are all nearly right.
    """
    if familiar := known_factor(got, expected, tolerance, possible):
        return familiar
    ratio = _constant_ratio(got, expected, tolerance)
    if ratio is not None and is_close(ratio, -1, tolerance):
        return v.FACTOR, "Your answer has the wrong sign."
    if ratio is not None and abs(ratio - 1) > CLOSE:
        times = "the same number of" if hidden else f"{ratio:.4g}"
        return v.FACTOR, f"Your answer is always {times} times the right one: a constant factor is wrong."
    if _usable(got, expected) and all(
        is_close(one * other, 1, tolerance) for one, other in zip(got, expected, strict=True)
    ):
        return v.MISCONCEPTION, "Your answer is one over the right one: the fraction is upside down."
    if _one_off(got, expected):
        side = "large" if got[0] > expected[0] else "small"
        return v.VALUE, f"Your answer is always one too {side}. Look at where the counting begins and ends."
    if any(all_close(got, rounded, 1e-9) for rounded in _rounded(expected)):
        return v.VALUE, "Right, but rounded. Don't round: a later step may need the digits."
    if all_close(got, expected, CLOSE):
        return (
            v.VALUE,
            f"Very close, always within {100 * CLOSE:g} %. {close or 'Look for a small term that was left out or counted twice.'}",
        )
    return None


def _one_off(got: Numbers, expected: Numbers) -> bool:
    """Return whether whole numbers are all one too large, or all one too small."""
    # Beyond 1e9 a difference of one is not a counting error.
    if len(got) != len(expected) or len(got) < 2 or not all(abs(number) < 1e9 for number in expected):
        return False
    differences = {one - other for one, other in zip(got, expected, strict=True)}
    return all(number == round(number) for number in expected) and differences in ({1}, {-1})


def _rounded(expected: Numbers) -> Iterator[Numbers]:
    if all(map(isfinite, expected)):
        yield [*map(floor, expected)]
        yield [*map(ceil, expected)]
        for digits in range(5):
            yield [round(number, digits) for number in expected]


def _constant_ratio(got: Numbers, expected: Numbers, tolerance: float) -> float | None:
    if not _usable(got, expected):
        return None
    ratios = [one / other for one, other in zip(got, expected, strict=True)]
    ratio = median(ratios)
    return ratio if all(is_close(each, ratio, tolerance) for each in ratios) else None


def _usable(got: Numbers, expected: Numbers) -> bool:
    return len(got) == len(expected) > 1 and all(isfinite(number) and number for number in (*got, *expected))
