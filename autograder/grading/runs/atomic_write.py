"""Write a file whole or not at all."""

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

FULL = (errno.ENOSPC, errno.EDQUOT)


class DiskFull(OSError):
    """No space is left, and what to do about it."""

    def __init__(self) -> None:
        super().__init__(
            "the disk is full: make room on it, then give the same command again, and it goes on from here; "
            "what was graded is kept"
        )


def is_full(problem: BaseException | None) -> bool:
    """Whether a problem, or what led to it, is that no space is left, as the system or SQLite says it."""
    while problem is not None:
        # SQLAlchemy wraps what SQLite raises.
        inner = getattr(problem, "orig", problem)
        if getattr(inner, "errno", None) in FULL or getattr(inner, "sqlite_errorname", None) == "SQLITE_FULL":
            return True
        problem = problem.__cause__ or problem.__context__
    return False


@contextmanager
def saying_when_full() -> Iterator[None]:
    """Raise `DiskFull` for whatever comes of a disk without space."""
    try:
        yield
    except Exception as problem:
        if is_full(problem):
            raise DiskFull from problem
        raise


def replace(file: str | Path, text: str) -> None:
    """Write ``text`` to ``file``, which readers see either as it was or complete."""
    draft = _draft(file, text)
    try:
        os.replace(draft, file)
    finally:
        draft.unlink(missing_ok=True)


def create(file: str | Path, text: str) -> None:
    """Write a file that does not exist yet.

    Raises
    ------
    FileExistsError
        When it does, also if another program made it a moment ago.
    """
    draft = _draft(file, text)
    try:
        os.link(draft, file)
    finally:
        draft.unlink(missing_ok=True)


def create_bytes(file: str | Path, data: bytes, *, over: bool = False) -> None:
    """Write a file that is no text; only ``over`` lets it take the place of another.

    Raises
    ------
    FileExistsError
        When there is one and ``over`` is off.
    """
    draft = _draft(file, data)
    try:
        (os.replace if over else os.link)(draft, file)
    finally:
        draft.unlink(missing_ok=True)


def _draft(file: str | Path, content: str | bytes) -> Path:
    file = Path(file)
    file.parent.mkdir(parents=True, exist_ok=True)
    draft = file.with_name(f".{os.getpid()}.{file.name[-40:]}.tmp")
    draft.unlink(missing_ok=True)
    with open(draft, "xb") as stream:
        stream.write(content.encode("utf-8") if isinstance(content, str) else content)
        stream.flush()
        os.fsync(stream.fileno())
    return draft
