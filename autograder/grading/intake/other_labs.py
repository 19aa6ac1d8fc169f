"""Recognize the notebook of another lab, which is no answer to this one and no reason for a 0."""

import json
from itertools import count
from pathlib import Path
from typing import Any

from .cell_matching import CellRole, ReleasedCell, bound_names, normalize_source


def name_of_other_lab(notebook: dict[str, Any], released: dict[str, Any], labs: Path) -> str:
    """Return the name of the other lab whose notebook was handed in, or "".

    Parameters
    ----------
    notebook : dict
        Cleaned notebook of a submission.
    released : dict
        Release of the lab that the notebook was handed in for.
    labs : Path
        Folder of the releases of all labs.

    Returns
    -------
    str
        Name of the lab of which most of the text or of the graded cells is in the notebook; "" if at least half of this
        lab's is, or if it defines a function that this lab asks for.
    """
    if _likeness(notebook, released) >= 0.5:
        return ""
    releases: dict[str, dict[str, Any]] = {}
    for file in sorted(labs.glob("*/*.ipynb")):
        try:
            other = json.loads(file.read_text(encoding="utf-8"))
            if _likeness(notebook, other) >= 0.5:
                releases[file.parent.name] = other
        except (OSError, ValueError, KeyError, TypeError):
            continue
    if not releases:
        return ""
    best = max(releases, key=lambda name: _likeness(notebook, releases[name]))
    asked = {name for slot in map(ReleasedCell, count(), released["cells"]) for name in slot.names}
    # A function that the other lab has, too, says nothing.
    return "" if (asked - _bound_in(releases[best])) & _bound_in(notebook) else best


def _bound_in(notebook: dict[str, Any]) -> set[str]:
    code = ("".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code")
    return {name for source in code for name in bound_names(source)}


def _likeness(notebook: dict[str, Any], released: dict[str, Any]) -> float:
    """Return the fraction of a release that is in a notebook, by its text or by the names of its graded cells."""
    wanted, found = _names(released), _names(notebook)
    return max(share_of_release(notebook, released), len(wanted & found) / len(wanted) if wanted else 0.0)


def _names(notebook: dict[str, Any]) -> set[str]:
    marks = (cell["metadata"].get("nbgrader") for cell in notebook["cells"])
    return {name for one in marks if isinstance(one, dict) and isinstance(name := one.get("grade_id"), str)}


def share_of_release(notebook: dict[str, Any], released: dict[str, Any]) -> float:
    """Return the fraction of the released text, answers excluded, that is in a notebook."""
    slots = map(ReleasedCell, count(), released["cells"])
    wanted = {normalize_source(slot.source) for slot in slots if slot.role is not CellRole.ANSWER}
    found = wanted & {normalize_source("".join(cell["source"])) for cell in notebook["cells"]}
    return len(found) / len(wanted) if wanted else 1.0
