"""One student's question of a paper task: numbers with units, the answer, its steps, and each named mistake's answer."""

from types import SimpleNamespace
from typing import Any

import numpy as np

from chip2cluster.exercise.answers import Answer, format_value, normalize
from chip2cluster.exercise.paper_task import Number, PaperTask

from ..exercises import Exercise
from .question import (
    MISTAKES,
    TOLERANCE,
    MistakeAnswer,
    PaperQuestion,
    StepAnswer,
    UnsuitableExercise,
    is_right,
    mistake_answers,
)

DRAWS, ENOUGH = 1500, 4  # draws at most, and suitable ones from which the best is taken
FARTHEST = 1e4  # factor between a mistake's answer and the right one; a larger one is not written beside a printed unit
EDGE = 0.005  # relative change of an input that must not turn a word into another one


def draw_paper_question(task: PaperTask, exercise: Exercise, seed: int, slip: float) -> PaperQuestion:
    """Draw a student's question.

    Parameters
    ----------
    task : PaperTask
    exercise : Exercise
        Exercise of the task; its reference gives the answer.
    seed : int
        Seed for this student, exercise and exam.
    slip : float
        Share of the points for an answer with a wrong unit or factor; any other mistake keeps its own share.

    Raises
    ------
    UnsuitableExercise
        If no draw is suitable.
    """
    generator = np.random.default_rng(seed)
    found: list[PaperQuestion] = []
    for _ in range(DRAWS):
        printed = task.draw(generator)
        inputs = task.arguments(printed)
        if task.plausible and not task.plausible(SimpleNamespace(**inputs)):
            continue
        if (question := _question(task, exercise, printed, inputs, slip)) is not None:
            found.append(question)
        if len(found) == ENOUGH:
            break
    if not found:
        raise UnsuitableExercise(
            "no numbers of its ranges give an answer that differs from those of its named mistakes"
        )
    return max(found, key=lambda question: len(question.slips))


def _question(
    task: PaperTask, exercise: Exercise, printed: dict[str, Any], inputs: dict[str, Any], slip: float
) -> PaperQuestion | None:
    """Return the question with these numbers; None if its answer is at an edge or no mistake differs from it."""
    answer = normalize(exercise.reference(**inputs))
    tolerance = 0.0 if task.exact or not isinstance(answer, (float, np.ndarray)) else TOLERANCE
    if not np.all(np.isfinite(answer)) if isinstance(answer, (float, np.ndarray)) else False:
        return None
    if not tolerance and _at_edge(task, exercise, printed, answer):
        return None
    slips = [one for one in mistake_answers(exercise, inputs, answer, tolerance, slip) if _is_near(one.answer, answer)]
    wrong = sum(mistake.share == 0 for mistake in exercise.mistakes)
    if len(slips) < min(MISTAKES, wrong):
        return None
    values = SimpleNamespace(**inputs)
    steps = tuple(
        StepAnswer(step.name, f"{format_step(step.value(values))} {step.unit}".strip(), step.share)
        for step in task.steps
    )
    return PaperQuestion(
        task.exercise,
        {name: one.show(printed[name]) for name, one in task.given.items()},
        {},
        _in_unit(answer, task.per),
        tolerance,
        tuple(MistakeAnswer(one.name, one.message, _in_unit(one.answer, task.per), one.keeps) for one in slips),
        task.wording(printed),
        steps,
    )


def _at_edge(task: PaperTask, exercise: Exercise, printed: dict[str, Any], answer: Answer) -> bool:
    """Return whether a small change of a measured number gives another answer."""
    change = 1e-9 if task.exact else EDGE
    for name, one in task.given.items():
        if not isinstance(one, Number) or one.whole:
            continue
        for factor in (1 - change, 1 + change):
            near = normalize(exercise.reference(**task.arguments(printed | {name: printed[name] * factor})))
            if not is_right(near, answer, 0.0):
                return True
    return False


def _is_near(wrong: Answer, answer: Answer) -> bool:
    """Return whether a number is within a factor that somebody can write without noticing."""
    if not isinstance(answer, float) or not isinstance(wrong, float) or not wrong or not answer:
        return True
    return 1 / FARTHEST < abs(wrong / answer) < FARTHEST


def _in_unit(answer: Answer, per: float | tuple[float, ...]) -> Answer:
    """Return an answer in the unit of the paper; words stay."""
    if isinstance(answer, np.ndarray):
        return answer / np.asarray(per)
    return answer / float(per) if isinstance(answer, float) and not isinstance(per, tuple) else answer


def format_step(value: Any) -> str:
    """Format the result of a step: four digits are more than a paper asks for."""
    if isinstance(value, str):
        return value
    if isinstance(value, (list, tuple)):
        return "; ".join(map(format_step, value)) or "none"
    return f"{float(value):,.0f}" if float(value).is_integer() else format_value(float(f"{float(value):.4g}"))
