"""``autograder report``: sum up the results of a lab."""

from argparse import ArgumentParser, Namespace
from pathlib import Path

from .common import DONE, add_lab_and_root

HELP = "summarize a lab: scores, misconceptions, slowest answers, repaired notebooks, similar pairs"


def add_options(parser: ArgumentParser) -> None:
    """Add the options of ``autograder report``."""
    add_lab_and_root(parser)
    parser.add_argument("--html", type=Path, metavar="FILE", help="also write it as an HTML page")


def run(options: Namespace) -> int:
    """Print the report, and write it as a page if ``--html`` names one."""
    from ..grading.reports.report import report_on_lab, write_report

    report = report_on_lab(options.root, options.lab)
    print(report.text())
    if options.html:
        write_report(report, options.html)
        print(f"\nwritten: {options.html}")
    return DONE
