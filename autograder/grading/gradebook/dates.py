"""When work came and when it was due: from what the instructor keeps, never from what a student could have written."""

import csv
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from traitlets import Bool
from traitlets.config import LoggingConfigurable

from .beside import submitted_at

COLUMNS = ("student", "received", "due")


@dataclass(frozen=True)
class Entry:
    """What the table says of one student, in UTC without a time zone as nbgrader keeps it; None where it is empty."""

    received: datetime | None
    due: datetime | None


class Dates(LoggingConfigurable):
    """The times of one lab.

    Parameters
    ----------
    root : path
        The course folder. ``autograder/work/dates/LAB.csv`` in it has the columns student,
        received and due; a time without a zone is UTC.
    lab : str

    Raises
    ------
    ValueError
        For a table that cannot be read; the message names file and line.
    """

    believe_timestamps = Bool(
        False,
        help="""
        Believe a timestamp.txt beside a notebook. Only where nobody but the instructor's own
        collection can write that file: in a folder that a student handed in, the student can.
        """,
    ).tag(config=True)

    def __init__(self, root: str | Path, lab: str, **traits: Any) -> None:
        super().__init__(**traits)
        self.file = table_of(root, lab)
        self.entries = dict(_read(self.file)) if self.file.is_file() else {}

    def received(self, student: str, source: Path) -> datetime | None:
        """When a student's work came; None where nobody whom one can believe wrote it down.

        Parameters
        ----------
        student : str
        source : Path
            The submitted folder.
        """
        entry = self.entries.get(student)
        if entry and entry.received:
            return entry.received
        return submitted_at(source) if self.believe_timestamps else None

    def check(self, due: datetime | None) -> None:
        """Refuse dates of one's own for a lab that is never due.

        Raises
        ------
        ValueError
            With what to do about it.
        """
        own = [student for student, entry in self.entries.items() if entry.due]
        if own and due is None:
            raise ValueError(
                f"{self.file} gives {own[0]} a date of their own, but {self.file.stem} is never due: set a date with "
                f'`nbgrader db assignment add {self.file.stem} --duedate "2027-01-31 23:59 UTC"`'
            )

    def enter(self, submission: Any, student: str, source: Path) -> None:
        """Bring the time and the extension of nbgrader's entry of a submission up to date.

        Where there is a table, it has all extensions of the lab; without one those that were
        granted in the gradebook stay.
        """
        submission.timestamp = self.received(student, source)
        if self.file.is_file():
            entry, due = self.entries.get(student), submission.assignment.duedate
            submission.extension = entry.due - due if entry and entry.due and due else None


def table_of(root: str | Path, lab: str) -> Path:
    """Where the times of a lab are, or would be."""
    return Path(root) / "autograder" / "work" / "dates" / f"{lab}.csv"


def _read(file: Path) -> Iterator[tuple[str, Entry]]:
    # Spreadsheets put a mark of the byte order in front.
    with open(file, encoding="utf-8-sig", newline="") as stream:
        rows = csv.DictReader(stream)
        if rows.fieldnames is None or rows.fieldnames[0] != "student" or set(rows.fieldnames) - set(COLUMNS):
            raise ValueError(f"{file}: the first line must be {','.join(COLUMNS)}; the last two may be left out")
        seen = set()
        for row in rows:
            student = row["student"]
            if student in seen:
                raise ValueError(f"{file}, line {rows.line_num}: {student} is there twice; keep one")
            seen.add(student)
            yield student, Entry(*(_time(row.get(name), name, file, rows.line_num) for name in COLUMNS[1:]))


def _time(text: str | None, name: str, file: Path, line: int) -> datetime | None:
    if not (text := (text or "").strip()):
        return None
    # nbgrader's own reader takes 1/2 for a day in January, and drops PM, an offset after a space and CEST.
    try:
        when = datetime.fromisoformat(re.sub(r" (?=[+-])", "", text.replace(" UTC", "Z")))
        return when.replace(tzinfo=when.tzinfo or UTC).astimezone(UTC).replace(tzinfo=None)
    except (ValueError, OverflowError):
        raise ValueError(
            f"{file}, line {line}: {text!r} is no time for {name!r}; write it as 2027-01-31 23:59 UTC"
        ) from None
