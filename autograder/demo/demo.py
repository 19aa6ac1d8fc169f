"""Grade an invented class, and write its reports and feedback."""

import csv
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from ..grading.class_report.class_report import build_class_report, write_class_report
from ..grading.reports.feedback import PageStatus, write_feedback
from ..grading.reports.report import report_on_lab, write_report
from ..grading.runs.grading_run import GradingRun
from ..grading.runs.pipeline import grade_lab
from .course import make_course, temporary_secret
from .journals import make_journals
from .submissions import DemoSubmission


@dataclass(frozen=True)
class DemoResult:
    """Course folder of a demo class, its submissions and marks, and the pages written about it."""

    folder: Path
    submissions: list[DemoSubmission]
    run: GradingRun
    report: Path
    class_report: Path
    feedback: list[Path]


def run_demo(
    root: Path,
    lab: str,
    to: Path,
    count: int,
    *,
    unsandboxed: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> DemoResult:
    """Make a class in a folder of its own, grade it, and write report and feedback.

    Parameters
    ----------
    root, lab, to, count
        Same as of `make_course`.
    unsandboxed, progress
        Same as of `grade_lab`.

    Returns
    -------
    DemoResult
        Folder, submissions, marks and pages.
    """
    class_ = make_course(root, lab, to, count)
    with temporary_secret():
        run = grade_lab(to, lab, unsandboxed=unsandboxed, progress=progress)
        report = to / "report.html"
        write_report(report_on_lab(to, lab), report)
        download, class_page = to / "journals.zip", to / "class.html"
        download.write_bytes(make_journals(count, seed=1))
        write_class_report(build_class_report(to, [download]), class_page)
        with (to / "odd.csv").open("x", encoding="utf-8", newline="") as stream:
            csv.writer(stream).writerows([("student", "what is odd"), *((one.student, one.oddity) for one in class_)])
        pages = [Path(one.file) for one in write_feedback(to, lab, None) if one.status == PageStatus.WRITTEN]
    return DemoResult(to, class_, run, report, class_page, pages)
