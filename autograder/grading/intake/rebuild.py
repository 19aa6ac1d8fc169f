"""Put a submission back into the shape of the released lab, and say what had to be put back."""

import copy
from collections import defaultdict
from dataclasses import dataclass
from difflib import SequenceMatcher

from .matching import ANSWER, FIXED, FREE, Cell, Slot, find_answers, join_parts, match, plain
from .notebook import clean
from .repairs import Repairs


@dataclass(frozen=True)
class Rebuilt:
    """A submission in the released shape.

    Attributes
    ----------
    notebook : dict
        nbformat 4.5, without outputs.
    repairs : tuple of str
        What was put back, a sentence each; empty for an honest submission.
    """

    notebook: dict
    repairs: tuple


def rebuild(submitted, released):
    """Return the released lab with a student's answers in it.

    Parameters
    ----------
    submitted : dict
        The student's notebook, such as `submitted.read` gives.
    released : dict
        The notebook that students got; trusted.

    Returns
    -------
    Rebuilt
        Every released cell once, in the released order, with the released id, type
        and metadata. Locked cells and check cells have the released text, answers
        the student's; other released cells the student's if there is any. What else
        the student wrote stays, without metadata, after the cell it followed. Of
        several copies of an answer the last written one counts; the others stay as
        plain cells before it, so that none overwrites it. No text of the student is
        left out.

    Raises
    ------
    autograder.grading.intake.notebook.NotANotebook
        Only for something that `submitted.read` would not give.
    """
    submitted = clean(submitted)
    repairs = Repairs()
    slots = [Slot(position, cell) for position, cell in enumerate(released["cells"])]
    cells = [
        Cell(cell["cell_type"], cell["source"], cell.get("id"), cell["metadata"].get("nbgrader"))
        for cell in submitted["cells"]
    ]
    _compare_notebooks(submitted, released, slots, repairs)
    for slot in match(cells, slots):
        repairs.add("{Cells} had been copied; the copies stay as plain cells.", slot)
    cells = _restore_fixed(cells, repairs)
    cells, joined = join_parts(cells)
    for slot in joined:
        repairs.add("{Cells} had been split; {its} parts were joined.", slot)
    found = find_answers(cells, slots)
    for slot in found:
        repairs.add("The answer of {cells} stood in a cell without its name; {it was} put back in place.", slot)
    chosen = {slot: _choose(slot) for slot in slots if slot.claims}
    _compare_cells(cells, slots, chosen, found, repairs)

    before, after = _place(cells, chosen)
    elsewhere = set().union(*(cell.names for cell in cells if (cell.slot or cell).kind == "code"))
    ids = _Ids(slots)
    rebuilt = [ids.extra(cell) for cell in after[None]]
    for slot in slots:
        rebuilt += [ids.extra(cell) for cell in before[slot]]
        rebuilt.append(_restored(slot, chosen.get(slot), elsewhere))
        rebuilt += [ids.extra(cell) for cell in after[slot]]
    notebook = {"cells": rebuilt, "metadata": copy.deepcopy(released["metadata"]), "nbformat": 4, "nbformat_minor": 5}
    return Rebuilt(notebook, repairs.sentences())


def _restore_fixed(cells, repairs):
    """Give locked cells their text back; what a student wrote into one becomes a cell beside it."""
    kept = []
    for cell in cells:
        slot = cell.slot
        if not slot or slot.role != FIXED or slot.same_text(cell):
            kept.append(cell)
            continue
        repairs.add(
            "{Cells} had been edited; {it was} restored, and what was written there stays in a plain cell.", slot
        )
        lines = set(plain(slot.source).splitlines())
        # Two cells that were merged come apart again.
        released = slot.source.strip()
        written, _, follows = cell.source.partition(released) if released else ("", "", cell.source)
        cell.source = slot.source
        for part in (written, cell, follows):
            if part is cell:
                kept.append(cell)
            elif any(line.strip() and line.rstrip() not in lines for line in part.splitlines()):
                kept.append(Cell(cell.kind, part.strip("\n")))
    return kept


def _choose(slot):
    """The copy that counts: the last that was written, of those that define the function asked for."""
    rivals = slot.rivals()
    written = [cell for cell in rivals if slot.is_written(cell)] or rivals
    return ([cell for cell in written if cell.kind == slot.kind] or written)[-1]


def _place(cells, chosen):
    """Say which of the student's own cells stand before and after each released one."""
    before, after = defaultdict(list), defaultdict(list)
    rivals = {slot: set(slot.rivals()) for slot in chosen}
    anchor, waiting, furthest, passed = after[None], [], -1, set()
    for cell in cells:
        slot = cell.slot
        if slot and chosen[slot] is cell:
            # An answer that moves up takes along what stood before it: it may need that.
            up = slot.role == ANSWER and slot.position < furthest
            (before[slot] if up else anchor).extend(waiting)
            anchor, waiting, furthest = after[slot], [], max(furthest, slot.position)
            passed.add(slot)
        elif slot and cell in rivals[slot]:
            anchor.extend(waiting)
            waiting = []
            before[slot].append(cell)
            anchor = anchor if slot in passed else before[slot]
        else:
            waiting.append(cell)
    anchor.extend(waiting)
    return before, after


def _restored(slot, cell, elsewhere):
    """The released cell, with the student's text where that counts."""
    restored = copy.deepcopy(slot.cell) | {"id": slot.id, "source": slot.source}
    if slot.kind == "code":
        restored |= {"outputs": [], "execution_count": None}
    if cell and not _is_gone(slot, cell):
        restored["source"] = slot.source if slot.role == FIXED else cell.source
    elif slot.names & elsewhere:
        # The stub would overwrite what the student defined in another cell.
        names = " and ".join(f"`{name}`" for name in sorted(slot.names & elsewhere))
        restored["source"] = f"# Another cell of this notebook defines {names}."
    return restored


def _is_gone(slot, cell):
    return cell is None or (slot.role == FREE and not cell.source.strip() and bool(slot.source.strip()))


def _compare_notebooks(submitted, released, slots, repairs):
    """Report what is wrong with the notebook as a whole."""
    wanted, found = released["metadata"].get("kernelspec", {}), submitted["metadata"]["kernelspec"]
    # The name of a Python kernel differs from one machine to the next; the language does not.
    language = found["language"] or submitted["metadata"]["language_info"]["name"]
    if language:
        same = language.lower() == wanted.get("language", "python").lower()
    else:
        same = found["name"] in ("", wanted.get("name"))
    if not same:
        repairs.add("The notebook was set to the kernel of another language; the kernel of the course was restored.")
    ids = {slot.id for slot in slots}
    if submitted["cells"] and not any(cell.get("id") in ids for cell in submitted["cells"]):
        repairs.add("The cells had lost their ids, which old editors drop; they were restored.")


def _compare_cells(cells, slots, chosen, found, repairs):
    """Report what is wrong with single cells."""
    for slot in slots:
        cell = chosen.get(slot)
        if _is_gone(slot, cell):
            repairs.add("{Cells} had been deleted; {it was} put back.", slot)
            continue
        if len(slot.claims) > 1:
            repairs.add(
                "{Cells} stood there more than once; the last written copy counts, the others stay as plain cells.",
                slot,
            )
        if cell.kind != slot.kind:
            repairs.add(
                f"{{Cells}} had been turned into {_KINDS[cell.kind]}; {{it is}} {_KINDS[slot.kind]} again.", slot
            )
        if cell.marks is None and slot.marks is not None and slot not in found:
            repairs.add("{Cells} had lost {its} nbgrader metadata; it was restored.", slot)
        elif cell.marks is not None and cell.marks != slot.marks:
            repairs.add(
                f"The nbgrader metadata of {{cells}} had been changed ({_changed(cell, slot)}); it was restored.", slot
            )
    if any(cell.slot is None and cell.marks is not None for cell in cells):
        repairs.add("Cells that are no part of the lab carried nbgrader metadata; it was removed from them.")
    for slot in _moved([cell.slot for cell in cells if cell.slot and len(cell.slot.claims) == 1]):
        repairs.add("{Cells} had been moved; {it was} put back in place.", slot)


def _moved(order):
    """The fewest slots, or nearly, that have to move to bring all into their order."""
    wanted = sorted(order, key=lambda slot: slot.position)
    kept = set()
    for block in SequenceMatcher(None, order, wanted, autojunk=False).get_matching_blocks():
        kept.update(order[block.a : block.a + block.size])
    return [slot for slot in wanted if slot not in kept]


_KINDS = {"code": "code", "markdown": "Markdown", "raw": "raw text"}
_KEYS = ("grade_id", "points", "grade", "solution", "locked", "task", "cell_type", "checksum", "schema_version")


def _changed(cell, slot):
    """The entries that differ; names that nbgrader does not know are the student's and are not repeated."""
    wanted = slot.marks or {}
    changed = [key for key in _KEYS if (key in cell.marks, cell.marks.get(key)) != (key in wanted, wanted.get(key))]
    return ", ".join(changed) or "entries that nbgrader does not have"


class _Ids:
    """Ids of the student's own cells: theirs where it is free, else a new one, the same on every run."""

    def __init__(self, slots):
        self.used = {slot.id for slot in slots}
        self.last = 0

    def extra(self, cell):
        id = cell.id
        while id is None or id in self.used:
            self.last += 1
            id = f"own-{self.last}"
        self.used.add(id)
        own = {"cell_type": cell.kind, "id": id, "metadata": {}, "source": cell.source}
        return own | ({"outputs": [], "execution_count": None} if cell.kind == "code" else {})
