"""One submitted notebook: its content, or the sentence that says why it cannot be read."""

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from ...help_policy import HINTS_LINE
from ..result import SubmissionStatus
from ..sanitize.terminal_text import printable
from .disk_errors import raise_disk_error
from .notebook import NotANotebook, parse_notebook
from .notebook_candidates import (
    MAX_BYTES,
    Candidate,
    UnreadableFile,
)

MAX_VALUES = 4_000_000
MAX_HINT_LINES = 5_000  # lines of hint cards that are counted
_LINE = re.compile(HINTS_LINE.pattern.encode())
_STRING = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"', re.DOTALL)


@dataclass(frozen=True)
class Submission:
    """Lab as a student handed it in.

    Attributes
    ----------
    notebook : dict or None
        Cleaned by `autograder.grading.intake.notebook.clean_notebook`; None if nothing could be read.
    digest : str
        SHA-256 of the file's bytes, or of `problem`, in hexadecimal.
    problem : str
        Sentence about why no notebook could be read; empty if one was.
    notes : tuple of str
        Sentences about how it was read.
    doubtful : bool
        Whether other submitted notebooks have or may have answers that this one lacks: a person must look.
    hints : mapping
        Number of hints read by exercise id, according to the hint cards in the notebook.
    """

    notebook: dict[str, Any] | None
    digest: str
    problem: str = ""
    notes: tuple[str, ...] = ()
    doubtful: bool = False
    hints: Mapping[str, int] = field(default_factory=dict)

    @property
    def status(self) -> SubmissionStatus:
        """Best status that the submission can get."""
        if self.notebook is None:
            return SubmissionStatus.UNREADABLE
        return SubmissionStatus.WITH_ERRORS if self.doubtful else SubmissionStatus.GRADED


def refused(sentence: str) -> Submission:
    """Return a submission that could not be read, with the sentence that says why."""
    return Submission(None, hashlib.sha256(sentence.encode()).hexdigest(), sentence)


def parse_candidate(chosen: Candidate, most: int = MAX_BYTES) -> Submission:
    """Read and parse one submitted notebook; the result says why if it cannot be read."""
    try:
        data = chosen.read(most)
    except UnreadableFile as problem:
        return refused(str(problem))
    except OSError as error:
        raise_disk_error(error)
        return refused(open_error(error))
    digest = hashlib.sha256(data).hexdigest()
    try:
        refuse_too_many_values(data)
        notebook, notes = parse_notebook(data)
    except NotANotebook as error:
        return Submission(None, digest, f"{chosen.display_name} {error}.")
    return Submission(notebook, digest, "", tuple(notes), hints=_hints_in(data))


def _hints_in(data: bytes) -> dict[str, int]:
    """Count hints by the lines of hint cards anywhere in the file; nothing else in outputs is read."""
    counts: dict[str, int] = {}
    for found in islice(_LINE.finditer(data), MAX_HINT_LINES):
        name = found[1].decode()
        counts[name] = max(counts.get(name, 0), int(found[2]))
    return counts


def open_error(error: OSError) -> str:
    """Return the sentence that a notebook could not be opened."""
    return f"The notebook could not be opened: {printable(error.strerror or type(error).__name__)}."


def refuse_too_many_values(data: bytes) -> None:
    """Refuse a file such as ``[[],[],[], …``, which takes twenty times its size when parsed."""
    values = _values(data)
    if values > MAX_VALUES:
        # Commas in strings do not count; searching strings is slow, so it is done only if it decides.
        for strings, string in enumerate(_STRING.finditer(data)):
            if strings > MAX_VALUES:
                break
            values -= _values(string[0])
    if values > MAX_VALUES:
        raise NotANotebook("holds millions of values; clear its outputs, save it and hand it in again")


def _values(data: bytes) -> int:
    return sum(data.count(mark) for mark in (b",", b":", b"[", b"{"))
