"""Match the cells of a submission with the cells of the released notebook."""

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum, auto
from itertools import pairwise
from typing import Any

from ..sanitize.pictures import Attachments, join_attachments
from .stub_detection import unwritten_functions

MAX_PARTS = 20  # parts of one answer; nobody splits a cell more often by accident

# Binding of a name at the top level of a cell: def or class, assignment, import.
_BOUND = re.compile(
    r"^(?:async[ \t]+)?(?:def|class)[ \t]+(\w+)|^(\w+)[ \t]*(?::[^=\n]*)?=(?!=)|^(?:from[ \t]+\S+[ \t]+)?import[ \t]+(.+)",
    re.MULTILINE,
)
_RETURNS = re.compile(r"^[ \t]+(?:return|yield|raise)\b", re.MULTILINE)
_INDENT = re.compile(r"[ \t]+(?=\S)")


class CellRole(Enum):
    """Role of a released cell: a student's answer, fixed text, or free to change."""

    ANSWER = auto()
    FIXED = auto()
    FREE = auto()


@dataclass(eq=False)
class SubmittedCell:
    """Cell of a submission, and the released cell that it claims as its slot.

    ``nbgrader`` is the cell's nbgrader metadata; ``typed_into`` is the locked cell that the source was typed into.
    ``attachments`` are the pictures that the source shows; ``printed`` are the sentences in its outputs.
    ``attached`` are texts attached to it, by name.
    """

    cell_type: str
    source: str
    id: str | None = None
    nbgrader: dict[str, Any] | None = None
    slot: "ReleasedCell | None" = None
    typed_into: "ReleasedCell | None" = None
    attachments: Attachments = field(default_factory=dict)
    printed: str = ""
    attached: dict[str, str] = field(default_factory=dict)

    @property
    def names(self) -> set[str]:
        """Names that the cell binds at the top level, found without parsing untrusted source."""
        return bound_names(self.source) if self.cell_type != "raw" else set()


@dataclass(eq=False)
class ReleasedCell:
    """Released cell: a slot that cells of the submission may claim.

    Attributes
    ----------
    position : int
        Position in the released notebook.
    cell : dict
        The cell in nbformat.
    claims : list of SubmittedCell
        Cells of the submission that claim to be this cell.
    runs_first : bool
        Whether answers below need this cell, so that it runs as released before the student's version.
    origin : ReleasedCell or None
        The cell in the release that the submission was made from; None if that release lacks it.
    """

    position: int
    cell: dict[str, Any]
    claims: list[SubmittedCell] = field(default_factory=list)
    runs_first: bool = False

    def __post_init__(self) -> None:
        """Read the attributes of the cell."""
        self.origin: ReleasedCell | None = self
        self.id: str = self.cell.get("id", f"released-{self.position}")
        self.source = "".join(self.cell["source"])
        self.cell_type = self.cell["cell_type"]
        self.nbgrader: dict[str, Any] | None = self.cell["metadata"].get("nbgrader")
        metadata = self.nbgrader or {}
        if metadata.get("solution"):
            self.role = CellRole.ANSWER
        else:
            fixed = metadata.get("grade") or metadata.get("locked") or metadata.get("task")
            self.role = CellRole.FIXED if fixed else CellRole.FREE
        # Functions that the stub asks for; a written answer has none.
        self.names = bound_names(self.source) if self.role is CellRole.ANSWER and self.cell_type == "code" else set()

    @property
    def name(self) -> str:
        """The ``grade_id``, or the cell id."""
        return (self.nbgrader or {}).get("grade_id") or self.id

    @property
    def is_written_question(self) -> bool:
        """Whether a person marks the text that students write in this cell."""
        return self.role is CellRole.ANSWER and self.cell_type != "code" and bool((self.nbgrader or {}).get("grade"))

    def has_same_source(self, cell: SubmittedCell) -> bool:
        """Return whether a cell has the released source."""
        return normalize_source(self.source) == normalize_source(cell.source)

    def is_untouched(self, cell: SubmittedCell) -> bool:
        """Return whether a cell has the source of the current release or of its own release."""
        return self.has_same_source(cell) or (self.origin is not None and self.origin.has_same_source(cell))

    def is_written(self, cell: SubmittedCell) -> bool:
        """Return whether a cell contains an answer of the student."""
        if not cell.source.strip() or self.is_untouched(cell):
            return False
        return not self.names or not self.names <= unwritten_functions(cell.source)

    def candidates(self) -> list[SubmittedCell]:
        """Return the claims that define the function of this slot, or all claims if none does."""
        return [cell for cell in self.claims if self.names & cell.names] or self.claims

    def fits(self, cell: SubmittedCell) -> bool:
        """Return whether the content of a cell belongs into this slot."""
        return bool(self.names & cell.names) if self.role is CellRole.ANSWER else self.is_untouched(cell)


def normalize_source(source: str) -> str:
    """Return source without trailing blanks and outer blank lines, which editors change."""
    return "\n".join(line.rstrip() for line in source.splitlines()).strip("\n")


def bound_names(source: str) -> set[str]:
    """Return the names that code binds at the top level, found without parsing it."""
    return defined_names(source) | imported_names(source)


def defined_names(source: str) -> set[str]:
    """Return the names that code binds at the top level by def, class or assignment, imports excluded."""
    return {function or variable for function, variable, _ in _BOUND.findall(source)} - {""}


def imported_names(source: str) -> set[str]:
    """Return the names that code imports at the top level."""
    return {name for *_, names in _BOUND.findall(source) for name in re.findall(r"\w+", names)}


def match_cells(cells: Sequence[SubmittedCell], slots: Sequence[ReleasedCell]) -> list[ReleasedCell]:
    """Let every cell of a submission claim at most one slot, by the best available evidence.

    Parameters
    ----------
    cells : list of SubmittedCell
        Cells of the submission in order; ``cell.slot`` is set.
    slots : list of ReleasedCell
        Released cells in order; ``slot.claims`` is filled.

    Returns
    -------
    list of ReleasedCell
        Slots other than answers that had copies; the copies no longer claim them.

    Notes
    -----
    The evidence, in this order: the ``grade_id`` and the cell id, and the content if these two
    disagree; the unchanged source; for an answer, a cell that defines its function; for a written
    answer, the position.
    """
    by_id = {slot.id: slot for slot in slots}
    by_name = {slot.nbgrader["grade_id"]: slot for slot in slots if slot.nbgrader and slot.nbgrader.get("grade_id")}
    owners = Counter(name for slot in slots for name in slot.names)
    by_function = {name: slot for slot in slots for name in slot.names if owners[name] == 1}
    for cell in cells:
        name = (cell.nbgrader or {}).get("grade_id")
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
        # Cells exchanged their names: the function decides.
        fitting = [by_function[name] for name in sorted(cell.names) if name in by_function]
    return (fitting or candidates)[0]


def _claim(cell: SubmittedCell, slot: ReleasedCell | None) -> None:
    cell.slot = slot
    if slot:
        slot.claims.append(cell)


def _keep_one(slots: Sequence[ReleasedCell]) -> list[ReleasedCell]:
    """Keep one claim of each slot that is not an answer; further copies become the student's own cells."""
    copied = [slot for slot in slots if slot.role is not CellRole.ANSWER and len(slot.claims) > 1]
    for slot in copied:
        first = next((cell for cell in slot.claims if slot.is_untouched(cell)), slot.claims[0])
        for cell in slot.claims:
            if cell is not first:
                cell.slot = cell.nbgrader = None
        slot.claims = [first]
    return copied


def _match_text(cells: Sequence[SubmittedCell], slots: Sequence[ReleasedCell]) -> None:
    waiting = defaultdict(list)
    for cell in reversed(cells):
        if cell.slot is None and cell.source.strip():
            waiting[cell.cell_type, normalize_source(cell.source)].append(cell)
    for slot in slots:
        for known in (slot, slot.origin):
            if not slot.claims and known and (same := waiting[known.cell_type, normalize_source(known.source)]):
                _claim(same.pop(), slot)


def join_parts(cells: Sequence[SubmittedCell]) -> tuple[list[SubmittedCell], list[ReleasedCell]]:
    """Join answers that were split if no part is complete; return the remaining cells and the joined slots."""
    left: list[SubmittedCell] = []
    joined: list[ReleasedCell] = []
    for cell in cells:
        before = left[-1] if left else None
        if before and before.slot and joined.count(before.slot) < MAX_PARTS and _continues(cell, before):
            source = join_attachments(before.attachments, cell.attachments, cell.source)
            before.source += ("\n" if before.cell_type == "code" else "\n\n") + source
            if cell.slot:
                cell.slot.claims.remove(cell)
            joined.append(before.slot)
        else:
            left.append(cell)
    return left, joined


def _continues(cell: SubmittedCell, before: SubmittedCell) -> bool:
    slot = before.slot
    if slot is None or cell.slot not in (slot, None) or cell.cell_type != before.cell_type:
        return False
    if slot.role is not CellRole.ANSWER or not slot.is_written(before):
        return False
    if slot.cell_type != "code":
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
    """Let cells without a slot claim the missing answers; return the slots found that way."""
    matched = []
    free = [cell for cell in cells if cell.slot is None]
    names = [(cell, cell.names) for cell in free]
    after = {id(before): cell for before, cell in pairwise(cells)}
    for slot in slots:
        if slot.role is not CellRole.ANSWER or slot.claims:
            continue
        if slot.names:
            defining = [cell for cell, bound_here in names if cell.slot is None and slot.names & bound_here]
            for cell in [cell for cell in defining if cell.cell_type == "code"] or defining:
                _claim(cell, slot)
        elif slot.position and (previous := slots[slot.position - 1].claims):
            # Only its position directly after the question identifies a written answer.
            neighbour = after.get(id(previous[-1]))
            if (
                neighbour
                and neighbour.slot is None
                and neighbour.cell_type == slot.cell_type
                and neighbour.source.strip()
            ):
                _claim(neighbour, slot)
        if slot.claims:
            matched.append(slot)
    return matched
