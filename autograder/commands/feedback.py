"""``autograder feedback``: write feedback pages, and zip them for a learning platform."""

import sys
from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from ..grading.platforms import find_platform, names_with
from .common import DONE, NEEDS_ATTENTION, add_lab_and_root, joined_names

if TYPE_CHECKING:
    from ..grading.reports.feedback import FeedbackPage

HELP = "write a page of feedback for each graded student"


def add_options(parser: ArgumentParser) -> None:
    """Add the options of ``autograder feedback``."""
    add_lab_and_root(parser)
    parser.add_argument("--student", metavar="ID", help="write it for this student only")
    parser.add_argument(
        "--zip", choices=names_with("feedback_zip"), help="also pack the pages into a zip to upload to this platform"
    )
    parser.add_argument("--to", type=Path, metavar="FILE", help="the zip (default: LAB-feedback-PLATFORM.zip)")
    parser.add_argument("--force", action="store_true", help="replace the zip if it exists")


def run(options: Namespace) -> int:
    """Write the pages; print each student without one."""
    from ..grading.reports.feedback import PageStatus, write_feedback
    from ..grading.sanitize.terminal_text import printable

    if (options.to or options.force) and not options.zip:
        choices = " or ".join(f"--zip {name}" for name in names_with("feedback_zip"))
        raise ValueError(f"--to and --force are for the zip: add {choices}")
    pages = write_feedback(options.root, options.lab, options.student)
    missing = [page for page in pages if page.status != PageStatus.WRITTEN]
    for page in missing:
        print(f"{page.status}: {printable(page.student)} ({printable(page.file, 400)})")
    print(f"{options.lab}: {len(pages) - len(missing)} of {len(pages)} pages written.")
    left_out = []
    if not options.zip:
        _name_pages_for_other_ways(pages, options.lab)
    if options.zip:
        from ..grading.reports.feedback_zip import zip_feedback

        target = options.to or f"{options.lab}-feedback-{options.zip}.zip"
        feedback_zip = zip_feedback(options.root, options.lab, pages, options.zip, target, force=options.force)
        left_out = feedback_zip.left_out
        print(f"written: {feedback_zip.file}, with {len(feedback_zip.sent)} of {len(pages)} pages.")
        if left_out:
            print(
                f"{len(left_out)} students are not in the zip, because none of their files came from "
                f"{find_platform(options.zip).label}: {', '.join(map(printable, left_out))}",
                file=sys.stderr,
            )
    return NEEDS_ATTENTION if missing or left_out else DONE


def _name_pages_for_other_ways(pages: "list[FeedbackPage]", lab: str) -> None:
    """Name the students to whom nbgrader's exchange cannot give their page, and say how they get it."""
    from ..grading.sanitize.terminal_text import printable

    others = [page for page in pages if not page.can_go_by_exchange]
    if not others:
        return
    if len(others) == len(pages):
        who = "No page can go by nbgrader's exchange"
    else:
        who = f"These pages cannot go by nbgrader's exchange: {joined_names([page.student for page in others])}"
    ways = " or ".join(f"--zip {name}" for name in names_with("feedback_zip"))
    print(
        f"{who}. The work did not come by it complete. Give such a page by {ways}, or mail the file, as in "
        f"{printable(others[0].file, 400)}."
    )
