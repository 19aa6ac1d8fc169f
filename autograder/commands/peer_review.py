"""``autograder peer-review``: let students review written answers without names, and turn reviews into drafts of marks."""

from argparse import ArgumentParser, Namespace
from pathlib import Path

from .common import DONE, NEEDS_ATTENTION, add_lab_and_root, joined_names, print_lines

HELP = "let students review each other's written answers without names; reviews become drafts on the marking page"


def add_options(parser: ArgumentParser) -> None:
    """Add the options of ``autograder peer-review``."""
    add_lab_and_root(parser)
    parser.add_argument(
        "--question", default="", metavar="CELL", help="name of the answer cell, if the lab has several"
    )
    parser.add_argument("--marker", default="", metavar="NAME", help="who gets the drafts, if several people mark")
    parser.add_argument("--reviews", type=int, metavar="N", help="answers that each student reviews (default: 3)")
    step = parser.add_mutually_exclusive_group(required=True)
    step.add_argument("--sheets", type=Path, metavar="FOLDER", help="write a sheet for each student into a new folder")
    step.add_argument(
        "--enter", type=Path, metavar="FOLDER", help="read the .json files that students saved, also in subfolders"
    )
    parser.add_argument("--to", type=Path, metavar="FILE", help="with --enter: also write all reviews as CSV")


def run(options: Namespace) -> int:
    """Write the sheets, or enter the reviews."""
    from ..grading.marking.peer_sheet import enter_reviews, write_sheets
    from ..grading.marking.session import MarkingSession

    if (options.sheets and options.to) or (options.enter and options.reviews is not None):
        raise ValueError("--reviews is for --sheets, and --to is for --enter")
    session = MarkingSession(options.root, options.lab, options.question, options.marker)
    if options.sheets:
        count, late = write_sheets(session, options.sheets, options.reviews)
        print(f"{count} sheets in {options.sheets}, named after the students who get them")
        if late:
            print(f"Answered after the sheets were drawn, so nobody reviews them: {joined_names(late)}")
        return NEEDS_ATTENTION if late else DONE
    if not options.enter.is_dir():
        raise ValueError(f"{options.enter} is not a folder")
    done = enter_reviews(session, sorted(options.enter.rglob("*.json")), options.to)
    print(
        f"{done.drafts} answers have a draft on the marking page; {done.kept} that a person had marked or begun stay as they are"
    )
    if done.missing:
        print(f"No review from: {joined_names(done.missing)}")
    print_lines([f"Read first, {one}" for one in done.apart])
    print_lines([f"Not used, {one}" for one in done.problems], 400)
    return NEEDS_ATTENTION if done.problems else DONE
