"""Rebuild a submission in the shape of the released lab, and report every repair."""

import copy
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from ..sanitize.pictures import clean_attachments
from .cell_changes import compare_cells, compare_notebooks, compare_releases, is_gone
from .cell_matching import (
    CellRole,
    ReleasedCell,
    SubmittedCell,
    find_missing_answers,
    join_parts,
    match_cells,
    normalize_source,
)
from .misplaced_answers import MisplacedText, answer_cell, find_misplaced_answers, is_answered
from .notebook import RELEASE_STAMP, clean_notebook
from .repairs import Repairs

Notebook: TypeAlias = dict[str, Any]
# The student's own cells by the released cell that they precede or follow; None is the top of the notebook.
Neighbours: TypeAlias = defaultdict[ReleasedCell | None, list[SubmittedCell]]


@dataclass(frozen=True)
class RebuiltNotebook:
    """Submission in the shape of the release.

    Attributes
    ----------
    notebook : dict
        nbformat 4.5, without outputs.
    repairs : tuple of str
        Sentences about the repairs; none for a submission with nothing but answers.
    found : dict of str to list of str
        Places of written answers that stood outside their cell, by the ``grade_id`` of that cell.
    """

    notebook: Notebook
    repairs: tuple[str, ...]
    found: dict[str, list[str]] = field(default_factory=dict)


def rebuild(
    submitted: Notebook,
    released: Notebook,
    made_from: Notebook | None = None,
    earlier: Iterable[Notebook] = (),
    documents: Iterable[str] = (),
    prose: Mapping[str, str] | None = None,
) -> RebuiltNotebook:
    """Return the released lab with a student's answers in it.

    Parameters
    ----------
    submitted : dict
        The student's notebook, such as `submission_reader.read_submission` returns.
    released : dict
        The currently released notebook; trusted.
    made_from : dict, optional
        The release that the student worked on, if it was another one; trusted. Changes of the
        course since then are not reported.
    earlier : iterable of dict, optional
        Earlier releases, whose text is not the student's; trusted.
    documents : iterable of str
        Names of documents that were handed in with the notebook, see `documents.document_names`.
    prose : mapping of str to str, optional
        Prose in other files that were handed in, by path, see `text_files.prose_by_file`.

    Returns
    -------
    Rebuilt
        Every released cell once, in the released order, with the released id, type
        and metadata. Locked cells and check cells have the released source, answers
        the student's. Other released cells have the student's source if there is any; those
        that answers need also run as released before it. The student's own cells stay,
        without metadata, after the cell that they followed. The last written copy of an
        answer counts; other copies stay as ordinary cells before it, so that none overwrites
        it. The cell of a written question that is as released shows the text that the student
        wrote elsewhere. No text of the student is dropped.

    Raises
    ------
    autograder.grading.intake.notebook.NotANotebook
        If ``submitted`` is not a notebook that `submission_reader.read_submission` could return.
    """
    submitted = clean_notebook(submitted)
    repairs = Repairs()
    slots = _slots(released)
    gone = compare_releases(slots, _slots(made_from)) if made_from else []
    if (
        not made_from
        and submitted["metadata"].get(RELEASE_STAMP, stamp := released["metadata"].get(RELEASE_STAMP)) != stamp
    ):
        # The release is unknown, so a missing ordinary cell may not have existed in it.
        for slot in slots:
            slot.origin = slot.origin if slot.nbgrader else None
    cells = [
        SubmittedCell(
            cell["cell_type"],
            cell["source"],
            cell.get("id"),
            cell["metadata"].get("nbgrader"),
            attachments=cell.get("attachments", {}),
            printed=cell.get("printed", ""),
            attached=cell.get("attached", {}),
        )
        for cell in submitted["cells"]
    ]
    compare_notebooks(submitted, released, slots, repairs)
    for slot in match_cells(cells, slots):
        repairs.add("{Cells} had been copied; the copies stay as ordinary cells.", slot)
    cells = _drop_removed(cells, gone)
    cells = _restore_fixed(cells, repairs)
    cells, joined = join_parts(cells)
    for slot in joined:
        repairs.add("{Cells} had been split; {its} parts were joined.", slot)
    matched = find_missing_answers(cells, slots)
    for slot in matched:
        repairs.add("The answer of {cells} was in a cell without its name; {it was} put back in place.", slot)
    chosen = {slot: _choose(slot) for slot in slots if slot.claims}
    compare_cells(cells, slots, chosen, matched, repairs)
    course_text = ["".join(cell["source"]) for notebook in earlier for cell in notebook["cells"]]
    typed = submitted.get("typed", ())
    misplaced = find_misplaced_answers(cells, slots, chosen, course_text, documents, prose or {}, typed)
    for slot, texts in misplaced.items():
        for place in dict.fromkeys(found.place for found in texts):
            repairs.add(
                f"{{Cells}} had been left as released; the text in {place} counts as the answer, and a person reads it.",
                slot,
            )

    before, after = _neighbours(cells, chosen)
    elsewhere: set[str] = set().union(*(cell.names for cell in cells if (cell.slot or cell).cell_type == "code"))
    ids = _Ids(slots)
    rebuilt = [ids.extra(cell) for cell in after[None]]
    for slot in slots:
        rebuilt += [ids.extra(cell) for cell in before[slot]]
        rebuilt.append(_restored_cell(slot, chosen.get(slot), elsewhere, misplaced.get(slot, [])))
        rebuilt += [ids.extra(cell) for cell in after[slot]]
    notebook = {"cells": rebuilt, "metadata": copy.deepcopy(released["metadata"]), "nbformat": 4, "nbformat_minor": 5}
    places = {slot.name: list(dict.fromkeys(found.place for found in texts)) for slot, texts in misplaced.items()}
    return RebuiltNotebook(notebook, repairs.sentences(), places)


def _slots(notebook: Notebook) -> list[ReleasedCell]:
    """Return the cells of a released notebook; those that answers need run first."""
    slots = [ReleasedCell(position, cell) for position, cell in enumerate(notebook["cells"])]
    answers = [slot.position for slot in slots if slot.role is CellRole.ANSWER and slot.cell_type == "code"]
    for slot in slots:
        above = slot.position < min(answers, default=0)
        slot.runs_first = slot.role is CellRole.FREE and slot.cell_type == "code" and (above or "given(" in slot.source)
    return slots


def _drop_removed(cells: list[SubmittedCell], gone: list[ReleasedCell]) -> list[SubmittedCell]:
    """Drop text and checks that were removed from the lab; a student's text, and code, stay as ordinary cells."""
    left = []
    for cell in cells:
        if cell.slot is None and (slot := _removed_cell(cell, gone)):
            cell.nbgrader = None
            spoken = slot.cell_type != "code" or (slot.nbgrader or {}).get("grade")
            if spoken and slot.role is not CellRole.ANSWER and slot.has_same_source(cell):
                continue
        left.append(cell)
    return left


def _removed_cell(cell: SubmittedCell, gone: list[ReleasedCell]) -> ReleasedCell | None:
    """Return the removed cell of the lab that this cell comes from, or None."""
    names = {(cell.nbgrader or {}).get("grade_id"), cell.id}
    same = [slot for slot in gone if slot.name in names or (slot.source.strip() and slot.has_same_source(cell))]
    return same[0] if same else None


def _restore_fixed(cells: list[SubmittedCell], repairs: Repairs) -> list[SubmittedCell]:
    """Restore the source of locked cells; what a student wrote there becomes an ordinary cell next to it."""
    restored = []
    for cell in cells:
        slot = cell.slot
        if slot and slot.is_untouched(cell) and not slot.has_same_source(cell):
            cell.source = slot.source
        if (
            not slot
            or slot.has_same_source(cell)
            or not (slot.role is CellRole.FIXED or (slot.runs_first and cell.source.strip()))
        ):
            restored.append(cell)
            continue
        handed_out = slot.origin or slot
        lines = {*normalize_source(slot.source).splitlines(), *normalize_source(handed_out.source).splitlines()}
        if slot.runs_first:
            repairs.add("{Cells} had been edited; {it runs} as released first, then as you wrote {it}.", slot)
            parts = "", cell.source
        else:
            repairs.add(
                "{Cells} had been edited; {it was} restored, and what was written there stays in an ordinary cell.",
                slot,
            )
            # Split cells that were merged.
            released = handed_out.source.strip()
            written, _, follows = cell.source.partition(released) if released else ("", "", cell.source)
            parts = written, follows
        cell.source = slot.source
        own = [
            SubmittedCell(
                cell.cell_type,
                part.strip("\n"),
                typed_into=slot if slot.role is CellRole.FIXED else None,
                attachments=clean_attachments(cell.attachments, part),
            )
            if any(line.strip() and line.rstrip() not in lines for line in part.splitlines())
            else None
            for part in parts
        ]
        restored += [one for one in (own[0], cell, own[1]) if one]
    return restored


def _choose(slot: ReleasedCell) -> SubmittedCell:
    """Return the copy that counts: the last written one of those that define the function."""
    candidates = slot.candidates()
    written = [cell for cell in candidates if slot.is_written(cell)] or candidates
    return ([cell for cell in written if cell.cell_type == slot.cell_type] or written)[-1]


def _neighbours(cells: list[SubmittedCell], chosen: dict[ReleasedCell, SubmittedCell]) -> tuple[Neighbours, Neighbours]:
    """Return the student's own cells before and after each released cell."""
    before: Neighbours = defaultdict(list)
    after: Neighbours = defaultdict(list)
    candidates = {slot: set(slot.candidates()) for slot in chosen}
    anchor, furthest = after[None], -1
    waiting: list[SubmittedCell] = []
    passed: set[ReleasedCell] = set()
    for cell in cells:
        slot = cell.slot
        if slot and chosen[slot] is cell:
            # An answer that moves up takes the cells before it along, because it may need them.
            up = slot.role is CellRole.ANSWER and slot.position < furthest
            (before[slot] if up else anchor).extend(waiting)
            anchor, waiting, furthest = after[slot], [], max(furthest, slot.position)
            passed.add(slot)
        elif slot and cell in candidates[slot]:
            anchor.extend(waiting)
            waiting = []
            before[slot].append(cell)
            anchor = anchor if slot in passed else before[slot]
        else:
            waiting.append(cell)
    anchor.extend(waiting)
    return before, after


def _restored_cell(
    slot: ReleasedCell, cell: SubmittedCell | None, elsewhere: set[str], misplaced: list[MisplacedText]
) -> dict[str, Any]:
    """Return the released cell, with the student's source if that counts."""
    restored = copy.deepcopy(slot.cell) | {"id": slot.id, "source": slot.source}
    if slot.cell_type == "code":
        restored |= {"outputs": [], "execution_count": None}
    if misplaced:
        restored["source"], attachments = answer_cell(misplaced)
        restored |= {"attachments": attachments} if attachments else {}
    elif slot.is_written_question and not is_answered(slot, cell):
        # nbgrader compares the source with the release letter by letter, and editors change blanks.
        restored["source"] = slot.source
    elif cell and not is_gone(slot, cell):
        restored["source"] = slot.source if slot.role is CellRole.FIXED else cell.source
        if slot.role is not CellRole.FIXED and slot.cell_type != "code" and not slot.has_same_source(cell):
            restored.pop("attachments", None)
            restored |= {"attachments": cell.attachments} if cell.attachments else {}
    elif slot.names & elsewhere:
        # The stub would overwrite the student's definition in another cell.
        names = " and ".join(f"`{name}`" for name in sorted(slot.names & elsewhere))
        restored["source"] = f"# Another cell of this notebook defines {names}."
    return restored


class _Ids:
    """Unique ids of the student's own cells: their own if unused, else a new one, the same on every run."""

    def __init__(self, slots: list[ReleasedCell]) -> None:
        self.used = {slot.id for slot in slots}
        self.last = 0

    def extra(self, cell: SubmittedCell) -> dict[str, Any]:
        """Return one of the student's own cells in nbformat, with a unique id."""
        free = cell.id
        while free is None or free in self.used:
            self.last += 1
            free = f"own-{self.last}"
        self.used.add(free)
        own: dict[str, Any] = {"cell_type": cell.cell_type, "id": free, "metadata": {}, "source": cell.source}
        own |= {"attachments": cell.attachments} if cell.attachments and cell.cell_type != "code" else {}
        return own | ({"outputs": [], "execution_count": None} if cell.cell_type == "code" else {})
