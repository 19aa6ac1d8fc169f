"""Write files atomically, so that readers see the old content or the new one, and report a full disk in plain words."""

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

DISK_FULL = (errno.ENOSPC, errno.EDQUOT)


class DiskFull(OSError):
    """No space is left on the disk; the message says what to do about it."""

    def __init__(self) -> None:
        super().__init__(
            "the disk is full: free some space, then repeat the command; it continues from here, "
            "and submissions that were graded stay graded"
        )


def is_disk_full(problem: BaseException | None) -> bool:
    """Return whether an exception, or one of its causes, was raised because no space is left on the disk."""
    while problem is not None:
        # SQLAlchemy wraps the exceptions of SQLite.
        inner = getattr(problem, "orig", problem)
        if getattr(inner, "errno", None) in DISK_FULL or getattr(inner, "sqlite_errorname", None) == "SQLITE_FULL":
            return True
        problem = problem.__cause__ or problem.__context__
    return False


@contextmanager
def raising_disk_full() -> Iterator[None]:
    """Raise `DiskFull` in place of any exception that a full disk has caused."""
    try:
        yield
    except Exception as problem:
        if is_disk_full(problem):
            raise DiskFull from problem
        raise


def write_text(file: str | Path, text: str) -> None:
    """Write or replace a text file atomically."""
    draft = _write_draft(file, text)
    try:
        os.replace(draft, file)
    finally:
        draft.unlink(missing_ok=True)


def create_text(file: str | Path, text: str) -> None:
    """Write a text file that does not exist yet.

    Raises
    ------
    FileExistsError
        If the file exists, even if another program created it a moment ago.
    """
    draft = _write_draft(file, text)
    try:
        os.link(draft, file)
    finally:
        draft.unlink(missing_ok=True)


def create_bytes(file: str | Path, data: bytes, *, over: bool = False) -> None:
    """Write a binary file; an existing one is replaced only if ``over`` is True.

    Raises
    ------
    FileExistsError
        If the file exists and ``over`` is False.
    """
    draft = _write_draft(file, data)
    try:
        (os.replace if over else os.link)(draft, file)
    finally:
        draft.unlink(missing_ok=True)


def _write_draft(file: str | Path, content: str | bytes) -> Path:
    """Write the content to a temporary file in the same folder and flush it to the disk."""
    file = Path(file)
    file.parent.mkdir(parents=True, exist_ok=True)
    draft = file.with_name(f".{os.getpid()}.{file.name[-40:]}.tmp")
    draft.unlink(missing_ok=True)
    with open(draft, "xb") as stream:
        stream.write(content.encode("utf-8") if isinstance(content, str) else content)
        stream.flush()
        os.fsync(stream.fileno())
    return draft
