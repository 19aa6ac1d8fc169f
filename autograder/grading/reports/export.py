"""Files of marks for learning platforms, as nbgrader export plug-ins.

``autograder export LAB --format canvas --to FILE``, or with nbgrader alone
``nbgrader export --exporter autograder.grading.reports.export.CanvasExport --to FILE``.

In every format a student who handed in nothing has an empty mark, not 0: a platform takes an empty cell as "no mark", and
whether that is a 0, an excuse or an extension is the instructor's decision. The same holds for work that could not be read
and that nobody has marked.
"""

import csv
import io
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, TypeAlias

from nbgrader.api import MissingEntry
from nbgrader.plugins import ExportPlugin
from traitlets import Bool, Enum, TraitError, validate

from ...atomic_write import create_text, write_text
from ..collect.canvas_columns import column_of
from ..gradebook.course import open_course
from ..gradebook.database import open_gradebook
from ..gradebook.groups import Groups, load_groups
from ..gradebook.lateness import late_submissions
from ..gradebook.marks import Marks, load_marks
from ..lab import Lab, load
from ..platforms import Platform, canvas, moodle, platforms
from ..platforms.interface import CsvRow, MarksByLab
from ..result import UNREADABLE
from ..result_store import ResultStore
from ..spreadsheet import number_cell, text_cell
from .answer_cells import grade_id, untouched_name, untouched_questions
from .feedback_page import lab_title

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
        Sentences by lab about groups of which more than one member handed in.
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
            {name: [*groups[name].conflicts(of_lab)] for name, of_lab in marks.items()},
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


_KINDS = {"lab": "assignment", "student": "student"}


class CsvExport(MarksExport):
    """Table with a row for each lab and student: nbgrader's own columns, points by machine and by hand, and each task.

    Points by machine include what a person changed of them. The points of a cell that waits for a person are empty, and
    so are those by hand. With several labs, tasks of the same name share a column.
    """

    COLUMNS = (
        *("assignment", "duedate", "timestamp", "student_id", "last_name", "first_name", "email"),
        *("raw_score", "late_submission_penalty", "score", "max_score"),
    )

    def rows(self, labs: list[Any], students: list[Any], marks: MarksByLab) -> Iterator[CsvRow]:
        """Rows of the table; points are empty for a student who handed in nothing."""
        cells = {lab.name: self._cells(lab) for lab in labs}
        tasks = [*dict.fromkeys(cell for of_lab in cells.values() for cell in of_lab)]
        yield [*self.COLUMNS, "machine", "hand", *map(text_cell, tasks)]
        for lab in labs:
            by_hand = cells[lab.name]
            for student in students:
                mark = marks[lab.name].get(student.id)
                scores = (mark.raw_score, mark.late_penalty, mark.score) if mark else ()
                person = (student.id, student.last_name, student.first_name, student.email)
                yield [
                    *(text_cell(lab.name), text_cell(lab.duedate), text_cell(mark.submitted if mark else "")),
                    *map(text_cell, person),
                    *(map(number_cell, scores) if mark else [""] * 3),
                    number_cell(lab.max_score),
                    *self._parts(mark, by_hand),
                    *(self._points(mark, task) if task in by_hand else "" for task in tasks),
                ]

    def _cells(self, lab: Any) -> dict[str, bool]:
        """Graded cells of a lab in the order of its notebook; whether a person marks them."""
        known = self._lab(lab.name)
        released = known.released["cells"] if known else []
        places = {grade_id(cell): place for place, cell in enumerate(released)}
        cells: dict[str, bool] = {}
        for notebook in lab.notebooks:
            solutions = {cell.name for cell in notebook.solution_cells}
            cells |= {cell.name: cell.name in solutions or cell.cell_type != "code" for cell in notebook.grade_cells}
            cells |= {cell.name: True for cell in notebook.task_cells}
        return dict(sorted(cells.items(), key=lambda item: (places.get(item[0], len(places)), item[0])))

    @staticmethod
    def _points(mark: Marks | None, cell: str) -> str:
        found = mark.cells.get(cell) if mark else None
        return "" if found is None or (found.waiting and not found.outdated) else number_cell(found.score)

    def _parts(self, mark: Marks | None, by_hand: dict[str, bool]) -> list[str]:
        """Points by machine and points by hand; empty if one of their cells has no points yet."""
        points: dict[bool, list[str]] = {False: [], True: []}
        for cell, is_by_hand in by_hand.items():
            points[is_by_hand].append(self._points(mark, cell))
        return ["" if mark is None or "" in part else number_cell(sum(map(float, part))) for part in points.values()]


class PlatformExport(MarksExport):
    """Export plug-in for the file that a learning platform imports."""

    platform: ClassVar[Platform]

    def rows(self, labs: list[Any], students: list[Any], marks: MarksByLab) -> Iterator[CsvRow]:
        """Rows in the format of the platform."""
        if self.platform.export is None:
            raise ValueError(f"marks cannot be exported for {self.platform.label}")
        return self.platform.export.rows(labs, students, marks)


class CanvasExport(PlatformExport):
    """Canvas's gradebook import: a column for each lab, and the row of possible points.

    Canvas finds a student by ``ID`` (its own number, nbgrader's ``lms_user_id``), else by the column that ``identifier``
    names, which holds nbgrader's student id.
    """

    platform = canvas.PLATFORM
    identifier = Enum(
        canvas.ID_COLUMNS, canvas.ID_COLUMNS[0], help="the Canvas column that equals nbgrader's student ids"
    ).tag(config=True)

    def rows(self, labs: list[Any], students: list[Any], marks: MarksByLab) -> Iterator[CsvRow]:
        """Rows with the students' ids in the column ``identifier``."""
        names = {lab.name: column for lab in labs if (column := self._canvas_column(lab.name))}
        return canvas.grade_rows(labs, students, marks, self.identifier, names)

    def _canvas_column(self, lab: str) -> str | None:
        if self.parent is None:
            return None
        root = self.parent.coursedir.root
        known = self._lab(lab)
        return column_of(root, lab, lab_title(known) if known else "")


class MoodleExport(PlatformExport):
    """Moodle's grade import: map *Username* or *Email address*, each lab, and its feedback.

    The feedback holds what graders wrote. Both columns of a lab must be mapped, because Moodle drops the marks of a lab
    whose feedback alone is imported.
    """

    platform = moodle.PLATFORM


def export_formats() -> dict[str, type[MarksExport]]:
    """Export plug-ins by the name of their format: nbgrader's CSV, then each platform with an export."""
    formats: dict[str, type[MarksExport]] = {"csv": CsvExport}
    named = {plug_in.platform: plug_in for plug_in in (CanvasExport, MoodleExport)}
    for platform in platforms():
        if platform.export is not None:
            plug_in = named.get(platform)
            formats[platform.name] = plug_in or type("PlatformExport", (PlatformExport,), {"platform": platform})
    return formats


def export_marks(root: str | Path, lab: str, file_format: str, to: str | Path, *, force: bool = False) -> ExportedMarks:
    """Export the marks of a lab.

    Parameters
    ----------
    root : path
        Course folder.
    lab : str
        Name of the lab.
    file_format : str
        Name of a format of `export_formats`, such as "csv" or "canvas".
    to : path
        File to write.
    force : bool
        Whether to replace an existing file.

    Returns
    -------
    ExportedMarks

    Raises
    ------
    ValueError
        If the format or the lab is unknown, or nothing was graded yet.
    FileExistsError
        If the file exists and ``force`` is off.
    """
    formats = export_formats()
    if file_format not in formats:
        raise ValueError(f"unknown format {file_format!r}; available formats: {', '.join(formats)}")
    course = open_course(root)
    try:
        plug_in = formats[file_format](parent=course.app, to=str(to), assignment=[lab], student=[], force=force)
    except TraitError as problem:
        raise ValueError(str(problem)) from None
    with open_gradebook(course.directory) as book:
        if book is None:
            raise ValueError(f"nothing was graded yet of {lab}: run `autograder grade {lab}` first")
        plug_in.export(book)
    return plug_in.result
