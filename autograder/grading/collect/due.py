"""The due date of a lab, in any time zone; nbgrader keeps it in UTC."""

from datetime import datetime
from pathlib import Path

from nbgrader.api import Gradebook, MissingEntry

from ..gradebook.course import open_course
from ..gradebook.moments import moment
from ..lab import load


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
    try:
        due = None if text is None else moment(text)
    except (ValueError, OverflowError) as problem:
        why = f" ({problem})" if "clock" in str(problem) or "zone is" in str(problem) else ""
        raise ValueError(
            f"{text!r} is no due date{why}; write it as '2027-01-31 23:59 Europe/Berlin' or '2027-01-31 22:59 UTC'"
        ) from None
    directory = open_course(root).directory
    with Gradebook(directory.db_url, directory.course_id) as book:
        try:
            before = book.find_assignment(lab).duedate
        except MissingEntry:
            before = None
        book.update_or_create_assignment(lab, duedate=due)
    return before, due
