"""Copies of nbgrader's gradebook, since marks by hand are nowhere else, and what to say of one that is damaged."""

import filecmp
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import quote

from sqlalchemy.engine import make_url
from sqlalchemy.exc import DBAPIError, SQLAlchemyError

KEPT = 20  # copies; a grading run that finds something new makes one


def file_of(directory: Any) -> Path | None:
    """The gradebook of nbgrader's ``CourseDirectory`` where it is a file, there or not."""
    url = make_url(directory.db_url)
    return Path(url.database or "") if url.get_backend_name() == "sqlite" else None


def folder_of(directory: Any) -> Path:
    """Where the copies are."""
    return Path(directory.root) / "autograder" / "work" / "backup"


def back_up(directory: Any) -> Path | None:
    """Copy the gradebook unless the newest copy is the same; the oldest copies go.

    Returns
    -------
    Path or None
        The new copy.

    Raises
    ------
    ValueError
        When the gradebook is damaged, with the way back.
    """
    file, folder = file_of(directory), folder_of(directory)
    if file is None or not file.is_file() or not file.stat().st_size:
        return None
    with readable(directory):
        folder.mkdir(parents=True, exist_ok=True)
        draft = folder / ".new"
        draft.unlink(missing_ok=True)
        # SQLite's own copy: whole even while formgrader writes.
        with (
            closing(sqlite3.connect(f"file:{quote(str(file))}?mode=ro", uri=True)) as source,
            closing(sqlite3.connect(draft)) as target,
        ):
            source.backup(target)
            if (state := target.execute("PRAGMA quick_check").fetchone()[0]) != "ok":
                raise sqlite3.DatabaseError(state)
    copies = _copies(folder)
    if copies and filecmp.cmp(copies[-1], draft, shallow=False):
        draft.unlink()
        return None
    made = folder / f"gradebook-{datetime.now(UTC):%Y%m%d-%H%M%S-%f}.db"
    draft.rename(made)
    for old in _copies(folder)[:-KEPT]:
        old.unlink()
    return made


@contextmanager
def readable(directory: Any) -> Iterator[None]:
    """Turn whatever a database says of a gradebook that it cannot use into a sentence and a way back.

    Raises
    ------
    ValueError
        With both.
    """
    try:
        yield
    except (SQLAlchemyError, sqlite3.Error) as problem:
        raise ValueError(_sentence(directory, problem)) from problem


def _sentence(directory: Any, problem: Exception) -> str:
    cause = problem.orig if isinstance(problem, DBAPIError) and problem.orig else problem
    reason, file, copies = str(cause).splitlines()[0], file_of(directory), _copies(folder_of(directory))
    where = f"; copies of it are in {copies[-1].parent}" if copies else ""
    # Busy, a full disk, no permission: nothing is wrong with what is in it.
    if getattr(cause, "sqlite_errorcode", None) not in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, None):
        return f"the gradebook {file} cannot be used ({reason}). Put that right and run the command again{where}"
    if file is None:
        return f"the gradebook {directory.db_url} cannot be used ({reason})"
    way = (
        f"copy the newest whole one, {copies[-1]}, into its place"
        if copies
        else "there is no copy of it to go back to, so marks by hand must be given again"
    )
    return (
        f"the gradebook {file} cannot be read ({reason}). Move it aside; {way}; then `autograder grade` enters the "
        "machine's marks again"
    )


def _copies(folder: Path) -> list[Path]:
    """The oldest first."""
    return sorted(folder.glob("gradebook-*.db"))
