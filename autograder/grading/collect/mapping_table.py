"""The table of who is who: written by every collection, corrected by the instructor, read by the next one."""

import csv
import io
from collections.abc import Iterable
from dataclasses import astuple, dataclass, fields
from pathlib import Path

from ...atomic_write import write_text
from ..spreadsheet import read_rows, text_cell
from .match_students import How

NOBODY = "-"  # written by an instructor: this does not count


@dataclass(frozen=True)
class Row:
    """One name of a download, or a student of the roster who handed in nothing.

    Attributes
    ----------
    handed_in_as : str
        As the platform calls them; "" for whoever handed in nothing.
    student : str
        Id; "" where nobody knows, `NOBODY` where the instructor does not want it.
    how : str
        By what the two were matched, a `How`.
    late : str
        "yes", "no" or "".
    received : str
        As the table of dates has it.
    answer_to : str
        How a file's name begins that the platform gives back to this person.
    files : str
    what : str
        What there is to know, sentences.
    """

    handed_in_as: str
    student: str
    how: str = ""
    late: str = ""
    received: str = ""
    answer_to: str = ""
    files: str = ""
    what: str = ""


COLUMNS = tuple(field.name for field in fields(Row))


def folder_of(root: str | Path, lab: str) -> Path:
    """Where the collections of a lab are kept."""
    return Path(root) / "autograder" / "work" / "collected" / lab


def file_of(root: str | Path, lab: str) -> Path:
    """The table of a lab."""
    return folder_of(root, f"{lab}.csv")


def read(file: Path) -> list[Row]:
    """Read a table; nothing where there is none.

    Raises
    ------
    ValueError
        For one whose columns were changed.
    """
    if not file.is_file():
        return []
    (_, header), *rows = [*read_rows(file)] or [(0, [])]
    if not {"handed_in_as", "student"} <= set(header):
        raise ValueError(
            f"{file}: the columns handed_in_as and student are missing; correct it, or move it aside to begin anew"
        )
    found = []
    for _, cells in rows:
        given = dict(zip(header, cells, strict=False))
        found.append(Row(*(_unguarded(given.get(name, "")) for name in COLUMNS)))
    return found


def write(file: Path, rows: Iterable[Row]) -> None:
    """Write the table; no cell of it is a formula."""
    stream = io.StringIO()
    csv.writer(stream).writerows([COLUMNS, *(map(_guarded, astuple(row)) for row in rows)])
    write_text(file, stream.getvalue())


def by_hand(now: list[Row], last: list[Row]) -> dict[str, str]:
    """Students by name, as far as the instructor wrote them: since the last collection, or before it."""
    before = {row.handed_in_as: row for row in last}
    return {
        row.handed_in_as: row.student
        for row in now
        if row.handed_in_as
        and row.student
        and (
            row.how == How.HAND
            or (row.handed_in_as in before and before[row.handed_in_as].student != row.student)
            or row.handed_in_as not in before
        )
    }


def _guarded(cell: str) -> str:
    return cell if cell == NOBODY else text_cell(cell)


def _unguarded(cell: str) -> str:
    return cell[1:] if cell.startswith("'") and text_cell(cell[1:]) == cell else cell
