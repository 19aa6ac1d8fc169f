"""The failed case that a message names for working by hand, and how far off the answer is there."""

from math import isfinite

from chip2cluster.exercise.answers import (
    Array,
    format_value,
    is_close,
    numbers,
)
from chip2cluster.exercise.model import Exercise

from .findings import CaseResult


def example_case(exercise: Exercise, answers: list[CaseResult]) -> CaseResult:
    """Return the case to work by hand: the first, which is made for that, else the failed one with the shortest inputs."""
    wrong = [answer for answer in answers if not answer.is_right(exercise.tolerance)]
    first = next(answer for answer in answers if answer.case.group == wrong[0].case.group)
    if wrong[0] is first:
        return first
    return min(wrong, key=lambda answer: sum(len(format_value(value)) for value in answer.case.inputs.values()))


def distance_text(answer: CaseResult, tolerance: float) -> str:
    """Say how far and in which direction an answer is off, or where it differs first; empty if neither is clear."""
    got, expected = answer.outcome.value, answer.expected
    if isinstance(got, float) and isinstance(expected, float):
        if not (isfinite(got) and isfinite(expected) and got * expected > 0) or _is_choice(answer):
            return ""
        ratio, side = (got / expected, "large") if abs(got) > abs(expected) else (expected / got, "small")
        far = f"{100 * (ratio - 1):.2g} %" if ratio < 1.5 else f"{ratio:.3g} times"
        return f": there your answer is {far} too {side}"
    if isinstance(got, Array) and isinstance(expected, Array):
        pairs = zip(numbers(got), numbers(expected), strict=True)
        different = next((place for place, pair in enumerate(pairs) if not is_close(*pair, tolerance)), None)
        if different is None:
            return ""
        return f": there the first number that differs is at index {_index(different, expected.shape)}"
    if isinstance(got, list) and isinstance(expected, list):
        places = [place for place, pair in enumerate(zip(got, expected, strict=False)) if pair[0] != pair[1]]
        return (
            f": there the first item that differs is at index {places[0]}"
            if places
            else ": there your list has another length"
        )
    return ""


def _index(place: int, shape: tuple[int, ...]) -> int | list[int]:
    """Return the index, one number for each axis, of an item by its place among all items."""
    index: list[int] = []
    for length in reversed(shape):
        place, here = divmod(place, length)
        index.insert(0, here)
    return index[0] if len(index) == 1 else index


def _is_choice(answer: CaseResult) -> bool:
    """Return whether both numbers are items of an input list: then the answer is another choice, not a larger number."""
    both = {answer.outcome.value, answer.expected}
    lists = (value for value in answer.case.inputs.values() if isinstance(value, Array) and value.ndim == 1)
    return any(both <= set(value.tolist()) for value in lists)
