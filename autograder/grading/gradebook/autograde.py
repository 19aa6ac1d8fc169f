"""``nbgrader autograde`` and formgrader's *Autograde* button, which call the same function as ``autograder grade``."""

from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, NoReturn

from nbconvert.exporters import NotebookExporter

from ...sandbox import SandboxType
from ..lab import load
from ..nbgrader_compat.converters import Autograde, NbGraderException, replace_autograde
from ..nbgrader_compat.formgrader import replace_submission_times
from ..runs.grading_run import GradingRun
from ..runs.pipeline import available_cores, grade_lab
from ..sanitize.terminal_text import printable
from .attachments import submission_time
from .course import NbgraderCourse
from .preprocessors import Ask, RebuildSubmission, RunInSandbox, preprocessor_class


class CourseAutograde(Autograde):
    """nbgrader's autograde converter, which has `grade_lab` grade submissions of this course.

    Takes the students and the ``--force`` of nbgrader: with it everything chosen is graded again, without it what is
    new or has changed. A course whose configuration lists neither `RunInSandbox` nor `RebuildSubmission` is graded by
    nbgrader itself.
    """

    def start(self) -> None:
        """Grade the chosen submissions; any error becomes one line in nbgrader's log."""
        listed = map(preprocessor_class, (*self.sanitize_preprocessors, *self.autograde_preprocessors))
        if not any(isinstance(one, type) and issubclass(one, (RunInSandbox, RebuildSubmission)) for one in listed):
            return super().start()
        try:
            run = self._grade()
        except (ValueError, OSError, RuntimeError) as problem:  # SandboxUnavailable is a RuntimeError
            self._fail(str(problem), problem)
        for student, row in run.rows.items():
            for repair in row["repairs"]:
                self.log.warning("%s: %s", printable(student), printable(repair, 400))
        if run.sandbox == SandboxType.UNSANDBOXED:
            self.log.warning("%s was graded without a sandbox", run.lab)
        if run.repeated:
            self.log.warning("graded again, alone, because a time limit had ended something: %d", run.repeated)
        if run.not_repeated:
            self.log.warning("hit a time limit, and there was no time to grade them again: %d", run.not_repeated)
        for notice in run.notices:
            self.log.warning("%s", notice)
        for student, failure in run.failures.items():
            self.log.error("%s: %s", printable(student), printable(failure, 400))
        if run.failures:
            self._fail(f"{run.lab} was not graded for {', '.join(map(printable, run.failures))}")

    def _grade(self) -> GradingRun:
        root, name, wanted = Path(self.coursedir.root), self.coursedir.assignment_id, self.coursedir.student_id
        load(root, name)  # an unknown lab is reported before a student without a submission
        course = NbgraderCourse(root, self.parent)
        students = [
            student for student in course.submissions(name) if student == wanted or fnmatchcase(student, wanted)
        ]
        if not students:
            raise ValueError(f"nothing was submitted for {name} by {printable(wanted)}")
        unsandboxed = Ask(parent=self).sandbox == "unsandboxed"
        jobs = min(available_cores(), len(students))
        return grade_lab(
            root, name, course=course, students=students, jobs=jobs, regrade=self.force, unsandboxed=unsandboxed
        )

    def _fail(self, problem: str, cause: Exception | None = None) -> NoReturn:
        self.log.error(problem)
        raise NbGraderException(problem) from cause


class GradeExporter(NotebookExporter):
    """The exporter of autograded notebooks that configurations of earlier versions name."""


def install_course_autograde() -> None:
    """Have nbgrader's command and formgrader grade with `CourseAutograde` and read times of submission safely."""
    replace_autograde(CourseAutograde)
    replace_submission_times(_submission_time)


def _submission_time(directory: Any, lab: str, student: str) -> Any:
    return submission_time(Path(directory.format_path(directory.submitted_directory, student, lab)))
