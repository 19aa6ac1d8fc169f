"""Times of submission and due dates: from the instructor's table, never from a file that a student could have written."""

import csv
import io
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from traitlets import Bool
from traitlets.config import LoggingConfigurable

from ...atomic_write import write_text
from ..spreadsheet import read_rows
from .attachments import submission_time
from .timestamps import is_day, parse_time

COLUMNS = ("student", "received", "due", "late", "collected")
# Some platforms report late work without a time; it counts as one minute late. They mean the due date that they had when
# the work was downloaded, so a later due date that the download itself meets is met.
LEAST_LATENESS = timedelta(minutes=1)
_LATE = {"": None, "yes": True, "no": False}


@dataclass(frozen=True)
class DateEntry:
    """Row of one student: times in UTC without a time zone, as nbgrader stores them; None for an empty cell."""

    received: datetime | None
    due: datetime | None
    late: bool | None = None
    collected: datetime | None = None

    def submission_time(self, due: datetime | None) -> datetime | None:
        """Return the time that counts for a due date, which includes an extension; None if there is none."""
        if self.received or not self.late or due is None:
            return self.received
        return self.collected if self.collected and self.collected <= due else due + LEAST_LATENESS


class Dates(LoggingConfigurable):
    """Times of submission and due dates of one lab.

    Parameters
    ----------
    root : path
        The course folder. ``autograder/work/dates/LAB.csv`` in it has the columns student, received, due, late and
        collected; a time without a zone is UTC. ``late``, yes or no, counts if there is no time; ``collected`` is when
        work that the platform calls late was on this machine.
    lab : str
        Name of the lab.

    Raises
    ------
    ValueError
        If the table cannot be read; the message names file and line.
    """

    believe_timestamps = Bool(
        False,
        help="""
        Trust a timestamp.txt that was submitted with a notebook. Only where nothing but the instructor's own
        collection can write that file: students can write it in a folder that they submit.
        """,
    ).tag(config=True)

    def __init__(self, root: str | Path, lab: str, **traits: Any) -> None:
        """Read the table, if there is one."""
        super().__init__(**traits)
        self.file = date_table_file(root, lab)
        self.entries = dict(_read(self.file)) if self.file.is_file() else {}

    def received(self, student: str, source: Path) -> datetime | None:
        """Return the time of a student's submission; None if no trusted source has it.

        Parameters
        ----------
        student : str
            The student's id.
        source : Path
            The submitted folder.
        """
        entry = self.entries.get(student)
        if entry and entry.received:
            return entry.received
        return submission_time(source) if self.believe_timestamps else None

    def check(self, due: datetime | None) -> None:
        """Raise a ValueError if a student has an own due date for a lab that is never due."""
        own = [student for student, entry in self.entries.items() if entry.due]
        if own and due is None:
            raise ValueError(
                f"{self.file} gives {own[0]} a due date of their own, but {self.file.stem} is never due: set a date with "
                f'`nbgrader db assignment add {self.file.stem} --duedate "2027-01-31 23:59 UTC"`'
            )

    def apply(self, submission: Any, student: str, source: Path, *, keep_time: bool = False) -> None:
        """Set time and extension of nbgrader's entry of a submission.

        A table has all extensions of the lab; without a table those granted in the gradebook stay. With ``keep_time``,
        the time stays: the marks are those of an earlier submission than the one in the folder.
        """
        entry, due = self.entries.get(student), submission.assignment.duedate
        if self.file.is_file():
            submission.extension = entry.due - due if entry and entry.due and due else None
        if keep_time:
            return
        submission.timestamp = self.received(student, source)
        if entry and entry.late and not entry.received and due:
            submission.timestamp = entry.submission_time(entry.due or due)

    def in_time(self, student: str) -> bool:
        """Whether the table says that a submission without a time was not late."""
        entry = self.entries.get(student)
        return entry is not None and entry.late is False


def date_table_file(root: str | Path, lab: str) -> Path:
    """Path of the table of dates of a lab, existing or not."""
    return Path(root) / "autograder" / "work" / "dates" / f"{lab}.csv"


def read_date_rows(file: Path) -> dict[str, dict[str, str]]:
    """Read the cells of a table of dates as text, by student and column; empty if there is no table."""
    if not file.is_file():
        return {}
    return {row["student"]: row for _, row in _table(file)[1] if "student" in row}


def format_date_rows(rows: Iterable[Mapping[str, str]]) -> str:
    """Format a table of dates; the column ``collected`` is left out if it is empty."""
    rows = [*rows]
    columns = [name for name in COLUMNS if name != "collected" or any(row.get(name) for row in rows)]
    stream = io.StringIO()
    csv.writer(stream).writerows([columns, *([row.get(name, "") for name in columns] for row in rows)])
    return stream.getvalue()


def write_date_rows(file: Path, rows: Iterable[Mapping[str, str]]) -> None:
    """Write a table of dates."""
    write_text(file, format_date_rows(rows))


def _read(file: Path) -> Iterator[tuple[str, DateEntry]]:
    header, rows = _table(file)
    if header[:1] != ["student"] or set(header) - set(COLUMNS):
        raise ValueError(f"{file}: the first line must be {','.join(COLUMNS)}; all but the first may be left out")
    seen = set()
    for line, row in rows:
        student = row["student"]
        if student in seen:
            raise ValueError(f"{file}, line {line}: {student} appears twice; keep one row")
        seen.add(student)
        late = row.get("late", "").lower()
        if late not in _LATE:
            raise ValueError(f"{file}, line {line}: {late!r} is neither yes nor no")
        received, due, collected = (_time(row.get(name), name, file, line) for name in ("received", "due", "collected"))
        yield student, DateEntry(received, due, _LATE[late], collected)


def _table(file: Path) -> tuple[list[str], list[tuple[int, dict[str, str]]]]:
    """Return the columns of a table, however a spreadsheet saved it, and each row with the number of its line."""
    (_, header), *rows = [*read_rows(file)] or [(0, [])]
    columns = [name.strip() for name in header]
    while columns and not columns[-1]:
        columns.pop()  # a spreadsheet may add empty columns
    return columns, [(line, dict(zip(columns, map(str.strip, row), strict=False))) for line, row in rows]


def _time(text: str | None, name: str, file: Path, line: int) -> datetime | None:
    if not (text := (text or "").strip()):
        return None
    if name == "due" and is_day(text):
        # Its first minute would be a day less than meant.
        raise ValueError(f"{file}, line {line}: {text!r} has no time of day; write it as {text[:10]} 23:59 UTC")
    try:
        return parse_time(text)
    except (ValueError, OverflowError) as problem:
        # Python's messages about times don't say what to write.
        why = f" ({problem})" if "clock" in str(problem) or "zone is" in str(problem) else ""
        raise ValueError(
            f"{file}, line {line}: {text!r} is not a time for {name!r}{why}; write it as 2027-01-31 23:59 UTC"
        ) from None
