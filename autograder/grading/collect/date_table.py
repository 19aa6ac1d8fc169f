"""Enter the times that a platform gives into the lab's table of dates, and restore the table."""

import shutil
from collections.abc import Collection
from datetime import UTC, datetime, timedelta

from ...atomic_write import write_text
from ..gradebook.course import NbgraderCourse
from ..gradebook.dates import Dates, date_table_file, format_date_rows, read_date_rows
from ..gradebook.timestamps import format_time
from ..sanitize.terminal_text import printable
from . import staging
from .mapping_table import MappingRow


def record_times(
    course: NbgraderCourse,
    lab: str,
    rows: list[MappingRow],
    before: list[MappingRow],
    extensions: dict[str, str],
    batch: staging.Batch,
    replaced: Collection[str] = (),
) -> list[str]:
    """Enter times and lateness of submissions into the table of dates; entries that a person wrote stay.

    Parameters
    ----------
    course : NbgraderCourse
        Open course.
    lab : str
        Name of the lab.
    rows : list of MappingRow
        Submissions of this collection.
    before : list of MappingRow
        Rows of the earlier collections.
    extensions : dict of str to str
        Due dates that the gradebook extends, by student; entered if there is no table yet.
    batch : Batch
        Keeps copies of the table before and after the change.
    replaced : collection of str
        Students whose earlier submission was replaced.

    Returns
    -------
    list of str
        Sentence that names the students whose entries stay as a person wrote them.
    """
    times = {row.student: (row.received, "" if row.received else row.late) for row in rows if row.received or row.late}
    if not times:
        return []
    file = date_table_file(course.root, lab)
    Dates(course.root, lab)  # refuses a table that cannot be read
    recorded = {row.student: (row.received, "" if row.received else row.late) for row in before}
    entries, now = read_date_rows(file), format_time(datetime.now(UTC).replace(tzinfo=None) + timedelta(seconds=1))
    if not file.is_file():
        # Extensions are read from the table alone as soon as it exists.
        entries |= {student: {"student": student, "due": due} for student, due in extensions.items()}
    unchanged = []
    for student, (received, late) in times.items():
        entry = entries.setdefault(student, {"student": student})
        present = (entry.get("received", ""), entry.get("late", ""))
        if present not in (("", ""), recorded.get(student)) and present != (received, late):
            unchanged.append(student)
            continue
        entry["received"], entry["late"] = received, late
        if late != "yes":
            entry["collected"] = ""
        elif student in replaced or not entry.get("collected"):
            entry["collected"] = now  # before this time the work was handed in
    table = format_date_rows(entries.values())
    if file.is_file():
        if file.read_bytes().decode("utf-8-sig") == table:
            return []
        shutil.copy(file, batch.folder / "dates.csv")
    else:
        (batch.folder / "dates.csv").write_text("", encoding="utf-8")
    write_text(file, table)
    shutil.copy(file, batch.folder / "dates-after.csv")
    if not unchanged:
        return []
    names = ", ".join(map(printable, unchanged))
    return [f"{file.relative_to(course.root)} has other times that you entered; they stay: {names}."]


def restore_dates(course: NbgraderCourse, lab: str, batch: staging.Batch) -> list[str]:
    """Restore the table of dates to its state before a collection, unless a person has changed it since."""
    dates, before, after = (
        date_table_file(course.root, lab),
        batch.folder / "dates.csv",
        batch.folder / "dates-after.csv",
    )
    if not after.is_file():
        return []
    name = dates.relative_to(course.root)
    if not dates.is_file() or dates.read_bytes() != after.read_bytes():
        return [f"{name} was changed since and stays as it is; the earlier table is {before.relative_to(course.root)}."]
    if before.stat().st_size:
        shutil.copy(before, dates)
    else:
        dates.unlink()
    return [f"{name} is as it was."]
