"""Instant feedback on a function the learner has written."""

from chip2cluster import journal

from ..ask import ask
from ..judge import decide
from ..verdict import NOT_WRITTEN
from .given import own


def check(id, function):
    """Say whether ``function`` solves the exercise, and if not, which mistake it makes.

    Parameters
    ----------
    id : str
        Id of the exercise, such as ``"roofline.attainable"``.
    function : callable
        Your function itself, without brackets.

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
    found = own(id)
    if not callable(function):
        raise TypeError(
            f'hand over the function itself, without brackets: check("{id}", {found.function_name}); got {function!r}'
        )
    cases = found.visible_cases
    verdict = decide(found, cases, ask(function, cases, found.allowed))
    if verdict.verdict != NOT_WRITTEN:
        journal.attempt(found.id, verdict.heading, verdict.correct)
    return verdict
