"""What grading knows and a student doesn't: the seeds of the hidden cases, and each student's own constants."""

from dataclasses import dataclass

from chip2cluster.renamed import EXERCISES, current

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
    # A page handed out before a rename asks under the old id.
    given |= {old: given[now] for old in EXERCISES if (now := current(old, EXERCISES)) in given}
    return Secrets({id: seed_for(id) for id in ids}, given)
