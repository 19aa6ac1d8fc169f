"""What nbgrader's gradebook knows of a lab: hand marks, comments, late penalties."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from nbgrader import api

from .backup import file_of, readable


@dataclass(frozen=True)
class Mark:
    """Points of one cell: ``machine`` and ``manual`` are None where not given, ``score`` counts."""

    score: float
    machine: float | None
    manual: float | None
    waiting: bool

    @property
    def outdated(self) -> bool:
        """Whether the work was changed since a person marked it. The mark counts until a person looks again."""
        return self.waiting and self.manual is not None


@dataclass(frozen=True)
class Marks:
    """One submission in the gradebook; cells and comments by ``grade_id``, in points."""

    cells: dict[str, Mark] = field(default_factory=dict)
    comments: dict[str, str] = field(default_factory=dict)
    late_penalty: float = 0.0
    submitted: datetime | None = None

    @property
    def raw_score(self) -> float:
        """Points of all cells, hand marks and extra credit included."""
        return round(sum(mark.score for mark in self.cells.values()), 6)

    @property
    def score(self) -> float:
        """Points less the late penalty, never below 0: the total that nbgrader shows."""
        return max(0.0, round(self.raw_score - self.late_penalty, 6))

    @property
    def waiting(self) -> bool:
        """Whether a person has still to mark a cell."""
        return any(mark.waiting for mark in self.cells.values())

    @property
    def lacking(self) -> bool:
        """Whether a cell that a person has to mark has no points yet."""
        return any(mark.waiting and not mark.outdated for mark in self.cells.values())

    @property
    def by_hand(self) -> bool:
        """Whether a person has marked anything."""
        return any(mark.manual is not None for mark in self.cells.values())

    @property
    def outdated(self) -> bool:
        """Whether a mark that counts was given for work that has been changed since."""
        return any(mark.outdated for mark in self.cells.values())

    @property
    def remarks(self) -> dict[str, str]:
        """Comments by cell; one on work that has been changed since says so."""
        return {
            cell: f"On an earlier version of your work: {comment}" if self._outdated(cell) else comment
            for cell, comment in self.comments.items()
        }

    def _outdated(self, cell: str) -> bool:
        mark = self.cells.get(cell)
        return mark is not None and mark.outdated


@contextmanager
def gradebook(directory: Any) -> Iterator[Any]:
    """Open the gradebook of nbgrader's ``CourseDirectory``; None where there is none yet, and makes none.

    Raises
    ------
    ValueError
        When it cannot be read, with the way back.
    """
    file = file_of(directory)
    if file is not None and not file.is_file():
        yield None
        return
    with readable(directory), api.Gradebook(directory.db_url, directory.course_id) as opened:
        yield opened


def marks_of(book: Any, lab: str) -> dict[str, Marks]:
    """Read the marks of all submissions of a lab.

    Parameters
    ----------
    book : nbgrader.api.Gradebook or None
    lab : str
        Name of the lab.

    Returns
    -------
    dict
        `Marks` by student; empty where nothing is in the gradebook.
    """
    if book is None:
        return {}
    marks = {}
    submissions = book.db.query(
        api.SubmittedAssignment.student_id,
        api.SubmittedAssignment.timestamp,
        api.SubmittedAssignment.late_submission_penalty,
    )
    for student, submitted, penalty in _of_lab(submissions, lab):
        marks[student] = Marks(late_penalty=float(penalty or 0), submitted=submitted)
    grades = _joined(book.db.query(api.SubmittedAssignment.student_id, api.BaseCell.name, api.Grade), api.Grade)
    for student, cell, grade in _of_lab(grades, lab):
        marks[student].cells[cell] = Mark(
            float(grade.score or 0), grade.auto_score, grade.manual_score, bool(grade.needs_manual_grade)
        )
    comments = _joined(
        book.db.query(api.SubmittedAssignment.student_id, api.BaseCell.name, api.Comment.comment), api.Comment
    )
    for student, cell, comment in _of_lab(comments, lab):
        if comment:
            marks[student].comments[cell] = comment
    return marks


def _joined(query: Any, entry: Any) -> Any:
    return (
        query.select_from(entry)
        .join(api.BaseCell, api.BaseCell.id == entry.cell_id)
        .join(api.SubmittedNotebook, api.SubmittedNotebook.id == entry.notebook_id)
        .join(api.SubmittedAssignment, api.SubmittedAssignment.id == api.SubmittedNotebook.assignment_id)
    )


def _of_lab(query: Any, lab: str) -> Any:
    """The rows of one lab: one query for a whole class."""
    return query.join(api.Assignment, api.Assignment.id == api.SubmittedAssignment.assignment_id).filter(
        api.Assignment.name == lab
    )


def points(number: float) -> str:
    """Format points: at most two decimals, none where they are whole."""
    return f"{round(number, 2):.2f}".rstrip("0").rstrip(".")
