"""Read what a student handed in: any bytes at all, never an exception."""

import hashlib
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import count, islice
from pathlib import Path
from typing import Any

from ... import lab_names
from ...help_policy import HINTS_LINE
from ..result import SubmissionStatus
from ..sanitize.terminal_text import printable
from .candidates import MAX_BYTES, MAX_OTHER_BYTES, MAX_OTHERS, Candidate, UnreadableFile, find_notebooks, visible_names
from .matching import CellRole, ReleasedCell, SubmittedCell, normalize_source
from .notebook import NotANotebook, parse_notebook
from .rebuild import rebuild

MAX_VALUES = 4_000_000
MAX_HINT_LINES = 5_000  # of cards with hints
_LINE = re.compile(HINTS_LINE.pattern.encode())
MAX_NAMED = 4  # files in one sentence
_STRING = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"', re.DOTALL)


@dataclass(frozen=True)
class Submission:
    """One lab as a student handed it in.

    Attributes
    ----------
    notebook : dict or None
        Cleaned by `autograder.grading.intake.notebook.clean_notebook`; None when there is nothing to read.
    digest : str
        SHA-256 of the file's bytes, or of `problem`, in hexadecimal.
    problem : str
        Why there is no notebook, as a sentence; empty when there is one.
    notes : tuple of str
        What had to be done to read it, a sentence each.
    doubtful : bool
        The notebook has no answers in it, and others that nobody chose may have: a person has to look.
    hints : mapping
        The hints that its cards say were read, the most for each exercise.
    """

    notebook: dict[str, Any] | None
    digest: str
    problem: str = ""
    notes: tuple[str, ...] = ()
    doubtful: bool = False
    hints: Mapping[str, int] = field(default_factory=dict)

    @property
    def status(self) -> SubmissionStatus:
        """The best that can become of it."""
        if self.notebook is None:
            return SubmissionStatus.UNREADABLE
        return SubmissionStatus.WITH_ERRORS if self.doubtful else SubmissionStatus.GRADED


def read_submission(folder: str | Path, name: str, released: dict[str, Any] | None = None) -> Submission:
    """Read ``folder/NAME.ipynb``, whatever is there.

    Parameters
    ----------
    folder : path
        The submitted folder of one student and lab.
    name : str
        Of the lab's notebook, such as ``"lab_03_roofline"``. What is called ``03_roofline`` is the same, and taken
        where that is missing.
    released : dict, optional
        The lab as students got it: with it, an untouched notebook gives way to the
        only other one that has answers.

    Returns
    -------
    Submission
        Nothing a student hands in raises. No symbolic link is followed, nothing
        but a regular file is opened, at most `MAX_BYTES` are read, and at most
        `MAX_VALUES` JSON values are built (text counts as one), which bounds
        memory to some hundred megabytes. Outputs count only until they are read.
        Where the notebook is missing, the only other one counts, also from a folder
        below or from a zip.
    """
    try:
        return _choose(Path(folder), f"{name}.ipynb", released)
    except UnreadableFile as problem:
        return _refused(str(problem))
    except OSError as error:
        return _refused(_closed(error))


def _choose(folder: Path, name: str, released: dict[str, Any] | None) -> Submission:
    """The notebook of the lab's name or the only one, unless another one alone has answers."""
    _look(folder, name)
    candidates, locked = find_notebooks(folder, name)
    if not candidates:
        raise UnreadableFile(locked or _nothing(folder, name))
    other = _other(name)
    exact = ([one for one in candidates if one.path == path] for path in (name, other))
    below = ([one for one in candidates if one.name == path] for path in (name, other))
    named = next(filter(None, (*exact, *below)), [])
    chosen = named[0] if len(named) == 1 else candidates[0] if len(candidates) == 1 else None
    others = [one for one in candidates if one is not chosen]
    if chosen is None:
        several = f"There is no {name} and more than one other notebook ({_names(others)})"
        found = _refused(f"{several}; hand in one, under that name.")
    else:
        found = _noted(_parsed(chosen), *_taken(chosen, name, alone=not others))
    if not others or (found.notebook and (released is None or _has_answers(found.notebook, released))):
        beside = [one for one in others if one.path == one.name]
        return _noted(found, *([f"{_were(beside)} handed in too and not looked at."] if beside else []))
    if released is None or len(others) > MAX_OTHERS:
        return _doubted(found, others)
    return _second(found, name, {one: _parsed(one, MAX_OTHER_BYTES) for one in others}, released)


def _second(found: Submission, name: str, others: dict[Candidate, Submission], released: dict[str, Any]) -> Submission:
    """Where the notebook has no answers or cannot be read: the only other one that has."""
    written = {
        one: it
        for one, it in others.items()
        if it.notebook and _is_of(it.notebook, released) and _has_answers(it.notebook, released)
    }
    if len(written) == 1:
        ((one, better),) = written.items()
        why = f"{name} has no answers in it." if found.notebook else found.problem
        return replace(better, notes=(why, f"{one.shown} has answers, and was taken.", *better.notes))
    if written or not all(it.notebook for it in others.values()):
        return _doubted(found, [*(written or others)])
    return _noted(found, f"{_were([*others])} handed in too, with no answers to this lab.")


def _doubted(found: Submission, others: list[Candidate]) -> Submission:
    if found.notebook is None:
        return found
    return _noted(
        replace(found, doubtful=True),
        f"The graded notebook has no answers in it; {_were(others)} handed in too and not looked at.",
    )


def _noted(found: Submission, *notes: str) -> Submission:
    return replace(found, notes=(*found.notes, *notes))


def _refused(sentence: str) -> Submission:
    return Submission(None, hashlib.sha256(sentence.encode()).hexdigest(), sentence)


def _look(folder: Path, name: str) -> None:
    """Refuse what is no folder."""
    if folder.is_symlink():
        raise UnreadableFile(
            "The submitted folder is a symbolic link, which is never followed; hand in the folder itself."
        )
    if folder.is_dir():
        return
    if os.path.lexists(folder):
        where = f"STUDENT/{lab_names.assignment_name(Path(name).stem)}/{name}"
        raise UnreadableFile(f"There is no submitted folder but a file; the notebook belongs into {where}.")
    raise UnreadableFile("There is no submitted folder; hand in a folder that holds the notebook.")


def _nothing(folder: Path, name: str) -> str:
    names = visible_names(folder)
    only = f", only {_listed(names)}" if names else ""
    return f"There is no {name} in the submitted folder{only}; hand in the notebook under that name."


def _parsed(chosen: Candidate, most: int = MAX_BYTES) -> Submission:
    try:
        data = chosen.read(most)
    except UnreadableFile as problem:
        return _refused(str(problem))
    except OSError as error:
        return _refused(_closed(error))
    digest = hashlib.sha256(data).hexdigest()
    try:
        _refuse_too_many_values(data)
        notebook, notes = parse_notebook(data)
    except NotANotebook as error:
        return Submission(None, digest, f"{chosen.shown} {error}.")
    return Submission(notebook, digest, "", tuple(notes), hints=_hints_in(data))


def _hints_in(data: bytes) -> dict[str, int]:
    """What the lines of cards say, wherever they stand: outputs are not read otherwise."""
    counts: dict[str, int] = {}
    for found in islice(_LINE.finditer(data), MAX_HINT_LINES):
        name = found[1].decode()
        counts[name] = max(counts.get(name, 0), int(found[2]))
    return counts


def _taken(chosen: Candidate, name: str, *, alone: bool) -> list[str]:
    if chosen.path in (name, _other(name)):
        return []
    taken = f"the only other notebook, {chosen.shown}," if alone else chosen.shown
    return [f"There was no {name}; {taken} was taken."]


def _has_answers(notebook: dict[str, Any], released: dict[str, Any]) -> bool:
    """Whether any answer of a lab differs from the released stub."""
    answers = {slot.id: slot for slot in map(ReleasedCell, count(), released["cells"]) if slot.role is CellRole.ANSWER}
    cells = rebuild(notebook, released).notebook["cells"]
    return any(
        answers[cell["id"]].is_written(SubmittedCell(cell["cell_type"], "".join(cell["source"])))
        for cell in cells
        if cell["id"] in answers
    )


def _is_of(notebook: dict[str, Any], released: dict[str, Any]) -> bool:
    """Whether this is a notebook of that lab: most of the released text is in it."""
    slots = map(ReleasedCell, count(), released["cells"])
    wanted = {normalize_source(slot.source) for slot in slots if slot.role is not CellRole.ANSWER}
    return 2 * len(wanted & {normalize_source(cell["source"]) for cell in notebook["cells"]}) >= len(wanted)


def _other(name: str) -> str:
    return f"{lab_names.other_name(Path(name).stem)}.ipynb"


def _names(candidates: list[Candidate]) -> str:
    return _listed([one.shown for one in candidates])


def _listed(names: list[str]) -> str:
    named = [printable(name) for name in names[:MAX_NAMED]]
    return ", ".join([*named, *(["others"] if len(names) > MAX_NAMED else [])])


def _were(candidates: list[Candidate]) -> str:
    return f"{_names(candidates)} {'was' if len(candidates) == 1 else 'were'}"


def _closed(error: OSError) -> str:
    return f"The notebook could not be opened: {printable(error.strerror or type(error).__name__)}."


def _refuse_too_many_values(data: bytes) -> None:
    """Hold a file such as ``[[],[],[], …`` back: it grows twentyfold when it is parsed."""
    values = _values(data)
    if values > MAX_VALUES:
        # Text may hold as many commas as it likes; to look into it is slow, so only where it decides.
        for strings, string in enumerate(_STRING.finditer(data)):
            if strings > MAX_VALUES:
                break
            values -= _values(string[0])
    if values > MAX_VALUES:
        raise NotANotebook("holds millions of values; clear its outputs, save it and hand it in again")


def _values(data: bytes) -> int:
    return sum(data.count(mark) for mark in (b",", b":", b"[", b"{"))
