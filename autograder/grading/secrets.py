"""What grading knows and a student doesn't: the seeds of the hidden cases, and each student's own constants."""

from dataclasses import dataclass
from typing import Any

from chip2cluster.renamed import EXERCISES, current

from ..exercises import exercise
from ..secret import seed_for, student_seed
from .lab import Lab


@dataclass(frozen=True)
class Secrets:
    """Seeds by exercise id, and constants by exercise id; the course secret itself stays where it is."""

    seeds: dict[str, int]
    given: dict[str, dict[str, Any]]


def secrets_for(lab: Lab, student: str) -> Secrets:
    """Draw them for one student and lab."""
    names = [task.exercise for task in lab.tasks if task.known]
    given = {name: exercise(name).given(student_seed(student, name)) for name in names if exercise(name).constants}
    # A page handed out before a rename asks under the old id.
    given |= {old: given[now] for old in EXERCISES if (now := current(old, EXERCISES)) in given}
    return Secrets({name: seed_for(name) for name in names}, given)
