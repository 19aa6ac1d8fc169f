"""What became of the released cells in a submission, as repairs that a student reads."""

from difflib import SequenceMatcher
from typing import Any

from .matching import CellRole, ReleasedCell, SubmittedCell
from .repairs import Repairs


def compare_releases(slots: list[ReleasedCell], earlier: list[ReleasedCell]) -> list[ReleasedCell]:
    """Say of each slot what it was when the submission was made; return the cells that the lab has lost since."""
    by_name = {slot.name: slot for slot in earlier}
    for slot in slots:
        slot.origin = by_name.pop(slot.name, None)
    return [*by_name.values()]


def is_gone(slot: ReleasedCell, cell: SubmittedCell | None) -> bool:
    """Whether a slot has nothing of the student's in it."""
    return cell is None or (slot.role is CellRole.FREE and not cell.source.strip() and bool(slot.source.strip()))


def compare_notebooks(
    submitted: dict[str, Any], released: dict[str, Any], slots: list[ReleasedCell], repairs: Repairs
) -> None:
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


def compare_cells(
    cells: list[SubmittedCell],
    slots: list[ReleasedCell],
    chosen: dict[ReleasedCell, SubmittedCell],
    matched: list[ReleasedCell],
    repairs: Repairs,
) -> None:
    """Report what is wrong with single cells."""
    for slot in slots:
        cell, handed_out = chosen.get(slot), slot.origin
        if cell is None or is_gone(slot, cell):
            if handed_out:
                repairs.add("{Cells} had been deleted; {it was} put back.", slot)
            continue
        if len(slot.claims) > 1:
            repairs.add(
                "{Cells} stood there more than once; the last written copy counts, the others stay as plain cells.",
                slot,
            )
        if cell.kind not in (slot.kind, handed_out and handed_out.kind):
            repairs.add(
                f"{{Cells}} had been turned into {_KINDS[cell.kind]}; {{it is}} {_KINDS[slot.kind]} again.", slot
            )
        if handed_out and cell.marks == handed_out.marks:
            continue
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


def _moved(order: list[ReleasedCell]) -> list[ReleasedCell]:
    """The fewest slots, or nearly, that have to move to bring all into their order."""
    wanted = sorted(order, key=lambda slot: (slot.origin or slot).position)
    stay: set[ReleasedCell] = set()
    for block in SequenceMatcher(None, order, wanted, autojunk=False).get_matching_blocks():
        stay.update(order[block.a : block.a + block.size])
    return [slot for slot in wanted if slot not in stay]


_KINDS = {"code": "code", "markdown": "Markdown", "raw": "raw text"}
_KEYS = ("grade_id", "points", "grade", "solution", "locked", "task", "cell_type", "checksum", "schema_version")


def _changed(cell: SubmittedCell, slot: ReleasedCell) -> str:
    """The entries that differ; names that nbgrader does not know are the student's and are not repeated."""
    marks, wanted = cell.marks or {}, slot.marks or {}
    changed = [key for key in _KEYS if (key in marks, marks.get(key)) != (key in wanted, wanted.get(key))]
    return ", ".join(changed) or "entries that nbgrader does not have"
