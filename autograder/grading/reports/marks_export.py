"""Base of the nbgrader export plug-ins: selection of marks and students, and the students whose marks are not final."""

import csv
import io
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

from nbgrader.api import MissingEntry
from nbgrader.plugins import ExportPlugin
from traitlets import Bool, TraitError, validate

from ...atomic_write import create_text, write_text
from ..gradebook.dates import Dates
from ..gradebook.groups import Groups, load_groups
from ..gradebook.lateness import late_submissions
from ..gradebook.marks import load_marks
from ..gradebook.unknown_students import find_unknown
from ..lab import Lab, load
from ..platforms.interface import CsvRow, MarksByLab
from ..result import UNREADABLE
from ..result_store import ResultStore
from .answer_cells import untouched_name, untouched_questions

_KINDS = {"lab": "assignment", "student": "student"}
StudentsByLab: TypeAlias = dict[str, list[str]]


@dataclass(frozen=True)
class ExportedMarks:
    """File of marks, and the students whose marks are not final.

    Attributes
    ----------
    file : Path
        File that was written.
    waiting : dict of str to list of str
        Students by lab with a cell that nobody has marked by hand yet, so that the total lacks its points.
    outdated : dict of str to list of str
        Students by lab who changed their work after it was marked by hand; the old mark counts.
    unreadable : dict of str to list of str
        Students by lab whose work could not be read, so that the mark is empty.
    undecided : dict of str to list of str
        Sentences by lab about groups of which more than one member handed in, and about students of the table of
        dates whom nobody knows.
    untouched : dict of str to list of str
        Students by lab who left the written question as released and have 0 points for it.
    late : dict of str to list of str
        Sentences by lab about late submissions: time, points lost, late days used and left.
    failed : dict of str to list of str
        Students by lab on whose work the grader itself failed, so that the mark is empty.
    """

    file: Path
    waiting: StudentsByLab
    outdated: StudentsByLab
    unreadable: StudentsByLab
    undecided: StudentsByLab = field(default_factory=dict)
    untouched: StudentsByLab = field(default_factory=dict)
    late: StudentsByLab = field(default_factory=dict)
    failed: StudentsByLab = field(default_factory=dict)

    def notices(self) -> Iterator[str]:
        """Yield a sentence for each lab in which marks include 0 points for an untouched written question."""
        for lab, names in self.untouched.items():
            if names:
                yield f"{lab}: left the written question untouched ({len(names)}): {', '.join(names)}"

    def sentences(self) -> Iterator[str]:
        """Yield a sentence for each lab and reason, with all names."""
        for students, reason in (
            (self.waiting, "not yet marked by hand, so the total lacks those points"),
            (self.outdated, "changed since a person marked it; the old mark counts until it is marked again"),
            (self.unreadable, "could not be read, so the mark is empty"),
            (self.failed, "the grader itself failed, so the mark is empty until it is graded or marked by hand"),
        ):
            for lab, names in students.items():
                if names:
                    yield f"{lab}: {reason} ({len(names)}): {', '.join(names)}"
        for lab, doubts in self.undecided.items():
            yield from (f"{lab}: {doubt}" for doubt in doubts)


class MarksExport(ExportPlugin):
    """Base of the export plug-ins: selects marks and students, and never overwrites a file unasked."""

    force = Bool(False, help="replace a file that exists").tag(config=True)

    @validate("to")
    def _validate_destination(self, proposal: dict[str, Any]) -> str:
        if proposal["value"] and Path(proposal["value"]).is_dir():
            raise TraitError(f"{proposal['value']} is a folder; name a file")
        return proposal["value"]

    def export(self, gradebook: Any) -> None:
        """Write the marks to ``to``.

        Raises
        ------
        ValueError
            If the gradebook does not know a lab or a student.
        FileExistsError
            If the file exists and ``force`` is off.
        """
        labs = [self._find(gradebook.find_assignment, str(name), "lab") for name in self.assignment]
        students = [self._find(gradebook.find_student, str(name), "student") for name in self.student]
        labs = labs or sorted(gradebook.assignments, key=lambda lab: lab.name)
        students = students or sorted(gradebook.students, key=lambda student: student.id)
        if not labs:
            raise ValueError("nothing was graded yet: run `autograder grade LAB` first")
        marks = {lab.name: load_marks(gradebook, lab.name) for lab in labs}
        unreadable, untouched = self._from_results(marks)
        failed = self._failed(marks)
        for lab in marks:
            for student in {*unreadable.get(lab, ()), *failed.get(lab, ())}:
                del marks[lab][student]
        groups = {lab.name: self._groups(lab.name) for lab in labs}
        table = io.StringIO()
        shared = {name: groups[name].with_members(of_lab) for name, of_lab in marks.items()}
        csv.writer(table).writerows(self.rows(labs, students, shared))
        target = self.to or "grades.csv"
        try:
            (write_text if self.force else create_text)(target, table.getvalue())
        except FileExistsError:
            raise FileExistsError(
                f"{target} exists and stays as it is: name another file with --to, or replace it with --force"
            ) from None
        self.result = ExportedMarks(
            Path(target),
            {
                name: sorted(student for student, mark in of_lab.items() if mark.incomplete)
                for name, of_lab in marks.items()
            },
            {
                name: sorted(student for student, mark in of_lab.items() if mark.outdated)
                for name, of_lab in marks.items()
            },
            unreadable,
            {
                name: [*groups[name].conflicts(of_lab), *self._unknown(gradebook, name)]
                for name, of_lab in marks.items()
            },
            untouched,
            {name: self._late(gradebook, name) for name in marks},
            failed,
        )
        for sentence in self.result.sentences():
            self.log.warning("%s", sentence)
        for notice in self.result.notices():
            self.log.info("%s", notice)

    def _late(self, gradebook: Any, lab: str) -> list[str]:
        if self.parent is None:
            return []
        return [one.sentence() for one in late_submissions(self.parent.coursedir.root, lab, gradebook)]

    def _unknown(self, gradebook: Any, lab: str) -> list[str]:
        """Return a sentence for each row of the table of dates that applies to nobody."""
        if self.parent is None:
            return []
        dates = Dates(self.parent.coursedir.root, lab)
        return [one.sentence(lab) for one in find_unknown(dates, {student.id for student in gradebook.students})]

    def _groups(self, lab: str) -> Groups:
        return load_groups(self.parent.coursedir.root, lab) if self.parent is not None else Groups()

    def _lab(self, name: str) -> Lab | None:
        """A lab of the course; None if it no longer has it, and the gradebook keeps its marks."""
        with suppress(ValueError):
            return load(self.parent.coursedir.root, name) if self.parent is not None else None
        return None

    def _from_results(self, marks: MarksByLab) -> tuple[StudentsByLab, StudentsByLab]:
        """Students by lab whose work could not be read and got no points from a person; who left a question untouched."""
        unreadable: StudentsByLab = {lab: [] for lab in marks}
        untouched: StudentsByLab = {lab: [] for lab in marks}
        if self.parent is None:
            return unreadable, untouched
        for name, of_lab in marks.items():
            lab = self._lab(name)
            for result in ResultStore.of(self.parent.coursedir.root, name):
                mark = of_lab.get(result.student)
                if mark and result.status == UNREADABLE and not mark.by_hand:
                    unreadable[name].append(result.student)
                elif mark and lab and (cells := untouched_questions(result, lab, mark)):
                    untouched[name].append(untouched_name(result.student, cells, lab))
        return unreadable, untouched

    def _failed(self, marks: MarksByLab) -> StudentsByLab:
        """Students by lab on whose work the grader itself failed, unless a person gave the points that lack."""
        if self.parent is None:
            return {}
        root = self.parent.coursedir.root
        return {
            lab: [
                result.student
                for result in ResultStore.of(root, lab)
                if result.fault and result.student in of_lab and of_lab[result.student].waiting
            ]
            for lab, of_lab in marks.items()
        }

    def rows(self, labs: list[Any], students: list[Any], marks: MarksByLab) -> Iterator[CsvRow]:
        """Rows of the file, header first; ``marks`` by lab, then by student."""
        raise NotImplementedError

    @staticmethod
    def _find(find: Callable[[str], Any], name: str, kind: str) -> Any:
        try:
            return find(name)
        except MissingEntry:
            raise ValueError(f"the gradebook has no {kind} {name!r}; see `nbgrader db {_KINDS[kind]} list`") from None
