"""Merge the reader's cells of an old copy into the current notebook of the course."""

import copy
import re
import secrets
from collections import defaultdict
from dataclasses import dataclass

from .origin import NAVIGATION, digest, read_record, text

STUB = "raise NotImplementedError"
_FUNCTION = re.compile(r"^def (\w+)\(", re.M)


@dataclass(frozen=True)
class MergedPage:
    """Current notebook with a reader's work in it.

    Attributes
    ----------
    notebook : dict
    answers : tuple of str
        Ids of the course's cells that have the reader's text.
    added : int
        Number of the reader's own cells.
    left : tuple of str
        Ids of cells that the reader changed and the course has changed or removed; they are only in the old copy.
    """

    notebook: dict
    answers: tuple[str, ...]
    added: int
    left: tuple[str, ...]


def merge(old: dict, new: dict) -> MergedPage:
    """Merge the reader's work in ``old`` into ``new``, by the ids of cells.

    If both changed a cell, the reader's text wins in an answer and the course's in any other cell. Without a record in
    the copy it is unknown who changed a cell, so only answers and the reader's own cells are taken.
    """
    made = copy.deepcopy(new)
    record = (read_record(old) or {}).get("cells")
    places = {cell["id"]: cell for cell in made["cells"]}
    answers, left, beside = [], [], defaultdict(list)
    above = None
    for cell in old["cells"]:
        name = cell.get("id")
        if name in NAVIGATION:
            continue
        changed = record is None or record.get(name) != digest(cell)
        if place := places.get(name) or (_same_cell(cell, new) if record is None else None):
            place, above = places[place["id"]], place["id"]
            if not changed or digest(place) == digest(cell):
                continue
            if _is_readers_work(cell, place, record):
                place["source"] = cell["source"]
                answers.append(place["id"])
            elif record is not None:
                left.append(name)
        elif record is not None and name in record:
            left += [name] if changed else []
        elif text(cell).strip():
            beside[above].append(_without_output(cell))
    title, *others = made["cells"]  # a notebook begins with its title
    made["cells"] = [title, *beside[None], *beside[title["id"]]]
    for cell in others:
        made["cells"] += [cell, *beside[cell["id"]]]
    return MergedPage(made, tuple(answers), sum(map(len, beside.values())), tuple(left))


def _same_cell(cell, page):
    """Find a cell of the course by its text or by the function that it defines, because some editors drop ids."""
    defined = _FUNCTION.search(text(cell))
    for place in page["cells"]:
        if digest(place) == digest(cell):
            return place
        if defined and STUB in text(place) and (stub := _FUNCTION.search(text(place))) and stub[1] == defined[1]:
            return place
    return None


def _is_readers_work(cell, place, record):
    if cell["cell_type"] != place["cell_type"]:
        return False
    if _is_answer(place):
        # Without a record an old stub is recognized only by its text.
        return record is not None or STUB not in text(cell)
    return record is not None and record.get(place["id"]) == digest(place)


def _is_answer(cell):
    return STUB in text(cell) or bool(cell["metadata"].get("nbgrader", {}).get("solution"))


def _without_output(cell):
    """Return a cell of the reader without its output, because the notebook is run again."""
    kept = {"cell_type": cell["cell_type"], "id": cell.get("id") or secrets.token_hex(4)}
    kept |= {"metadata": cell.get("metadata", {}), "source": cell["source"]}
    return kept | ({"execution_count": None, "outputs": []} if cell["cell_type"] == "code" else {})
