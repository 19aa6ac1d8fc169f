"""Messages of ``autograder workspace``: a line for each folder, and one for each copy that was changed."""

import os
import shutil
import sys
from pathlib import Path

from .folders import COURSE, LABS, Workspace
from .merge import MergedPage
from .start import CopyResult, CopyState

CHANGED = (CopyState.RENEWED, CopyState.UPDATED, CopyState.RESET)


def summary_lines(course: Workspace, done: list[CopyResult]) -> list[str]:
    """Return lines that say what was done with the copies."""
    said = []
    for name, what in ((COURSE, "page"), (LABS, "lab")):
        there = [one for one in done if one.page.copy.is_relative_to(course.to / name)]
        said += _folder(display_path(course.to / name), what, there)
    changed = [one for one in done if one.state in CHANGED]
    said += map(_changed, changed)
    if changed:
        said.append("A page that is open in JupyterLab: File > Reload Notebook from Disk.")
    return said


def display_path(file: Path) -> str:
    """Return a path as a user would type it here."""
    place = os.path.relpath(file)
    return str(file) if place.startswith(os.pardir) else place


def program_name() -> str:
    """Return how this program is called here: in a notebook, without an activated environment, or by its name."""
    if "ipykernel" in sys.modules:
        return "%run -m autograder"
    called = Path(sys.argv[0])
    if called.stem != "autograder":
        return "python -m autograder"
    found = shutil.which("autograder")
    return (
        "autograder"
        if found and os.path.samefile(Path(found).parent, called.parent)
        else display_path(called.absolute())
    )


def _folder(name, what, there):
    states = {state: [one for one in there if one.state is state] for state in CopyState}
    new, kept = len(states[CopyState.NEW]), len(states[CopyState.KEPT]) + len(states[CopyState.OLDER])
    parts = [f"{_count(new, what)} new"] if new else []
    parts += [f"{_count(kept, what)} kept as {'it is' if kept == 1 else 'they are'}"] if kept else []
    said = [f"{name}: {', '.join(parts)}."] if parts else []
    if older := states[CopyState.OLDER]:
        names = ", ".join(one.page.copy.stem for one in older)
        said.append(
            f"{name}: the course has newer text for {names}. `{program_name()} workspace --update` brings "
            f"{'it' if len(older) == 1 else 'them'} up to date, your answers too."
        )
    if broken := states[CopyState.UNREADABLE]:
        names = ", ".join(one.page.copy.name for one in broken)
        said.append(
            f"{name}: {names} cannot be read as a notebook and stays as it is; "
            f"`{program_name()} workspace --reset {broken[0].page.name}` keeps it under another name and makes a new copy."
        )
    return said


def _changed(one):
    name = display_path(one.page.copy)
    if one.state is CopyState.RENEWED:
        return f"{name} is up to date; it contained no work of yours."
    if one.state is CopyState.RESET:
        return f"{name} is a new copy. Your earlier copy is {display_path(one.earlier)}."
    return f"{name} is up to date. {_merge_summary(one.merged)} Your earlier copy is {display_path(one.earlier)}."


def _merge_summary(merged: MergedPage) -> str:
    parts = [_count(len(merged.answers), "answer")] if merged.answers else []
    parts += [_count(merged.added, "cell") + " of your own"] if merged.added else []
    said = f"Carried over: {' and '.join(parts)}." if parts else "Nothing was carried over."
    if merged.left:
        said += f" Changed by the course too, so yours is only in the old copy: {', '.join(merged.left)}."
    return said


def _count(number, what):
    return f"{number} {what}{'s' * (number != 1)}"
