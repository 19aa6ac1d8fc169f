"""Personal parts of an exercise, which differ from student to student: its numbers, or three answers to judge."""

import os
from hashlib import sha256
from pathlib import Path

from chip2cluster.exercise.critique_draws import DRAWS

from ..exercises import also_in
from ..exercises import exercise as find
from ..secret import student, student_seed
from . import membership, review
from .critique_view import CritiqueView

# Draws of answers that this kernel showed last, by exercise: a check is about what is on the page.
_shown: dict[str, int] = {}


def given(exercise_id):
    """Return your own constants of an exercise, the same each time, or the three answers that you are to judge.

    Parameters
    ----------
    exercise_id : str
        Id of a personal exercise, or of one that asks what is wrong with an answer.

    Returns
    -------
    dict or CritiqueView
        Numbers by name, in SI base units; or three answers, which a notebook shows. These are new ones when
        ``progress("review")`` brings the exercise back.

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
    if exercise.redraw:
        number = _shown[exercise.id] = draw_number(exercise.id)
        return CritiqueView(exercise.id, exercise.with_draw(number).critique)
    if exercise.constants is None:
        raise ValueError(f"{exercise_id} is the same for everybody; it has no numbers of your own")
    return exercise.given(_seed(exercise.numbers_of or exercise.id))


def _seed(exercise_id):
    # A hub sets both the key and the name.
    if not os.environ.get("CHIP2CLUSTER_VALUES_KEY") and (group := membership.find_class()):
        return student_seed(group.student(), exercise_id, group.key)
    return student_seed(student(), exercise_id)


def draw_number(exercise_id: str, name: str = "") -> int:
    """Return the number of the draw of answers for a student, by default for the one who works here."""
    number = sha256(f"{name or student()} {exercise_id}".encode()).digest()[0] % DRAWS
    again = None if name else review.repetition_seed(exercise_id)
    # A repetition never shows the answers of the first time.
    return number if again is None else (number + 1 + again % (DRAWS - 1)) % DRAWS


def personal_exercise(exercise_id):
    """Return the exercise with the constants, or the answers to judge, of the student who works here."""
    exercise = find(exercise_id)
    if exercise.redraw:
        return exercise.with_draw(_shown.get(exercise.id, draw_number(exercise.id)))
    return exercise.personal(given(exercise_id)) if exercise.constants else exercise
