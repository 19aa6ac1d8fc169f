"""Table of the lines that each student got, for a spreadsheet."""

import csv
import io
from pathlib import Path

from ...atomic_write import create_text
from ..spreadsheet import number_cell, text_cell
from .session import MarkingSession


def export_lines(session: MarkingSession, file: Path) -> int:
    """Write a row for each mark: student, marker, points of lines and gradebook, each line as 0 or 1, comment.

    Returns
    -------
    int
        Number of rows.

    Raises
    ------
    FileExistsError
        If the file exists.
    """
    sheet, marks = session.sheet(), session.load_marks()
    names = [line.id for line in session.rubric.lines]
    rows = [["student", "marker", "counts", "points", "gradebook", *names, "comment"]]
    for student in sheet.order:
        counted = sheet.marks.get(student)
        for mark in [*([counted] if counted else []), *sheet.second.get(student, {}).values()]:
            entry = marks[student].cells.get(session.question) if student in marks else None
            given = number_cell(entry.manual) if entry and entry.manual is not None else ""
            chosen = [str(int(name in mark.lines)) for name in names]
            counts = "yes" if mark is counted else "no"
            said = text_cell(mark.comment)
            rows.append(
                [text_cell(student), text_cell(mark.marker), counts, number_cell(mark.points), given, *chosen, said]
            )
    table = io.StringIO()
    csv.writer(table).writerows(rows)
    try:
        create_text(file, table.getvalue())
    except FileExistsError:
        raise FileExistsError(f"{file} exists and stays as it is: name another file") from None
    return len(rows) - 1
