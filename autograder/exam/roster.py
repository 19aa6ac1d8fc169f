"""Students of an exam: a list of students, the class in the gradebook, or a number of papers without names."""

import re
from collections.abc import Iterable
from pathlib import Path

from ..grading.collect.roster import MissingIdColumn, class_in_gradebook, read_roster

MOST = 2000
LONGEST = 80


def read_students(file: Path) -> tuple[list[str], list[str]]:
    """Read a list of students as `autograder roster` does, a platform's export or a table with a column ``id``.

    Returns
    -------
    list of str
        Ids in the order of the list.
    list of str
        Sentences about lines that were ignored.

    Raises
    ------
    ValueError
        If the list cannot be used, or has an id twice.
    """
    try:
        found = read_roster(file)
    except MissingIdColumn:
        raise ValueError(
            f"{file} needs a first line that names a column id or student, or is a list of students that a platform exports"
        ) from None
    for student, (earlier, line) in found.repeated.items():
        raise ValueError(f"{file} has {student!r} in line {earlier} and again in line {line}: keep one of them")
    students = [one.student for one in found.people]
    if too_long := next((one for one in students if len(one) > LONGEST), None):
        raise ValueError(f"{file}: an id has at most {LONGEST} characters, and {too_long[:20]}... has {len(too_long)}")
    return _limited(students, str(file)), found.notes


def gradebook_class(root: str | Path) -> list[str]:
    """Return the ids of the students in the gradebook of a course.

    Raises
    ------
    ValueError
        If there is no gradebook or nobody in it.
    """
    students = class_in_gradebook(root)
    if not students:
        raise ValueError(
            "say who sits the exam: --students FILE, a list of students, or --copies NUMBER; or enter the class in the "
            "gradebook with `autograder roster FILE`"
        )
    return _limited(students, "the gradebook")


def _limited(students: list[str], source: str) -> list[str]:
    if len(students) > MOST:
        raise ValueError(f"{source} names {len(students)} students; an exam has papers for 1 to {MOST}")
    return students


def numbered_papers(copies: int, existing: Iterable[str] = ()) -> list[str]:
    """Return names of papers for any student: ``paper-01`` and so on.

    Parameters
    ----------
    copies : int
        Number of papers.
    existing : iterable of str
        Names of papers of the exam; a number keeps its name, so that ``paper-1`` never gets a twin ``paper-01``.
    """
    if not 0 < copies <= MOST:
        raise ValueError(f"an exam has 1 to {MOST} papers, got {copies}")
    known = {int(name[6:]): name for name in existing if re.fullmatch(r"paper-[0-9]{1,4}", name)}
    width = len(next(iter(known.values()))) - 6 if known else len(str(copies))
    return [known.get(number, f"paper-{number:0{width}d}") for number in range(1, copies + 1)]
