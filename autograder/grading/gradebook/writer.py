"""Write graded results into nbgrader's gradebook and its folder of autograded notebooks."""

import json
import os
from collections.abc import Collection
from pathlib import Path
from types import TracebackType
from typing import Any

import nbformat
from nbformat.v4.rwbase import rejoin_lines

from ..lab import Lab
from ..nbgrader_compat.converters import DraftAutograde
from ..nbgrader_compat.queries import machine_scores
from ..nbgrader_compat.tools import AssignLatePenalties, CheckCellMetadata, Execute, rmtree, temporary_traits
from ..nbgrader_compat.transactions import BatchedSaveAutoGrades, SaveAutoGrades, TransactionGradebook
from ..releases import store_release
from ..result import UNREADABLE, Result
from ..sanitize.notebook_cells import released_sources, sanitize_notebook
from .attachments import submission_stamp, submission_time
from .autograded_files import copy_inert_files, left_out_cell
from .backup import back_up, explain_database_errors
from .course import NbgraderCourse
from .dates import Dates
from .hand_marks import restore_review_state, reviewed_cells
from .late_policy import load_lab_dates
from .lateness import AssignCoursePenalties, LatenessSummary, update_penalties
from .locking import wait_for_lock
from .placeholder_notebook import placeholder_notebook
from .preprocessors import RebuildSubmission, RunInSandbox, preprocessor_class
from .registration import register_lab

STAMP = "chip2cluster_graded"
# Preprocessors of these packages leave the gradebook alone, except SaveAutoGrades, which is replaced.
LEAVE_GRADEBOOK_ALONE = ("nbgrader.preprocessors", "nbconvert.preprocessors", "autograder.")
# Done once a run for all submissions, because due dates and policies change between gradings. So is nbgrader's check
# of the cells' metadata, which are those of the release in every rebuilt notebook.
PENALTIES = (AssignLatePenalties, AssignCoursePenalties)


class GradebookWriter(DraftAutograde):
    """nbgrader's autograde converter without execution: it takes a `Result` in place of a file.

    Entries of students and submissions, timestamps, late penalties, extra files, configured preprocessors, hooks and
    permissions are nbgrader's. A context manager; one process at a time.

    Parameters
    ----------
    course : NbgraderCourse
        The open course.
    lab : Lab
        The lab that the results belong to.

    Raises
    ------
    ValueError
        If the gradebook cannot be opened or the lab cannot be entered in it.
    """

    def __init__(self, course: NbgraderCourse, lab: Lab) -> None:
        """Take the configuration of the course; the gradebook is opened on entry."""
        super().__init__(coursedir=course.directory, parent=course.app)
        self.course, self.lab = course, lab
        self.released = released_sources(lab.released)

    def __enter__(self) -> "GradebookWriter":
        """Back up and open the gradebook, and register the lab in it."""
        wait_for_lock(self.coursedir)
        back_up(self.coursedir)
        with explain_database_errors(self.coursedir):
            register_lab(self.coursedir, self.course.app, self.lab)
            store_release(self.course.root, self.lab.name, self.lab.released)
            self.gradebook = TransactionGradebook(self.coursedir.db_url, self.coursedir.course_id)
            self._scores: dict[str, dict[str, float | None]] = {}
            for student, cell, score in machine_scores(self.gradebook, self.lab.name):
                self._scores.setdefault(student, {})[cell] = score
        self.open_exporter()
        steps = [preprocessor_class(step) for step in self.autograde_preprocessors]
        if CheckCellMetadata in steps:
            CheckCellMetadata(parent=self.exporter).preprocess(nbformat.from_dict(self.lab.released), {})
        omitted = (*PENALTIES, CheckCellMetadata)
        self._steps = [self._instance(step) for step in steps if not _executes(step) and step not in omitted]
        self._penalizes = any(step in PENALTIES for step in steps)
        self._dates = Dates(self.course.root, self.lab.name, parent=self)
        self._dates.check(self.gradebook.find_assignment(self.lab.name).duedate)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the gradebook."""
        self.gradebook.close()

    def has_marks(self, student: str) -> bool:
        """Whether the gradebook had the machine's marks of a student before this run."""
        return any(score is not None for score in self._scores.get(student, {}).values())

    def is_current(self, result: Result, source: Path) -> bool:
        """Whether gradebook and autograded notebook already agree with a result.

        Parameters
        ----------
        result : Result
            The stored result of a submission.
        source : Path
            The submission that it came from; a new timestamp or extra file counts as a change.
        """
        scores = self._scores.get(result.student, {})
        for task in self.lab.tasks:
            score = scores.get(task.cell)
            if score is None or abs(score - result.exercises[task.exercise]["score"]) > 1e-6:
                return False
        written = self._read(self._target(result.student))
        return written is not None and written["metadata"].get(STAMP) == submission_stamp(result.digest, source)

    def update_penalties(self, kept: Collection[str] = ()) -> LatenessSummary:
        """Bring the lateness of every submission up to date; see `lateness.update_penalties`."""
        if not self._penalizes and not load_lab_dates(self.course.root, self.lab.name).policy:
            return LatenessSummary()
        policy = AssignLatePenalties(parent=self.exporter) if self._penalizes else None
        wait_for_lock(self.coursedir)
        with explain_database_errors(self.coursedir):
            return update_penalties(self.course, self.lab.name, self.gradebook, policy, kept)

    def write(self, result: Result, source: Path) -> None:
        """Enter one result.

        After an error before the commit, gradebook and folder are as before. After a later one the gradebook has the new
        marks, and the next run, which compares both, writes the folder again.

        Parameters
        ----------
        result : Result
            The result to enter.
        source : Path
            The submission that it came from; it is only read.
        """
        student, target = result.student, self._target(result.student)
        draft, retired = (target.with_name(f".{target.name}.{which}") for which in ("new", "old"))
        self.draft = draft
        if retired.exists() and not target.exists():
            os.rename(retired, target)
        for left_over in (draft, retired):
            if left_over.exists():
                rmtree(str(left_over))
        self.notebooks = [str(source / f"{self.lab.notebook}.ipynb")]
        wait_for_lock(self.coursedir)
        try:
            with (
                explain_database_errors(self.coursedir),
                temporary_traits(self.coursedir, assignment_id=self.lab.name, student_id=student),
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
            self.draft = None

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
        readable = result.notebook and result.status != UNREADABLE
        # A path below the course folder, because formgrader's page says nothing about the machine.
        place = os.path.relpath(source, self.course.root) if source.is_relative_to(self.course.root) else source
        content = result.notebook if readable else placeholder_notebook(self.lab, result, place)
        notebook = rejoin_lines(nbformat.from_dict(content))
        sanitize_notebook(notebook, self.released)
        with book.transaction() as commit:
            (book.update_or_create_student if self.create_student else book.find_student)(student)
            with book.db.no_autoflush:
                book.update_or_create_submission(lab, student, **({"timestamp": timestamp} if timestamp else {}))
            reviewed = reviewed_cells(book, lab, student)
            for step in self._steps:
                if not type(step).__module__.startswith(LEAVE_GRADEBOOK_ALONE):
                    # It may open the gradebook itself, and would wait indefinitely for this transaction.
                    commit()
                notebook, resources = step(notebook, resources)
            if before is not None:
                # An older version wrote it unsanitized.
                sanitize_notebook(before, self.released)
            restore_review_state(book, lab, student, reviewed, before, notebook)
            self._request_marks_for_faults(result)
            notebook.metadata[STAMP] = submission_stamp(result.digest, source)
            ignored = [] if submission_time(source) else ["timestamp.txt"]
            left_out = copy_inert_files(
                self.coursedir, lab, source, draft, ignored, not_replaced=self.exclude_overwriting.get(lab, ())
            )
            if left_out:
                notebook.cells.append(nbformat.from_dict(left_out_cell(left_out, place)))
            resources["nbgrader"].pop("gradebook")
            self.write_single_notebook(*self.exporter.from_notebook_node(notebook, resources=resources))
            self.set_permissions(lab, student)

    def _request_marks_for_faults(self, result: Result) -> None:
        """Have tasks on which the grader itself failed wait for a person's mark; their 0 is none."""
        for task in self.lab.tasks:
            if result.exercises[task.exercise].get("fault", False):
                grade = self.gradebook.find_grade(task.cell, self.lab.notebook, self.lab.name, result.student)
                grade.needs_manual_grade |= grade.manual_score is None

    def _target(self, student: str) -> Path:
        return self.course.autograded(self.lab.name, student)

    def _read(self, folder: Path) -> Any:
        """The notebook in an autograded folder, or None."""
        try:
            return json.loads((folder / f"{self.lab.notebook}.ipynb").read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None

    def _instance(self, step: Any) -> Any:
        return (BatchedSaveAutoGrades if step is SaveAutoGrades else step)(parent=self.exporter)


def _executes(step: Any) -> bool:
    """Whether a preprocessor executes the notebook, which has been done already."""
    return issubclass(step, (Execute, RunInSandbox, RebuildSubmission))
