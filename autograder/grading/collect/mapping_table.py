"""Table that maps names in a download to students: written by each collection, corrected by the instructor."""

import csv
import io
from collections.abc import Iterable
from dataclasses import astuple, dataclass, fields
from pathlib import Path

from ...atomic_write import write_text
from ..spreadsheet import read_rows, text_cell
from .match_students import MatchMethod

NOBODY = "-"  # an instructor writes it for a submission that does not count


@dataclass(frozen=True)
class MappingRow:
    """Submission of a download, or a student of the roster who handed in nothing.

    Attributes
    ----------
    handed_in_as : str
        Name in the download; "" for a student who handed in nothing.
    student : str
        Student's id; "" if it is unknown, `NOBODY` if the instructor does not want the submission.
    how : str
        Method by which the student was found, a `MatchMethod`.
    late : str
        Whether the submission was late: "yes", "no" or "".
    received : str
        Time of submission in the format of the table of dates.
    answer_to : str
        Prefix of file names that the platform gives back to this person.
    files : str
        Names of the files.
    what : str
        Sentences for the instructor.
    """

    handed_in_as: str
    student: str
    how: str = ""
    late: str = ""
    received: str = ""
    answer_to: str = ""
    files: str = ""
    what: str = ""


COLUMNS = tuple(field.name for field in fields(MappingRow))


def collections_folder(root: str | Path, lab: str) -> Path:
    """Folder of the collections of a lab."""
    return Path(root) / "autograder" / "work" / "collected" / lab


def mapping_file(root: str | Path, lab: str) -> Path:
    """Path of the table of a lab."""
    return collections_folder(root, f"{lab}.csv")


def read_mapping(file: Path) -> list[MappingRow]:
    """Read a table; an empty list if there is no file.

    Raises
    ------
    ValueError
        If a necessary column is missing.
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
        values = dict(zip(header, cells, strict=False))
        found.append(MappingRow(*(_unescape(values.get(name, "")) for name in COLUMNS)))
    return found


def write_mapping(file: Path, rows: Iterable[MappingRow]) -> None:
    """Write the table; no cell is a formula."""
    stream = io.StringIO()
    csv.writer(stream).writerows([COLUMNS, *(map(_escape, astuple(row)) for row in rows)])
    write_text(file, stream.getvalue())


def manual_assignments(now: list[MappingRow], last: list[MappingRow]) -> dict[str, str]:
    """Students whom the instructor wrote into the table, since the last collection or earlier, by name in the download."""
    before = {row.handed_in_as: row for row in last}
    return {
        row.handed_in_as: row.student
        for row in now
        if row.handed_in_as
        and row.student
        and (
            row.how == MatchMethod.HAND
            or row.handed_in_as not in before
            or before[row.handed_in_as].student != row.student
        )
    }


def _escape(cell: str) -> str:
    return cell if cell == NOBODY else text_cell(cell)


def _unescape(cell: str) -> str:
    return cell[1:] if cell.startswith("'") and text_cell(cell[1:]) == cell else cell
