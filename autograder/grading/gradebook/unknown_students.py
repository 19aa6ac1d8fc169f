"""Rows of a lab's table of dates that name a student whom nobody knows: a misspelled id costs somebody an extension."""

import difflib
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from ..collect.student_names import find_student, normalize_name
from ..sanitize.terminal_text import printable
from .backup import explain_database_errors
from .course import NbgraderCourse, open_course
from .database import Gradebook, open_gradebook
from .dates import DateEntry, Dates
from .locking import wait_for_lock
from .timestamps import format_time

MOST_NEAR, LEAST_LIKENESS = 3, 0.6


@dataclass(frozen=True)
class UnknownStudent:
    """Row of a table of dates whose student is neither in the gradebook nor has submitted.

    Attributes
    ----------
    student : str
        Id as the table has it.
    near : tuple of str
        Known ids that may be meant, the most similar one first.
    entry : DateEntry
    """

    student: str
    near: tuple[str, ...]
    entry: DateEntry

    def sentence(self, lab: str) -> str:
        """Say what the row is, that it applies to nobody, and what to do."""
        entry = self.entry
        what = (
            f"a due date of their own, {format_time(entry.due)}"
            if entry.due
            else f"a time of submission, {format_time(entry.received)}"
            if entry.received
            else "a date"
        )
        near = f" Do you mean {' or '.join(map(printable, self.near))}?" if self.near else ""
        return (
            f"autograder/work/dates/{lab}.csv gives {printable(self.student)} {what}, and nobody is called that, so it applies to "
            f"nobody.{near} Correct the id, remove the row, or enter the student with `autograder roster`."
        )


def find_unknown(dates: Dates, known: Collection[str]) -> list[UnknownStudent]:
    """Return the rows of unknown students, by id.

    Parameters
    ----------
    dates : Dates
    known : collection of str
        Ids of all students of the gradebook and of all who have submitted.
    """
    return [
        UnknownStudent(student, near_ids(student, known), entry)
        for student, entry in sorted(dates.entries.items())
        if student not in known
    ]


def near_ids(typed: str, known: Collection[str]) -> tuple[str, ...]:
    """Return the known ids that a typed one may mean, the most similar one first.

    >>> near_ids("bop", ["ann", "bob", "rob"]), near_ids("BOB", ["ann", "bob"]), near_ids("bob@x.edu", ["bob", "ann"])
    (('bob',), ('bob',), ('bob',))
    """
    for text in (typed, typed.partition("@")[0]):
        if (exact := find_student(text, known)) is not None:
            return (exact,)
    by_form = {normalize_name(one): one for one in sorted(known)}
    found = difflib.get_close_matches(normalize_name(typed), by_form, MOST_NEAR, LEAST_LIKENESS)
    return tuple(by_form[one] for one in found)


def may_be_meant(student: str, dates: Dates, unknown: Collection[UnknownStudent]) -> bool:
    """Return whether a row of an unknown student may be about this one, who has no such entry.

    Parameters
    ----------
    student : str
        Id of a known student.
    dates : Dates
    unknown : collection of UnknownStudent
    """
    own = dates.entries.get(student)
    return any(
        student in one.near
        and not (own and all(getattr(own, name) for name in ("due", "received") if getattr(one.entry, name)))
        for one in unknown
    )


def unknown_in_course(root: str | Path, lab: str, course: NbgraderCourse | None = None) -> list[UnknownStudent]:
    """Return the rows of unknown students in a lab's table of dates, before anything is graded.

    Parameters
    ----------
    root : path
        The course folder.
    lab : str
        Name of the lab.
    course : NbgraderCourse, optional
        The open course; read from ``root`` if omitted.

    Raises
    ------
    ValueError
        If course or table cannot be read.
    """
    course = course or open_course(root)
    dates = Dates(course.root, lab)
    if not dates.entries:
        return []
    wait_for_lock(course.directory)
    with explain_database_errors(course.directory), open_gradebook(course.directory) as book:
        return find_unknown(dates, known_students(course, lab, book))


def known_students(course: NbgraderCourse, lab: str, book: Gradebook | None) -> set[str]:
    """Return the ids of all students of the gradebook and of all who have submitted a lab.

    Parameters
    ----------
    course : NbgraderCourse
    lab : str
    book : Gradebook or None
        The open gradebook; None if there is none yet.
    """
    known = {student.id for student in book.students} if book is not None else set()
    return known | ({*course.submissions(lab)} if course.submission(lab, "x").parents[1].is_dir() else set())
