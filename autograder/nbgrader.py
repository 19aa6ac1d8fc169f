"""Configuration of nbgrader for a course that this package grades.

A whole ``nbgrader_config.py``::

    from autograder import nbgrader

    c = nbgrader.configure(get_config(), __file__)

Settings of your own follow below and override these; https://nbgrader.readthedocs.io explains every option.
"""

from pathlib import Path
from typing import Any

from nbconvert.preprocessors import ClearMetadataPreprocessor

from .exercises import also_in
from .grading.gradebook.autograde import install_course_autograde
from .grading.gradebook.formgrader_preview import STYLE, SanitizeSubmission, local_mathjax
from .grading.gradebook.lateness import AssignCoursePenalties
from .grading.gradebook.preprocessors import RebuildSubmission, RunInSandbox
from .grading.gradebook.release import DescribeHelpPolicy, ShowPoints, StampRelease
from .grading.gradebook.safe_release import ReleaseExporter
from .grading.nbgrader_compat.exchange import CourseCollect, CourseReleaseFeedback
from .grading.nbgrader_compat.formgrader import escape_page_values, extend_submission_pages
from .grading.nbgrader_compat.tools import preprocessors
from .grading.reports.feedback_exporter import FeedbackExporter

__all__ = ["configure"]


def configure(c: Any, root: str | Path) -> Any:
    """Set all options of nbgrader for a course, and make its commands and formgrader use this grader.

    Parameters
    ----------
    c : Config
        Result of ``get_config()``, which exists in ``nbgrader_config.py``.
    root : path
        The course folder, or a file in it, such as ``__file__`` of ``nbgrader_config.py``.

    Returns
    -------
    Config
        The same object, for options of your own.
    """
    root = Path(root).resolve()
    root = root.parent if root.is_file() else root
    also_in(root)  # exercises of the instructor's own, in the folder of that name
    _set_folders(c, root)
    _set_release(c)
    _set_grading(c)
    # A student's folder may have a name with control characters, which a terminal would obey.
    c.Application.logging_config = {
        "formatters": {"console": {"class": "autograder.grading.gradebook.log_formatter.PrintableFormatter"}}
    }
    # What one account put into the exchange neither counts as another's work nor stops the command for the class.
    c.ExchangeFactory.collect = CourseCollect
    c.ExchangeFactory.release_feedback = CourseReleaseFeedback
    # Formgrader shows a student's cells and names as inert text, also if nbgrader itself graded them.
    c.HTMLExporter.preprocessors = [SanitizeSubmission]
    escape_page_values()
    extend_submission_pages(STYLE, local_mathjax(root))
    # The pages of `autograder feedback`: nbgrader's own run students' HTML and show hidden tests.
    c.GenerateFeedback.exporter_class = FeedbackExporter
    c.GenerateFeedback.preprocessors = []
    return c


def _set_folders(c: Any, root: Path) -> None:
    work = root / "autograder" / "work"
    c.CourseDirectory.course_id = "chip2cluster"
    c.CourseDirectory.root = str(root)
    c.CourseDirectory.source_directory = "solutions"
    c.CourseDirectory.release_directory = "labs"
    c.CourseDirectory.submitted_directory = "autograder/work/submitted"
    c.CourseDirectory.autograded_directory = "autograder/work/autograded"
    c.CourseDirectory.feedback_directory = "autograder/work/feedback"
    c.CourseDirectory.db_url = f"sqlite:///{work / 'gradebook.db'}"
    # Nobody else on a shared machine may read students' work and marks. An existing folder keeps its mode.
    work.mkdir(mode=0o700, parents=True, exist_ok=True)
    # Notes for instructors stay with the solutions; nbgrader would release every file.
    c.CourseDirectory.ignore = [
        ".ipynb_checkpoints",
        "*.pyc",
        "__pycache__",
        "feedback",
        "INSTRUCTOR.md",
        "*.rubric.toml",
    ]


def _set_release(c: Any) -> None:
    # The labs are in the repository, so a release always replaces one, but never one that somebody has worked in, and
    # only when the new one is complete.
    c.GenerateAssignment.force = True
    c.GenerateAssignment.exporter_class = ReleaseExporter
    c.ClearSolutions.code_stub = {"python": "raise NotImplementedError"}
    c.ClearSolutions.text_stub = "*Your answer here.*"
    c.GenerateAssignment.preprocessors = [
        preprocessors.IncludeHeaderFooter,
        ShowPoints,
        DescribeHelpPolicy,
        preprocessors.LockCells,
        preprocessors.ClearSolutions,
        preprocessors.ClearOutput,
        preprocessors.CheckCellMetadata,
        preprocessors.ComputeChecksums,
        preprocessors.SaveCells,
        preprocessors.ClearHiddenTests,
        preprocessors.ClearMarkScheme,
        preprocessors.ComputeChecksums,
        preprocessors.CheckCellMetadata,
        StampRelease,
    ]


def _set_grading(c: Any) -> None:
    # `autograder grade`, `nbgrader autograde` and formgrader's button grade by one function. Without RunInSandbox and RebuildSubmission in
    # these lists nbgrader would run everything in one process without a sandbox, as it does by default.
    install_course_autograde()
    c.Autograde.sanitize_preprocessors = [RebuildSubmission, preprocessors.CheckCellMetadata]
    c.Autograde.autograde_preprocessors = [
        RunInSandbox,
        preprocessors.IgnorePattern,
        ClearMetadataPreprocessor,
        preprocessors.LimitOutput,
        preprocessors.SaveAutoGrades,
        AssignCoursePenalties,
        preprocessors.CheckCellMetadata,
    ]
