"""Compare the cells of a submission with the released cells, and report the differences as repairs."""

from difflib import SequenceMatcher
from typing import Any

from .cell_matching import CellRole, ReleasedCell, SubmittedCell
from .repairs import Repairs


def compare_releases(slots: list[ReleasedCell], earlier: list[ReleasedCell]) -> list[ReleasedCell]:
    """Set the origin of each released cell to its state in an earlier release; return the cells removed since."""
    by_name = {slot.name: slot for slot in earlier}
    for slot in slots:
        slot.origin = by_name.pop(slot.name, None)
    return [*by_name.values()]


def is_gone(slot: ReleasedCell, cell: SubmittedCell | None) -> bool:
    """Return whether a submission lacks a released cell, or has emptied a free one."""
    return cell is None or (slot.role is CellRole.FREE and not cell.source.strip() and bool(slot.source.strip()))


def compare_notebooks(
    submitted: dict[str, Any], released: dict[str, Any], slots: list[ReleasedCell], repairs: Repairs
) -> None:
    """Report changes of the notebook as a whole."""
    wanted, given = released["metadata"].get("kernelspec", {}), submitted["metadata"]["kernelspec"]
    # The name of a Python kernel differs between machines; the language does not.
    language = given["language"] or submitted["metadata"]["language_info"]["name"]
    if language:
        same = language.lower() == wanted.get("language", "python").lower()
    else:
        same = given["name"] in ("", wanted.get("name"))
    if not same:
        repairs.add("The notebook was set to a kernel of another language; the kernel of the course was restored.")
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
    """Report changes of single cells."""
    for slot in slots:
        cell, handed_out = chosen.get(slot), slot.origin
        if cell is None or is_gone(slot, cell):
            if handed_out:
                repairs.add("{Cells} had been deleted; {it was} put back.", slot)
            continue
        if len(slot.claims) > 1:
            repairs.add(
                "{Cells} occurred more than once; the last written copy counts, the others stay as ordinary cells.",
                slot,
            )
        if cell.cell_type not in (slot.cell_type, handed_out and handed_out.cell_type):
            repairs.add(
                f"{{Cells}} had been turned into {_KINDS[cell.cell_type]}; {{it is}} {_KINDS[slot.cell_type]} again.",
                slot,
            )
        if handed_out and cell.nbgrader == handed_out.nbgrader:
            continue
        if cell.nbgrader is None and slot.nbgrader is not None and slot not in matched:
            repairs.add("{Cells} had lost {its} nbgrader metadata; it was restored.", slot)
        elif cell.nbgrader is not None and cell.nbgrader != slot.nbgrader:
            repairs.add(
                f"The nbgrader metadata of {{cells}} had been changed ({_changed(cell, slot)}); it was restored.", slot
            )
    if any(cell.slot is None and cell.nbgrader is not None for cell in cells):
        repairs.add("Cells that are not part of the lab had nbgrader metadata; it was removed from them.")
    for slot in _moved([cell.slot for cell in cells if cell.slot and len(cell.slot.claims) == 1]):
        repairs.add("{Cells} had been moved; {it was} put back in place.", slot)


def _moved(order: list[ReleasedCell]) -> list[ReleasedCell]:
    """Return a nearly minimal list of cells that must move to restore the released order."""
    wanted = sorted(order, key=lambda slot: (slot.origin or slot).position)
    stay: set[ReleasedCell] = set()
    for block in SequenceMatcher(None, order, wanted, autojunk=False).get_matching_blocks():
        stay.update(order[block.a : block.a + block.size])
    return [slot for slot in wanted if slot not in stay]


_KINDS = {"code": "code", "markdown": "Markdown", "raw": "raw text"}
_KEYS = ("grade_id", "points", "grade", "solution", "locked", "task", "cell_type", "checksum", "schema_version")


def _changed(cell: SubmittedCell, slot: ReleasedCell) -> str:
    """Name the entries that differ, but no entry that the student invented."""
    given, wanted = cell.nbgrader or {}, slot.nbgrader or {}
    changed = [key for key in _KEYS if (key in given, given.get(key)) != (key in wanted, wanted.get(key))]
    return ", ".join(changed) or "unknown entries"
