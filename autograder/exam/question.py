"""One student's question: numbers to reckon with by hand, the answer, and what each named mistake gives there.

Numbers come from the draws that hidden cases come from, rounded to two digits, and those of
one's own from the same mechanism as in a lab. A draw is taken only if the answer still stands
firm, and the named mistakes can be told from it.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.answers import Answer, agree, format_value, normalize, same_type

from ..exercises import Exercise

DIGITS, WHOLE_DIGITS = 2, 4  # of a rounded number, and of a whole one that stays as it was drawn
MOST_NUMBERS, MOST_LINES, WIDEST, MOST_ANSWERS = 12, 12, 90, 6
TAB = 7
TOLERANCE = 0.01  # of a number on paper: three digits are enough
COUNTS = 1000  # up to here whole answers are right or wrong
APART = 3  # tolerances between a mistake's answer and the right one
TOLD = 2  # named mistakes at least that a question tells, or all that there are
DRAWS, ENOUGH = 40, 4  # tries, and acceptable ones among which the best is taken
SLIPS = (v.UNIT, v.FACTOR)  # the way is right


class NotAskable(ValueError):
    """An exercise for which no numbers are found that paper can ask."""


@dataclass(frozen=True)
class Slip:
    """What a named mistake answers here, and the share of the points that it keeps."""

    name: str
    message: str
    answer: Answer
    keeps: float


@dataclass(frozen=True)
class Question:
    """One student's question.

    ``inputs`` and ``own`` are what stands in its table, as text by name; ``own`` are the
    constants of a personal exercise. ``tolerance`` is relative, 0 where only the answer itself counts.
    """

    exercise: str
    inputs: Mapping[str, str]
    own: Mapping[str, str]
    answer: Answer
    tolerance: float
    slips: tuple[Slip, ...]


def question(exercise: Exercise, seed: int, slip: float) -> Question:
    """Find a student's numbers.

    Parameters
    ----------
    exercise : Exercise
    seed : int
        Of this student, in this exercise and exam.
    slip : float
        Share of the points that a slip of unit or factor keeps; any other mistake keeps its own share.

    Raises
    ------
    NotAskable
        With the reason.
    """
    generator = np.random.default_rng(seed)
    found: list[Question] = []
    reason = "no numbers are drawn for it"
    same = _same_for_all(exercise)
    for _ in range(DRAWS):
        given = _plainer(exercise.constants(generator)) if exercise.constants else {}
        own = exercise.personal(given)
        drawn = own.groups[0].draw(generator)
        cases = [case for case in drawn if repr(case) not in same] or drawn
        for place in generator.permutation(len(cases)):
            made = _made(own, drawn, cases[int(place)], given, slip)
            if isinstance(made, Question):
                found.append(made)
                break
            reason = made
        if len(found) == ENOUGH:
            break
    if not found:
        raise NotAskable(reason)
    return max(found, key=lambda made: len(made.slips))


def _same_for_all(exercise: Exercise) -> set[str]:
    """The cases that every draw holds, such as the one that a page shows to be worked by hand."""
    one, other = (exercise.groups[0].draw(np.random.default_rng(seed)) for seed in (0, 1))
    return {repr(case) for case in one} & {repr(case) for case in other}


def _made(exercise: Exercise, drawn: list[dict], inputs: Mapping, given: Mapping, slip: float) -> Question | str:
    """The question with one case's numbers, or why it can't be asked."""
    rounded = _plainer(inputs)
    if reason := _too_much(rounded):
        return reason
    try:
        before, raw = normalize(exercise.reference(**inputs)), exercise.reference(**rounded)
        answer = normalize(raw)
        whole = all(_is_whole(normalize(exercise.reference(**case))) for case in drawn)
    except Exception:
        return "its numbers cannot be rounded"
    if reason := _unclear(answer, before) or _long(answer):
        return reason
    tolerance = _tolerance(answer, whole)
    for factor in (1 - 1e-9, 1 + 1e-9):
        near = _answer(exercise.reference, _scaled(rounded, factor))
        if near is None or not right(near, answer, tolerance or 1e-6 * (not whole)):
            return "its answer stands on an edge for all numbers tried"
    slips = _slips(exercise, rounded, answer, tolerance, slip)
    wrong = sum(mistake.share == 0 for mistake in exercise.mistakes)
    if len(slips) < min(TOLD, wrong):
        return "its named mistakes cannot be told with such numbers"
    return Question(
        exercise.id,
        {name: format_value(value) for name, value in rounded.items()},
        {name: format_value(value) for name, value in given.items()},
        answer,
        tolerance,
        slips,
    )


def right(got: Answer, answer: Answer, tolerance: float) -> bool:
    """Whether an answer counts as right on paper; order counts in a list."""
    return agree(got, answer, tolerance or 1e-12)


def _slips(exercise: Exercise, inputs: Mapping, answer: Answer, tolerance: float, slip: float) -> tuple[Slip, ...]:
    slips: list[Slip] = []
    for mistake in exercise.mistakes:
        wrong = _answer(mistake.wrong, inputs)
        if wrong is None or not same_type(wrong, answer) or right(wrong, answer, APART * tolerance):
            continue
        if any(right(wrong, other.answer, tolerance) for other in slips):
            continue  # which of the two it was, nobody can tell
        # A word can be guessed; half a number is somebody's work.
        kind = not isinstance(answer, (str, list)) and mistake.verdict in SLIPS
        keeps = max(mistake.share, slip if kind else 0.0)
        slips.append(Slip(mistake.name, mistake.message, wrong, keeps))
    return tuple(slips)


def _answer(function: Callable[..., Any], inputs: Mapping) -> Answer | None:
    try:
        with np.errstate(all="ignore"):
            answer = normalize(function(**inputs))
    except Exception:  # a mistake may lead nowhere with these numbers
        return None
    return answer if not isinstance(answer, (float, np.ndarray)) or np.all(np.isfinite(answer)) else None


def _plainer(value: Any) -> Any:
    """Numbers with few digits, everything else as it is."""
    if isinstance(value, Mapping):
        return {name: _plainer(item) for name, item in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(map(_plainer, value))
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


def _scaled(value: Any, factor: float) -> Any:
    """All that is measured, a little more or less; counts stay."""
    if isinstance(value, Mapping):
        return {name: _scaled(item, factor) for name, item in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(_scaled(item, factor) for item in value)
    if isinstance(value, np.ndarray) and value.dtype.kind == "f":
        return value * np.where(value == np.round(value), 1.0, factor)
    if isinstance(value, (float, np.floating)) and not float(value).is_integer():
        return value * factor
    return value


def _too_much(inputs: Mapping) -> str:
    """Why inputs are too much to read or to reckon with; empty where they are not."""
    lines = [line.expandtabs(TAB) for value in inputs.values() for line in format_value(value).strip("\n").splitlines()]
    if len(lines) > MOST_LINES + len(inputs) or max(map(len, lines), default=0) > WIDEST:
        return "it takes more text than a paper has room for"
    return "it takes too many numbers to reckon with by hand" if _numbers(inputs) > MOST_NUMBERS else ""


def _numbers(value: Any) -> int:
    if isinstance(value, (Mapping, list, tuple)):
        return sum(map(_numbers, value.values() if isinstance(value, Mapping) else value))
    return value.size if isinstance(value, np.ndarray) else int(not isinstance(value, str))


def _unclear(answer: Answer, before: Answer) -> str:
    """Why an answer says that rounding made another case of it."""
    if not same_type(answer, before):
        return "its numbers cannot be rounded"
    if isinstance(answer, (float, np.ndarray)):
        if not np.all(np.isfinite(answer)):
            return "its answers have no end"
        # Whole numbers of few units move by one; everything else moves as its numbers do.
        if not np.all(np.abs(np.subtract(answer, before)) <= np.maximum(0.3 * np.abs(before), 1.5)):
            return "its numbers cannot be rounded"
    return ""


def _long(answer: Answer) -> str:
    if isinstance(answer, str):
        return "" if 0 < len(answer) <= WIDEST else "its answer is too long"
    if isinstance(answer, bool):
        return "half of all guesses at a truth value are right"
    many = answer.size if isinstance(answer, np.ndarray) else len(answer) if isinstance(answer, list) else 1
    if isinstance(answer, np.ndarray) and answer.ndim != 1:
        return "its answer is a table"
    return "" if 0 < many <= MOST_ANSWERS else "its answer is too long"


def _is_whole(answer: Answer) -> bool:
    return isinstance(answer, (float, np.ndarray)) and bool(np.all(np.mod(answer, 1) == 0))


def _tolerance(answer: Answer, whole: bool) -> float:
    if not isinstance(answer, (float, np.ndarray)):
        return 0.0
    return 0.0 if whole and np.max(np.abs(answer)) < COUNTS else TOLERANCE
