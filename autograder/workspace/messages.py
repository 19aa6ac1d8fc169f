"""What ``autograder workspace`` prints: a line for each folder, and one for each page that was changed."""

import os
import shutil
import sys
from pathlib import Path

from .folders import COURSE, LABS, Course
from .merge import Carried
from .start import Done, State

CHANGED = (State.RENEWED, State.UPDATED, State.RESET)


def lines(course: Course, done: list[Done]) -> list[str]:
    """Say in plain lines what became of the copies."""
    said = []
    for name, what in ((COURSE, "page"), (LABS, "lab")):
        there = [one for one in done if one.page.copy.is_relative_to(course.to / name)]
        said += _folder(shown(course.to / name), what, there)
    changed = [one for one in done if one.state in CHANGED]
    said += map(_changed, changed)
    if changed:
        said.append("A page that is open in JupyterLab: File > Reload Notebook from Disk.")
    return said


def shown(file: Path) -> str:
    """A path as one would type it here."""
    place = os.path.relpath(file)
    return str(file) if place.startswith(os.pardir) else place


def command() -> str:
    """How this program is called here: in a notebook, in an environment that is not activated, or by its name."""
    if "ipykernel" in sys.modules:
        return "%run -m autograder"
    called = Path(sys.argv[0])
    if called.stem != "autograder":
        return "python -m autograder"
    found = shutil.which("autograder")
    return "autograder" if found and os.path.samefile(Path(found).parent, called.parent) else shown(called.absolute())


def _folder(name, what, there):
    states = {state: [one for one in there if one.state is state] for state in State}
    new, kept = len(states[State.NEW]), len(states[State.KEPT]) + len(states[State.OLDER])
    parts = [f"{_count(new, what)} new"] if new else []
    parts += [f"{_count(kept, what)} kept as {'it is' if kept == 1 else 'they are'}"] if kept else []
    said = [f"{name}: {', '.join(parts)}."] if parts else []
    if older := states[State.OLDER]:
        names = ", ".join(one.page.copy.stem for one in older)
        said.append(
            f"{name}: the course has newer text for {names}. `{command()} workspace --update` brings "
            f"{'it' if len(older) == 1 else 'them'} up to date, your answers too."
        )
    if broken := states[State.UNREADABLE]:
        names = ", ".join(one.page.copy.name for one in broken)
        said.append(
            f"{name}: {names} cannot be read as a notebook and stays as it is; "
            f"`{command()} workspace --reset {broken[0].page.name}` lays it aside and begins anew."
        )
    return said


def _changed(one):
    name = shown(one.page.copy)
    if one.state is State.RENEWED:
        return f"{name} is up to date; there was no work of yours in it."
    if one.state is State.RESET:
        return f"{name} begins anew. What you had is {shown(one.kept)}."
    return f"{name} is up to date. {_carried(one.carried)} What you had is {shown(one.kept)}."


def _carried(carried: Carried) -> str:
    parts = [_count(len(carried.answers), "answer")] if carried.answers else []
    parts += [_count(carried.added, "cell") + " of your own"] if carried.added else []
    said = f"Carried over: {' and '.join(parts)}." if parts else "Nothing was carried over."
    if carried.left:
        said += f" Changed by the course too, so yours is only in the old copy: {', '.join(carried.left)}."
    return said


def _count(number, what):
    return f"{number} {what}{'s' * (number != 1)}"
