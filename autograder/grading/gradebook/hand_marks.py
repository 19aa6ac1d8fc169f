"""Marks given by hand stay reviewed when nothing they were given for has changed."""

from collections.abc import Iterator
from typing import Any

from nbgrader.api import Assignment, Grade, SubmittedAssignment, SubmittedNotebook
from sqlalchemy import bindparam, select

MARKED = (
    select(Grade)
    .join(SubmittedNotebook, SubmittedNotebook.id == Grade.notebook_id)
    .join(SubmittedAssignment, SubmittedAssignment.id == SubmittedNotebook.assignment_id)
    .join(Assignment, Assignment.id == SubmittedAssignment.assignment_id)
    .where(Assignment.name == bindparam("lab"), SubmittedAssignment.student_id == bindparam("student"))
    .where(Grade.manual_score.isnot(None))
)


def reviews(book: Any, lab: str, student: str) -> dict[str, float | None]:
    """The machine's points of every cell that a person marked and is done with, by ``grade_id``."""
    return {grade.name: grade.auto_score for grade in _marked(book, lab, student) if not grade.needs_manual_grade}


def keep_reviewed(book: Any, lab: str, student: str, past: dict[str, float | None], before: Any, after: Any) -> None:
    """Take back nbgrader's request for another look where there is nothing new to look at.

    nbgrader asks for one whenever a submission with marks by hand is graded again.

    Parameters
    ----------
    book : Gradebook
    lab, student : str
    past : dict
        From `reviews`, before this grading.
    before, after : notebook or None
        The autograded notebook as it was, and as it will be.
    """
    if before is None:
        return
    old, new = ({name: text for name, text, _ in _cells(notebook)} for notebook in (before, after))
    answers = [name for name, _, answer in _cells(after) if answer]
    for grade in _marked(book, lab, student):
        # A mark for a check cell judges all that the student wrote.
        judged = [grade.name] if grade.name in answers else answers
        same = all(old.get(name) == new[name] for name in judged)
        if same and grade.name in past and past[grade.name] == grade.auto_score:
            grade.needs_manual_grade = False


def _marked(book: Any, lab: str, student: str) -> list[Any]:
    return list(book.db.scalars(MARKED, {"lab": lab, "student": student}))


def _cells(notebook: Any) -> Iterator[tuple[str, str, bool]]:
    """(grade_id, source, whether it is an answer) of every cell that nbgrader knows."""
    for cell in notebook["cells"]:
        marks = cell["metadata"].get("nbgrader")
        if marks and "grade_id" in marks:
            yield marks["grade_id"], "".join(cell["source"]), marks.get("solution", False)
