"""``autograder group``: record which students submit a lab together."""

from argparse import ArgumentParser, Namespace
from pathlib import Path

from .common import DONE, NEEDS_ATTENTION, add_lab_and_root, print_lines
from .due import group_doubts

HELP = "record groups: one student submits and is graded, all members get the mark"


def add_options(parser: ArgumentParser) -> None:
    """Add the options of ``autograder group``."""
    add_lab_and_root(parser)
    members = parser.add_mutually_exclusive_group(required=True)
    members.add_argument("file", nargs="?", type=Path, metavar="FILE", help="CSV with the columns group and student")
    members.add_argument("--none", dest="file", action="store_const", const=None, help="remove all groups of the lab")


def run(options: Namespace) -> int:
    """Record the groups."""
    from ..grading.gradebook.groups import set_groups

    done = set_groups(options.root, options.lab, options.file)
    print_lines(done.sentences())
    doubts = [*group_doubts(options.root, options.lab)]
    print_lines(doubts)
    return NEEDS_ATTENTION if done.conflicts or doubts else DONE
