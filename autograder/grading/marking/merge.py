"""Merge another marker's file into the course's marks and gradebook: all of it, or nothing and every conflict by name."""

from dataclasses import dataclass
from pathlib import Path

from ..sanitize.terminal_text import printable
from .gradebook_entry import Entries, GradebookEntry, open_entries
from .mark_sheet import Change, MarkSheet, RubricMark, load_sheet, now, open_sheet
from .session import MarkingSession

MOST_NAMES = 20  # in an error


@dataclass(frozen=True)
class MergedMarks:
    """How many marks of a file are new, replaced an older one of the same marker, count as second marks, or were there."""

    new: int
    replaced: int
    second: int
    same: int


class MergeConflict(ValueError):
    """Marks of two markers contradict each other; nothing was merged."""


def merge_marks(session: MarkingSession, file: Path) -> MergedMarks:
    """Merge a marker's file into the marks of a session's question.

    In the double-marked sample the mark that was merged first counts, and later ones are second marks.

    Parameters
    ----------
    session : MarkingSession
        Session of the course that gets the marks.
    file : path
        ``QUESTION.json`` of another marker.

    Raises
    ------
    MergeConflict
        If an answer outside the sample has other lines or another comment here, or other points in the gradebook.
    ValueError
        If the file belongs to another question, to another version of the rubric, or to another class.
    """
    if not file.is_file():
        raise ValueError(f"there is no file {file}")
    other = load_sheet(file, session.lab.name, session.question)
    with (
        open_entries(session.course, session.lab, session.question) as entries,
        open_sheet(session.file, session.lab.name, session.question) as sheet,
    ):
        _refuse_other_class(sheet, other, file)
        sheet.sample = max(sheet.sample, other.sample)
        plan = _plan(sheet, other, entries)
        for kind, student, mark in plan:
            before = sheet.mark_of(student, mark.marker)
            if kind == "same":
                continue
            entry = entries.read(student)
            if sheet.put(mark, student, mark.marker):
                kept = [entry.points, entry.comment, entry.waiting]
                sheet.history.append(Change("merge", student, mark.marker, now(), before, mark, kept))
        known = set(map(repr, sheet.history))
        sheet.history += [change for change in other.history if repr(change) not in known]
        sheet.snippets += [text for text in other.snippets if text not in sheet.snippets]
        for marker, drafts in other.drafts.items():
            sheet.drafts[marker] = drafts | sheet.drafts.get(marker, {})
        for kind, student, mark in plan:
            if kind in ("new", "replaced"):
                entries.write(student, GradebookEntry(mark.points, mark.comment, False))
    counts = {kind: sum(one == kind for one, *_ in plan) for kind in ("new", "replaced", "second", "same")}
    return MergedMarks(**counts)


def _plan(sheet: MarkSheet, other: MarkSheet, entries: Entries) -> list[tuple[str, str, RubricMark]]:
    """Return what to do with each mark of a file; a conflict ends it before anything is written."""
    plan, conflicts = [], []
    theirs = [(student, mark) for student, mark in other.marks.items()]
    theirs += [(student, mark) for student, marks in other.second.items() for mark in marks.values()]
    for student, mark in theirs:
        mine = sheet.mark_of(student, mark.marker)
        if mine is not None and mine.decision == mark.decision and mine.points == mark.points:
            kind = "same"
        elif sheet.in_sample(student) and (counted := sheet.marks.get(student)) and counted.marker != mark.marker:
            kind = "second" if mine is None or mine.at < mark.at else "same"
        elif mine is not None and mine.marker != mark.marker:
            conflicts.append(
                f"{printable(student)}: {mine.points:g} points by {mine.marker or 'the first marker'}, "
                f"{mark.points:g} by {mark.marker or 'the other marker'}"
            )
            continue
        elif mine is not None and mine.at >= mark.at:
            kind = "same"
        else:
            entry = entries.read(student)
            expected = (None, mark.points, mine.points if mine else None)
            if entry.points not in expected:
                conflicts.append(
                    f"{printable(student)}: {entry.points:g} points in the gradebook, {mark.points:g} here"
                )
                continue
            kind = "replaced" if mine else "new"
        plan.append((kind, student, mark))
    if conflicts:
        more = f" and {len(conflicts) - MOST_NAMES} more" if len(conflicts) > MOST_NAMES else ""
        raise MergeConflict(
            f"nothing was merged, because {len(conflicts)} answers have two marks: {'; '.join(conflicts[:MOST_NAMES])}{more}. "
            "Agree on each, give it in one of the files, and take it back (u) in the other"
        )
    return plan


def _refuse_other_class(sheet: MarkSheet, other: MarkSheet, file: Path) -> None:
    if strangers := sorted({*other.marks, *other.second} - set(sheet.order)):
        names = ", ".join(map(printable, strangers[:MOST_NAMES]))
        raise ValueError(
            f"{file} has marks of students whose answers are not here: {names}. Run `autograder grade` first"
        )
    sample = max(sheet.sample, other.sample)
    if sheet.order[:sample] != other.order[:sample]:
        raise ValueError(f"{file} was made with another list of students, so its double-marked sample is another one")
    used = {line for mark in other.marks.values() for line in mark.lines}
    for name in sorted(used):
        mine, theirs = sheet.lines.get(name), other.lines.get(name)
        if mine is None or theirs is None or any(mine[key] != theirs[key] for key in ("points", "at_most", "version")):
            raise ValueError(
                f"{file} was marked with another version of the line {name!r}: give both machines the same rubric and re-score "
                "on the page of the older one"
            )
