"""Files of marks for learning platforms, as nbgrader export plug-ins.

``autograder export LAB --format canvas --to FILE``, or with nbgrader alone
``nbgrader export --exporter autograder.grading.reports.export.CanvasExport --to FILE``.

In every format a student who handed in nothing has an empty mark, not 0: a platform takes an empty cell as "no mark", and
whether that is a 0, an excuse or an extension is the instructor's decision. The same holds for work that could not be read
and that nobody has marked.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

from traitlets import Enum, TraitError

from ..collect.canvas_columns import column_of
from ..gradebook.course import open_course
from ..gradebook.database import open_gradebook
from ..gradebook.marks import Marks
from ..platforms import Platform, canvas, moodle, platforms
from ..platforms.interface import CsvRow, MarksByLab
from ..spreadsheet import number_cell, text_cell
from .answer_cells import grade_id
from .feedback_page import lab_title
from .marks_export import ExportedMarks, MarksExport


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
