"""Put a submission back into the shape of the released lab, and say what had to be put back."""

import copy
from collections import defaultdict
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any, TypeAlias

from .matching import Cell, Role, Slot, find_answers, join_parts, match, plain
from .notebook import clean
from .repairs import Repairs

Notebook: TypeAlias = dict[str, Any]
# The student's own cells by the released one that they stand beside; None is the top of the notebook.
Beside: TypeAlias = defaultdict[Slot | None, list[Cell]]


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

    notebook: Notebook
    repairs: tuple[str, ...]


def rebuild(submitted: Notebook, released: Notebook, made_from: Notebook | None = None) -> Rebuilt:
    """Return the released lab with a student's answers in it.

    Parameters
    ----------
    submitted : dict
        The student's notebook, such as `submitted.read` gives.
    released : dict
        The notebook that students got; trusted.
    made_from : dict, optional
        The release that the submission was made from, where that is another one: what
        differs between the two is nobody's edit.

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
    if made_from is not None and made_from != released:
        submitted = _brought_up(submitted, made_from, released)
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
    matched = find_answers(cells, slots)
    for slot in matched:
        repairs.add("The answer of {cells} stood in a cell without its name; {it was} put back in place.", slot)
    chosen = {slot: _choose(slot) for slot in slots if slot.claims}
    _compare_cells(cells, slots, chosen, matched, repairs)

    before, after = _place(cells, chosen)
    elsewhere: set[str] = set().union(*(cell.names for cell in cells if (cell.slot or cell).kind == "code"))
    ids = _Ids(slots)
    rebuilt = [ids.extra(cell) for cell in after[None]]
    for slot in slots:
        rebuilt += [ids.extra(cell) for cell in before[slot]]
        rebuilt.append(_restored(slot, chosen.get(slot), elsewhere))
        rebuilt += [ids.extra(cell) for cell in after[slot]]
    notebook = {"cells": rebuilt, "metadata": copy.deepcopy(released["metadata"]), "nbformat": 4, "nbformat_minor": 5}
    return Rebuilt(notebook, repairs.sentences())


def _brought_up(submitted: Notebook, made_from: Notebook, released: Notebook) -> Notebook:
    """The submission as if it had been made from the present release: what nobody touched becomes what it is now."""
    before = {slot.name: slot for slot in map(Slot, range(len(made_from["cells"])), made_from["cells"])}
    now = {slot.name: slot for slot in map(Slot, range(len(released["cells"])), released["cells"])}
    cells = []
    for cell in submitted["cells"]:
        marks, name = cell["metadata"].get("nbgrader"), _name(cell)
        old, new = (before.get(name), now.get(name)) if isinstance(name, str) else (None, None)
        if old and new and marks == old.marks:
            metadata = {"nbgrader": new.marks} if new.marks else {}
            same = plain(cell["source"]) == plain(old.source) and cell["cell_type"] == old.kind
            if not same:
                cell = cell | {"metadata": metadata}
            elif new.kind == old.kind:
                cell = cell | {"metadata": metadata, "source": new.source}
        elif old and new is None and plain(cell["source"]) == plain(old.source):
            continue  # it was taken out of the lab
        cells.append(cell)
    # A cell that came later was not deleted by anybody.
    place = 0
    for name, slot in now.items():
        found = next((n for n, cell in enumerate(cells) if _name(cell) == name), None)
        if found is not None:
            place = found + 1
        elif name not in before:
            cells.insert(place, clean({"cells": [slot.cell]})["cells"][0])
            place += 1
    return submitted | {"cells": cells}


def _name(cell: dict[str, Any]) -> Any:
    return (cell["metadata"].get("nbgrader") or {}).get("grade_id") or cell.get("id")


def _restore_fixed(cells: list[Cell], repairs: Repairs) -> list[Cell]:
    """Give locked cells their text back; what a student wrote into one becomes a cell beside it."""
    restored = []
    for cell in cells:
        slot = cell.slot
        if not slot or slot.role is not Role.FIXED or slot.same_text(cell):
            restored.append(cell)
            continue
        repairs.add(
            "{Cells} had been edited; {it was} restored, and what was written there stays in a plain cell.", slot
        )
        lines = set(plain(slot.source).splitlines())
        # Two cells that were merged come apart again.
        released = slot.source.strip()
        written, _, follows = cell.source.partition(released) if released else ("", "", cell.source)
        cell.source = slot.source
        for part in (written, None, follows):
            if part is None:
                restored.append(cell)
            elif any(line.strip() and line.rstrip() not in lines for line in part.splitlines()):
                restored.append(Cell(cell.kind, part.strip("\n")))
    return restored


def _choose(slot: Slot) -> Cell:
    """The copy that counts: the last that was written, of those that define the function asked for."""
    rivals = slot.rivals()
    written = [cell for cell in rivals if slot.is_written(cell)] or rivals
    return ([cell for cell in written if cell.kind == slot.kind] or written)[-1]


def _place(cells: list[Cell], chosen: dict[Slot, Cell]) -> tuple[Beside, Beside]:
    """Say which of the student's own cells stand before and after each released one."""
    before: Beside = defaultdict(list)
    after: Beside = defaultdict(list)
    rivals = {slot: set(slot.rivals()) for slot in chosen}
    anchor, furthest = after[None], -1
    waiting: list[Cell] = []
    passed: set[Slot] = set()
    for cell in cells:
        slot = cell.slot
        if slot and chosen[slot] is cell:
            # An answer that moves up takes along what stood before it: it may need that.
            up = slot.role is Role.ANSWER and slot.position < furthest
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


def _restored(slot: Slot, cell: Cell | None, elsewhere: set[str]) -> dict[str, Any]:
    """The released cell, with the student's text where that counts."""
    restored = copy.deepcopy(slot.cell) | {"id": slot.id, "source": slot.source}
    if slot.kind == "code":
        restored |= {"outputs": [], "execution_count": None}
    if cell and not _is_gone(slot, cell):
        restored["source"] = slot.source if slot.role is Role.FIXED else cell.source
    elif slot.names & elsewhere:
        # The stub would overwrite what the student defined in another cell.
        names = " and ".join(f"`{name}`" for name in sorted(slot.names & elsewhere))
        restored["source"] = f"# Another cell of this notebook defines {names}."
    return restored


def _is_gone(slot: Slot, cell: Cell | None) -> bool:
    return cell is None or (slot.role is Role.FREE and not cell.source.strip() and bool(slot.source.strip()))


def _compare_notebooks(submitted: Notebook, released: Notebook, slots: list[Slot], repairs: Repairs) -> None:
    """Report what is wrong with the notebook as a whole."""
    wanted, given = released["metadata"].get("kernelspec", {}), submitted["metadata"]["kernelspec"]
    # The name of a Python kernel differs from one machine to the next; the language does not.
    language = given["language"] or submitted["metadata"]["language_info"]["name"]
    if language:
        same = language.lower() == wanted.get("language", "python").lower()
    else:
        same = given["name"] in ("", wanted.get("name"))
    if not same:
        repairs.add("The notebook was set to the kernel of another language; the kernel of the course was restored.")
    ids = {slot.id for slot in slots}
    if submitted["cells"] and not any(cell.get("id") in ids for cell in submitted["cells"]):
        repairs.add("The cells had lost their ids, which old editors drop; they were restored.")


def _compare_cells(
    cells: list[Cell], slots: list[Slot], chosen: dict[Slot, Cell], matched: list[Slot], repairs: Repairs
) -> None:
    """Report what is wrong with single cells."""
    for slot in slots:
        cell = chosen.get(slot)
        if cell is None or _is_gone(slot, cell):
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
        if cell.marks is None and slot.marks is not None and slot not in matched:
            repairs.add("{Cells} had lost {its} nbgrader metadata; it was restored.", slot)
        elif cell.marks is not None and cell.marks != slot.marks:
            repairs.add(
                f"The nbgrader metadata of {{cells}} had been changed ({_changed(cell, slot)}); it was restored.", slot
            )
    if any(cell.slot is None and cell.marks is not None for cell in cells):
        repairs.add("Cells that are no part of the lab carried nbgrader metadata; it was removed from them.")
    for slot in _moved([cell.slot for cell in cells if cell.slot and len(cell.slot.claims) == 1]):
        repairs.add("{Cells} had been moved; {it was} put back in place.", slot)


def _moved(order: list[Slot]) -> list[Slot]:
    """The fewest slots, or nearly, that have to move to bring all into their order."""
    wanted = sorted(order, key=lambda slot: slot.position)
    stay: set[Slot] = set()
    for block in SequenceMatcher(None, order, wanted, autojunk=False).get_matching_blocks():
        stay.update(order[block.a : block.a + block.size])
    return [slot for slot in wanted if slot not in stay]


_KINDS = {"code": "code", "markdown": "Markdown", "raw": "raw text"}
_KEYS = ("grade_id", "points", "grade", "solution", "locked", "task", "cell_type", "checksum", "schema_version")


def _changed(cell: Cell, slot: Slot) -> str:
    """The entries that differ; names that nbgrader does not know are the student's and are not repeated."""
    marks, wanted = cell.marks or {}, slot.marks or {}
    changed = [key for key in _KEYS if (key in marks, marks.get(key)) != (key in wanted, wanted.get(key))]
    return ", ".join(changed) or "entries that nbgrader does not have"


class _Ids:
    """Ids of the student's own cells: theirs where it is free, else a new one, the same on every run."""

    def __init__(self, slots: list[Slot]) -> None:
        self.used = {slot.id for slot in slots}
        self.last = 0

    def extra(self, cell: Cell) -> dict[str, Any]:
        free = cell.id
        while free is None or free in self.used:
            self.last += 1
            free = f"own-{self.last}"
        self.used.add(free)
        own: dict[str, Any] = {"cell_type": cell.kind, "id": free, "metadata": {}, "source": cell.source}
        return own | ({"outputs": [], "execution_count": None} if cell.kind == "code" else {})
