"""Groups of students: one member submits and is marked, and the marks count for all members.

nbgrader has no groups. Exports and feedback read the table, so that nothing is graded or marked twice.
"""

import csv
import io
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from ...atomic_write import write_text
from ..lab import load
from ..sanitize.terminal_text import printable
from ..spreadsheet import read_rows
from .course import open_course
from .database import open_gradebook

COLUMNS = ("group", "student")
T = TypeVar("T")


@dataclass(frozen=True)
class Groups:
    """The groups of one lab.

    Attributes
    ----------
    members : dict of str to tuple of str
        Ids of the students of each group.
    """

    members: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def submitters(self, submitted: Collection[str]) -> dict[str, str]:
        """Map each member without a submission to the member whose submission counts for both.

        A group of which two members submitted is left out: a person must decide.
        """
        return {
            mate: worked[0]
            for members in self.members.values()
            if len(worked := [one for one in members if one in submitted]) == 1
            for mate in members
            if mate not in submitted
        }

    def conflicts(self, submitted: Collection[str]) -> Iterator[str]:
        """Yield a sentence for each group of which two or more members submitted, and one did not."""
        for name, members in self.members.items():
            worked = [one for one in members if one in submitted]
            without = [one for one in members if one not in submitted]
            if len(worked) > 1 and without:
                yield (
                    f"Group {name}: {_listed(worked)} each submitted and keep the marks of their own work; {_listed(without)} "
                    "submitted nothing and gets no marks until all but one of these submissions are removed from "
                    "autograder/work/submitted, or the table is changed"
                )

    def with_members(self, by_student: Mapping[str, T]) -> dict[str, T]:
        """Return a copy in which members without an entry have that of the member who submitted."""
        submitters = self.submitters(by_student)
        return {**by_student, **{mate: by_student[who] for mate, who in submitters.items()}}


@dataclass(frozen=True)
class GroupUpdate:
    """A new table of groups, the table that it replaced, and conflicts that a person must resolve."""

    lab: str
    groups: Groups
    file: Path
    before: Path | None
    conflicts: list[str]

    def sentences(self) -> Iterator[str]:
        """Yield what was done, the conflicts, and how to undo it."""
        members = [one for group in self.groups.members.values() for one in group]
        count = len(self.groups.members)
        if members:
            yield (
                f"{self.lab}: {len(members)} students in {count} group{'s' * (count != 1)}. One student of each submits; "
                "the marks, comments and feedback count for all members from the next export and feedback on."
            )
        else:
            yield f"{self.lab}: nobody works in a group; marks are each student's own from the next export on."
        yield from self.conflicts
        if self.before:
            yield f"The previous groups are in {self.before}; `autograder group {self.lab} {self.before}` undoes this."
        elif members:
            yield f"They are stored in {self.file}; `autograder group {self.lab} --none` undoes this."


def load_groups(root: str | Path, lab: str) -> Groups:
    """Load the groups of a lab; there are none without a table.

    Raises
    ------
    ValueError
        If the table cannot be read; the message names file and line.
    """
    file = group_table_file(root, lab)
    return _read(file) if file.is_file() else Groups()


def set_groups(root: str | Path, lab: str, file: Path | None) -> GroupUpdate:
    """Set the groups of a lab from a CSV file with the columns group and student; None removes all.

    Raises
    ------
    ValueError
        For an unknown lab or student, and for a student in two groups.
    """
    load(root, lab)
    course = open_course(root)
    groups = _read(file) if file else Groups()
    with open_gradebook(course.directory) as book:
        known = {one.id for one in book.students} if book else set()
    submitted = set(course.submissions(lab)) if course.submission(lab, "x").parents[1].is_dir() else set()
    if strangers := [one for members in groups.members.values() for one in members if one not in known | submitted]:
        raise ValueError(
            f"{file} names unknown students: {_listed(strangers)}. Correct it, or enter them with `autograder roster`"
        )
    place, before = group_table_file(course.root, lab), None
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
    return GroupUpdate(lab, groups, place, before, [*groups.conflicts(submitted)])


def group_table_file(root: str | Path, lab: str) -> Path:
    """Path of the table of groups of a lab, existing or not."""
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
                f"{file}, line {line}: {printable(student)} is in group {printable(seen[student])} and in group {printable(group)}; keep one"
            )
        seen[student] = group
        members.setdefault(group, []).append(student)
    return Groups({name: tuple(students) for name, students in members.items()})


def _listed(students: Collection[str]) -> str:
    return ", ".join(map(printable, students))
