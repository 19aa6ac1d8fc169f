"""Which page the reader works on, as far as a kernel can know, and which exercise was checked last."""

import os
import re

from chip2cluster import _pages, journal

from ..exercises import exercises

# Jupyter tells a kernel the notebook that it was started for.
_SESSION = "JPY_SESSION_NAME"
_PAGE = re.compile(r"(lab_)?\d+_([a-z_]+)[^/\\]*\.ipynb")
_LAB = re.compile(r"(?:^|[/\\])(?:my_)?labs[/\\]")
_last = {"exercise": "", "wrong": ""}


def note(exercise_id: str, correct: bool = True) -> None:
    """Remember the exercise that was checked last in this kernel, and whether it was right."""
    _last.update(exercise=exercise_id, wrong="" if correct else exercise_id)


def is_wrong(exercise_id: str) -> bool:
    """Whether the last check in this kernel was of this exercise and found it wrong, solved before or not."""
    return _last["wrong"] == exercise_id


def place() -> str:
    """How the ids of this page's exercises begin, such as ``"roofline."``; empty where nobody knows."""
    name = os.environ.get(_SESSION, "")
    if (match := _PAGE.search(name)) and match[2] in _pages.chapters():
        return f"{'lab.' if match[1] or _LAB.search(name) else ''}{match[2]}."
    last = _last["exercise"]
    return f"{last.rpartition('.')[0]}." if last else ""


def checked_last() -> str:
    """The exercise checked last in this kernel, else on this page by the record; empty for none."""
    here, tried = place(), journal.read()["exercises"]
    if _last["exercise"] and _last["exercise"].startswith(here):
        return _last["exercise"]
    known = [name for name in tried if here and name.startswith(here) and name in exercises() and "when" in tried[name]]
    return max(known, key=lambda name: tried[name]["when"], default="")


def next_open() -> str:
    """The first exercise of this page that is not solved yet; empty for none."""
    here, tried = place(), journal.read()["exercises"]
    mine = (name for name in exercises() if here and name.startswith(here))
    return next((name for name in mine if not tried.get(name, {}).get("solved")), "")
