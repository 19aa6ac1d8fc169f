"""``autograder exam``: draw an exam from the exercises, and mark it."""

from argparse import ArgumentParser, Namespace
from pathlib import Path

from .common import add_root

HELP = "draw an exam from the exercises, with other numbers for each student, and mark it"


def add_options(parser: ArgumentParser) -> None:
    """Add the options of ``autograder exam``."""
    parser.add_argument("name", nargs="?", help="name of the exam, such as final-2027; another name is another exam")
    parser.add_argument(
        "--students",
        type=Path,
        metavar="FILE",
        help="list of students, as for autograder roster; each gets a paper (default: the class in the gradebook)",
    )
    parser.add_argument("--copies", type=int, metavar="N", help="instead, print N papers without names")
    parser.add_argument("--topics", metavar="A,B", help="topics of chapters, such as roofline,links (default: all)")
    parser.add_argument("--difficulty", metavar="N-M", help="difficulty of the exercises, such as 1-3 (default: 1-5)")
    parser.add_argument(
        "--minutes",
        type=int,
        metavar="N",
        help="length of the exam, by the stated times of its exercises (default: 60)",
    )
    parser.add_argument(
        "--slip",
        type=float,
        metavar="SHARE",
        help="share of the points left after a slip of unit or factor (default: 0.5)",
    )
    parser.add_argument(
        "--wrong-answers",
        type=int,
        metavar="N",
        help="number of tasks on paper that show three answers and ask what is wrong with two of them (default: 0)",
    )
    parser.add_argument("--retake-of", metavar="EXAM", help="give it the tasks of that exam with other numbers")
    parser.add_argument("--notebook", action="store_true", help="make it an nbgrader assignment, in solutions/")
    parser.add_argument(
        "--marks", type=Path, metavar="FILE", help="mark this CSV (student,1,1 working,2,…) of answers on paper"
    )
    parser.add_argument("--force", action="store_true", help="with --marks: replace existing marks")
    parser.add_argument(
        "--list", action="store_true", help="only list the exercises that can be asked, and why the others cannot"
    )
    add_root(parser)


def run(options: Namespace) -> int:
    """Draw, print or mark the exam."""
    from ..exam.command import run

    return run(options)
