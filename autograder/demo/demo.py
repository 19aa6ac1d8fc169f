"""A class that never was, graded, with its report, its feedback and what to open next."""

import csv
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from ..grading.class_report.class_report import build_class_report, write_class_report
from ..grading.reports.feedback import PageStatus, write_feedback
from ..grading.reports.report import report_on_lab, write_report
from ..grading.runs.pipeline import GradingRun, grade_lab
from .course import made, own_secret
from .journals import journals
from .submissions import Submission


@dataclass(frozen=True)
class Tour:
    """What was made: the folder, who handed in what, the marks, and the pages to look at."""

    folder: Path
    submissions: list[Submission]
    run: GradingRun
    report: Path
    class_: Path
    feedback: list[Path]


def tour(
    root: Path,
    lab: str,
    to: Path,
    count: int,
    *,
    unsandboxed: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> Tour:
    """Make a class in a folder of its own, grade it, and write report and feedback.

    Parameters
    ----------
    root, lab, to, count
        As `course.made`.
    unsandboxed, progress
        As `grade_lab`.

    Returns
    -------
    Tour
    """
    class_ = made(root, lab, to, count)
    with own_secret():
        run = grade_lab(to, lab, unsandboxed=unsandboxed, progress=progress)
        report = to / "report.html"
        write_report(report_on_lab(to, lab), report)
        download, class_page = to / "journals.zip", to / "class.html"
        download.write_bytes(journals(count, seed=1))
        write_class_report(build_class_report(to, [download]), class_page)
        with (to / "odd.csv").open("x", encoding="utf-8", newline="") as stream:
            csv.writer(stream).writerows([("student", "what is odd"), *((one.student, one.odd) for one in class_)])
        pages = [Path(one.file) for one in write_feedback(to, lab, None) if one.what == PageStatus.WRITTEN]
    return Tour(to, class_, run, report, class_page, pages)
