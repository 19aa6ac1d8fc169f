"""Queries on the tables of nbgrader's gradebook, one for a whole class.

They rely on the tables' columns and relations: methods of `Gradebook` find one entry at a time, and take minutes for a
class.
"""

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

from nbgrader.api import Assignment, BaseCell, Comment, Grade, SubmittedAssignment, SubmittedNotebook
from sqlalchemy import Select, bindparam, select

_MARKED_BY_HAND = (
    select(Grade)
    .join(SubmittedNotebook, SubmittedNotebook.id == Grade.notebook_id)
    .join(SubmittedAssignment, SubmittedAssignment.id == SubmittedNotebook.assignment_id)
    .join(Assignment, Assignment.id == SubmittedAssignment.assignment_id)
    .where(Assignment.name == bindparam("lab"), SubmittedAssignment.student_id == bindparam("student"))
    .where(Grade.manual_score.isnot(None))
)


def submissions(book: Any, lab: str) -> Iterator[tuple[str, datetime | None, float | None]]:
    """Yield student, time of submission and late penalty for each submission of a lab."""
    columns = (
        SubmittedAssignment.student_id,
        SubmittedAssignment.timestamp,
        SubmittedAssignment.late_submission_penalty,
    )
    yield from map(tuple, _of_lab(book.db.query(*columns), lab))


def submission_times(book: Any, lab: str) -> Iterator[tuple[str, datetime | None, timedelta | None, float | None]]:
    """Yield student, time of submission, extension and late penalty for each submission of a lab."""
    columns = (
        SubmittedAssignment.student_id,
        SubmittedAssignment.timestamp,
        SubmittedAssignment.extension,
        SubmittedAssignment.late_submission_penalty,
    )
    yield from map(tuple, _of_lab(book.db.query(*columns), lab))


def grades(book: Any, lab: str) -> Iterator[tuple[str, str, Grade]]:
    """Yield student, ``grade_id`` and entry for each graded cell of each submission of a lab."""
    yield from map(tuple, _of_lab(_by_cell(book, Grade, Grade), lab))


def comments(book: Any, lab: str) -> Iterator[tuple[str, str, str | None]]:
    """Yield student, ``grade_id`` and the comment that counts for each cell of each submission of a lab."""
    yield from map(tuple, _of_lab(_by_cell(book, Comment, Comment.comment), lab))


def machine_scores(book: Any, lab: str) -> Iterator[tuple[str, str, float | None]]:
    """Yield student, ``grade_id`` and the machine's points for each graded cell of each submission of a lab."""
    yield from map(tuple, _of_lab(_by_cell(book, Grade, Grade.auto_score), lab))


def marked_by_hand(book: Any, lab: str, student: str) -> list[Grade]:
    """Entries of one submission that a person has given points to."""
    return list(book.db.scalars(_MARKED_BY_HAND, {"lab": lab, "student": student}))


def penalized_submissions(book: Any) -> set[str]:
    """Ids of the submissions, of all labs, of which a notebook has a late penalty."""
    has_one = SubmittedNotebook.late_submission_penalty.isnot(None)
    return {found for (found,) in book.db.query(SubmittedNotebook.assignment_id).filter(has_one)}


def _by_cell(book: Any, entry: Any, column: Any) -> Any:
    return (
        book.db.query(SubmittedAssignment.student_id, BaseCell.name, column)
        .select_from(entry)
        .join(BaseCell, BaseCell.id == entry.cell_id)
        .join(SubmittedNotebook, SubmittedNotebook.id == entry.notebook_id)
        .join(SubmittedAssignment, SubmittedAssignment.id == SubmittedNotebook.assignment_id)
    )


def _of_lab(query: Any, lab: str) -> Any:
    return query.join(Assignment, Assignment.id == SubmittedAssignment.assignment_id).filter(Assignment.name == lab)


def _of_notebook(entry: Any) -> Select[Any]:
    query = select(BaseCell.name, entry).join(BaseCell, BaseCell.id == entry.cell_id)
    return query.where(entry.notebook_id == bindparam("notebook"))


# To build a query takes as long as to run it.
_GRADES, _COMMENTS = _of_notebook(Grade), _of_notebook(Comment)


def entries_of(book: Any, notebook: str) -> tuple[dict[str, Grade], dict[str, Comment]]:
    """Grades and comments of one submitted notebook, by ``grade_id``."""
    found, said = (dict(map(tuple, book.db.execute(rows, {"notebook": notebook}))) for rows in (_GRADES, _COMMENTS))
    return found, said
