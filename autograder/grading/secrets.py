"""What grading knows and a student doesn't: the seeds of the hidden cases, and each student's own constants."""

from dataclasses import dataclass

from ..exercises import exercise
from ..secret import seed_for, student_seed


@dataclass(frozen=True)
class Secrets:
    """Seeds by exercise id, and constants by exercise id; the course secret itself stays where it is."""

    seeds: dict
    given: dict


def secrets_for(lab, student):
    """Draw them for one student and lab."""
    ids = [task.exercise for task in lab.tasks]
    given = {id: exercise(id).given(student_seed(student, id)) for id in ids if exercise(id).constants}
    return Secrets({id: seed_for(id) for id in ids}, given)
