"""Archive of a lab's releases, so that a submission is compared with the release that it was made from."""

import dataclasses
import hashlib
import json
from contextlib import suppress
from pathlib import Path
from typing import Any

from ..atomic_write import write_text
from .intake.notebook import RELEASE_STAMP
from .lab import Lab

MAX_NAMED = 20  # students named in a sentence
MAX_RELEASES = 40  # that are read; students hand in no release older than that


def store_release(root: str | Path, lab: str, released: dict[str, Any]) -> None:
    """Add a release to the archive; one that is already there is not rewritten.

    Parameters
    ----------
    root : path
        The course folder.
    lab : str
    released : dict
        The released notebook; one without a stamp is not stored, because no submission can refer to it.
    """
    stamp = released["metadata"].get(RELEASE_STAMP)
    if isinstance(stamp, str):
        file = _folder(root, lab) / f"{release_name(released)}.ipynb"
        if not file.exists():
            write_text(file, json.dumps(released))


def release_name(released: dict[str, Any]) -> str:
    """Return a name that differs between all releases of a lab."""
    # The stamp covers the text alone; the same text may have been released with other points.
    metadata = hashlib.sha256(json.dumps(_nbgrader_metadata(released), sort_keys=True).encode()).hexdigest()
    return f"{str(released['metadata'].get(RELEASE_STAMP))[:64]}-{metadata[:16]}"


def store_current_releases(root: str | Path, folder: Path) -> None:
    """Add the notebooks in a lab's release folder to the archive before they are replaced."""
    for file in folder.glob("*.ipynb"):
        store_release(root, folder.name, json.loads(file.read_text(encoding="utf-8")))


def with_earlier_releases(root: str | Path, lab: Lab) -> Lab:
    """Return the lab together with its earlier releases from the archive."""
    return dataclasses.replace(lab, earlier=earlier_releases(root, lab.name, lab.released))


def earlier_releases(root: str | Path, lab: str, released: dict[str, Any]) -> tuple[dict[str, Any], ...]:
    """Return the archived releases of a lab other than ``released``, the latest first."""
    files = sorted(_folder(root, lab).glob("*.ipynb"), key=lambda file: file.stat().st_mtime_ns, reverse=True)
    found = []
    for file in files[:MAX_RELEASES]:
        # Grading works without an unreadable release; it only reports more repairs.
        with suppress(OSError, ValueError):
            found.append(json.loads(file.read_text(encoding="utf-8")))
    current = released["metadata"].get(RELEASE_STAMP), _nbgrader_metadata(released)
    return tuple(one for one in found if (one["metadata"].get(RELEASE_STAMP), _nbgrader_metadata(one)) != current)


def matching_release(lab: Lab, submitted: dict[str, Any]) -> dict[str, Any] | None:
    """Return the release that a submission was made from, or None if it is unknown.

    Parameters
    ----------
    lab : Lab
    submitted : dict
        The student's notebook, such as `intake.submission_reader.read_submission` returns. It only
        selects one of the course's own releases.
    """
    stamp = submitted["metadata"].get(RELEASE_STAMP)
    metadata = _nbgrader_metadata(submitted)

    def equal_cells(released: dict[str, Any]) -> int:
        return sum(metadata.get(name) == wanted for name, wanted in _nbgrader_metadata(released).items())

    same = [released for released in (lab.released, *lab.earlier) if released["metadata"].get(RELEASE_STAMP) == stamp]
    return max(same, key=equal_cells) if stamp and same else None


def earlier_release_notice(root: str | Path, lab: Lab, name: str, students: list[str]) -> str:
    """Say which students worked on an earlier release, what has changed since, what counts, and how to undo it."""
    before = next((one for one in lab.earlier if release_name(one) == name), None)
    changed = f" Changes since: {'; '.join(release_changes(before, lab.released)) or 'none visible'}." if before else ""
    more = f" and {len(students) - MAX_NAMED} more" if len(students) > MAX_NAMED else ""
    return (
        f"Made from an earlier release of {lab.name} ({len(students)}): {', '.join(students[:MAX_NAMED])}{more}.{changed} "
        f"These submissions are compared with that release, and nothing that students wrote is dropped; points are those "
        f"of the current release. To undo the change, revert it in solutions/{lab.name} and release again; the earlier "
        f"release is {_folder(root, lab.name) / name}.ipynb"
    )


def release_changes(before: dict[str, Any], now: dict[str, Any]) -> list[str]:
    """List the differences between two releases of a lab, a phrase for each kind; cells by ``grade_id``, else by id."""
    old, new = _cells(before), _cells(now)
    both = [name for name in new if name in old]
    found = [f"`{name}` {old[name][1]:g} -> {new[name][1]:g} points" for name in both if old[name][1] != new[name][1]]
    kinds = {
        "new": [name for name in new if name not in old],
        "removed": [name for name in old if name not in new],
        "edited": [name for name in both if old[name][0] != new[name][0]],
    }
    return found + [f"{kind}: {', '.join(f'`{name}`' for name in names)}" for kind, names in kinds.items() if names]


def _cells(notebook: dict[str, Any]) -> dict[str, tuple[str, float]]:
    """Return source and points of each cell that has a name."""
    found = {}
    for cell in notebook["cells"]:
        metadata = cell["metadata"].get("nbgrader") or {}
        if name := metadata.get("grade_id") or cell.get("id"):
            found[str(name)] = ("".join(cell["source"]), float(metadata.get("points") or 0))
    return found


def _nbgrader_metadata(notebook: dict[str, Any]) -> dict[str, Any]:
    """Return the nbgrader metadata of each cell, by its ``grade_id``."""
    found = [cell["metadata"].get("nbgrader") or {} for cell in notebook["cells"]]
    return {metadata["grade_id"]: metadata for metadata in found if isinstance(metadata.get("grade_id"), str)}


def _folder(root: str | Path, lab: str) -> Path:
    return Path(root) / "autograder" / "work" / "releases" / lab
