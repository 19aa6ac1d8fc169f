"""``autograder feedback``: write feedback pages, and zip them for a learning platform."""

import sys
from argparse import ArgumentParser, Namespace
from pathlib import Path

from .common import DONE, NEEDS_ATTENTION, add_lab_and_root

HELP = "write a page of feedback for each graded student"


def add_options(parser: ArgumentParser) -> None:
    """Add the options of ``autograder feedback``."""
    add_lab_and_root(parser)
    parser.add_argument("--student", metavar="ID", help="write it for this student only")
    parser.add_argument(
        "--zip", choices=("canvas", "moodle"), help="also pack the pages into a zip to upload to this platform"
    )
    parser.add_argument("--to", type=Path, metavar="FILE", help="the zip (default: LAB-feedback-PLATFORM.zip)")
    parser.add_argument("--force", action="store_true", help="replace the zip if it exists")


def run(options: Namespace) -> int:
    """Write the pages; print each student without one."""
    from ..grading.reports.feedback import Fate, feedback
    from ..grading.sanitize.terminal_text import shown

    pages = feedback(options.root, options.lab, options.student)
    missing = [page for page in pages if page.what != Fate.WRITTEN]
    for page in missing:
        print(f"{page.what}: {shown(page.student)} ({shown(page.file, 400)})")
    print(f"{options.lab}: {len(pages) - len(missing)} of {len(pages)} pages written.")
    left_out = []
    if options.zip:
        from ..grading.reports.feedback_zip import pack

        target = options.to or f"{options.lab}-feedback-{options.zip}.zip"
        parcel = pack(options.root, options.lab, pages, options.zip, target, force=options.force)
        left_out = parcel.left_out
        print(f"written: {parcel.file}, with {len(parcel.sent)} of {len(pages)} pages.")
        if left_out:
            print(
                f"{options.zip.title()} gave no file of theirs that could be answered, so they are not in it "
                f"({len(left_out)}): {', '.join(map(shown, left_out))}",
                file=sys.stderr,
            )
    elif options.to or options.force:
        raise ValueError("--to and --force are for the zip: say which with --zip canvas or --zip moodle")
    return NEEDS_ATTENTION if missing or left_out else DONE
