"""``autograder identify``: record which student works in this folder."""

from argparse import ArgumentParser, Namespace

from .common import DONE

HELP = "record once which student works in this folder, if labs give each student different numbers"


def add_options(parser: ArgumentParser) -> None:
    """Add the options of ``autograder identify``."""
    parser.add_argument("name", metavar="ID", help="your id in the instructor's list, often your login name")
    parser.add_argument("--change", action="store_true", help="correct the id that was given here before")


def run(options: Namespace) -> int:
    """Record the student's id."""
    from ..student.membership import set_student

    print(f"The numbers of your own in this folder are those of {set_student(options.name, change=options.change)}.")
    return DONE
