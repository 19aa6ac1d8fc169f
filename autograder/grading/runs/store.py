"""Results on disk: one file a student, so that a run that was stopped goes on where it was."""

import hashlib
import json
import os
import platform
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

from filelock import FileLock, Timeout

from ..result import Result
from .atomic_write import replace

LONGEST = 200  # bytes of a file name before ".json"; file systems allow 255


class Store:
    """The results of one lab in ``folder``."""

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)

    @classmethod
    def of(cls, root: str | Path, lab: str) -> "Store":
        """The store of a lab of a course."""
        return cls(Path(root) / "autograder" / "work" / "results" / lab)

    def file(self, student: str) -> Path:
        """Where a student's result is, or would be."""
        return self.folder / f"{file_name(student)}.json"

    def get(self, student: str) -> Result | None:
        """A student's `Result`, or None where there is none that can be read."""
        return _read(self.file(student))

    def put(self, result: Result) -> None:
        """Keep a result; whoever reads sees the old one or the new one, whole."""
        replace(self.file(result.student), json.dumps(result.to_json()))

    def __iter__(self) -> Iterator[Result]:
        """Yield every `Result`, by student."""
        files = list(self.folder.glob("*.json")) if self.folder.is_dir() else []
        # One at a time in memory: a result carries its notebook.
        for file in sorted(files):
            if (result := _read(file)) is not None:
                yield result

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keep every other run of this lab out.

        Raises
        ------
        ValueError
            When another run is at work; the message names its process.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        owner = self.folder / ".owner"
        lock = FileLock(self.folder / ".lock")
        try:
            lock.acquire(timeout=0)
        except Timeout:
            who = owner.read_text(encoding="utf-8") if owner.exists() else "unknown"
            raise ValueError(
                f"{self.folder.name} is being graded by another process ({who}); wait for it or stop it"
            ) from None
        try:
            replace(owner, f"pid {os.getpid()} on {platform.node()}")
            yield
        finally:
            owner.unlink(missing_ok=True)
            lock.release()


def load_all(root: str | Path, lab: str) -> Iterator[Result]:
    """Return the results of a lab, one after another, by student."""
    return iter(Store.of(root, lab))


def file_name(student: str) -> str:
    """A file name for any student id: percent-encoded, and different for different ids.

    ``urllib.parse.unquote`` gives the id back, unless it was too long for a file
    name: then a checksum ends it, and the id is in the file.
    """
    # "~" is not encoded by itself; it marks a name that was cut.
    name = quote(student, safe=" @+,=").replace("~", "%7E")
    if len(name) <= LONGEST:
        return name
    return f"{name[: LONGEST - 65]}~{hashlib.sha256(student.encode()).hexdigest()}"


def _read(file: Path) -> Result | None:
    try:
        return Result.from_json(json.loads(file.read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError, KeyError):
        # Not there, or from another version of the grader: as good as not graded.
        return None
