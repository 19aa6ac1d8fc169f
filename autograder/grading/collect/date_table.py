"""The table of dates: what a platform says of times is entered, and taken back."""

import csv
import io
import shutil

from ...atomic_write import write_text
from ..gradebook.course import Course
from ..gradebook.dates import COLUMNS as DATES
from ..gradebook.dates import Dates, table_of
from ..sanitize.terminal_text import shown
from ..spreadsheet import read_rows
from . import staging
from .mapping_table import Row


def keep(
    course: Course,
    lab: str,
    rows: list[Row],
    before: list[Row],
    extended: dict[str, str],
    batch: staging.Batch,
) -> list[str]:
    """Enter what the platform says of times in the table of dates; what a person wrote there stays, and is said."""
    told = {row.student: (row.received, "" if row.received else row.late) for row in rows if row.received or row.late}
    if not told:
        return []
    file = table_of(course.root, lab)
    Dates(course.root, lab)  # refuses a table that cannot be read
    (_, header), *lines = [*read_rows(file)] if file.is_file() else [(0, list(DATES))]
    ours = {row.student: (row.received, "" if row.received else row.late) for row in before}
    entries = {cells[0]: dict(zip(header, cells, strict=False)) for _, cells in lines}
    if not file.is_file():
        # Once there is a table, it has all extensions.
        entries |= {student: {"student": student, "due": until} for student, until in extended.items()}
    kept = []
    for student, (received, late) in told.items():
        entry = entries.setdefault(student, {"student": student})
        has = (entry.get("received", ""), entry.get("late", ""))
        if has not in (("", ""), ours.get(student)) and has != (received, late):
            kept.append(student)
            continue
        entry["received"], entry["late"] = received, late
    stream = io.StringIO()
    csv.writer(stream).writerows([DATES, *([one.get(name, "") for name in DATES] for one in entries.values())])
    if file.is_file():
        if file.read_bytes().decode("utf-8-sig") == stream.getvalue():
            return []
        shutil.copy(file, batch.folder / "dates.csv")
    else:
        (batch.folder / "dates.csv").write_text("", encoding="utf-8")
    write_text(file, stream.getvalue())
    shutil.copy(file, batch.folder / "dates-after.csv")
    if not kept:
        return []
    names = ", ".join(map(shown, kept))
    return [f"{file.relative_to(course.root)} has other times of yours, which stay: {names}."]


def back(course: Course, lab: str, batch: staging.Batch) -> list[str]:
    """Put the table of dates back as it was before a collection, unless a person has changed it since."""
    dates, before, after = table_of(course.root, lab), batch.folder / "dates.csv", batch.folder / "dates-after.csv"
    if not after.is_file():
        return []
    if not dates.is_file() or dates.read_bytes() != after.read_bytes():
        return [
            f"{dates.relative_to(course.root)} was changed since and stays as it is; how it was is in {before.relative_to(course.root)}."
        ]
    if before.stat().st_size:
        shutil.copy(before, dates)
    else:
        dates.unlink()
    return [f"{dates.relative_to(course.root)} is as it was."]
