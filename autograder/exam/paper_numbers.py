"""Numbers for a calculation by hand: rounding, and why inputs or an answer do not suit paper."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from chip2cluster.exercise.answers import Answer, format_value, same_type

DIGITS, WHOLE_DIGITS = 2, 4  # of a rounded number, and of a whole one that is not rounded
MOST_NUMBERS, MOST_LINES, WIDEST, MOST_ANSWERS = 12, 12, 90, 6
TAB = 7


def rounded_inputs(value: Any) -> Any:
    """Round numbers to few digits; return everything else unchanged."""
    if isinstance(value, Mapping):
        return {name: rounded_inputs(item) for name, item in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(map(rounded_inputs, value))
    if isinstance(value, np.ndarray) and value.dtype.kind in "if":
        return np.vectorize(_rounded, otypes=[value.dtype])(value) if value.size else value
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, float, np.integer, np.floating)):
        return value
    return type(value)(_rounded(value))


def _rounded(number: Any) -> Any:
    if not np.isfinite(number):
        return number
    if float(number).is_integer() and len(str(abs(int(number))).rstrip("0")) <= WHOLE_DIGITS:
        return number
    return float(f"{float(number):.{DIGITS - 1}e}")


def scaled(value: Any, factor: float) -> Any:
    """Scale all measured quantities; counts stay."""
    if isinstance(value, Mapping):
        return {name: scaled(item, factor) for name, item in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(scaled(item, factor) for item in value)
    if isinstance(value, np.ndarray) and value.dtype.kind == "f":
        return value * np.where(value == np.round(value), 1.0, factor)
    if isinstance(value, (float, np.floating)) and not float(value).is_integer():
        return value * factor
    return value


def size_problem(inputs: Mapping) -> str:
    """Return why inputs are too many for a calculation by hand; empty if they are not."""
    lines = [line.expandtabs(TAB) for value in inputs.values() for line in format_value(value).strip("\n").splitlines()]
    if len(lines) > MOST_LINES + len(inputs) or max(map(len, lines), default=0) > WIDEST:
        return "its text is too long for a paper"
    return "it has too many numbers for a calculation by hand" if _numbers(inputs) > MOST_NUMBERS else ""


def _numbers(value: Any) -> int:
    if isinstance(value, (Mapping, list, tuple)):
        return sum(map(_numbers, value.values() if isinstance(value, Mapping) else value))
    return value.size if isinstance(value, np.ndarray) else int(not isinstance(value, str))


def rounding_problem(answer: Answer, before: Answer) -> str:
    """Return why rounding changed the nature of the answer; empty if it did not."""
    if not same_type(answer, before):
        return "its numbers cannot be rounded"
    if isinstance(answer, (float, np.ndarray)):
        if not np.all(np.isfinite(answer)):
            return "its answers are not finite"
        # Whole numbers of few units move by one; everything else moves as its numbers do.
        if not np.all(np.abs(np.subtract(answer, before)) <= np.maximum(0.3 * np.abs(before), 1.5)):
            return "its numbers cannot be rounded"
    return ""


def answer_problem(answer: Answer) -> str:
    """Return why an answer can't be written on paper or is easily guessed; empty if neither."""
    if isinstance(answer, str):
        return "" if 0 < len(answer) <= WIDEST else "its answer is too long"
    if isinstance(answer, bool):
        return "half of all guesses at a truth value are right"
    many = answer.size if isinstance(answer, np.ndarray) else len(answer) if isinstance(answer, list) else 1
    if isinstance(answer, np.ndarray) and answer.ndim != 1:
        return "its answer is a table"
    return "" if 0 < many <= MOST_ANSWERS else "its answer is too long"
