"""Stored results: one JSON file for each student, so that an interrupted grading run can continue."""

import hashlib
import json
import os
import platform
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

from filelock import FileLock, Timeout

from ..atomic_write import write_text
from .result import Result

LONGEST_NAME = 200  # bytes of a file name before ".json"; file systems allow 255


class ResultStore:
    """Results of one lab in ``folder``; iterating yields every `Result`, sorted by student."""

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)

    @classmethod
    def of(cls, root: str | Path, lab: str) -> "ResultStore":
        """Return the store of a lab in the course folder ``root``."""
        return cls(Path(root) / "autograder" / "work" / "results" / lab)

    def file(self, student: str) -> Path:
        """Return the path of a student's result, which need not exist."""
        return self.folder / f"{file_name(student)}.json"

    def get(self, student: str) -> Result | None:
        """Return a student's `Result`, or None if there is no readable one."""
        return _read(self.file(student))

    def put(self, result: Result) -> None:
        """Store a result atomically."""
        write_text(self.file(result.student), json.dumps(result.to_json()))

    def __iter__(self) -> Iterator[Result]:
        """Yield every `Result`, sorted by student."""
        files = list(self.folder.glob("*.json")) if self.folder.is_dir() else []
        # Only one result is in memory at a time, because each carries its notebook.
        for file in sorted(files):
            if (result := _read(file)) is not None:
                yield result

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Lock the store, so that no other run grades this lab at the same time.

        Raises
        ------
        ValueError
            If another run holds the lock; the message names its process.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        owner = self.folder / ".owner"
        lock = FileLock(self.folder / ".lock")
        try:
            lock.acquire(timeout=0)
        except Timeout:
            process = owner.read_text(encoding="utf-8") if owner.exists() else "unknown"
            raise ValueError(
                f"{self.folder.name} is being graded by another process ({process}); wait for it or stop it"
            ) from None
        try:
            write_text(owner, f"pid {os.getpid()} on {platform.node()}")
            yield
        finally:
            owner.unlink(missing_ok=True)
            lock.release()


def file_name(student: str) -> str:
    """Return a file name for any student id: percent-encoded, and different for different ids.

    ``urllib.parse.unquote`` restores the id, unless the id is too long for a file
    name: then the name ends with a checksum, and the file holds the id.
    """
    # quote() leaves "~" as it is; here "~" marks a shortened name.
    name = quote(student, safe=" @+,=").replace("~", "%7E")
    if len(name) <= LONGEST_NAME:
        return name
    return f"{name[: LONGEST_NAME - 65]}~{hashlib.sha256(student.encode()).hexdigest()}"


def _read(file: Path) -> Result | None:
    try:
        return Result.from_json(json.loads(file.read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError, KeyError):
        # A missing result, or one of another version of the grader, is graded again.
        return None
