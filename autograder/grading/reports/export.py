"""Marks for a learning platform, as nbgrader export plug-ins.

``autograder export LAB --format canvas --to FILE``, or with nbgrader alone
``nbgrader export --exporter autograder.grading.reports.export.CanvasExport --to FILE``.

In every format a student who handed in nothing has an empty mark, not 0: a platform takes
an empty cell as "no mark", and whether that is a 0, an excuse or an extension is a person's
decision that a file must not make. The same holds for work that nobody could read and nobody has marked.
"""

import csv
import io
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

from nbgrader.api import MissingEntry
from nbgrader.plugins import ExportPlugin
from traitlets import Bool, Enum, TraitError, validate

from ...atomic_write import create_text, write_text
from ..gradebook.course import open_course
from ..gradebook.groups import Groups, groups_of
from ..gradebook.marks import Marks, gradebook, marks_of
from ..result import UNREADABLE
from ..result_store import ResultStore
from ..spreadsheet import number_cell, text_cell

Row: TypeAlias = Iterable[str]
# Students by lab.
Named: TypeAlias = dict[str, list[str]]


@dataclass(frozen=True)
class Exported:
    """A file of marks, and who needs a person before they are final.

    Attributes
    ----------
    file : Path
    waiting, outdated, unreadable : dict
        Students by lab: whom nobody has marked by hand yet, so that the total lacks those points; whose
        work was changed after a person had marked it, and the old mark counts; whose work could not be
        read, and whose mark is empty.
    undecided : dict
        Sentences by lab on groups of which more than one handed in.
    """

    file: Path
    waiting: Named
    outdated: Named
    unreadable: Named
    undecided: Named = field(default_factory=dict)

    def sentences(self) -> Iterator[str]:
        """One for each lab and reason, with every name."""
        for students, reason in (
            (self.waiting, "not yet marked by hand, so the total lacks those points"),
            (self.outdated, "changed since a person marked it; the old mark counts until somebody looks again"),
            (self.unreadable, "could not be read, so the mark is empty"),
        ):
            for lab, names in students.items():
                if names:
                    yield f"{lab}: {reason} ({len(names)}): {', '.join(names)}"
        for lab, doubts in self.undecided.items():
            yield from (f"{lab}: {doubt}" for doubt in doubts)


class Export(ExportPlugin):
    """What the formats share: which marks, which students, and a file that is never lost."""

    force = Bool(False, help="replace a file that exists").tag(config=True)

    @validate("to")
    def _known_destination(self, proposal: dict[str, Any]) -> str:
        if proposal["value"] and Path(proposal["value"]).is_dir():
            raise TraitError(f"{proposal['value']} is a folder; name a file")
        return proposal["value"]

    def export(self, gradebook: Any) -> None:
        """Write the marks to ``to``.

        Raises
        ------
        ValueError
            For a lab or a student that the gradebook does not know.
        FileExistsError
            When the file exists and ``force`` is off.
        """
        labs = [self._find(gradebook.find_assignment, str(name), "lab") for name in self.assignment]
        students = [self._find(gradebook.find_student, str(name), "student") for name in self.student]
        labs = labs or sorted(gradebook.assignments, key=lambda lab: lab.name)
        students = students or sorted(gradebook.students, key=lambda student: student.id)
        if not labs:
            raise ValueError("nothing was graded yet: run `autograder grade LAB` first")
        marks = {lab.name: marks_of(gradebook, lab.name) for lab in labs}
        unread = self._unread(marks)
        for lab, names in unread.items():
            for student in names:
                del marks[lab][student]
        groups = {lab.name: self._groups(lab.name) for lab in labs}
        table = io.StringIO()
        shared = {name: groups[name].shared(of) for name, of in marks.items()}
        csv.writer(table).writerows(self.rows(labs, students, shared))
        target = self.to or "grades.csv"
        try:
            (write_text if self.force else create_text)(target, table.getvalue())
        except FileExistsError:
            raise FileExistsError(
                f"{target} exists and stays as it is: name another file with --to, or replace it with --force"
            ) from None
        self.exported = Exported(
            Path(target),
            {name: sorted(who for who, mark in of.items() if mark.lacking) for name, of in marks.items()},
            {name: sorted(who for who, mark in of.items() if mark.outdated) for name, of in marks.items()},
            unread,
            {name: [*groups[name].doubts(of)] for name, of in marks.items()},
        )
        for sentence in self.exported.sentences():
            self.log.warning("%s", sentence)

    def _groups(self, lab: str) -> Groups:
        return groups_of(self.parent.coursedir.root, lab) if self.parent is not None else Groups()

    def _unread(self, marks: dict[str, dict[str, Marks]]) -> Named:
        """Who handed in what could not be read, unless a person gave points for it."""
        if self.parent is None:
            return {}
        root = self.parent.coursedir.root
        return {
            lab: [
                result.student
                for result in ResultStore.of(root, lab)
                if result.status == UNREADABLE and result.student in of and not of[result.student].by_hand
            ]
            for lab, of in marks.items()
        }

    def rows(self, labs: list[Any], students: list[Any], marks: dict[str, dict[str, Marks]]) -> Iterator[Row]:
        """The rows of the file, header first; ``marks`` by lab, then by student."""
        raise NotImplementedError

    @staticmethod
    def _find(find: Callable[[str], Any], name: str, kind: str) -> Any:
        try:
            return find(name)
        except MissingEntry:
            raise ValueError(f"the gradebook has no {kind} {name!r}; see `nbgrader db {_KINDS[kind]} list`") from None


_KINDS = {"lab": "assignment", "student": "student"}


class CsvExport(Export):
    """nbgrader's own columns, one row a lab and student, quoted as they should be."""

    COLUMNS = (
        *("assignment", "duedate", "timestamp", "student_id", "last_name", "first_name", "email"),
        *("raw_score", "late_submission_penalty", "score", "max_score"),
    )

    def rows(self, labs: list[Any], students: list[Any], marks: dict[str, dict[str, Marks]]) -> Iterator[Row]:
        yield self.COLUMNS
        for lab in labs:
            for student in students:
                mark = marks[lab.name].get(student.id)
                scores = (mark.raw_score, mark.late_penalty, mark.score) if mark else ()
                about = (student.id, student.last_name, student.first_name, student.email)
                yield [
                    *(text_cell(lab.name), text_cell(lab.duedate), text_cell(mark.submitted if mark else "")),
                    *map(text_cell, about),
                    *(map(number_cell, scores) if mark else [""] * 3),
                    number_cell(lab.max_score),
                ]


class CanvasExport(Export):
    """Canvas's gradebook import: a column a lab, and the row of possible points.

    Canvas finds a student by ``ID`` (its own number, nbgrader's ``lms_user_id``), else by
    the column that ``identifier`` names, which gets nbgrader's student id.
    """

    identifier = Enum(
        ("SIS Login ID", "SIS User ID"), "SIS Login ID", help="the Canvas column that equals nbgrader's student ids"
    ).tag(config=True)

    def rows(self, labs: list[Any], students: list[Any], marks: dict[str, dict[str, Marks]]) -> Iterator[Row]:
        yield ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", *(text_cell(lab.name) for lab in labs)]
        yield ["    Points Possible", "", "", "", "", *(number_cell(lab.max_score) for lab in labs)]
        for student in students:
            name = ", ".join(part for part in (student.last_name, student.first_name) if part) or student.id
            name_there = text_cell(student.id)
            login = [name_there, ""] if self.identifier == "SIS User ID" else ["", name_there]
            totals = (marks[lab.name].get(student.id) for lab in labs)
            yield [
                text_cell(name),
                text_cell(student.lms_user_id),
                *login,
                "",
                *(number_cell(m.score) if m else "" for m in totals),
            ]


class MoodleExport(Export):
    """Moodle's grade import: map *Username* or *Email address*, each lab, and its feedback.

    The feedback holds what graders wrote. Map both columns of a lab: Moodle drops the
    marks of a lab whose feedback alone is imported.
    """

    def rows(self, labs: list[Any], students: list[Any], marks: dict[str, dict[str, Marks]]) -> Iterator[Row]:
        columns = [part for lab in labs for part in (text_cell(lab.name), text_cell(f"{lab.name} (feedback)"))]
        yield ["Username", "Email address", "First name", "Last name", *columns]
        for student in students:
            row = [*map(text_cell, (student.id, student.email, student.first_name, student.last_name))]
            for lab in labs:
                mark = marks[lab.name].get(student.id)
                row += [number_cell(mark.score), text_cell(self._feedback(mark))] if mark else ["", ""]
            yield row

    @staticmethod
    def _feedback(mark: Marks) -> str:
        penalty = [f"{number_cell(mark.late_penalty)} points off for handing in late."] if mark.late_penalty else []
        return " ".join([*mark.remarks.values(), *penalty])


FORMATS = {"csv": CsvExport, "canvas": CanvasExport, "moodle": MoodleExport}


def export(root: str | Path, lab: str, file_format: str, to: str | Path, *, force: bool = False) -> Exported:
    """Export the marks of a lab.

    Parameters
    ----------
    root : path
        The course folder.
    lab : str
    file_format : str
        ``"csv"``, ``"canvas"`` or ``"moodle"``.
    to : path
        The file to write.
    force : bool
        Replace a file that exists.

    Returns
    -------
    Exported

    Raises
    ------
    ValueError
        For an unknown format or lab, or when nothing was graded yet.
    FileExistsError
        When the file exists and ``force`` is off.
    """
    if file_format not in FORMATS:
        raise ValueError(f"no format is called {file_format!r}; there are {', '.join(FORMATS)}")
    course = open_course(root)
    try:
        plugin = FORMATS[file_format](parent=course.app, to=str(to), assignment=[lab], student=[], force=force)
    except TraitError as problem:
        raise ValueError(str(problem)) from None
    with gradebook(course.directory) as book:
        if book is None:
            raise ValueError(f"nothing was graded yet of {lab}: run `autograder grade {lab}` first")
        plugin.export(book)
    return plugin.exported
