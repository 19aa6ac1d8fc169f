"""Which cell of a submission is which cell of the released notebook."""

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum, auto
from itertools import pairwise
from typing import Any

from .stubs import unwritten_functions

MAX_PARTS = 20  # of one answer; a cell cut up more often is no accident

# A name that a cell binds at the top level: def, class, import, assignment.
_BOUND = re.compile(
    r"^(?:async[ \t]+)?(?:def|class)[ \t]+(\w+)|^(\w+)[ \t]*(?::[^=\n]*)?=(?!=)|^(?:from[ \t]+\S+[ \t]+)?import[ \t]+(.+)",
    re.MULTILINE,
)
_RETURNS = re.compile(r"^[ \t]+(?:return|yield|raise)\b", re.MULTILINE)
_INDENT = re.compile(r"[ \t]+(?=\S)")


class CellRole(Enum):
    """What a released cell is for: an answer of the student's, text that stays, or anything."""

    ANSWER = auto()
    FIXED = auto()
    FREE = auto()


@dataclass(eq=False)
class SubmittedCell:
    """A cell of a submission, and which released cell it is taken for."""

    kind: str
    source: str
    id: str | None = None
    marks: dict[str, Any] | None = None
    slot: "ReleasedCell | None" = None

    @property
    def names(self) -> set[str]:
        """What the cell defines, as far as the text tells; never parsed, since the text may be hostile."""
        return bound_names(self.source) if self.kind != "raw" else set()


@dataclass(eq=False)
class ReleasedCell:
    """A released cell, and the cells of the submission that claim to be it.

    ``origin`` is the cell as it was when the submission was made, None for one that the
    lab did not have then. ``first`` is said of what the answers below it need: it runs
    as released, whatever a student made of it.
    """

    position: int
    cell: dict[str, Any]
    claims: list[SubmittedCell] = field(default_factory=list)
    first: bool = False

    def __post_init__(self) -> None:
        self.origin: ReleasedCell | None = self
        self.id: str = self.cell.get("id", f"released-{self.position}")
        self.source = "".join(self.cell["source"])
        self.kind = self.cell["cell_type"]
        self.marks: dict[str, Any] | None = self.cell["metadata"].get("nbgrader")
        marks = self.marks or {}
        if marks.get("solution"):
            self.role = CellRole.ANSWER
        else:
            self.role = (
                CellRole.FIXED if marks.get("grade") or marks.get("locked") or marks.get("task") else CellRole.FREE
            )
        # The functions that the stub asks for; a written answer has none.
        self.names = bound_names(self.source) if self.role is CellRole.ANSWER and self.kind == "code" else set()

    @property
    def name(self) -> str:
        return (self.marks or {}).get("grade_id") or self.id

    def same_text(self, cell: SubmittedCell) -> bool:
        return normalize_source(self.source) == normalize_source(cell.source)

    def untouched(self, cell: SubmittedCell) -> bool:
        """Whether a cell says what it said when it was handed out."""
        return self.same_text(cell) or (self.origin is not None and self.origin.same_text(cell))

    def is_written(self, cell: SubmittedCell) -> bool:
        if not cell.source.strip() or self.untouched(cell):
            return False
        return not self.names or not self.names <= unwritten_functions(cell.source)

    def rivals(self) -> list[SubmittedCell]:
        """The claims that define the function asked for, or all where none does."""
        return [cell for cell in self.claims if self.names & cell.names] or self.claims

    def fits(self, cell: SubmittedCell) -> bool:
        return bool(self.names & cell.names) if self.role is CellRole.ANSWER else self.untouched(cell)


def normalize_source(source: str) -> str:
    """Text without what an editor changes by itself."""
    return "\n".join(line.rstrip() for line in source.splitlines()).strip("\n")


def bound_names(source: str) -> set[str]:
    """Names that some code binds at the top level, found without parsing it."""
    return defined_names(source) | imported_names(source)


def defined_names(source: str) -> set[str]:
    """Those of them that are no imports."""
    return {function or variable for function, variable, _ in _BOUND.findall(source)} - {""}


def imported_names(source: str) -> set[str]:
    """Those of them that are imports."""
    return {name for *_, names in _BOUND.findall(source) for name in re.findall(r"\w+", names)}


def match_cells(cells: Sequence[SubmittedCell], slots: Sequence[ReleasedCell]) -> list[ReleasedCell]:
    """Let every cell of a submission claim at most one slot, by the best evidence there is.

    Parameters
    ----------
    cells : list of Cell
        In their order; ``cell.slot`` is set.
    slots : list of Slot
        In their order; ``slot.claims`` is filled.

    Returns
    -------
    list of Slot
        Those that are no answers and had copies; the copies claim nothing.

    Notes
    -----
    In this order: the nbgrader name and the cell's id, and what the cell holds
    where the two disagree; the unchanged text; for answers a cell that defines
    the function asked for, and for written answers the place.
    """
    by_id = {slot.id: slot for slot in slots}
    by_name = {slot.marks["grade_id"]: slot for slot in slots if slot.marks and slot.marks.get("grade_id")}
    owners = Counter(name for slot in slots for name in slot.names)
    by_function = {name: slot for slot in slots for name in slot.names if owners[name] == 1}
    for cell in cells:
        name = (cell.marks or {}).get("grade_id")
        named = by_name.get(name) if isinstance(name, str) else None
        _claim(cell, _decide(cell, named, by_id.get(cell.id) if cell.id else None, by_function))
    copied = _keep_one(slots)
    _match_text(cells, slots)
    return copied


def _decide(
    cell: SubmittedCell,
    named: ReleasedCell | None,
    identified: ReleasedCell | None,
    by_function: dict[str, ReleasedCell],
) -> ReleasedCell | None:
    if named is None or named is identified:
        return identified
    candidates = [slot for slot in (identified, named) if slot]
    fitting = [slot for slot in candidates if slot.fits(cell)]
    if not fitting and named.role is CellRole.ANSWER:
        # Names were exchanged between cells: the function tells.
        fitting = [by_function[name] for name in sorted(cell.names) if name in by_function]
    return (fitting or candidates)[0]


def _claim(cell: SubmittedCell, slot: ReleasedCell | None) -> None:
    cell.slot = slot
    if slot:
        slot.claims.append(cell)


def _keep_one(slots: Sequence[ReleasedCell]) -> list[ReleasedCell]:
    """Only an answer may be claimed by many: further copies of any other cell are cells of the student's own."""
    copied = [slot for slot in slots if slot.role is not CellRole.ANSWER and len(slot.claims) > 1]
    for slot in copied:
        first = next((cell for cell in slot.claims if slot.untouched(cell)), slot.claims[0])
        for cell in slot.claims:
            if cell is not first:
                cell.slot = cell.marks = None
        slot.claims = [first]
    return copied


def _match_text(cells: Sequence[SubmittedCell], slots: Sequence[ReleasedCell]) -> None:
    waiting = defaultdict(list)
    for cell in reversed(cells):
        if cell.slot is None and cell.source.strip():
            waiting[cell.kind, normalize_source(cell.source)].append(cell)
    for slot in slots:
        for known in (slot, slot.origin):
            if not slot.claims and known and (same := waiting[known.kind, normalize_source(known.source)]):
                _claim(same.pop(), slot)


def join_parts(cells: Sequence[SubmittedCell]) -> tuple[list[SubmittedCell], list[ReleasedCell]]:
    """Join answers that were cut in two where no part can stand alone; return the cells left and the slots joined."""
    left: list[SubmittedCell] = []
    joined: list[ReleasedCell] = []
    for cell in cells:
        before = left[-1] if left else None
        if before and before.slot and joined.count(before.slot) < MAX_PARTS and _continues(cell, before):
            before.source += ("\n" if before.kind == "code" else "\n\n") + cell.source
            if cell.slot:
                cell.slot.claims.remove(cell)
            joined.append(before.slot)
        else:
            left.append(cell)
    return left, joined


def _continues(cell: SubmittedCell, before: SubmittedCell) -> bool:
    slot = before.slot
    if slot is None or cell.slot not in (slot, None) or cell.kind != before.kind:
        return False
    if slot.role is not CellRole.ANSWER or not slot.is_written(before):
        return False
    if slot.kind != "code":
        return (
            cell.slot is slot
            and slot.is_written(cell)
            and normalize_source(cell.source) != normalize_source(before.source)
        )
    lines = [line for line in cell.source.splitlines() if line.strip()]
    indent = _INDENT.match(lines[0]) if lines else None
    if not indent or not (cell.slot or _RETURNS.search(cell.source)):
        return False
    earlier = [line for line in before.source.splitlines() if line.strip()]
    indents = {white[0] for line in earlier if (white := _INDENT.match(line))}
    return indent[0] in indents or earlier[-1].rstrip().endswith(":")


def find_missing_answers(cells: Sequence[SubmittedCell], slots: Sequence[ReleasedCell]) -> list[ReleasedCell]:
    """Let cells without a claim be the answers that are missing; return the slots found that way."""
    matched = []
    free = [cell for cell in cells if cell.slot is None]
    names = [(cell, cell.names) for cell in free]
    after = {id(before): cell for before, cell in pairwise(cells)}
    for slot in slots:
        if slot.role is not CellRole.ANSWER or slot.claims:
            continue
        if slot.names:
            defining = [cell for cell, bound_here in names if cell.slot is None and slot.names & bound_here]
            for cell in [cell for cell in defining if cell.kind == "code"] or defining:
                _claim(cell, slot)
        elif slot.position and (previous := slots[slot.position - 1].claims):
            # A written answer has nothing that tells it but its place, directly after the question.
            neighbour = after.get(id(previous[-1]))
            if neighbour and neighbour.slot is None and neighbour.kind == slot.kind and neighbour.source.strip():
                _claim(neighbour, slot)
        if slot.claims:
            matched.append(slot)
    return matched
