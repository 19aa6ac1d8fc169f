"""Lines of the rubric as a student sees them in feedback, with what the class often missed."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from ..gradebook.marks import Marks
from ..lab import Lab
from .mark_sheet import MarkSheet, load_sheet, sheet_file
from .rubric import Rubric, RubricLine, load_rubric

MIN_ANSWERS = 5  # fewer would say what a single classmate wrote
MIN_MISSED = 0.3  # share of the answers that lack a line
MOST_COMMON = 3


@dataclass(frozen=True)
class LineFeedback:
    """Line of a rubric, and whether it was chosen for this student."""

    text: str
    points: float
    at_most: float | None
    chosen: bool


@dataclass(frozen=True)
class WrittenFeedback:
    """What a student sees of the marking of one answer.

    Attributes
    ----------
    lines : list of LineFeedback
        Lines with points, and the caps that apply.
    changed : bool
        Whether a person changed the points after the lines were chosen.
    common : list of str
        Sentences on what the class often missed.
    """

    lines: list[LineFeedback]
    changed: bool
    common: list[str]


def written_feedback(root: str | Path, lab: Lab, marks: Mapping[str, Marks]) -> dict[str, dict[str, WrittenFeedback]]:
    """Return what students see of the marking of their written answers, by student and answer cell.

    Parameters
    ----------
    root : path
        The course folder.
    lab : Lab
    marks : mapping
        Marks of the gradebook, by student. A line that a changed rubric no longer has is left out.
    """
    found: dict[str, dict[str, WrittenFeedback]] = {}
    for question in lab.by_hand:
        file = sheet_file(root, lab.name, question)
        if not file.is_file():
            continue
        sheet = load_sheet(file, lab.name, question)
        # Marks on an earlier rubric were explained by its own lines.
        rubric = Rubric(question, tuple(RubricLine(**line) for line in sheet.lines.values()))
        if not rubric.lines:
            with suppress(ValueError):
                rubric = load_rubric(root, lab, question)
        common = _common(sheet, rubric)
        for student, mark in sheet.marks.items():
            entry = marks[student].cells.get(question) if student in marks else None
            if entry is None or entry.manual is None:
                continue
            lines = [
                LineFeedback(line.text, line.points, line.at_most, line.id in mark.lines)
                for line in rubric.lines
                if line.at_most is None or line.id in mark.lines
            ]
            found.setdefault(student, {})[question] = WrittenFeedback(lines, entry.manual != mark.points, common)
    return found


def _common(sheet: MarkSheet, rubric: Rubric) -> list[str]:
    """Return what at least `MIN_MISSED` of the marked answers lack or are capped by, the most frequent first."""
    if len(sheet.marks) < MIN_ANSWERS:
        return []
    shares = []
    for line in rubric.lines:
        chosen = sum(line.id in mark.lines for mark in sheet.marks.values()) / len(sheet.marks)
        share = chosen if line.at_most is not None else 1 - chosen
        if share >= MIN_MISSED:
            did = "met this limit" if line.at_most is not None else "did not earn this line"
            shares.append((share, f"{100 * share:.0f} % of the class {did}: {line.text}"))
    return [sentence for _, sentence in sorted(shares, key=lambda pair: -pair[0])[:MOST_COMMON]]
