"""State of one written answer for one marker: chosen lines, points that count, and where gradebook and lines differ."""

from dataclasses import dataclass, field
from typing import Any

from ..gradebook.marks import Mark, Marks
from .mark_sheet import MarkSheet, RubricMark
from .rubric import Rubric


@dataclass(frozen=True)
class AnswerState:
    """State of one answer for one marker.

    Attributes
    ----------
    student : str
    lines : tuple of str
        Chosen lines: of the draft, else of the mark.
    comment : str
    points : float or None
        Points that count; None if nobody gave any.
    done : bool
        Whether the marker has nothing to do here.
    draft : bool
        Whether lines or comment are not given yet.
    notes : list of str
        Sentences for the marker, such as a difference between gradebook and lines.
    """

    student: str
    lines: tuple[str, ...]
    comment: str
    points: float | None
    done: bool
    draft: bool
    notes: list[str] = field(default_factory=list)


def answer_state(student: str, sheet: MarkSheet, marks: Marks, rubric: Rubric, marker: str) -> AnswerState:
    """Return the state of a student's answer for a marker; the gradebook's points count, whatever the lines gave."""
    entry = marks.cells.get(sheet.question, Mark(0.0, None, None, True))
    comment = marks.comments.get(sheet.question, "")
    mark = sheet.mark_of(student, marker)
    draft = sheet.drafts.get(marker, {}).get(student)
    notes = []
    if student in sheet.marks and mark is not sheet.marks[student]:
        # The first marker's points and comment stay unseen.
        comment = mark.comment if mark else ""
        points, done = (mark.points if mark else None), mark is not None
    else:
        points, done = entry.manual, entry.manual is not None and not entry.waiting
        if entry.outdated:
            notes.append("The answer has changed since it was marked: look again.")
        if mark and differs(mark, entry, comment):
            notes.append(difference(mark, entry))
        if mark and mark.marker != marker:
            notes.append(f"Marked by {mark.marker or 'the first marker'}.")
    shown = draft or {"lines": mark.lines if mark else (), "comment": comment}
    lines = tuple(line for line in shown["lines"] if rubric.line(line))
    return AnswerState(student, lines, shown["comment"], points, done, draft is not None, notes)


def differs(mark: RubricMark, entry: Mark, comment: str) -> bool:
    """Return whether the gradebook has other points or another comment than the lines gave."""
    return entry.manual != mark.points or comment != mark.comment


def difference(mark: RubricMark, entry: Mark) -> str:
    """Return the sentence for a gradebook that differs from the lines."""
    if entry.manual == mark.points:
        return "The comment was changed in the gradebook since; that one counts."
    given = "no points" if entry.manual is None else f"{entry.manual:g} points"
    return f"The gradebook has {given}, these lines gave {mark.points:g}: the gradebook counts."


def names_of(student: Any) -> list[str]:
    """Return what would say who wrote an answer, from a student's entry in the gradebook."""
    first, last = student.first_name or "", student.last_name or ""
    return [
        student.id,
        f"{first} {last}",
        f"{last}, {first}",
        first,
        last,
        student.email or "",
        student.lms_user_id or "",
    ]
