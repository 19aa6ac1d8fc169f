"""Put a submission back into the shape of the released lab, and say what had to be put back."""

import copy
from collections import defaultdict
from dataclasses import dataclass
from typing import Any, TypeAlias

from .cell_changes import compare_cells, compare_notebooks, compare_releases, is_gone
from .matching import (
    CellRole,
    ReleasedCell,
    SubmittedCell,
    find_missing_answers,
    join_parts,
    match_cells,
    normalize_source,
)
from .notebook import RELEASE_STAMP, clean_notebook
from .repairs import Repairs

Notebook: TypeAlias = dict[str, Any]
# The student's own cells by the released one that they stand beside; None is the top of the notebook.
Beside: TypeAlias = defaultdict[ReleasedCell | None, list[SubmittedCell]]


@dataclass(frozen=True)
class RebuiltNotebook:
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


def rebuild(submitted: Notebook, released: Notebook, made_from: Notebook | None = None) -> RebuiltNotebook:
    """Return the released lab with a student's answers in it.

    Parameters
    ----------
    submitted : dict
        The student's notebook, such as `submitted.read` gives.
    released : dict
        The notebook as it is released now; trusted.
    made_from : dict, optional
        The notebook that the student got, where that was another release; trusted.
        What the course has changed since is no student's doing, and is not reported.

    Returns
    -------
    Rebuilt
        Every released cell once, in the released order, with the released id, type
        and metadata. Locked cells and check cells have the released text, answers
        the student's; other released cells the student's if there is any, but those
        that the answers need run as released before a student's version. What else
        the student wrote stays, without metadata, after the cell it followed. Of
        several copies of an answer the last written one counts; the others stay as
        plain cells before it, so that none overwrites it. No text of the student is
        left out.

    Raises
    ------
    autograder.grading.intake.notebook.NotANotebook
        Only for something that `submitted.read` would not give.
    """
    submitted = clean_notebook(submitted)
    repairs = Repairs()
    slots = _slots(released)
    gone = compare_releases(slots, _slots(made_from)) if made_from else []
    if (
        not made_from
        and submitted["metadata"].get(RELEASE_STAMP, stamp := released["metadata"].get(RELEASE_STAMP)) != stamp
    ):
        # Of a release that nobody kept: a plain cell that is missing was perhaps not there yet.
        for slot in slots:
            slot.origin = slot.origin if slot.marks else None
    cells = [
        SubmittedCell(cell["cell_type"], cell["source"], cell.get("id"), cell["metadata"].get("nbgrader"))
        for cell in submitted["cells"]
    ]
    compare_notebooks(submitted, released, slots, repairs)
    for slot in match_cells(cells, slots):
        repairs.add("{Cells} had been copied; the copies stay as plain cells.", slot)
    cells = _drop(cells, gone)
    cells = _restore_fixed(cells, repairs)
    cells, joined = join_parts(cells)
    for slot in joined:
        repairs.add("{Cells} had been split; {its} parts were joined.", slot)
    matched = find_missing_answers(cells, slots)
    for slot in matched:
        repairs.add("The answer of {cells} stood in a cell without its name; {it was} put back in place.", slot)
    chosen = {slot: _choose(slot) for slot in slots if slot.claims}
    compare_cells(cells, slots, chosen, matched, repairs)

    before, after = _place(cells, chosen)
    elsewhere: set[str] = set().union(*(cell.names for cell in cells if (cell.slot or cell).kind == "code"))
    ids = _Ids(slots)
    rebuilt = [ids.extra(cell) for cell in after[None]]
    for slot in slots:
        rebuilt += [ids.extra(cell) for cell in before[slot]]
        rebuilt.append(_restored(slot, chosen.get(slot), elsewhere))
        rebuilt += [ids.extra(cell) for cell in after[slot]]
    notebook = {"cells": rebuilt, "metadata": copy.deepcopy(released["metadata"]), "nbformat": 4, "nbformat_minor": 5}
    return RebuiltNotebook(notebook, repairs.sentences())


def _slots(notebook: Notebook) -> list[ReleasedCell]:
    """The cells of a released notebook; those that the answers need run first."""
    slots = [ReleasedCell(position, cell) for position, cell in enumerate(notebook["cells"])]
    answers = [slot.position for slot in slots if slot.role is CellRole.ANSWER and slot.kind == "code"]
    for slot in slots:
        above = slot.position < min(answers, default=0)
        slot.first = slot.role is CellRole.FREE and slot.kind == "code" and (above or "given(" in slot.source)
    return slots


def _drop(cells: list[SubmittedCell], gone: list[ReleasedCell]) -> list[SubmittedCell]:
    """Leave out the prose and the checks that the lab has lost; what a student wrote, and data, stay as plain cells."""
    left = []
    for cell in cells:
        if cell.slot is None and (slot := _former(cell, gone)):
            cell.marks = None
            spoken = slot.kind != "code" or (slot.marks or {}).get("grade")
            if spoken and slot.role is not CellRole.ANSWER and slot.same_text(cell):
                continue
        left.append(cell)
    return left


def _former(cell: SubmittedCell, gone: list[ReleasedCell]) -> ReleasedCell | None:
    """Which of the cells that the lab has lost this one is."""
    names = {(cell.marks or {}).get("grade_id"), cell.id}
    same = [slot for slot in gone if slot.name in names or (slot.source.strip() and slot.same_text(cell))]
    return same[0] if same else None


def _restore_fixed(cells: list[SubmittedCell], repairs: Repairs) -> list[SubmittedCell]:
    """Give locked cells their text back; what a student wrote into one becomes a cell beside it."""
    restored = []
    for cell in cells:
        slot = cell.slot
        if slot and slot.untouched(cell) and not slot.same_text(cell):
            cell.source = slot.source
        if (
            not slot
            or slot.same_text(cell)
            or not (slot.role is CellRole.FIXED or (slot.first and cell.source.strip()))
        ):
            restored.append(cell)
            continue
        handed_out = slot.origin or slot
        lines = {*normalize_source(slot.source).splitlines(), *normalize_source(handed_out.source).splitlines()}
        if slot.first:
            repairs.add("{Cells} had been edited; {it runs} as released first, then as you wrote {it}.", slot)
            parts = "", cell.source
        else:
            repairs.add(
                "{Cells} had been edited; {it was} restored, and what was written there stays in a plain cell.", slot
            )
            # Two cells that were merged come apart again.
            released = handed_out.source.strip()
            written, _, follows = cell.source.partition(released) if released else ("", "", cell.source)
            parts = written, follows
        cell.source = slot.source
        own = [
            SubmittedCell(cell.kind, part.strip("\n"))
            if any(line.strip() and line.rstrip() not in lines for line in part.splitlines())
            else None
            for part in parts
        ]
        restored += [one for one in (own[0], cell, own[1]) if one]
    return restored


def _choose(slot: ReleasedCell) -> SubmittedCell:
    """The copy that counts: the last that was written, of those that define the function asked for."""
    rivals = slot.rivals()
    written = [cell for cell in rivals if slot.is_written(cell)] or rivals
    return ([cell for cell in written if cell.kind == slot.kind] or written)[-1]


def _place(cells: list[SubmittedCell], chosen: dict[ReleasedCell, SubmittedCell]) -> tuple[Beside, Beside]:
    """Say which of the student's own cells stand before and after each released one."""
    before: Beside = defaultdict(list)
    after: Beside = defaultdict(list)
    rivals = {slot: set(slot.rivals()) for slot in chosen}
    anchor, furthest = after[None], -1
    waiting: list[SubmittedCell] = []
    passed: set[ReleasedCell] = set()
    for cell in cells:
        slot = cell.slot
        if slot and chosen[slot] is cell:
            # An answer that moves up takes along what stood before it: it may need that.
            up = slot.role is CellRole.ANSWER and slot.position < furthest
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


def _restored(slot: ReleasedCell, cell: SubmittedCell | None, elsewhere: set[str]) -> dict[str, Any]:
    """The released cell, with the student's text where that counts."""
    restored = copy.deepcopy(slot.cell) | {"id": slot.id, "source": slot.source}
    if slot.kind == "code":
        restored |= {"outputs": [], "execution_count": None}
    if cell and not is_gone(slot, cell):
        restored["source"] = slot.source if slot.role is CellRole.FIXED else cell.source
    elif slot.names & elsewhere:
        # The stub would overwrite what the student defined in another cell.
        names = " and ".join(f"`{name}`" for name in sorted(slot.names & elsewhere))
        restored["source"] = f"# Another cell of this notebook defines {names}."
    return restored


class _Ids:
    """Ids of the student's own cells: theirs where it is free, else a new one, the same on every run."""

    def __init__(self, slots: list[ReleasedCell]) -> None:
        self.used = {slot.id for slot in slots}
        self.last = 0

    def extra(self, cell: SubmittedCell) -> dict[str, Any]:
        free = cell.id
        while free is None or free in self.used:
            self.last += 1
            free = f"own-{self.last}"
        self.used.add(free)
        own: dict[str, Any] = {"cell_type": cell.kind, "id": free, "metadata": {}, "source": cell.source}
        return own | ({"outputs": [], "execution_count": None} if cell.kind == "code" else {})
