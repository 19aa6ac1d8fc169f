"""Every release of a lab that was made here, so that a submission is compared with the one that it was made from."""

import hashlib
import json
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..atomic_write import write_text
from .intake.notebook import STAMP

if TYPE_CHECKING:
    from .lab import Lab

SHOWN = 20  # students in a sentence
MOST = 40  # that are looked at; nobody hands in what was released before so many others


def keep(root: str | Path, lab: str, released: dict[str, Any]) -> None:
    """Keep a release beside the earlier ones; one that is there already stays as it is.

    Parameters
    ----------
    root : path
        The course folder.
    lab : str
    released : dict
        The notebook; one without a stamp is not kept, since nothing handed in leads back to it.
    """
    stamp = released["metadata"].get(STAMP)
    if isinstance(stamp, str):
        file = _folder(root, lab) / f"{name_of(released)}.ipynb"
        if not file.exists():
            write_text(file, json.dumps(released))


def name_of(released: dict[str, Any]) -> str:
    """What tells a release from all others of its lab."""
    # The same text may have been released with other points: the stamp does not tell.
    marks = hashlib.sha256(json.dumps(_marks(released), sort_keys=True).encode()).hexdigest()
    return f"{str(released['metadata'].get(STAMP))[:64]}-{marks[:16]}"


def keep_released(root: str | Path, folder: Path) -> None:
    """Keep what is released in a lab's folder now, before something else takes its place."""
    for file in folder.glob("*.ipynb"):
        keep(root, folder.name, json.loads(file.read_text(encoding="utf-8")))


def earlier(root: str | Path, lab: str, released: dict[str, Any]) -> tuple[dict[str, Any], ...]:
    """The kept releases of a lab other than this one, the latest first."""
    files = sorted(_folder(root, lab).glob("*.ipynb"), key=lambda file: file.stat().st_mtime_ns, reverse=True)
    found = []
    for file in files[:MOST]:
        # Without one of them grading goes on: the repairs it names are more.
        with suppress(OSError, ValueError):
            found.append(json.loads(file.read_text(encoding="utf-8")))
    now = released["metadata"].get(STAMP), _marks(released)
    return tuple(one for one in found if (one["metadata"].get(STAMP), _marks(one)) != now)


def release_of(lab: "Lab", submitted: dict[str, Any]) -> dict[str, Any] | None:
    """The release that a submission was made from; None where that is not known.

    Parameters
    ----------
    lab : Lab
    submitted : dict
        The student's notebook, such as `intake.submission_reader.read` gives; what it says is believed only
        as far as the choice among releases of the course's own.
    """
    stamp = submitted["metadata"].get(STAMP)
    marks = _marks(submitted)

    def alike(released: dict[str, Any]) -> int:
        return sum(marks.get(name) == wanted for name, wanted in _marks(released).items())

    same = [released for released in (lab.released, *lab.earlier) if released["metadata"].get(STAMP) == stamp]
    return max(same, key=alike) if stamp and same else None


def sentence(root: str | Path, lab: "Lab", name: str, students: list[str]) -> str:
    """Say whose work was made from an earlier release, what has changed since, what counts, and how to undo it."""
    before = next((one for one in lab.earlier if name_of(one) == name), None)
    what = f" Since then: {'; '.join(changes(before, lab.released)) or 'nothing that shows'}." if before else ""
    many = f"{', '.join(students[:SHOWN])}{f' and {len(students) - SHOWN} more' if len(students) > SHOWN else ''}"
    return (
        f"Made from an earlier release of {lab.name} ({len(students)}): {many}.{what} What they hold is compared with that "
        f"release, and nothing that they wrote is dropped; marks are in the points of today. To undo the change, take it back "
        f"in solutions/{lab.name} and release again; the earlier release is {_folder(root, lab.name) / name}.ipynb"
    )


def changes(before: dict[str, Any], now: dict[str, Any]) -> list[str]:
    """What differs between two releases of a lab, a phrase for each kind; cells by their ``grade_id``, else their id."""
    old, new = _cells(before), _cells(now)
    both = [name for name in new if name in old]
    found = [f"`{name}` {old[name][1]:g} -> {new[name][1]:g} points" for name in both if old[name][1] != new[name][1]]
    kinds = {
        "new": [name for name in new if name not in old],
        "gone": [name for name in old if name not in new],
        "other words": [name for name in both if old[name][0] != new[name][0]],
    }
    return found + [f"{kind}: {', '.join(f'`{name}`' for name in names)}" for kind, names in kinds.items() if names]


def _cells(notebook: dict[str, Any]) -> dict[str, tuple[str, float]]:
    """Source and points of each cell that has a name."""
    found = {}
    for cell in notebook["cells"]:
        marks = cell["metadata"].get("nbgrader") or {}
        if name := marks.get("grade_id") or cell.get("id"):
            found[str(name)] = ("".join(cell["source"]), float(marks.get("points") or 0))
    return found


def _marks(notebook: dict[str, Any]) -> dict[str, Any]:
    """What nbgrader wrote into each cell, by its name."""
    found = [cell["metadata"].get("nbgrader") or {} for cell in notebook["cells"]]
    return {marks["grade_id"]: marks for marks in found if isinstance(marks.get("grade_id"), str)}


def _folder(root: str | Path, lab: str) -> Path:
    return Path(root) / "autograder" / "work" / "releases" / lab
