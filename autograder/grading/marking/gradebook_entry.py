"""Points and comment of one written answer in nbgrader's gradebook, stored as formgrader stores them."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from ..gradebook.backup import explain_database_errors
from ..gradebook.course import NbgraderCourse
from ..gradebook.database import MissingEntry, create_gradebook
from ..gradebook.locking import wait_for_lock
from ..lab import Lab


@dataclass(frozen=True)
class GradebookEntry:
    """Entry of one answer: points by hand or None, comment by hand, and whether a person still has to mark it."""

    points: float | None
    comment: str
    waiting: bool


class Entries:
    """Entries of one question in an open gradebook."""

    def __init__(self, book: Any, lab: Lab, question: str) -> None:
        self._book, self._names = book, (question, lab.notebook, lab.name)

    def read(self, student: str) -> GradebookEntry:
        """Return a student's entry.

        Raises
        ------
        ValueError
            If the gradebook has no submission of the student.
        """
        grade, comment = self._find(student)
        said = comment.manual_comment if comment else None
        return GradebookEntry(grade.manual_score, said or "", bool(grade.needs_manual_grade))

    def write(self, student: str, entry: GradebookEntry) -> None:
        """Write a student's entry and commit."""
        grade, comment = self._find(student)
        grade.manual_score, grade.needs_manual_grade = entry.points, entry.waiting
        if comment:
            comment.manual_comment = entry.comment or None
        self._book.db.commit()

    def _find(self, student: str) -> tuple[Any, Any]:
        try:
            grade = self._book.find_grade(*self._names, student)
        except MissingEntry:
            raise ValueError(
                f"the gradebook has no submission of {student} for {self._names[2]}: run `autograder grade {self._names[2]}`"
            ) from None
        try:
            return grade, self._book.find_comment(*self._names, student)
        except MissingEntry:
            # A cell of the kind "manually graded task" has points but is no solution.
            return grade, None


@contextmanager
def open_entries(course: NbgraderCourse, lab: Lab, question: str) -> Iterator[Entries]:
    """Open the gradebook, wait for another program's lock, and yield the entries of one question."""
    wait_for_lock(course.directory)
    with explain_database_errors(course.directory), create_gradebook(course.directory) as book:
        yield Entries(book, lab, question)
