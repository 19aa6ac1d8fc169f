"""Moodle's grading worksheet: who is behind a number, and when the work came."""

import re
from dataclasses import dataclass
from datetime import datetime, tzinfo
from pathlib import Path

from ..gradebook.timestamps import from_clock
from ..spreadsheet import read_rows
from .roster import plain

_NUMBER = re.compile(r"\D*(\d+)")
_TIMES = (
    "%A, %d %B %Y, %I:%M %p",
    "%A, %B %d, %Y, %I:%M %p",
    "%d %B %Y, %I:%M %p",
    "%A, %d %B %Y, %H:%M",
    "%Y-%m-%d %H:%M",
)
_LATE = re.compile(r"- [^-]*\blate\b")


@dataclass(frozen=True)
class Line:
    """What a worksheet says of one participant; ``received`` in UTC without a zone."""

    name: str
    email: str
    own_number: str
    late: bool | None
    received: datetime | None


def worksheet(file: Path, place: tzinfo | None) -> tuple[dict[str, Line], list[str]]:
    """Read a grading worksheet.

    Parameters
    ----------
    file : Path
    place : tzinfo or None
        Where the clock stands that its times were read from; without it, times are not read.

    Returns
    -------
    dict of str to Line
        By participant's number.
    list of str
        What could not be read, a sentence each.

    Raises
    ------
    ValueError
        For a file without the columns of a worksheet.
    """
    (_, header), *rows = [*read_rows(file)] or [(0, [])]
    columns = {plain(name): place for place, name in enumerate(header)}
    if "identifier" not in columns:
        raise ValueError(
            f"{file} is no grading worksheet of Moodle in English: its first line has no 'Identifier'. In the assignment, "
            "choose 'Download grading worksheet'"
        )

    def cell(row: list[str], name: str) -> str:
        where = columns.get(plain(name))
        return row[where].strip() if where is not None and where < len(row) else ""

    found, notes, untimed = {}, [], []
    for line, row in rows:
        number = _NUMBER.match(cell(row, "Identifier"))
        if not number:
            notes.append(f"Line {line} of {file.name} has no participant's number and was passed over.")
            continue
        said, status = cell(row, "Last modified (submission)"), cell(row, "Status")
        received = None
        if said not in ("", "-"):
            received = _time(said, place) if place else None
            if received is None:
                untimed.append(line)
        handed_in = status.lower().startswith("submitted")
        late = bool(_LATE.search(status)) if handed_in else None
        found[number[1]] = Line(
            cell(row, "Full name"), cell(row, "Email address"), cell(row, "ID number"), late, received
        )
    if untimed:
        why = (
            "are written in a way that is not known here"
            if place
            else "name no zone: give it, as in --timezone Europe/Berlin"
        )
        notes.append(
            f"The times in {file.name} {why}; none was taken from {len(untimed)} lines (the first is {untimed[0]})."
        )
    return found, notes


def _time(text: str, place: tzinfo) -> datetime | None:
    for form in _TIMES:
        try:
            return from_clock(datetime.strptime(text, form), place)
        except ValueError:
            continue
    return None
