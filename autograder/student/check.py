"""Instant feedback on a function the learner has written."""

from dataclasses import replace

from chip2cluster import journal
from chip2cluster.exercise.verdict_codes import EDGES, FACTOR, MISCONCEPTION, NOT_WRITTEN, UNIT, VALUE

from ..checking.judge import grade_outcomes
from ..checking.run_locally import call_on_cases
from ..exercise_headers import topic
from ..exercises import NoLongerAsked
from ..help_policy import allowed, line
from . import current_page
from .exercise_lookup import Unclear, by_id_or_function
from .given import own
from .help import no_longer_asked

# What says more than that an answer is wrong.
NAMED = (UNIT, FACTOR, MISCONCEPTION, EDGES, VALUE)
UNNAMED = "This is not right. In this course the checks of graded labs say on which input, and leave it to you to find out why."


def check(exercise_id, function=None, points=None):
    """Say whether ``function`` solves the exercise, and if not, which mistake it makes.

    Parameters
    ----------
    exercise_id : str
        Such as ``"roofline.attainable"``. Where one exercise alone asks for a function
        of that name, your function is enough: ``check(attainable)``.
    function : callable
        Your function itself, without brackets.
    points : float, optional
        What it is worth in your class, where that is not what the exercise suggests.

    Returns
    -------
    Verdict
        Shown as a card in a notebook. ``.verdict``, ``.message``, ``.correct``.
        For an exercise that the course no longer has, a card that says so.

    Raises
    ------
    UnknownExercise, TypeError
        For an id that does not exist, and for something that is no function.

    Notes
    -----
    Needs no network. The inputs are the same each time, so that you can work on
    one failing case; grading draws others. Once an exercise is solved, further
    checks of it are not counted. ``hint()`` helps with what was checked last.
    """
    if isinstance(function, str) and not isinstance(exercise_id, str):
        exercise_id, function = function, exercise_id
    try:
        exercise = by_id_or_function(exercise_id, "check")
    except NoLongerAsked as gone:
        return no_longer_asked(gone.exercise_id)
    if callable(exercise_id) and function is None:
        function = exercise_id
    exercise = own(exercise.id)
    if not callable(function):
        got = "no function" if function is None else repr(function)
        raise Unclear(
            f'hand over the function itself, without brackets: check("{exercise.id}", {exercise.function_name}); '
            f"got {got if len(got) <= 60 else f'{got[:57]}...'}"
        )
    if points is not None:
        exercise = replace(exercise, points=points, graded=True)
    cases = exercise.visible_cases
    verdict = grade_outcomes(exercise, cases, call_on_cases(function, cases, exercise.allowed))
    if verdict.verdict == NOT_WRITTEN:
        return verdict
    limits = allowed(topic(exercise.id)) if exercise.graded else None
    # Of a rated answer the message is the measurement itself.
    if limits and not limits.mistakes and not exercise.rate and verdict.verdict in NAMED:
        verdict = replace(verdict, verdict=VALUE, mistake="", message=UNNAMED)
    current_page.note(exercise.id, verdict.correct)
    met = verdict.mistake if verdict.mistake in [known.name for known in exercise.mistakes] else ""
    entry = journal.attempt(exercise.id, verdict.heading, verdict.correct, met)
    most = min(limits.hints, len(exercise.hints)) if limits else len(exercise.hints)
    after = ["Stuck? Run `hint()` in a cell of its own."] if entry["hints"] < most and not verdict.correct else []
    if exercise.graded and entry["hints"]:
        after.append(line(exercise.id, entry["hints"], len(exercise.hints)))
    return replace(verdict, after=" ".join(after))
