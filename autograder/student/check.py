"""Instant feedback on a function the learner has written."""

import re
from dataclasses import replace

from chip2cluster import journal
from chip2cluster.exercise.verdict_codes import EDGES, FACTOR, MISCONCEPTION, NOT_WRITTEN, UNIT, VALUE

from ..checking.judge import grade_outcomes
from ..checking.local_runner import call_on_cases
from ..checking.verdict import Verdict
from ..exercise_headers import topic
from ..exercises import RemovedExercise
from ..help_policy import hints_line, policy_for
from . import current_page, review
from .exercise_lookup import UnclearExercise, find_exercise
from .given import personal_exercise
from .help import removed_exercise_card

GUESS_FIRST = (
    "Commit your guess first, in numbers: type it into the field *Your notes* above and press Keep. "
    "Then run this check again. Grading does not look at the guess."
)
# Rulings that say more than that an answer is wrong.
SPECIFIC = (UNIT, FACTOR, MISCONCEPTION, EDGES, VALUE)
UNEXPLAINED = "This is not right. In this course the checks of graded labs show the failing input, and leave it to you to find out why."


def check(exercise_id, function=None, points=None):
    """Check whether ``function`` solves the exercise, and if not, name the mistake.

    Parameters
    ----------
    exercise_id : str
        Id of the exercise, such as ``"roofline.attainable"``. If only one exercise has a function of that name, your
        function is enough: ``check(attainable)``.
    function : callable
        Your function itself, without brackets.
    points : float, optional
        Points in your class, if they differ from the exercise's own.

    Returns
    -------
    Verdict
        Shown as a card in a notebook. ``.verdict``, ``.message``, ``.correct``.
        For an exercise that the course no longer has, a card that says so.

    Raises
    ------
    UnknownExercise
        If no exercise has the id.
    TypeError
        If the second argument is not a function.

    Notes
    -----
    Needs no network. The inputs are the same each time, so that you can work on
    one failing case; grading draws others, and so does the first check of an exercise that
    ``progress("review")`` brings back. Once an exercise is solved, further
    checks of it are not counted otherwise. ``hint()`` helps with what was checked last.
    """
    if isinstance(function, str) and not isinstance(exercise_id, str):
        exercise_id, function = function, exercise_id
    try:
        exercise = find_exercise(exercise_id, "check")
    except RemovedExercise as gone:
        return removed_exercise_card(gone.exercise_id)
    if callable(exercise_id) and function is None:
        function = exercise_id
    exercise = personal_exercise(exercise.id)
    if not callable(function):
        got = "no function" if function is None else repr(function)
        raise UnclearExercise(
            f'pass the function itself, without brackets: check("{exercise.id}", {exercise.function_name}); '
            f"got {got if len(got) <= 60 else f'{got[:57]}...'}"
        )
    if points is not None:
        exercise = replace(exercise, points=points, graded=True)
    if exercise.guess_first and not any(re.search(r"\d", note["text"]) for note in journal.notes(exercise.guess_first)):
        return Verdict(
            exercise.id, exercise.title, NOT_WRITTEN, GUESS_FIRST, 0.0, exercise.points, graded=exercise.graded
        )
    seed = review.repetition_seed(exercise.id)
    cases = exercise.visible_cases if seed is None else exercise.cases(seed)
    verdict = grade_outcomes(exercise, cases, call_on_cases(function, cases, exercise.allowed))
    if verdict.verdict == NOT_WRITTEN:
        return verdict
    limits = policy_for(topic(exercise.id)) if exercise.graded else None
    # The message of a scored answer is the measurement itself.
    if limits and not limits.mistakes and not exercise.rate and verdict.verdict in SPECIFIC:
        verdict = replace(verdict, verdict=VALUE, mistake="", message=UNEXPLAINED)
    current_page.record_check(exercise.id, verdict.correct)
    mistake = verdict.mistake if verdict.mistake in exercise.messages else ""
    entry = journal.attempt(exercise.id, verdict.heading, verdict.correct, mistake)
    most = min(limits.hints, len(exercise.hints)) if limits else len(exercise.hints)
    again = review.repeat(exercise.id, verdict.correct, mistake)
    after = ["Stuck? Run `hint()` in a cell of its own."] if entry["hints"] < most and not verdict.correct else []
    if again:
        after.append(again)
    if exercise.graded and entry["hints"]:
        after.append(hints_line(exercise.id, entry["hints"], len(exercise.hints)))
    return replace(verdict, after=" ".join(after))
