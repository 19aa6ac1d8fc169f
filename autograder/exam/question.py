"""One student's question: numbers for a calculation by hand, the answer, and the answer of each named mistake.

The numbers come from the generators of hidden cases and of personal constants, rounded to two digits. A draw is used only
if rounding does not change the answer's nature, and the named mistakes can be distinguished from it.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.answers import Answer, agree, format_value, normalize, same_type

from ..exercises import Exercise
from .paper_numbers import answer_problem, rounded_inputs, rounding_problem, scaled, size_problem

TOLERANCE = 0.01  # for a number on paper: three digits are enough
COUNTS = 1000  # whole answers below this must be exact
DISTANCE = 3  # tolerances at least between a mistake's answer and the right one
MISTAKES = 2  # named mistakes that a question must distinguish, or all if there are fewer
DRAWS, ENOUGH = 40, 4  # draws at most, and suitable ones from which the best is taken
SLIPS = (v.UNIT, v.FACTOR)  # the method is right


class UnsuitableExercise(ValueError):
    """No suitable numbers are found for an exercise on paper."""


@dataclass(frozen=True)
class MistakeAnswer:
    """Answer of a named mistake to a question, and the share of the points that it keeps."""

    name: str
    message: str
    answer: Answer
    keeps: float


@dataclass(frozen=True)
class Comparison:
    """Three answers, one of them right, and statements on what is wrong with the others.

    Attributes
    ----------
    answers : tuple of str
        Values of the three answers.
    statements : tuple of str
        Possible mistakes, numbered from 1; two of them were made.
    names : tuple of str
        Named mistake of each answer; empty for the right one.
    keeps : float
        Share of the points for finding the right answer alone.
    """

    answers: tuple[str, ...]
    statements: tuple[str, ...]
    names: tuple[str, ...]
    keeps: float


@dataclass(frozen=True)
class StepAnswer:
    """Step of the working: its result as text, and the share of the points that it earns where the answer is wrong."""

    name: str
    value: str
    share: float


@dataclass(frozen=True)
class PaperQuestion:
    """One student's question.

    Attributes
    ----------
    exercise : str
        Id of the exercise.
    inputs, own : Mapping
        Given values and personal constants, as text by name.
    answer : Answer
    tolerance : float
        Relative tolerance; 0 if the answer must be exact.
    slips : tuple of MistakeAnswer
    text : str
        Text with this student's numbers, Markdown; empty for an exercise that is asked in its notebook's words.
    steps : tuple of StepAnswer
    comparison : Comparison or None
        Answers to compare, if the question asks what is wrong with them.
    """

    exercise: str
    inputs: Mapping[str, str]
    own: Mapping[str, str]
    answer: Answer
    tolerance: float
    slips: tuple[MistakeAnswer, ...]
    text: str = ""
    steps: tuple[StepAnswer, ...] = ()
    comparison: Comparison | None = None


def draw_question(exercise: Exercise, seed: int, slip: float) -> PaperQuestion:
    """Draw a student's question.

    Parameters
    ----------
    exercise : Exercise
    seed : int
        Seed for this student, exercise and exam.
    slip : float
        Share of the points for an answer with a wrong unit or factor; any other mistake keeps its own share.

    Raises
    ------
    UnsuitableExercise
        If no draw is suitable; the message gives the reason.
    """
    generator = np.random.default_rng(seed)
    found: list[PaperQuestion] = []
    reason = "no numbers are drawn for it"
    same = _same_for_all(exercise)
    for _ in range(DRAWS):
        given = rounded_inputs(exercise.constants(generator)) if exercise.constants else {}
        own = exercise.personal(given)
        drawn = own.groups[0].draw(generator)
        cases = [case for case in drawn if repr(case) not in same] or drawn
        for place in generator.permutation(len(cases)):
            result = _question_or_problem(own, drawn, cases[int(place)], given, slip)
            if isinstance(result, PaperQuestion):
                found.append(result)
                break
            reason = result
        if len(found) == ENOUGH:
            break
    if not found:
        raise UnsuitableExercise(reason)
    return max(found, key=lambda question: len(question.slips))


def _same_for_all(exercise: Exercise) -> set[str]:
    """Return the cases that every draw contains, such as the one that a notebook works by hand."""
    one, other = (exercise.groups[0].draw(np.random.default_rng(seed)) for seed in (0, 1))
    return {repr(case) for case in one} & {repr(case) for case in other}


def _question_or_problem(
    exercise: Exercise, drawn: list[dict], inputs: Mapping, given: Mapping, slip: float
) -> PaperQuestion | str:
    """Return the question with one case's numbers, or why it can't be asked."""
    rounded = rounded_inputs(inputs)
    if reason := size_problem(rounded):
        return reason
    try:
        before, raw = normalize(exercise.reference(**inputs)), exercise.reference(**rounded)
        answer = normalize(raw)
        whole = all(_is_whole(normalize(exercise.reference(**case))) for case in drawn)
    except Exception:
        return "its numbers cannot be rounded"
    if reason := rounding_problem(answer, before) or answer_problem(answer):
        return reason
    tolerance = _tolerance(answer, whole)
    for factor in (1 - 1e-9, 1 + 1e-9):
        near = _answer(exercise.reference, scaled(rounded, factor))
        if near is None or not is_right(near, answer, tolerance or 1e-6 * (not whole)):
            return "its answer is at an edge for all numbers tried"
    slips = mistake_answers(exercise, rounded, answer, tolerance, slip)
    wrong = sum(mistake.share == 0 for mistake in exercise.mistakes)
    if len(slips) < min(MISTAKES, wrong):
        return "its named mistakes cannot be distinguished with such numbers"
    return PaperQuestion(
        exercise.id,
        {name: format_value(value) for name, value in rounded.items()},
        {name: format_value(value) for name, value in given.items()},
        answer,
        tolerance,
        slips,
    )


def answer_text(answer: Answer) -> str:
    """Format an answer as text."""
    if isinstance(answer, str):
        return answer
    return "; ".join(map(str, answer)) or "none" if isinstance(answer, list) else format_value(answer)


def is_right(got: Answer, answer: Answer, tolerance: float) -> bool:
    """Return whether an answer counts as right on paper; the order of a list counts, capital letters do not."""
    return agree(_folded(got), _folded(answer), tolerance or 1e-12)


def _folded(answer: Answer) -> Answer:
    if isinstance(answer, list):
        return [word.casefold() for word in answer]
    return answer.casefold() if isinstance(answer, str) else answer


def mistake_answers(
    exercise: Exercise, inputs: Mapping, answer: Answer, tolerance: float, slip: float
) -> tuple[MistakeAnswer, ...]:
    """Return the answers of the named mistakes that can be distinguished from the right one and from each other."""
    slips: list[MistakeAnswer] = []
    for mistake in exercise.mistakes:
        wrong = _answer(mistake.wrong, inputs)
        if wrong is None or not same_type(wrong, answer) or is_right(wrong, answer, DISTANCE * tolerance):
            continue
        if any(is_right(wrong, other.answer, tolerance) for other in slips):
            continue  # the two mistakes cannot be distinguished
        # A word can be guessed; a number with a wrong unit shows work.
        kind = not isinstance(answer, (str, list)) and mistake.verdict in SLIPS
        keeps = max(mistake.share, slip if kind else 0.0)
        slips.append(MistakeAnswer(mistake.name, mistake.message, wrong, keeps))
    return tuple(slips)


def _answer(function: Callable[..., Any], inputs: Mapping) -> Answer | None:
    try:
        with np.errstate(all="ignore"):
            answer = normalize(function(**inputs))
    except Exception:  # a mistake may fail with these numbers
        return None
    return answer if not isinstance(answer, (float, np.ndarray)) or np.all(np.isfinite(answer)) else None


def _is_whole(answer: Answer) -> bool:
    return isinstance(answer, (float, np.ndarray)) and bool(np.all(np.mod(answer, 1) == 0))


def _tolerance(answer: Answer, whole: bool) -> float:
    if not isinstance(answer, (float, np.ndarray)):
        return 0.0
    return 0.0 if whole and np.max(np.abs(answer)) < COUNTS else TOLERANCE
