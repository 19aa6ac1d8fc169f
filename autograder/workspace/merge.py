"""The reader's cells of an old copy, put into the page as the course has it now."""

import copy
import re
import secrets
from collections import defaultdict
from dataclasses import dataclass

from .origin import NAVIGATION, digest, kept_in, text

STUB = "raise NotImplementedError"
_FUNCTION = re.compile(r"^def (\w+)\(", re.M)


@dataclass(frozen=True)
class Carried:
    """A page with a reader's work in it.

    Attributes
    ----------
    notebook : dict
    answers : tuple of str
        Cells of the course, by id, that hold the reader's text.
    added : int
        Cells of the reader's own.
    left : tuple of str
        Cells that the reader changed and whose place the course has changed or given up.
    """

    notebook: dict
    answers: tuple[str, ...]
    added: int
    left: tuple[str, ...]


def carry(old: dict, new: dict) -> Carried:
    """Put what a reader wrote into ``old`` into ``new``, by the ids of cells.

    Where both changed a cell, an answer is the reader's and any other cell the course's. In a copy without a record
    nobody knows who changed what, so only answers and cells of the reader's own are taken.
    """
    made = copy.deepcopy(new)
    record = (kept_in(old) or {}).get("cells")
    places = {cell["id"]: cell for cell in made["cells"]}
    answers, left, beside = [], [], defaultdict(list)
    above = None
    for cell in old["cells"]:
        name = cell.get("id")
        if name in NAVIGATION:
            continue
        changed = record is None or record.get(name) != digest(cell)
        if place := places.get(name) or (_alike(cell, new) if record is None else None):
            place, above = places[place["id"]], place["id"]
            if not changed or digest(place) == digest(cell):
                continue
            if _is_the_readers(cell, place, record):
                place["source"] = cell["source"]
                answers.append(place["id"])
            elif record is not None:
                left.append(name)
        elif record is not None and name in record:
            left += [name] if changed else []
        elif text(cell).strip():
            beside[above].append(_own(cell))
    title, *others = made["cells"]  # a page begins with its title
    made["cells"] = [title, *beside[None], *beside[title["id"]]]
    for cell in others:
        made["cells"] += [cell, *beside[cell["id"]]]
    return Carried(made, tuple(answers), sum(map(len, beside.values())), tuple(left))


def _alike(cell, page):
    """The cell of a page that this one was, by its text or by the function that it defines: some editors drop ids."""
    defined = _FUNCTION.search(text(cell))
    for place in page["cells"]:
        if digest(place) == digest(cell):
            return place
        if defined and STUB in text(place) and (stub := _FUNCTION.search(text(place))) and stub[1] == defined[1]:
            return place
    return None


def _is_the_readers(cell, place, record):
    if cell["cell_type"] != place["cell_type"]:
        return False
    if _is_answer(place):
        # Without a record an old stub cannot be told from an answer but by what it says.
        return record is not None or STUB not in text(cell)
    return record is not None and record.get(place["id"]) == digest(place)


def _is_answer(cell):
    return STUB in text(cell) or bool(cell["metadata"].get("nbgrader", {}).get("solution"))


def _own(cell):
    """A cell of the reader's without what it printed: the page is run again."""
    kept = {"cell_type": cell["cell_type"], "id": cell.get("id") or secrets.token_hex(4)}
    kept |= {"metadata": cell.get("metadata", {}), "source": cell["source"]}
    return kept | ({"execution_count": None, "outputs": []} if cell["cell_type"] == "code" else {})
