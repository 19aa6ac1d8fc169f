"""Try every exercise of a lab once before anything is graded, because one that fails would cost the whole class marks."""

import sys
import traceback
from dataclasses import replace
from pathlib import Path

from ..checking.judge import grade_outcomes
from ..checking.outcome import value_outcome
from ..exercises import Exercise, Unfair
from .lab import Lab
from .partial_credit import FILE

SEED = 1


def unusable_exercise(lab: Lab) -> str:
    """Say which exercise of a lab cannot be used, and why.

    Each exercise draws its cases for a fictitious student, its reference and its known mistakes answer them, and the
    reference's answers must get all points.

    Parameters
    ----------
    lab : Lab
        The lab to be graded.

    Returns
    -------
    str
        One sentence with the file and the exercise; empty if all exercises can be used.
    """
    for task in lab.tasks:
        if task.definition is None:
            continue
        if problem := _problem(replace(task.definition, points=task.points)):
            file = _source_file(task.definition)
            topic = task.exercise.split(".")[1] if task.exercise.startswith("lab.") else task.exercise.split(".")[0]
            if "`share`" in problem:
                problem += f". A mistake that is to keep a share of the points is listed in {FILE} in the course folder"
            return (
                f"{file or 'an exercise'}: the exercise {task.exercise} cannot be used, so nothing was graded and nothing was "
                f"changed: {problem}. Correct it; `autograder doctor {topic}` checks it"
            )
    return ""


def _problem(exercise: Exercise) -> str:
    """Say what is wrong with one exercise; empty if nothing is."""
    if exercise.redraw:
        return "it asks about answers that each reader draws for practice, so there are no hidden inputs to grade with"
    try:
        personal = exercise.personal(exercise.given(SEED))
        cases = personal.cases(SEED)
        for mistake in personal.mistakes:
            for case in cases:
                personal.mistaken(mistake, case)
        right = [value_outcome(personal.expected(case)) for case in cases]
        verdict = grade_outcomes(personal, cases, right, hidden=True)
    except Unfair as problem:
        return str(problem).removeprefix(f"{exercise.id}: ")
    except Exception as problem:
        frame = traceback.extract_tb(problem.__traceback__)[-1]
        return f"{type(problem).__name__}: {problem} (line {frame.lineno} of {frame.filename})"
    return "" if verdict.correct else f"its own reference is judged {verdict.verdict!r}: {verdict.message}"


def _source_file(exercise: Exercise) -> Path | None:
    """Return the file that defines an exercise."""
    homes = [
        Path(file)
        for module in [*sys.modules.values()]
        if (file := getattr(module, "__file__", None)) and any(value is exercise for value in [*vars(module).values()])
    ]
    return min(homes, key=lambda file: file.name == "__init__.py", default=None)
