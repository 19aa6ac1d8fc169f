"""Which marks a changed rubric changes, computed before anything is written."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from ..gradebook.marks import Marks
from .mark_sheet import MarkSheet, RubricMark
from .rubric import Rubric


@dataclass(frozen=True)
class RescoredAnswer:
    """Answer that was marked with a changed line.

    Attributes
    ----------
    student : str
    lines : tuple of str
        Chosen lines that the rubric still has.
    before, after : float
        Points of the lines before and after.
    differs : bool
        Whether the gradebook has other points than the lines gave: then it stays as it is.
    """

    student: str
    lines: tuple[str, ...]
    before: float
    after: float
    differs: bool


@dataclass(frozen=True)
class Rescore:
    """Changes of marks that follow from a changed rubric.

    Attributes
    ----------
    changed : list of str
        A sentence for each line with which marks were given and which changed since.
    rows : list of RescoredAnswer
        Answers that were marked with one of these lines.
    second : list of (str, str, RubricMark)
        Student, marker and new mark of second markers.
    """

    changed: list[str]
    rows: list[RescoredAnswer]
    second: list[tuple[str, str, RubricMark]]


def plan_rescore(sheet: MarkSheet, rubric: Rubric, marks: Mapping[str, Marks]) -> Rescore:
    """Compare the rubric with the one that the marks were given with.

    Parameters
    ----------
    sheet : MarkSheet
    rubric : Rubric
        The present rubric.
    marks : mapping
        Marks of the gradebook, by student.
    """
    changed = {name: said for name, old in sheet.lines.items() if (said := _change(name, old, rubric))}
    all_marks = [*sheet.marks.values(), *(mark for by in sheet.second.values() for mark in by.values())]
    changed = {name: said for name, said in changed.items() if any(name in mark.lines for mark in all_marks)}
    rows = []
    for student, mark in sheet.marks.items():
        if changed.keys() & set(mark.lines):
            lines = _remaining(mark, rubric)
            entry = marks[student].cells.get(sheet.question) if student in marks else None
            differs = entry is None or entry.manual != mark.points
            rows.append(RescoredAnswer(student, lines, mark.points, rubric.score(lines), differs))
    second = [
        (student, marker, replace(mark, lines=_remaining(mark, rubric), points=rubric.score(_remaining(mark, rubric))))
        for student, by in sheet.second.items()
        for marker, mark in by.items()
        if changed.keys() & set(mark.lines)
    ]
    return Rescore(list(changed.values()), rows, second)


def _remaining(mark: RubricMark, rubric: Rubric) -> tuple[str, ...]:
    return tuple(name for name in mark.lines if rubric.line(name))


def _change(name: str, old: Mapping[str, object], rubric: Rubric) -> str:
    """Return what changed in a line; empty if nothing that counts did."""
    line = rubric.line(name)
    if line is None:
        return f"The line “{old['text']}” is gone."
    if line.points != old["points"]:
        return f"“{line.text}” gives {line.points:g} instead of {old['points']:g}."
    if line.at_most != old["at_most"]:
        return f"“{line.text}” allows {_cap(line.at_most)} instead of {_cap(old['at_most'])}."
    if line.version != old["version"]:
        return f"“{line.text}” has another meaning now (version {line.version}); it read “{old['text']}”."
    return ""


def _cap(value: object) -> str:
    return "any total" if value is None else f"at most {value:g}"
