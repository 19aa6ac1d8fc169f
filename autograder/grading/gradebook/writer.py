"""Put results into nbgrader's gradebook and its folder of autograded notebooks."""

import json
import os
from pathlib import Path
from types import TracebackType
from typing import Any

import nbformat
from nbconvert.writers import FilesWriter
from nbformat.v4.rwbase import rejoin_lines
from nbgrader.converters import Autograde
from nbgrader.preprocessors import AssignLatePenalties, CheckCellMetadata, Execute
from nbgrader.utils import rmtree, temp_attrs
from traitlets.utils.importstring import import_item

from ..lab import Lab
from ..releases import keep
from ..result import UNREADABLE, Result
from ..sanitize.notebook_cells import tame, texts_of
from .attachments import stamp_of, submitted_at
from .backup import back_up, readable
from .course import Course
from .dates import Dates
from .extras import lay_beside, note
from .hand_marks import keep_reviewed, reviews
from .lateness import Late, Settled, settle
from .placeholder_notebook import stand_in
from .registration import register
from .transactions import TOGETHER, OneTransaction

STAMP = "chip2cluster_graded"
# Steps of these packages leave the gradebook alone, but for those that `TOGETHER` replaces.
KNOWN = ("nbgrader.preprocessors", "nbconvert.preprocessors", "autograder.")
# Done once a run for all submissions, since due dates and policies change without them. So is nbgrader's check of the
# cells' metadata, which are those of the release in every rebuilt notebook.
PENALTIES = (AssignLatePenalties, Late)


class Writer(Autograde):
    """nbgrader's own autograde step without execution: takes a `Result` in place of a file.

    Student and submission entries, timestamps, late penalties, extra files, the
    configured steps, hooks and permissions are nbgrader's. A context manager; one
    process at a time.

    Parameters
    ----------
    course : Course
    lab : Lab

    Raises
    ------
    ValueError
        When the gradebook cannot be opened or the lab not be entered in it.
    """

    def __init__(self, course: Course, lab: Lab) -> None:
        super().__init__(coursedir=course.directory, parent=course.app)
        self.course, self.lab = course, lab
        self.released = texts_of(lab.released)
        self._draft: Path | None = None

    def __enter__(self) -> "Writer":
        back_up(self.coursedir)
        with readable(self.coursedir):
            register(self.coursedir, self.course.app, self.lab)
            keep(self.course.root, self.lab.name, self.lab.released)
            self.gradebook = OneTransaction(self.coursedir.db_url, self.coursedir.course_id)
            self._scores = self.gradebook.scores(self.lab.name)
        self.writer = FilesWriter(parent=self, config=self.config)
        self.exporter = self.exporter_class(parent=self, config=self.config)
        steps = [_class(step) for step in self.autograde_preprocessors]
        if CheckCellMetadata in steps:
            CheckCellMetadata(parent=self.exporter).preprocess(nbformat.from_dict(self.lab.released), {})
        apart = (*PENALTIES, CheckCellMetadata)
        self._steps = [self._made(step) for step in steps if not _runs(step) and step not in apart]
        self._penalises = any(step in PENALTIES for step in steps)
        self._dates = Dates(self.course.root, self.lab.name, parent=self)
        self._dates.check(self.gradebook.find_assignment(self.lab.name).duedate)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.gradebook.close()

    def is_current(self, result: Result, source: Path) -> bool:
        """Whether gradebook and autograded notebook already say what ``result`` says.

        Parameters
        ----------
        result : Result
        source : Path
            The submission it came from; a new timestamp or extra file counts as new.
        """
        scores = self._scores.get(result.student, {})
        for task in self.lab.tasks:
            score = scores.get(task.cell)
            if score is None or abs(score - result.exercises[task.exercise]["score"]) > 1e-6:
                return False
        written = self._read(self._target(result.student))
        return written is not None and written["metadata"].get(STAMP) == stamp_of(result.digest, source)

    def settle(self) -> Settled:
        """Bring every submission's lateness up to date; see `lateness.settle`."""
        if not self._penalises:
            return Settled()
        return settle(self.course, self.lab.name, self.gradebook, AssignLatePenalties(parent=self.exporter))

    def write(self, result: Result, source: Path) -> None:
        """Enter one result; on any error nothing of it is entered and what was there stays.

        Parameters
        ----------
        result : Result
        source : Path
            The submission it came from; only read.
        """
        student, target = result.student, self._target(result.student)
        draft, retired = (target.with_name(f".{target.name}.{which}") for which in ("new", "old"))
        self._draft = draft
        if retired.exists() and not target.exists():
            os.rename(retired, target)
        for left_over in (draft, retired):
            if left_over.exists():
                rmtree(str(left_over))
        self.notebooks = [str(source / f"{self.lab.notebook}.ipynb")]
        try:
            with (
                readable(self.coursedir),
                temp_attrs(self.coursedir, assignment_id=self.lab.name, student_id=student),
            ):
                self.run_pre_convert_hook()
                self._enter(result, source, draft, self._read(target))
                if target.exists():
                    os.rename(target, retired)
                os.rename(draft, target)
                if retired.exists():
                    rmtree(str(retired))
                self.run_post_convert_hook()
        finally:
            if draft.exists():
                rmtree(str(draft))
            self._draft = None

    def _enter(self, result: Result, source: Path, draft: Path, before: Any) -> None:
        """Write the draft folder, then commit."""
        lab, student, book = self.lab.name, result.student, self.gradebook
        notebook_name = self.lab.notebook
        timestamp = self._dates.received(student, source)
        resources: dict[str, Any] = {
            "unique_key": notebook_name,
            "output_files_dir": f"{notebook_name}_files",
            "nbgrader": {"student": student, "assignment": lab, "notebook": notebook_name, "gradebook": book}
            | {"db_url": self.coursedir.db_url},
        }
        whole = result.notebook and result.status != UNREADABLE
        notebook = rejoin_lines(nbformat.from_dict(result.notebook if whole else stand_in(self.lab, result, source)))
        tame(notebook, self.released)
        with book.transaction() as commit:
            (book.update_or_create_student if self.create_student else book.find_student)(student)
            with book.db.no_autoflush:
                book.update_or_create_submission(lab, student, **({"timestamp": timestamp} if timestamp else {}))
            past = reviews(book, lab, student)
            for step in self._steps:
                if not type(step).__module__.startswith(KNOWN):
                    # It may open the gradebook by itself, and would wait for us for ever.
                    commit()
                notebook, resources = step(notebook, resources)
            if before is not None:
                # An older version wrote it as it came.
                tame(before, self.released)
            keep_reviewed(book, lab, student, past, before, notebook)
            notebook.metadata[STAMP] = stamp_of(result.digest, source)
            ignored = [] if submitted_at(source) else ["timestamp.txt"]
            left_out = lay_beside(
                self.coursedir, lab, source, draft, ignored, own=self.exclude_overwriting.get(lab, ())
            )
            if left_out:
                notebook.cells.append(nbformat.from_dict(note(left_out, source)))
            resources["nbgrader"].pop("gradebook")
            self.write_single_notebook(*self.exporter.from_notebook_node(notebook, resources=resources))
            self.set_permissions(lab, student)

    def _format_dest(self, assignment_id: str, student_id: str, escape: bool = False) -> str:
        return str(self._draft) if self._draft else super()._format_dest(assignment_id, student_id, escape=escape)

    def _target(self, student: str) -> Path:
        return self.course.autograded(self.lab.name, student)

    def _read(self, folder: Path) -> Any:
        """The notebook in an autograded folder, or None."""
        try:
            return json.loads((folder / f"{self.lab.notebook}.ipynb").read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None

    def _made(self, step: Any) -> Any:
        return TOGETHER.get(step, step)(parent=self.exporter)


def _class(step: Any) -> Any:
    return import_item(step) if isinstance(step, str) else step


def _runs(step: Any) -> bool:
    """Whether a step executes a notebook, which has been done already."""
    return issubclass(step, Execute) or step.__module__.startswith("autograder.grading.gradebook.steps")
