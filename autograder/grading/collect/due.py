"""The due date of a lab, for all or for one student, in any time zone; nbgrader keeps it in UTC."""

import csv
import io
from datetime import datetime
from pathlib import Path
from typing import Any

from nbgrader.api import Gradebook, MissingEntry

from ...atomic_write import write_text
from ..gradebook.course import open_course
from ..gradebook.dates import COLUMNS, Dates, table_of
from ..gradebook.marks import gradebook
from ..gradebook.timestamps import moment, written
from ..lab import load
from ..sanitize.terminal_text import shown
from ..spreadsheet import read_rows


def set_due(root: str | Path, lab: str, text: str | None) -> tuple[datetime | None, datetime | None]:
    """Set when a lab is due; None takes the date away.

    Returns
    -------
    datetime or None, twice
        The date as it was and as it is, in UTC without a zone.

    Raises
    ------
    ValueError
        For an unknown lab, and for a time that could be read in two ways.
    """
    load(root, lab)
    due = _moment(text)
    directory = open_course(root).directory
    with Gradebook(directory.db_url, directory.course_id) as book:
        try:
            before = book.find_assignment(lab).duedate
        except MissingEntry:
            before = None
        book.update_or_create_assignment(lab, duedate=due)
    return before, due


def set_own_due(root: str | Path, lab: str, student: str, text: str | None) -> tuple[datetime | None, datetime | None]:
    """Give one student a date of their own in the table of dates; None takes it away.

    Returns
    -------
    datetime or None, twice
        Their own date as it was and as it is.

    Raises
    ------
    ValueError
        For an unknown lab or student, a lab that is never due, and a time that could be read in two ways.
    """
    load(root, lab)
    due, course = _moment(text), open_course(root)
    with gradebook(course.directory) as book:
        general, granted = due_dates(book, lab)
        if book is None or student not in {one.id for one in book.students}:
            raise ValueError(
                f"nobody in the gradebook is called {shown(student)!r}: enter them with `autograder roster`"
            )
    if general is None and due is not None:
        raise ValueError(f"{lab} is never due: set the date of all first, with `autograder due {lab} TIME`")
    file, before = table_of(course.root, lab), Dates(course.root, lab)  # refuses a table that cannot be read
    (_, header), *lines = [*read_rows(file)] if file.is_file() else [(0, list(COLUMNS))]
    entries = {cells[0]: dict(zip(header, cells, strict=False)) for _, cells in lines}
    if not file.is_file():
        # Once there is a table, it has all extensions.
        entries = {one: {"student": one, "due": until} for one, until in granted.items()}
    was = before.entries[student].due if student in before.entries else granted and _moment(granted.get(student))
    entries.setdefault(student, {"student": student})["due"] = written(due) if due else ""
    stream = io.StringIO()
    csv.writer(stream).writerows([COLUMNS, *([one.get(name, "") for name in COLUMNS] for one in entries.values())])
    write_text(file, stream.getvalue())
    return was or None, due


def due_dates(book: Any, lab: str) -> tuple[datetime | None, dict[str, str]]:
    """When a lab is due, and by student where somebody was granted more time in the gradebook."""
    try:
        assignment = book.find_assignment(lab) if book is not None else None
    except MissingEntry:
        assignment = None
    if assignment is None or assignment.duedate is None:
        return None, {}
    return assignment.duedate, {one.student_id: written(one.duedate) for one in assignment.submissions if one.extension}


def _moment(text: str | None) -> datetime | None:
    try:
        return None if text is None else moment(text)
    except (ValueError, OverflowError) as problem:
        why = f" ({problem})" if "clock" in str(problem) or "zone is" in str(problem) else ""
        raise ValueError(
            f"{text!r} is no due date{why}; write it as '2027-01-31 23:59 Europe/Berlin' or '2027-01-31 22:59 UTC'"
        ) from None
