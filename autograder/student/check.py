"""Instant feedback on a function the learner has written."""

from dataclasses import replace

from chip2cluster import journal

from ..ask import ask
from ..judge import decide
from ..verdict import NOT_WRITTEN
from .given import own


def check(exercise_id, function, points=None):
    """Say whether ``function`` solves the exercise, and if not, which mistake it makes.

    Parameters
    ----------
    exercise_id : str
        Such as ``"roofline.attainable"``.
    function : callable
        Your function itself, without brackets.
    points : float, optional
        What it is worth in your class, where that is not what the exercise suggests.

    Returns
    -------
    Verdict
        Shown as a card in a notebook. ``.verdict``, ``.message``, ``.correct``.

    Raises
    ------
    UnknownExercise, TypeError
        For an id that does not exist, and for something that is no function.

    Notes
    -----
    Needs no network. The inputs are the same each time, so that you can work on
    one failing case; grading draws others.
    """
    exercise = own(exercise_id)
    if not callable(function):
        raise TypeError(
            f'hand over the function itself, without brackets: check("{exercise_id}", {exercise.function_name}); got {function!r}'
        )
    if points is not None:
        exercise = replace(exercise, points=points)
    cases = exercise.visible_cases
    verdict = decide(exercise, cases, ask(function, cases, exercise.allowed))
    if verdict.verdict != NOT_WRITTEN:
        journal.attempt(exercise.id, verdict.heading, verdict.correct)
    return verdict
