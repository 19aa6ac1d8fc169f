"""``autograder class-report``: sum up what a class thinks, without names."""

from argparse import ArgumentParser, Namespace
from pathlib import Path

from .common import DONE, NEEDS_ATTENTION, add_root

HELP = "summarize the class without names: predictions, mistakes by week, tasks that separate students"


def add_options(parser: ArgumentParser) -> None:
    """Add the options of ``autograder class-report``."""
    add_root(parser)
    parser.add_argument(
        "--journals",
        type=Path,
        nargs="+",
        default=[],
        metavar="DOWNLOAD",
        help="zips or folders of journals that students chose to submit",
    )
    parser.add_argument(
        "--to", type=Path, metavar="FILE", help="also write it: as an HTML page, or as data if the name ends in .json"
    )


def run(options: Namespace) -> int:
    """Print the report, and write it if ``--to`` names a file."""
    from ..grading.class_report.class_report import build_class_report, write_class_report

    report = build_class_report(options.root, options.journals)
    print(report.text())
    if options.to:
        write_class_report(report, options.to)
        print(f"\nwritten: {options.to}")
    return NEEDS_ATTENTION if report.problems else DONE
