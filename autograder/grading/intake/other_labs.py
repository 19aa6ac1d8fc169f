"""Recognize the notebook of another lab, which is no answer to this one and no reason for a 0."""

import json
from itertools import count
from pathlib import Path
from typing import Any

from .matching import CellRole, ReleasedCell, bound_names, normalize_source


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
        Name of the lab of which most of the text is in the notebook; "" if at least half of this lab's text is, or if
        it defines a function that this lab asks for.
    """
    if share_of_release(notebook, released) >= 0.5:
        return ""
    asked = {name for slot in map(ReleasedCell, count(), released["cells"]) for name in slot.names}
    code = [cell["source"] for cell in notebook["cells"] if cell["cell_type"] == "code"]
    if any(asked & bound_names("".join(source)) for source in code):
        return ""
    shares = {}
    for file in sorted(labs.glob("*/*.ipynb")):
        try:
            other = json.loads(file.read_text(encoding="utf-8"))
            shares[file.parent.name] = share_of_release(notebook, other)
        except (OSError, ValueError, KeyError, TypeError):
            continue
    best = max(shares, key=lambda name: shares[name], default="")
    return best if best and shares[best] >= 0.5 else ""


def share_of_release(notebook: dict[str, Any], released: dict[str, Any]) -> float:
    """Return the fraction of the released text, answers excluded, that is in a notebook."""
    slots = map(ReleasedCell, count(), released["cells"])
    wanted = {normalize_source(slot.source) for slot in slots if slot.role is not CellRole.ANSWER}
    found = wanted & {normalize_source("".join(cell["source"])) for cell in notebook["cells"]}
    return len(found) / len(wanted) if wanted else 1.0
