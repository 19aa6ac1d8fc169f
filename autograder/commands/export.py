"""``autograder export``: write the marks of a lab for a learning platform."""

import sys
from argparse import ArgumentParser, Namespace
from pathlib import Path

from ..grading.platforms import names_with
from .common import DONE, NEEDS_ATTENTION, add_lab_and_root, print_lines

HELP = "write the marks to a file for a learning platform"


def add_options(parser: ArgumentParser) -> None:
    """Add the options of ``autograder export``."""
    add_lab_and_root(parser)
    parser.add_argument("--format", choices=["csv", *names_with("export")], default="csv", help="(default: csv)")
    parser.add_argument("--to", type=Path, metavar="FILE", help="(default: LAB-FORMAT.csv)")
    parser.add_argument("--force", action="store_true", help="replace the file if it exists")


def run(options: Namespace) -> int:
    """Write the file; print students whose marks need a decision on stderr, and untouched written questions."""
    from ..grading.reports.export import export_marks
    from ..grading.sanitize.terminal_text import printable

    target = options.to or f"{options.lab}-{options.format}.csv"
    exported = export_marks(options.root, options.lab, options.format, target, force=options.force)
    print(f"written: {exported.file}")
    for lab, late in exported.late.items():
        print_lines(f"{lab}, late: {sentence}" for sentence in late)
    sentences = [printable(sentence, len(sentence)) for sentence in exported.sentences()]
    for sentence in sentences:
        print(sentence, file=sys.stderr)
    for notice in exported.notices():
        print(printable(notice, len(notice)))
    return NEEDS_ATTENTION if sentences else DONE
