"""Back up nbgrader's gradebook, which alone holds marks given by hand, and explain how to recover a damaged one."""

import filecmp
import re
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import quote

from sqlalchemy.engine import make_url
from sqlalchemy.exc import DBAPIError, SQLAlchemyError

MAX_COPIES = 20  # a grading run makes one if the gradebook has changed
BUSY_SECONDS = 5  # that a lock of another program may last
_OTHER_SCHEMA = re.compile(r"no such (column|table)|table \w+ has no column|Can't locate revision")


def gradebook_file(directory: Any) -> Path | None:
    """Path of the gradebook of nbgrader's ``CourseDirectory``, existing or not; None if it is not in SQLite."""
    url = make_url(directory.db_url)
    return Path(url.database or "") if url.get_backend_name() == "sqlite" else None


def backup_folder(directory: Any) -> Path:
    """Folder of the copies."""
    return Path(directory.root) / "autograder" / "work" / "backup"


def back_up(directory: Any) -> Path | None:
    """Copy the gradebook unless the newest copy is identical, and delete the oldest copies.

    Returns
    -------
    Path or None
        The new copy; None if none was needed.

    Raises
    ------
    ValueError
        If the gradebook is damaged; the message says how to recover.
    """
    file, folder = gradebook_file(directory), backup_folder(directory)
    if file is None or not file.is_file() or not file.stat().st_size:
        return None
    with explain_database_errors(directory):
        folder.mkdir(parents=True, exist_ok=True)
        draft = folder / ".new"
        draft.unlink(missing_ok=True)
        # SQLite's own backup is consistent even while formgrader writes.
        with (
            closing(sqlite3.connect(f"file:{quote(str(file))}?mode=ro", uri=True, timeout=BUSY_SECONDS)) as source,
            closing(sqlite3.connect(draft)) as target,
        ):
            # `backup` itself retries without end while another program has locked the file.
            source.execute("SELECT count(*) FROM sqlite_master")
            source.backup(target, progress=_stop_if_busy(time.monotonic() + BUSY_SECONDS))
            if (state := target.execute("PRAGMA quick_check").fetchone()[0]) != "ok":
                raise sqlite3.DatabaseError(state)
    copies = _copies(folder)
    if copies and filecmp.cmp(copies[-1], draft, shallow=False):
        draft.unlink()
        return None
    copy = folder / f"gradebook-{datetime.now(UTC):%Y%m%d-%H%M%S-%f}.db"
    draft.rename(copy)
    for old in _copies(folder)[:-MAX_COPIES]:
        old.unlink()
    return copy


def _stop_if_busy(until: float) -> Callable[[int, int, int], None]:
    def progress(status: int, remaining: int, total: int) -> None:
        if status in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED) and time.monotonic() > until:
            raise sqlite3.OperationalError("database is locked")

    return progress


@contextmanager
def explain_database_errors(directory: Any) -> Iterator[None]:
    """Turn errors of the database into a ValueError that says how to recover."""
    try:
        yield
    except (SQLAlchemyError, sqlite3.Error) as problem:
        raise ValueError(_explanation(directory, problem)) from problem


def _explanation(directory: Any, problem: Exception) -> str:
    cause = problem.orig if isinstance(problem, DBAPIError) and problem.orig else problem
    reason, file, copies = str(cause).splitlines()[0], gradebook_file(directory), _copies(backup_folder(directory))
    where = f"; copies of it are in {copies[-1].parent}" if copies else ""
    if _OTHER_SCHEMA.match(reason):
        return (
            f"the gradebook {file or directory.db_url} was made by another version of nbgrader ({reason}). Run "
            f"`nbgrader db upgrade` in {directory.root}, which copies the file first, and then the command again{where}"
        )
    # Busy, a full disk, no permission: the content is not damaged.
    if getattr(cause, "sqlite_errorcode", None) not in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, None):
        return f"the gradebook {file} cannot be used ({reason}). Put that right and run the command again{where}"
    if file is None:
        return f"the gradebook {directory.db_url} cannot be used ({reason})"
    way = (
        f"put the newest copy, {copies[-1]}, in its place"
        if copies
        else "there is no copy, so marks by hand must be given again"
    )
    return (
        f"the gradebook {file} cannot be read ({reason}). Move it aside; {way}; then `autograder grade` enters the "
        "machine's marks again"
    )


def _copies(folder: Path) -> list[Path]:
    """List the copies from the oldest to the newest."""
    return sorted(folder.glob("gradebook-*.db"))
