"""``autograder collect``: take a learning platform's downloads into the course."""

from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from ..grading.platforms import find_platform, names_with, platforms
from .common import DONE, MOST_LINES, NEEDS_ATTENTION, add_lab_and_root, joined_names, print_lines

if TYPE_CHECKING:
    from ..grading.collect.collection_result import CollectionResult

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
        choices=names_with("submissions"),
        help="source of the download (default: recognized by its file names)",
    )
    labels = " or ".join(platform.label for platform in platforms() if platform.worksheet)
    parser.add_argument(
        "--worksheet", type=Path, metavar="FILE", help=f"{labels}'s grading worksheet: names of students, and times"
    )
    parser.add_argument("--timezone", metavar="PLACE", help="time zone of the times in it, such as Europe/Berlin")
    parser.add_argument("--dry-run", action="store_true", help="print what would be done, and change nothing")
    parser.add_argument("--undo", action="store_true", help="undo the last collection")


def run(options: Namespace) -> int:
    """Collect; print the submissions to look at and a summary. The table that it writes lists all submissions."""
    from ..grading.collect.collect import collect
    from ..grading.collect.undo import undo
    from ..grading.gradebook.timestamps import time_zone

    if options.undo:
        if options.downloads or options.worksheet or options.dry_run:
            raise ValueError("--undo undoes the last collection and needs nothing but the lab")
        print_lines(undo(options.root, options.lab))
        return DONE
    result = collect(
        options.root,
        options.lab,
        options.downloads,
        platform=find_platform(options.platform) if options.platform else None,
        worksheet_file=options.worksheet,
        zone=time_zone(options.timezone) if options.timezone else None,
        dry_run=options.dry_run,
    )
    _print(result, options.lab, options.dry_run)
    return DONE if result.clean else NEEDS_ATTENTION


def _print(result: "CollectionResult", lab: str, dry_run: bool) -> None:
    from ..grading.sanitize.terminal_text import printable

    unresolved = {row.handed_in_as for row in result.unresolved}
    remarkable = sorted(
        (row for row in result.rows if row.handed_in_as and (row.what or row.late == "yes")),
        key=lambda row: (
            row.handed_in_as not in unresolved,
            *(row.student not in group for group in (result.unreadable, result.replaced, result.late)),
        ),
    )
    for row in remarkable[:MOST_LINES]:
        owner = "?" if row.handed_in_as in unresolved else row.student
        late = "late. " if row.late == "yes" else ""
        print(f"{printable(row.handed_in_as)} -> {printable(owner)}: {late}{printable(row.what, 400)}".rstrip())
    if len(remarkable) > MOST_LINES:
        print(f"… and {len(remarkable) - MOST_LINES} more; the table has them all")
    print_lines([*result.notes, *result.remarks], 1000)
    if result.absent:
        print(f"Handed in nothing ({len(result.absent)}): {joined_names(result.absent)}")
    counts = f"{result.new} new submissions ({len(result.replaced)} replaced earlier work), {result.same} unchanged"
    if dry_run:
        taken = sum(row.handed_in_as not in unresolved for row in result.rows if row.handed_in_as)
        counts = f"{taken} submissions would be taken or are there already; nothing was changed"
    print(
        f"{lab}, read as {result.platform.name}: {counts}. Late: {len(result.late)}. Could not be read: "
        f"{len(result.unreadable)}. Need you: {len(result.unresolved)}."
    )
    if result.lacks_due_date:
        print(f"{lab} has no due date here, so late work costs nothing: set it with `autograder due {lab} TIME`.")
    if not dry_run:
        print(
            f"Who is who: {result.file}. Correct it under student, and give the command again. "
            f"`autograder collect {lab} --undo` takes this collection back."
        )
