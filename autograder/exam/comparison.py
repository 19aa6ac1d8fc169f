"""Question *What is wrong with this answer?*: three answers to a task, one right and two with a named mistake.

The student writes 0 for the right answer, and for each of the other two the number of what is wrong with it, from a list
of statements. The place of the right answer, the mistakes and the order of the list differ between students.
"""

import re
from dataclasses import replace

import numpy as np

from ..exercises import Exercise
from .eligibility import missing_context
from .question import Comparison, MistakeAnswer, PaperQuestion, UnsuitableExercise, answer_text, draw_question

ANSWERS, STATEMENTS = 3, 4  # answers shown, and statements to choose from at most
NAMES = "ABC"
RIGHT = "0"
CONFUSED = "the right answer found, a mistake taken for another"
_SENTENCE = re.compile(r"(?<=[.?!]) (?=[A-Z`'\"])")
_TYPED = re.compile(r"[\d\s;,./ABC:=-]+")


def draw_comparison(exercise: Exercise, seed: int, slip: float) -> PaperQuestion:
    """Draw a student's question with three answers.

    Parameters
    ----------
    exercise : Exercise
    seed : int
        Seed for this student, exercise and exam.
    slip : float
        Share of the points for finding the right answer alone.

    Returns
    -------
    PaperQuestion
        Its answer is a list of three digits as text.

    Raises
    ------
    UnsuitableExercise
        If no numbers are suitable, or fewer than three named mistakes can be distinguished with them.
    """
    asked = draw_question(exercise, seed, slip)
    told = _distinct(asked)
    if len(told) < ANSWERS:
        raise UnsuitableExercise("fewer than three of its named mistakes can be distinguished")
    generator = np.random.default_rng([seed, ANSWERS])
    listed = [told[place] for place in generator.permutation(len(told))[:STATEMENTS]]
    shown = [int(place) for place in generator.permutation(len(listed))[: ANSWERS - 1]]
    place = int(generator.integers(ANSWERS))
    numbers = [str(one + 1) for one in shown]
    values = [answer_text(listed[one].answer) for one in shown]
    names = [listed[one].name for one in shown]
    for items, right in ((numbers, RIGHT), (values, answer_text(asked.answer)), (names, "")):
        items.insert(place, right)
    statements = tuple(statement(one.message) for one in listed)
    return replace(
        asked,
        answer=numbers,
        tolerance=0.0,
        slips=(),
        comparison=Comparison(tuple(values), statements, tuple(names), slip),
    )


def statement(message: str) -> str:
    """Return the sentence of a mistake's message that says what is wrong; the sentences after it say what to do.

    >>> statement("You left out the PUE. The building draws more than its nodes.")
    'You left out the PUE.'
    """
    return _SENTENCE.split(message, maxsplit=1)[0]


def _distinct(asked: PaperQuestion) -> list[MistakeAnswer]:
    """Return mistakes whose answers differ on paper, from the right one too, and whose statements differ and need no page."""
    values, statements, found = {answer_text(asked.answer)}, set(), []
    for slip in asked.slips:
        value, words = answer_text(slip.answer), statement(slip.message)
        if value not in values and words not in statements and not missing_context(words):
            values.add(value)
            statements.add(words)
            found.append(slip)
    return found


def parse_digits(text: str, question: PaperQuestion) -> list[str] | None:
    """Return the three digits of an answer such as ``2; 0; 1``, ``201`` or ``A 2 B 0 C 1``; None if it is something else."""
    found = re.findall(r"\d", text) if _TYPED.fullmatch(text.upper()) else []
    assert question.comparison is not None
    known = [digit for digit in found if int(digit) <= len(question.comparison.statements)]
    return found if len(found) == len(known) == ANSWERS else None


def share_and_mistake(digits: list[str], question: PaperQuestion) -> tuple[float, str]:
    """Return the share of the points that three digits earn, and what is wrong; empty for a right answer."""
    answer, comparison = question.answer, question.comparison
    assert isinstance(answer, list) and comparison is not None
    if digits == answer:
        return 1.0, ""
    taken = [place for place, digit in enumerate(digits) if digit == RIGHT]
    if len(taken) != 1:
        return 0.0, "not exactly one answer is called right"
    if taken[0] == answer.index(RIGHT):
        return comparison.keeps, CONFUSED
    return 0.0, comparison.names[taken[0]]
