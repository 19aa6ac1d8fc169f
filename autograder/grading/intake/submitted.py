"""Read what a student handed in: any bytes at all, never an exception."""

import hashlib
import os
import re
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..shown import shown
from .notebook import NotANotebook, parse

MOST_BYTES = 64 * 2**20
MOST_VALUES = 4_000_000
_STRING = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"', re.DOTALL)


@dataclass(frozen=True)
class Submission:
    """One lab as a student handed it in.

    Attributes
    ----------
    notebook : dict or None
        Cleaned by `autograder.grading.intake.notebook.clean`; None when there is nothing to read.
    digest : str
        SHA-256 of the file's bytes, or of `problem`, in hexadecimal.
    problem : str
        Why there is no notebook, as a sentence; empty when there is one.
    notes : tuple of str
        What had to be done to read it, a sentence each.
    """

    notebook: dict[str, Any] | None
    digest: str
    problem: str = ""
    notes: tuple[str, ...] = ()


class _Unreadable(Exception):
    """Carries the sentence for `Submission.problem`."""


def read(folder: str | Path, lab_name: str) -> Submission:
    """Read ``folder/LAB.ipynb``, whatever is there.

    Parameters
    ----------
    folder : path
        The submitted folder of one student and lab.
    lab_name : str
        Such as ``"03_roofline"``.

    Returns
    -------
    Submission
        Nothing a student hands in raises. No symbolic link is followed, nothing
        but a regular file is opened, at most `MOST_BYTES` are read, and at most
        `MOST_VALUES` JSON values are built (text counts as one), which bounds
        memory to some hundred megabytes. Outputs count only until they are read.
    """
    try:
        path, notes = _find(Path(folder), f"{lab_name}.ipynb")
        data = _bytes(path)
        try:
            _refuse_too_many_values(data)
            notebook, more = parse(data)
        except NotANotebook as error:
            return Submission(None, hashlib.sha256(data).hexdigest(), f"{shown(path.name)} {error}.", tuple(notes))
        return Submission(notebook, hashlib.sha256(data).hexdigest(), "", (*notes, *more))
    except _Unreadable as problem:
        sentence = str(problem)
    except OSError as error:
        sentence = f"The notebook could not be opened: {shown(error.strerror or type(error).__name__)}."
    return Submission(None, hashlib.sha256(sentence.encode()).hexdigest(), sentence)


def _find(folder: Path, name: str) -> tuple[Path, list[str]]:
    """Return the notebook's path and notes."""
    if folder.is_symlink():
        raise _Unreadable(
            "The submitted folder is a symbolic link, which is never followed; hand in the folder itself."
        )
    if not folder.is_dir():
        raise _Unreadable("There is no submitted folder; hand in a folder that holds the notebook.")
    if os.path.lexists(folder / name):
        return folder / name, []
    others: list[str] = []
    with os.scandir(folder) as entries:
        for entry in entries:
            # macOS leaves "._NAME.ipynb" beside a notebook.
            if (
                entry.name.lower().endswith(".ipynb")
                and not entry.name.startswith(".")
                and entry.is_file(follow_symlinks=False)
            ):
                others.append(entry.name)
                if len(others) > 1:
                    raise _Unreadable(
                        f"There is no {name} and more than one other notebook; hand in one, under that name."
                    )
    if not others:
        raise _Unreadable(f"There is no {name} in the submitted folder; hand in the notebook under that name.")
    return folder / others[0], [f"There was no {name}; the only other notebook, {shown(others[0])}, was taken."]


def _bytes(path: Path) -> bytes:
    """Return the content of a regular file of bearable size."""
    name = shown(path.name)
    kind = os.lstat(path).st_mode
    if stat.S_ISLNK(kind):
        raise _Unreadable(f"{name} is a symbolic link, which is never followed; hand in the file itself.")
    if not stat.S_ISREG(kind):
        raise _Unreadable(f"{name} is no file; hand in the notebook under that name.")
    # Windows lacks the two; a link put there since lstat is refused where they exist.
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    with open(os.open(path, flags), "rb") as file:
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode):
            raise _Unreadable(f"{name} is no file; hand in the notebook under that name.")
        if status.st_size <= MOST_BYTES:
            data = file.read(MOST_BYTES + 1)
            if len(data) <= MOST_BYTES:
                return data
    raise _Unreadable(
        f"{name} has {status.st_size / 1e6:.0f} MB, and {MOST_BYTES / 1e6:.0f} MB is the most that is read; "
        "clear its outputs, save it and hand it in again."
    )


def _refuse_too_many_values(data: bytes) -> None:
    """Hold a file such as ``[[],[],[], …`` back: it grows twentyfold when it is parsed."""
    values = _values(data)
    if values > MOST_VALUES:
        # Text may hold as many commas as it likes; to look into it is slow, so only where it decides.
        for strings, string in enumerate(_STRING.finditer(data)):
            if strings > MOST_VALUES:
                break
            values -= _values(string[0])
    if values > MOST_VALUES:
        raise NotANotebook("holds millions of values; clear its outputs, save it and hand it in again")


def _values(data: bytes) -> int:
    return sum(data.count(mark) for mark in (b",", b":", b"[", b"{"))
