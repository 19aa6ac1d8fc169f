"""Due dates of a lab, for all students or for one, in any time zone; nbgrader stores them in UTC."""

import csv
import io
from datetime import datetime
from pathlib import Path
from typing import Any

from ...atomic_write import write_text
from ..gradebook.course import open_course
from ..gradebook.database import MissingEntry, create_gradebook, open_gradebook
from ..gradebook.dates import COLUMNS, Dates, date_table_file
from ..gradebook.timestamps import format_time, parse_time
from ..lab import load
from ..sanitize.terminal_text import printable
from ..spreadsheet import read_rows


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
        If the lab is unknown, or the time is ambiguous.
    """
    load(root, lab)
    due = _parse_due(text)
    directory = open_course(root).directory
    with create_gradebook(directory) as book:
        try:
            before = book.find_assignment(lab).duedate
        except MissingEntry:
            before = None
        book.update_or_create_assignment(lab, duedate=due)
    return before, due


def set_student_due(
    root: str | Path, lab: str, student: str, text: str | None
) -> tuple[datetime | None, datetime | None]:
    """Set the due date of one student in the table of dates; None removes it.

    Returns
    -------
    datetime or None
        Student's own due date before the change.
    datetime or None
        Student's own due date after the change.

    Raises
    ------
    ValueError
        If the lab or the student is unknown, the lab is never due, or the time is ambiguous.
    """
    load(root, lab)
    due, course = _parse_due(text), open_course(root)
    with open_gradebook(course.directory) as book:
        general, extensions = due_dates(book, lab)
        if book is None or student not in {one.id for one in book.students}:
            raise ValueError(
                f"nobody in the gradebook is called {printable(student)!r}: enter them with `autograder roster`"
            )
    if general is None and due is not None:
        raise ValueError(f"{lab} is never due: set the date for all first, with `autograder due {lab} TIME`")
    file, before = date_table_file(course.root, lab), Dates(course.root, lab)  # refuses a table that cannot be read
    (_, header), *lines = [*read_rows(file)] if file.is_file() else [(0, list(COLUMNS))]
    entries = {cells[0]: dict(zip(header, cells, strict=False)) for _, cells in lines}
    if not file.is_file():
        # Extensions are read from the table alone as soon as it exists.
        entries = {one: {"student": one, "due": extended} for one, extended in extensions.items()}
    previous = before.entries[student].due if student in before.entries else _parse_due(extensions.get(student))
    entries.setdefault(student, {"student": student})["due"] = format_time(due) if due else ""
    stream = io.StringIO()
    csv.writer(stream).writerows([COLUMNS, *([one.get(name, "") for name in COLUMNS] for one in entries.values())])
    write_text(file, stream.getvalue())
    return previous, due


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
    try:
        return None if text is None else parse_time(text)
    except (ValueError, OverflowError) as problem:
        why = f" ({problem})" if "clock" in str(problem) or "zone is" in str(problem) else ""
        raise ValueError(
            f"{text!r} is not a due date{why}; write it as '2027-01-31 23:59 Europe/Berlin' or '2027-01-31 22:59 UTC'"
        ) from None
