"""Who worked together: one hands in and is marked, and the marks are those of all.

nbgrader knows no groups. The table holds for exports and feedback, so that nothing is graded or marked twice.
"""

import csv
import io
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from ...atomic_write import write_text
from ..lab import load
from ..sanitize.terminal_text import shown
from ..spreadsheet import read_rows
from .course import open_course
from .marks import gradebook

COLUMNS = ("group", "student")
T = TypeVar("T")


@dataclass(frozen=True)
class Groups:
    """The groups of one lab.

    Attributes
    ----------
    members : dict of str to tuple of str
        Students of each group.
    """

    members: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def works_of(self, handed_in: Collection[str]) -> dict[str, str]:
        """Whose work counts for each who handed in nothing: that of the one in their group who did.

        Nobody's where two did: whose then counts is for a person to say.
        """
        return {
            mate: worked[0]
            for members in self.members.values()
            if len(worked := [one for one in members if one in handed_in]) == 1
            for mate in members
            if mate not in handed_in
        }

    def doubts(self, handed_in: Collection[str]) -> Iterator[str]:
        """A sentence for each group of which more than one handed in, and somebody nothing."""
        for name, members in self.members.items():
            worked = [one for one in members if one in handed_in]
            without = [one for one in members if one not in handed_in]
            if len(worked) > 1 and without:
                yield (
                    f"Group {name}: {_listed(worked)} each handed in, and keep the marks of their own work; {_listed(without)} "
                    "handed in nothing and gets none, until all but one of these submissions are taken out of "
                    "autograder/work/submitted, or the table says whose group it is"
                )

    def shared(self, by_student: Mapping[str, T]) -> dict[str, T]:
        """The same with an entry for everybody to whom another's work counts."""
        works = self.works_of(by_student)
        return {**by_student, **{mate: by_student[who] for mate, who in works.items()}}


@dataclass(frozen=True)
class Entered:
    """What was entered: the table, the one it took the place of, and what a person must decide."""

    lab: str
    groups: Groups
    file: Path
    before: Path | None
    doubts: list[str]

    def sentences(self) -> Iterator[str]:
        """What was done, what is in doubt, and how to undo it."""
        members = [one for group in self.groups.members.values() for one in group]
        count = len(self.groups.members)
        if members:
            yield (
                f"{self.lab}: {len(members)} students in {count} group{'s' * (count != 1)}. One of each hands in; their marks, "
                "comments and page of feedback are those of all, from the next export and feedback on."
            )
        else:
            yield f"{self.lab}: nobody works in a group; marks are each student's own from the next export on."
        yield from self.doubts
        if self.before:
            yield f"The groups as they were are {self.before}; `autograder group {self.lab} {self.before}` undoes this."
        elif members:
            yield f"They stand in {self.file}; `autograder group {self.lab} --none` undoes this."


def groups_of(root: str | Path, lab: str) -> Groups:
    """The groups of a lab; none where nobody said so.

    Raises
    ------
    ValueError
        For a table that cannot be read; the message names file and line.
    """
    file = table_of(root, lab)
    return _read(file) if file.is_file() else Groups()


def enter(root: str | Path, lab: str, file: Path | None) -> Entered:
    """Enter the groups of a lab from a CSV file with the columns group and student; None takes all away.

    Raises
    ------
    ValueError
        For an unknown lab or student, and for a student in two groups.
    """
    load(root, lab)
    course = open_course(root)
    groups = _read(file) if file else Groups()
    with gradebook(course.directory) as book:
        known = {one.id for one in book.students} if book else set()
    handed_in = set(course.submissions(lab)) if course.submission(lab, "x").parents[1].is_dir() else set()
    if strangers := [one for members in groups.members.values() for one in members if one not in known | handed_in]:
        raise ValueError(
            f"{file} names students whom nobody knows: {_listed(strangers)}. Correct it, or enter them with `autograder roster`"
        )
    place, before = table_of(course.root, lab), None
    if place.is_file():
        before = place.with_name(f"{lab}-before.csv")
        write_text(before, place.read_text(encoding="utf-8"))
        place.unlink()
    if file:
        place.parent.mkdir(parents=True, exist_ok=True)
        stream = io.StringIO()
        csv.writer(stream, lineterminator="\n").writerows(
            [COLUMNS, *((name, one) for name, members in groups.members.items() for one in members)]
        )
        write_text(place, stream.getvalue())
    return Entered(lab, groups, place, before, [*groups.doubts(handed_in)])


def table_of(root: str | Path, lab: str) -> Path:
    """Where the groups of a lab stand, or would."""
    return Path(root) / "autograder" / "work" / "groups" / f"{lab}.csv"


def _read(file: Path) -> Groups:
    members: dict[str, list[str]] = {}
    seen: dict[str, str] = {}
    lines = read_rows(file)
    _, header = next(lines, (0, []))
    if [name.strip().lower() for name in header[:2]] != [*COLUMNS]:
        raise ValueError(f"{file}: the first line must be {','.join(COLUMNS)}")
    for line, cells in lines:
        group, student = (" ".join(cell.split()) for cell in [*cells, "", ""][:2])
        if not group or not student:
            raise ValueError(f"{file}, line {line}: a group and a student are needed")
        if student in seen:
            raise ValueError(
                f"{file}, line {line}: {shown(student)} is in group {shown(seen[student])} and in group {shown(group)}; keep one"
            )
        seen[student] = group
        members.setdefault(group, []).append(student)
    return Groups({name: tuple(students) for name, students in members.items()})


def _listed(students: Collection[str]) -> str:
    return ", ".join(map(shown, students))
