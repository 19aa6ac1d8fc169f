"""Take a collection back."""

import shutil
from pathlib import Path

from ..gradebook.course import open_course
from ..lab import load
from ..result_store import ResultStore
from ..sanitize.terminal_text import shown
from . import date_table, mapping_table, staging
from .withdraw_marks import forgotten


def undo(root: str | Path, lab: str) -> list[str]:
    """Take the last collection of a lab back.

    Returns
    -------
    list of str
        What was done, a sentence each.

    Raises
    ------
    ValueError
        When there is none.
    """
    load(root, lab)
    course = open_course(root)
    above, file = mapping_table.folder_of(course.root, lab), mapping_table.file_of(course.root, lab)
    with ResultStore.of(course.root, lab).locked():
        standing = staging.standing(above)
        did = [batch for batch in standing if batch.did]
        if not did:
            raise ValueError(f"nothing of {lab} was collected that could be taken back")
        batch = did[-1]
        away, back = batch.undo()
        said = [
            f"The last collection of {lab} is taken back: the work of {len(away)} is in {batch.folder.relative_to(course.root)}/after."
        ]
        if back:
            said.append(f"What these had handed in before is in its place again: {', '.join(map(shown, back))}.")
        said += date_table.back(course, lab, batch)
        # Later ones found everything as it was.
        for one in standing[standing.index(batch) :]:
            (one.folder / "undone").touch()
        file_kept = batch.folder / "who-undone.csv" if file.exists() else None
        if file_kept:
            shutil.move(file, file_kept)
        tables = [one.folder / "who.csv" for one in staging.standing(above)]
        if earlier := [table for table in tables if table.is_file()]:
            shutil.copy(earlier[-1], file)
        said += forgotten(course, lab, sorted(set(away) - set(back)), batch.folder / "forgotten")
        if file_kept:
            said.append(f"The table, with what you corrected in it, is {file_kept.relative_to(course.root)}.")
    return said
