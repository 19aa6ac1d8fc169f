"""Prove that an exercise *What is wrong with this answer?* grades as it says, on every draw.

Each shown answer makes the mistake that it is named for, with the numbers of any draw. One list of numbers is correct; each
other list of valid ones gets the name of a mistake and no points.
"""

from collections.abc import Iterator
from itertools import product
from typing import Any

from chip2cluster.exercise.critique import ANSWERS
from chip2cluster.exercise.critique_draws import DRAWS, CritiqueDraws
from chip2cluster.exercise.verdict_codes import CORRECT, NOT_WRITTEN

from ..checking.judge import grade_outcomes
from ..checking.local_runner import call_on_cases
from ..checking.outcome import value_outcome
from ..exercises import Exercise

SEEDS = 20  # draws of numbers with which the lines of every mistake are compared


def critique_complaints(exercise: Exercise) -> list[str]:
    """Return complaints about an exercise that shows three answers; an empty list if it grades as it says."""
    draws = exercise.redraw
    assert isinstance(draws, CritiqueDraws)
    complaints = [line for seed in range(SEEDS) for line in draws.complaints(seed)]
    for number in range(DRAWS):
        complaints += [f"{exercise.id}: draw {number} {line}" for line in _draw_complaints(exercise.with_draw(number))]
    return complaints


def _draw_complaints(exercise: Exercise) -> Iterator[str]:
    critique = exercise.critique
    assert critique is not None
    right = critique.right()
    if right.count(0) != 1 or len({answer.result for answer in critique.answers}) != ANSWERS:
        yield f"shows answers that cannot be distinguished: {critique.answers}"
    if not ANSWERS <= len({*critique.statements}) == len(critique.statements):
        yield f"lists a statement twice, or too few: {critique.statements}"
    for label, source, wanted in (
        ("the stub", exercise.stub, NOT_WRITTEN),
        ("the solution", exercise.solution, CORRECT),
    ):
        names: dict[str, Any] = {}
        exec(compile(source, f"<{exercise.id}: {label}>", "exec"), names)  # our own text, from the registry
        cases = exercise.visible_cases
        outcomes = call_on_cases(names[exercise.function_name], cases, exercise.allowed)
        if (verdict := grade_outcomes(exercise, cases, outcomes)).verdict != wanted:
            yield f"judges {label} {verdict.verdict!r}, {verdict.message!r}; wanted {wanted!r}"
    for given in product(range(len(critique.statements) + 1), repeat=ANSWERS):
        verdict = grade_outcomes(exercise, exercise.visible_cases, [value_outcome([*given])])
        if verdict.correct != ([*given] == right) or not (verdict.correct or (verdict.mistake and not verdict.score)):
            yield f"judges {[*given]} {verdict.heading!r} with {verdict.score:g} points; right is {right}"
