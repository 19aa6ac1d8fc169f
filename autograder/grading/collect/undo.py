"""Undo the last collection of a lab."""

import shutil
from pathlib import Path

from ..gradebook.course import open_course
from ..lab import load
from ..result_store import ResultStore
from ..sanitize.terminal_text import printable
from . import mapping_table, staging
from .date_table import restore_dates
from .withdraw_marks import withdraw_marks


def undo(root: str | Path, lab: str) -> list[str]:
    """Undo the last collection of a lab.

    Returns
    -------
    list of str
        Sentences about what was done.

    Raises
    ------
    ValueError
        If no collection has changed anything.
    """
    load(root, lab)
    course = open_course(root)
    parent, file = mapping_table.collections_folder(course.root, lab), mapping_table.mapping_file(course.root, lab)
    with ResultStore.of(course.root, lab).locked():
        active = staging.active_batches(parent)
        changed = [batch for batch in active if batch.has_changes]
        if not changed:
            raise ValueError(f"nothing of {lab} was collected that could be taken back")
        batch = changed[-1]
        removed, restored = batch.undo()
        notes = [
            f"The last collection of {lab} is taken back: the work of {len(removed)} is in {batch.folder.relative_to(course.root)}/after."
        ]
        if restored:
            notes.append(f"Earlier submissions are in place again: {', '.join(map(printable, restored))}.")
        notes += restore_dates(course, lab, batch)
        # Later batches changed nothing, so they are undone with this one.
        for one in active[active.index(batch) :]:
            (one.folder / "undone").touch()
        corrected = batch.folder / "who-undone.csv" if file.exists() else None
        if corrected:
            shutil.move(file, corrected)
        tables = [one.folder / "who.csv" for one in staging.active_batches(parent)]
        if earlier := [table for table in tables if table.is_file()]:
            shutil.copy(earlier[-1], file)
        notes += withdraw_marks(course, lab, sorted(set(removed) - set(restored)), batch.folder / "forgotten")
        if corrected:
            notes.append(f"The table, with your corrections, is {corrected.relative_to(course.root)}.")
    return notes
