"""Due dates of a lab, for all students or for one, in any time zone; nbgrader stores them in UTC."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from ..gradebook.backup import explain_database_errors
from ..gradebook.course import open_course
from ..gradebook.database import MissingEntry, create_gradebook, open_gradebook
from ..gradebook.dates import Dates, date_table_file, read_date_rows, write_date_rows
from ..gradebook.groups import load_groups
from ..gradebook.late_policy import load_lab_dates, save_lab_dates
from ..gradebook.timestamps import format_time, is_day, named_zone, parse_time
from ..lab import load
from ..sanitize.terminal_text import printable
from .student_names import find_student


@dataclass(frozen=True)
class LateWork:
    """Submission that is late by the present dates.

    Attributes
    ----------
    student : str
        Id of the student.
    due : datetime
        Due date of this student, in UTC without a zone.
    received : datetime or None
        Time of submission; None if only the platform's word says that it is late.
    collected : datetime or None
        Time at which work without a time was on this machine.
    """

    student: str
    due: datetime
    received: datetime | None
    collected: datetime | None = None


def late_work(root: str | Path, lab: str) -> list[LateWork]:
    """List the submissions of a lab that are late by its present dates, by student."""
    course = open_course(root)
    with open_gradebook(course.directory) as book:
        general, extensions = due_dates(book, lab)
    if general is None or not course.submission(lab, "x").parents[1].is_dir():
        return []
    dates = Dates(course.root, lab, parent=course.app)
    late = []
    for student, source in course.submissions(lab).items():
        entry = dates.entries.get(student)
        if dates.file.is_file():
            due = (entry and entry.due) or general
        else:
            due = parse_time(extensions[student]) if student in extensions else general
        received = dates.received(student, source)
        counts = received or (entry.submission_time(due) if entry else None)
        if counts and counts > due:
            late.append(LateWork(student, due, received, entry.collected if entry else None))
    return late


def declare_in_time(root: str | Path, lab: str, student: str) -> None:
    """Write into the table of dates that a student's work, of which no time is known, was in time.

    Raises
    ------
    ValueError
        If the lab is unknown, or the time of the work is known.
    """
    load(root, lab)
    course = open_course(root)
    file, entries = date_table_file(course.root, lab), Dates(course.root, lab).entries
    student = find_student(student, entries) or student
    entry = entries.get(student)
    if entry is None or entry.late is None or entry.received:
        raise ValueError(
            f"no platform called the work of {printable(student)} in {lab} late without a time: grant more time with "
            f"`autograder due {lab} TIME --student {printable(student)}`"
        )
    rows = read_date_rows(file)
    rows[student]["late"] = "no"
    write_date_rows(file, rows.values())


def set_due(root: str | Path, lab: str, text: str | None) -> tuple[datetime | None, datetime | None]:
    """Set the due date of a lab; None removes it.

    Returns
    -------
    datetime or None
        Due date before the change, in UTC without a zone.
    datetime or None
        Due date after the change.

    Raises
    ------
    ValueError
        If the lab is unknown, the time is ambiguous, or a student has an own date in a lab that would never be due.
    """
    load(root, lab)
    due = _parse_due(text)
    directory = open_course(root).directory
    if due is None and (own := [student for student, entry in Dates(root, lab).entries.items() if entry.due]):
        each = " ".join(f"--student {printable(student)}" for student in own)
        raise ValueError(
            f"{', '.join(map(printable, own))} would have a date of their own in a lab that is never due: remove it first, with "
            f"`autograder due {lab} --never {each}`"
        )
    with explain_database_errors(directory), create_gradebook(directory) as book:
        try:
            before = book.find_assignment(lab).duedate
        except MissingEntry:
            before = None
        book.update_or_create_assignment(lab, duedate=due)
    if text and (zone := named_zone(text)):
        # Days of lateness end by the clock of this place.
        settings = load_lab_dates(directory.root, lab)
        policy = replace(settings.policy, timezone=zone) if settings.policy else None
        save_lab_dates(directory.root, lab, replace(settings, timezone=zone, policy=policy))
    return before, due


def set_student_due(
    root: str | Path, lab: str, students: Sequence[str], text: str | None
) -> list[tuple[str, datetime | None, datetime | None]]:
    """Set the due date of students in the table of dates; None removes it.

    Returns
    -------
    list of (str, datetime or None, datetime or None)
        Id of each student, and the student's own due date before and after the change.

    Raises
    ------
    ValueError
        If the lab or a student is unknown, the lab is never due, or the time is ambiguous; then nothing is changed.
    """
    load(root, lab)
    due, course = _parse_due(text), open_course(root)
    with open_gradebook(course.directory) as book:
        general, extensions = due_dates(book, lab)
        known = [one.id for one in book.students] if book is not None else []
    ids = [_known_student(student, known) for student in students]
    if general is None and due is not None:
        raise ValueError(f"{lab} is never due: set the date for all first, with `autograder due {lab} TIME`")
    file, before = date_table_file(course.root, lab), Dates(course.root, lab)  # refuses a table that cannot be read
    entries = read_date_rows(file)
    if not file.is_file():
        # Extensions are read from the table alone as soon as it exists.
        entries = {one: {"student": one, "due": extended} for one, extended in extensions.items()}
    changed = {}
    for student in ids:
        previous = before.entries[student].due if student in before.entries else _parse_due(extensions.get(student))
        changed[student] = (student, previous, due)
        entries.setdefault(student, {"student": student})["due"] = format_time(due) if due else ""
    write_date_rows(file, entries.values())
    return [*changed.values()]


def _known_student(typed: str, known: Sequence[str]) -> str:
    if not typed.strip():
        raise ValueError("--student needs the id of a student; an empty one is nobody")
    if (student := find_student(typed, known)) is None:
        raise ValueError(f"nobody in the gradebook is called {printable(typed)!r}: enter them with `autograder roster`")
    return student


def earlier_dates(root: str | Path, lab: str) -> dict[str, tuple[datetime, datetime]]:
    """Return the own due date and the class's date of each student who has less time than the class."""
    general, own = _class_and_own_dates(root, lab)
    return {student: (due, general) for student, due in own.items() if general and due < general}


def mates_with_less_time(root: str | Path, lab: str) -> dict[str, list[str]]:
    """Return, by student, the members of the student's group who have less time for the lab.

    The date of the member who submits counts for the whole group.
    """
    general, own = _class_and_own_dates(root, lab)
    found: dict[str, list[str]] = {}
    if general is None:
        return {}
    for members in load_groups(root, lab).members.values():
        due = {one: own.get(one, general) for one in members}
        found |= {one: less for one in members if (less := [mate for mate in members if due[mate] < due[one]])}
    return found


def _class_and_own_dates(root: str | Path, lab: str) -> tuple[datetime | None, dict[str, datetime]]:
    course = open_course(root)
    with open_gradebook(course.directory) as book:
        general, extensions = due_dates(book, lab)
    if date_table_file(course.root, lab).is_file():
        own = {student: entry.due for student, entry in Dates(course.root, lab).entries.items() if entry.due}
    else:
        own = {student: parse_time(extended) for student, extended in extensions.items()}
    return general, own


def due_dates(book: Any, lab: str) -> tuple[datetime | None, dict[str, str]]:
    """Due date of a lab, and the extended due dates in the gradebook, as text by student."""
    try:
        assignment = book.find_assignment(lab) if book is not None else None
    except MissingEntry:
        assignment = None
    if assignment is None or assignment.duedate is None:
        return None, {}
    return assignment.duedate, {
        one.student_id: format_time(one.duedate) for one in assignment.submissions if one.extension
    }


def _parse_due(text: str | None) -> datetime | None:
    if text is not None and is_day(text):
        # Its first minute would make everybody late who hands in on that day.
        raise ValueError(f"{text!r} has no time of day; write it as in '{text.split()[0]} 23:59 Europe/Berlin'")
    try:
        return None if text is None else parse_time(text)
    except (ValueError, OverflowError) as problem:
        why = f" ({problem})" if "clock" in str(problem) or "zone is" in str(problem) else ""
        raise ValueError(
            f"{text!r} is not a due date{why}; write it as '2027-01-31 23:59 Europe/Berlin' or '2027-01-31 22:59 UTC'"
        ) from None
