"""``autograder collect``: take a learning platform's downloads into the course."""

from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from .common import DONE, MOST_LINES, NEEDS_ATTENTION, add_lab_and_root, joined_names, print_lines

if TYPE_CHECKING:
    from ..grading.collect.collect import Collected

HELP = "take submissions from a learning platform's download into the course; nothing is lost"


def add_options(parser: ArgumentParser) -> None:
    """Add the options of ``autograder collect``."""
    add_lab_and_root(parser)
    parser.add_argument(
        "downloads",
        nargs="*",
        type=Path,
        metavar="DOWNLOAD",
        help="zips or folders; without any, collect from nbgrader's exchange",
    )
    parser.add_argument(
        "--from",
        dest="platform",
        choices=("canvas", "moodle", "exchange", "folder"),
        help="source of the download (default: recognized by its file names)",
    )
    parser.add_argument(
        "--worksheet", type=Path, metavar="FILE", help="Moodle's grading worksheet: names of students, and times"
    )
    parser.add_argument("--timezone", metavar="PLACE", help="time zone of the times in it, such as Europe/Berlin")
    parser.add_argument("--dry-run", action="store_true", help="print what would be done, and change nothing")
    parser.add_argument("--undo", action="store_true", help="undo the last collection")


def run(options: Namespace) -> int:
    """Collect; print the submissions to look at and a summary. The table that it writes lists all submissions."""
    from ..grading.collect import collect as collecting
    from ..grading.collect.filenames import Platform
    from ..grading.collect.undo import undo
    from ..grading.gradebook.timestamps import zone

    if options.undo:
        if options.downloads or options.worksheet or options.dry_run:
            raise ValueError("--undo undoes the last collection and needs nothing but the lab")
        print_lines(undo(options.root, options.lab))
        return DONE
    done = collecting.collect(
        options.root,
        options.lab,
        options.downloads,
        platform=Platform(options.platform) if options.platform else None,
        worksheet_file=options.worksheet,
        zone=zone(options.timezone) if options.timezone else None,
        dry_run=options.dry_run,
    )
    _print(done, options.lab, options.dry_run)
    return DONE if done.clean else NEEDS_ATTENTION


def _print(done: "Collected", lab: str, dry_run: bool) -> None:
    from ..grading.sanitize.terminal_text import shown

    doubts = {row.handed_in_as for row in done.doubts}
    remarkable = sorted(
        (row for row in done.rows if row.handed_in_as and (row.what or row.late == "yes")),
        key=lambda row: (
            row.handed_in_as not in doubts,
            *(row.student not in group for group in (done.unreadable, done.replaced, done.late)),
        ),
    )
    for row in remarkable[:MOST_LINES]:
        owner = "?" if row.handed_in_as in doubts else row.student
        late = "late. " if row.late == "yes" else ""
        print(f"{shown(row.handed_in_as)} -> {shown(owner)}: {late}{shown(row.what, 400)}".rstrip())
    if len(remarkable) > MOST_LINES:
        print(f"… and {len(remarkable) - MOST_LINES} more; the table has them all")
    print_lines(done.notes, 400)
    if done.nothing:
        print(f"Handed in nothing ({len(done.nothing)}): {joined_names(done.nothing)}")
    counts = f"{done.new} submissions taken, {len(done.replaced)} of them in the place of earlier ones, {done.same} were there already"
    if dry_run:
        taken = sum(row.handed_in_as not in doubts for row in done.rows if row.handed_in_as)
        counts = f"{taken} submissions would be taken or are there already; nothing was changed"
    print(
        f"{lab}, read as {done.platform}: {counts}. Late: {len(done.late)}. Could not be read: "
        f"{len(done.unreadable)}. Need you: {len(done.doubts)}."
    )
    if done.undue:
        print(f"{lab} has no due date here, so late work costs nothing: set it with `autograder due {lab} TIME`.")
    if not dry_run:
        print(
            f"Who is who: {done.file}. Correct it under student, and give the command again. "
            f"`autograder collect {lab} --undo` takes this collection back."
        )
