"""Marks of a lab in nbgrader's gradebook: points by machine and by hand, comments, late penalties."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from ..nbgrader_compat import queries


@dataclass(frozen=True)
class Mark:
    """Points of one cell: ``machine`` and ``manual`` are None if not given; ``score`` counts."""

    score: float
    machine: float | None
    manual: float | None
    waiting: bool

    @property
    def outdated(self) -> bool:
        """Whether the work has changed since a person marked it; the mark counts until a person reviews it."""
        return self.waiting and self.manual is not None


@dataclass(frozen=True)
class Marks:
    """Marks of one submission; cells, in points, and comments by ``grade_id``."""

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
        """Whether a person still has to mark or review a cell."""
        return any(mark.waiting for mark in self.cells.values())

    @property
    def incomplete(self) -> bool:
        """Whether a cell that a person has to mark has no points yet."""
        return any(mark.waiting and not mark.outdated for mark in self.cells.values())

    @property
    def by_hand(self) -> bool:
        """Whether a person has marked anything."""
        return any(mark.manual is not None for mark in self.cells.values())

    @property
    def outdated(self) -> bool:
        """Whether a mark that counts was given for work that has changed since."""
        return any(mark.outdated for mark in self.cells.values())

    @property
    def dated_comments(self) -> dict[str, str]:
        """Comments by cell; those on work that has changed since say so."""
        return {
            cell: f"On an earlier version of your work: {comment}" if self._outdated(cell) else comment
            for cell, comment in self.comments.items()
        }

    def _outdated(self, cell: str) -> bool:
        mark = self.cells.get(cell)
        return mark is not None and mark.outdated


def load_marks(book: Any, lab: str) -> dict[str, Marks]:
    """Load the marks of all submissions of a lab.

    Parameters
    ----------
    book : Gradebook or None
        The open gradebook.
    lab : str
        Name of the lab.

    Returns
    -------
    dict
        `Marks` by student; empty if there is no gradebook.
    """
    if book is None:
        return {}
    marks = {}
    for student, submitted, penalty in queries.submissions(book, lab):
        marks[student] = Marks(late_penalty=float(penalty or 0), submitted=submitted)
    for student, cell, grade in queries.grades(book, lab):
        marks[student].cells[cell] = Mark(
            float(grade.score or 0), grade.auto_score, grade.manual_score, bool(grade.needs_manual_grade)
        )
    for student, cell, comment in queries.comments(book, lab):
        if comment:
            marks[student].comments[cell] = comment
    return marks


def format_points(number: float) -> str:
    """Format points with at most two decimals, none if they are integral."""
    return f"{round(number, 2):.2f}".rstrip("0").rstrip(".")
