"""The numbers of an exercise that each student gets different ones of."""

from pathlib import Path

from ..exercises import also_in
from ..exercises import exercise as find
from ..secret import student, student_seed


def given(exercise_id):
    """Return your own constants of an exercise, the same each time.

    Parameters
    ----------
    exercise_id : str
        Of a personal exercise.

    Returns
    -------
    dict
        Numbers by name, in SI base units.

    Raises
    ------
    UnknownExercise, ValueError
        For an id that does not exist, and for an exercise that is the same for all.

    Notes
    -----
    Drawn for ``CHIP2CLUSTER_STUDENT``, or your name on JupyterHub, or your account's.
    """
    also_in(Path.cwd())
    exercise = find(exercise_id)
    if exercise.constants is None:
        raise ValueError(f"{exercise_id} is the same for everybody; it has no numbers of your own")
    return exercise.given(student_seed(student(), exercise.numbers_of or exercise.id))


def own(exercise_id):
    """The exercise as it is for whoever works on this page."""
    exercise = find(exercise_id)
    return exercise.personal(given(exercise_id)) if exercise.constants else exercise
