"""Notebook that the reader works on, as far as the kernel can know, and the exercise that was checked last."""

import os
import re
from pathlib import Path

from chip2cluster import _pages, journal

from ..exercises import exercises

# Jupyter sets this variable to the notebook that a kernel was started for.
_SESSION = "JPY_SESSION_NAME"
_PAGE = re.compile(r"(lab_)?\d+_([a-z_]+)[^/\\]*\.ipynb")
_LAB = re.compile(r"(?:^|[/\\])(?:my_)?labs[/\\]")
_last = {"exercise": "", "wrong": ""}


def record_check(exercise_id: str, correct: bool = True) -> None:
    """Remember which exercise was checked last in this kernel, and whether it was right."""
    _last.update(exercise=exercise_id, wrong="" if correct else exercise_id)


def was_wrong(exercise_id: str) -> bool:
    """Return whether the last check in this kernel found this exercise wrong, whether it was solved before or not."""
    return _last["wrong"] == exercise_id


def page_prefix() -> str:
    """Return the prefix of the ids of this notebook's exercises, such as ``"roofline."``; empty if unknown."""
    name = os.environ.get(_SESSION, "")
    if (match := _PAGE.search(name)) and match[2] in _pages.chapters():
        return f"{'lab.' if match[1] or _LAB.search(name) else ''}{match[2]}."
    last = _last["exercise"]
    return f"{last.rpartition('.')[0]}." if last else ""


def notebook(topic: str) -> Path | None:
    """Return the file of the lab on a topic that the reader works on, as last saved; None if it can't be found."""
    name = Path(os.environ.get(_SESSION, ""))
    # A server names the notebook by its path or by its name; the kernel runs in the notebook's folder.
    for file in (name, Path(name.name)):
        if file.suffix == ".ipynb" and file.is_file():
            return file
    try:
        found = [file for file in Path().glob(f"*_{topic}.ipynb") if (match := _PAGE.fullmatch(file.name)) and match[1]]
    except OSError:  # the working directory was removed
        return None
    return found[0] if len(found) == 1 else None


def last_checked() -> str:
    """Return the exercise checked last in this kernel, else in this notebook by the record; empty for none."""
    here, tried = page_prefix(), journal.read()["exercises"]
    if _last["exercise"] and _last["exercise"].startswith(here):
        return _last["exercise"]
    known = [name for name in tried if here and name.startswith(here) and name in exercises() and "when" in tried[name]]
    return max(known, key=lambda name: tried[name]["when"], default="")


def next_unsolved() -> str:
    """Return the first exercise of this notebook that is not solved yet; empty for none."""
    here, tried = page_prefix(), journal.read()["exercises"]
    mine = (name for name in exercises() if here and name.startswith(here))
    return next((name for name in mine if not tried.get(name, {}).get("solved")), "")
