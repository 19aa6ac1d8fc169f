"""Find written answers that stand outside their cell: no text of a student gets 0 points unread because of its place."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from ..sanitize.pictures import Attachments, join_attachments
from .cell_matching import CellRole, ReleasedCell, SubmittedCell
from .prose import MIN_WORDS, KnownText, code_prose, is_only_prose

IN_FILE = "Open the file in the submission to read it."
IN_NOTEBOOK = "Open the submitted notebook to read it."
MAX_TEXTS = 20  # texts of one answer
# A longer cell is not an answer; the cell itself stays in the notebook.
MAX_CELL, MAX_SEARCHED = 20_000, 400_000  # characters of a cell, and of all cells together
_OTHERS_PRINT = re.compile(
    r"(?<![\w.])(?:explore|predict|draw|reality)\s*\.|(?<![\w.])(?:check|hint|reveal|progress|help|license|copyright|credits)\s*\(|\?\s*$|^\s*\?|(?:pip|conda|mamba|apt)\s|__doc__",
    re.MULTILINE,
)
# Cells that nbgrader and this grader write into autograded notebooks.
MACHINE_TEXT = (
    "Submitted with this notebook, and not copied here because a browser might run it or it is too large: "
    "It is in the submission:",
    "The answer cell was left as released. The following text was found in",
)


@dataclass(frozen=True)
class MisplacedText:
    """Text of a student that may be a written answer, or a part of it.

    Attributes
    ----------
    text : str
        Markdown source.
    place : str
        Place in words, such as "a new cell below the question".
    words : int
        Number of words that the course did not write. A picture counts as `prose.MIN_WORDS`.
    attachments : dict
        Pictures that the text shows.
    """

    text: str
    place: str
    words: int
    attachments: Attachments = field(default_factory=dict)


def find_misplaced_answers(
    cells: list[SubmittedCell],
    slots: list[ReleasedCell],
    chosen: Mapping[ReleasedCell, SubmittedCell],
    course_text: Iterable[str] = (),
    documents: Iterable[str] = (),
    prose: Mapping[str, str] | None = None,
    typed: Iterable[str] = (),
) -> dict[ReleasedCell, list[MisplacedText]]:
    """Find text of a student that may be the answer to a written question whose cell is as released.

    Parameters
    ----------
    cells : list of SubmittedCell
        Cells of the submission in order, with restored locked cells.
    slots : list of ReleasedCell
        Released cells in order.
    chosen : mapping
        Cell that counts for each slot.
    course_text : iterable of str
        More text that the course wrote, such as the cells of earlier releases.
    documents : iterable of str
        Paths of documents in the submission. Those that no code names belong to the last untouched question without
        any text.
    prose : mapping of str to str, optional
        Prose in other files of the submission, by path. It belongs to the same question as the documents, also if code
        names the file: the notebook may print an answer from it.
    typed : iterable of str, optional
        Texts in text fields of widgets. They belong to the same question as the documents.

    Returns
    -------
    dict
        Texts by the slot of the question, together at least `prose.MIN_WORDS` words that the course did not write. A
        text belongs to the last untouched question above it, or to the first one. Shorter texts are added up if their
        cells hold nothing but text; comments and labels between code are not.
    """
    untouched = [slot for slot in slots if slot.is_written_question and not is_answered(slot, chosen.get(slot))]
    if not untouched or _is_another_lab(cells):
        return {}
    # The draft of an answer that was given in its cell answers no other question.
    answers = [cell.source[:MAX_CELL] for slot, cell in chosen.items() if slot.is_written_question]
    known = KnownText([*MACHINE_TEXT, *course_text, *answers, *(text for slot in slots for text in _sources(slot))])
    course_pictures = {data for slot in slots for data in _pictures(slot.cell.get("attachments", {}))}
    places: dict[ReleasedCell | None, int] = {cell.slot: index for index, cell in enumerate(cells) if cell.slot}
    starts = {slot: places.get(_question(slot, slots), places.get(slot, len(cells))) for slot in untouched}
    found: dict[ReleasedCell, list[MisplacedText]] = {}
    seen: set[str] = set()
    left = MAX_SEARCHED
    for index, cell in enumerate(cells):
        if left <= 0:
            break
        left -= min(len(cell.source), MAX_CELL)
        above = [slot for slot in untouched if starts[slot] <= index]
        slot = (above or untouched)[-1 if above else 0]
        for text in _texts(cell):
            words = MIN_WORDS if _pictures(cell.attachments) - course_pictures else known.own_words(text)
            if text not in seen and words >= (1 if _is_part_of_answer(cell, text) else MIN_WORDS):
                seen.add(text)
                what = "comments in " if cell.cell_type == "code" and text != cell.source.strip() else ""
                place = what + _place(cell, slot, slots, below=bool(above))
                found.setdefault(slot, []).append(MisplacedText(text, place, words, cell.attachments))
        for name, attached in cell.attached.items():
            if attached not in seen and (words := known.own_words(attached)) >= MIN_WORDS:
                seen.add(attached)
                place = _attachment_place(name, _place(cell, slot, slots, below=bool(above)))
                found.setdefault(slot, []).append(MisplacedText(attached, place, words))
        printed = _printed(cell)
        if slot not in found and printed not in seen and (words := known.own_words(printed)) >= MIN_WORDS:
            seen.add(printed)
            place = f"the output of {_place(cell, slot, slots, below=bool(above))}"
            found[slot] = [MisplacedText(printed, place, words)]
    chosen_texts = {
        slot: _longest(texts) for slot, texts in found.items() if sum(one.words for one in texts) >= MIN_WORDS
    }
    without = [slot for slot in untouched if slot not in chosen_texts]
    if without and (texts := [*_texts_of_fields(typed, known), *_texts_of_files(cells, documents, prose or {}, known)]):
        chosen_texts[without[-1]] = texts[:MAX_TEXTS]
    return chosen_texts


def _texts_of_fields(typed: Iterable[str], known: KnownText) -> Iterator[MisplacedText]:
    for text in typed:
        if (words := known.own_words(text[:MAX_CELL])) >= MIN_WORDS:
            yield MisplacedText(text[:MAX_CELL], "a text field of a widget", words)


def _attachment_place(name: str, place: str) -> str:
    return f"the attachment `{name}` of {place}"


def _texts_of_files(
    cells: list[SubmittedCell], documents: Iterable[str], prose: Mapping[str, str], known: KnownText
) -> Iterator[MisplacedText]:
    for name, text in prose.items():
        # Short comments of the course are known only one by one.
        if (words := sum(map(known.own_words, text[:MAX_CELL].split("\n\n")))) >= MIN_WORDS:
            yield MisplacedText(text[:MAX_CELL], _file_place(name), words)
    # A file that code names is one that the notebook reads or writes; text that shows a picture is the student's.
    code = [cell.source for cell in cells if cell.cell_type == "code"]
    for name in documents:
        if name not in prose and not any(PurePosixPath(name).name in source for source in code):
            yield MisplacedText(IN_FILE, _file_place(name), 0)
    for cell in cells:
        for name, text in cell.attached.items():
            if not text:
                yield MisplacedText(IN_NOTEBOOK, _attachment_place(name, "a cell"), 0)


def _file_place(name: str) -> str:
    return f"the file `{name}` beside the notebook"


def _pictures(attachments: Mapping[str, Mapping[str, str]]) -> set[str]:
    return {data for picture in attachments.values() for data in picture.values()}


def _is_part_of_answer(cell: SubmittedCell, text: str) -> bool:
    """Return whether a short text may be a part of an answer: its cell has no code, and it is not a heading.

    Comments in place of a function, such as the grader's own, are not.
    """
    if cell.cell_type == "code":
        return cell.slot is None and is_only_prose(cell.source[:MAX_CELL])
    return not all(line.lstrip().startswith("#") for line in text.splitlines() if line.strip())


def _longest(texts: list[MisplacedText]) -> list[MisplacedText]:
    """Return at most `MAX_TEXTS` texts, the longest ones, in their order."""
    chosen = sorted(texts, key=lambda one: -one.words)[:MAX_TEXTS]
    return [one for one in texts if one in chosen]


def is_answered(slot: ReleasedCell, cell: SubmittedCell | None) -> bool:
    """Return whether the cell of a written question contains an answer."""
    return cell is not None and slot.is_written(cell) and cell.source.split() not in map(str.split, _sources(slot))


def answer_cell(texts: list[MisplacedText]) -> tuple[str, Attachments]:
    """Return source and pictures of an answer cell that shows the texts, each with its place, to the person who marks."""
    attachments: Attachments = {}
    parts = []
    for found in texts:
        text = join_attachments(attachments, found.attachments, found.text)
        parts.append(
            f"*The answer cell was left as released. The following text was found in {found.place}.*\n\n{text}"
        )
    return "\n\n".join(parts), attachments


def _sources(slot: ReleasedCell) -> Iterator[str]:
    yield slot.source
    if slot.origin not in (None, slot):
        yield slot.origin.source


def _is_another_lab(cells: list[SubmittedCell]) -> bool:
    """Return whether most cells with nbgrader's metadata belong to another lab, whose text is not the student's."""
    named = [cell for cell in cells if cell.nbgrader]
    return 2 * sum(cell.slot is None for cell in named) > len(named)


def _texts(cell: SubmittedCell) -> Iterator[str]:
    """Yield the texts of a cell that may be answers; those of locked cells are the course's."""
    marks = cell.nbgrader or {}
    if cell.slot is None:
        if (marks.get("grade") or marks.get("locked")) and not marks.get("solution"):
            return
    elif cell.slot.role is CellRole.FIXED or (cell.slot.role is CellRole.ANSWER and cell.cell_type != "code"):
        return
    source = cell.source[:MAX_CELL]
    if cell.cell_type == "code":
        yield from (text.strip() for text in code_prose(source))
    elif source.strip():
        yield source.strip("\n")


def _printed(cell: SubmittedCell) -> str:
    """Return the sentences in the outputs of a student's own code; checks, hints and installers print the sentences of others."""
    unchanged = cell.slot is not None and cell.source.split() in map(str.split, _sources(cell.slot))
    is_locked = cell.slot is not None and cell.slot.role is CellRole.FIXED
    if cell.cell_type != "code" or unchanged or is_locked or _OTHERS_PRINT.search(cell.source[:MAX_CELL]):
        return ""
    return cell.printed[:MAX_CELL].strip("\n")


def _question(slot: ReleasedCell, slots: list[ReleasedCell]) -> ReleasedCell | None:
    """Return the last locked text before an answer cell."""
    before = [other for other in slots[: slot.position] if other.role is CellRole.FIXED and other.cell_type != "code"]
    return before[-1] if before else None


def _place(cell: SubmittedCell, slot: ReleasedCell, slots: list[ReleasedCell], *, below: bool) -> str:
    """Return the place of a cell in words, for sentences to students and instructors."""
    question = _question(slot, slots)
    if question and (cell.typed_into is question or question.source.strip() in cell.source):
        return "the question's own cell"
    if cell.typed_into:
        return f"the locked cell `{cell.typed_into.name}`"
    if cell.slot:
        return f"the cell `{cell.slot.name}`"
    return f"a new {'code ' if cell.cell_type == 'code' else ''}cell {'below' if below else 'above'} the question"
