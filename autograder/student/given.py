"""Personal constants: numbers of an exercise that differ from student to student."""

import os
from pathlib import Path

from ..exercises import also_in
from ..exercises import exercise as find
from ..secret import student, student_seed
from . import membership


def given(exercise_id):
    """Return your own constants of an exercise, the same each time.

    Parameters
    ----------
    exercise_id : str
        Id of a personal exercise.

    Returns
    -------
    dict
        Numbers by name, in SI base units.

    Raises
    ------
    UnknownExercise
        If no exercise has the id.
    ValueError
        If the exercise is the same for everybody.
    UnknownStudent
        If the folder belongs to a class and no student has been set.

    Notes
    -----
    The constants belong to the student that ``autograder identify`` has set, if the notebook is in a folder with an
    instructor's ``class.json``; else to ``CHIP2CLUSTER_STUDENT``, your name on JupyterHub, or your account's name.
    """
    also_in(Path.cwd())
    exercise = find(exercise_id)
    if exercise.constants is None:
        raise ValueError(f"{exercise_id} is the same for everybody; it has no numbers of your own")
    return exercise.given(_seed(exercise.numbers_of or exercise.id))


def _seed(exercise_id):
    # A hub sets both the key and the name.
    if not os.environ.get("CHIP2CLUSTER_VALUES_KEY") and (group := membership.find_class()):
        return student_seed(group.student(), exercise_id, group.key)
    return student_seed(student(), exercise_id)


def personal_exercise(exercise_id):
    """Return the exercise with the constants of the student who works here."""
    exercise = find(exercise_id)
    return exercise.personal(given(exercise_id)) if exercise.constants else exercise
