"""``autograder written-question``: show a lab's second written question, add it to the lab, or remove it."""

from argparse import ArgumentParser, Namespace

from .common import add_lab_and_root

HELP = "show, add or remove a lab's second written question, whose numbers follow from your secret"


def add_options(parser: ArgumentParser) -> None:
    """Add the options of ``autograder written-question``."""
    add_lab_and_root(parser)
    change = parser.add_mutually_exclusive_group()
    change.add_argument("--add", action="store_true", help="add it to the lab, with model answer and rubric")
    change.add_argument("--remove", action="store_true", help="remove it from the lab")
    parser.add_argument("--points", type=float, metavar="N", help="with --add: its points, marked by hand (default: 4)")
    parser.add_argument(
        "--replace", action="store_true", help="with --add: replace a question with the numbers of another secret"
    )


def run(options: Namespace) -> int:
    """Show, add or remove the question."""
    from ..questions.command import run

    return run(options)
