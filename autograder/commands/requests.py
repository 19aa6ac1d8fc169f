"""``autograder requests``: print the commands that grant what students asked for in the request form."""

from argparse import ArgumentParser, Namespace
from pathlib import Path

from .common import DONE, NEEDS_ATTENTION, add_root, print_lines

HELP = "print the commands that grant students' requests for more time or a regrade; runs none"


def add_options(parser: ArgumentParser) -> None:
    """Add the options of ``autograder requests``."""
    parser.add_argument("file", type=Path, metavar="FILE", help="CSV of the form's answers")
    add_root(parser)


def run(options: Namespace) -> int:
    """Print the commands, then the rows of which none can be made."""
    from ..grading.gradebook.course import open_course
    from ..grading.gradebook.database import open_gradebook
    from ..grading.student_requests import read_requests

    course = open_course(options.root)
    labs = sorted(path.parent.name for path in (course.root / "solutions").glob("*/*.ipynb"))
    with open_gradebook(course.directory) as book:
        students = [student.id for student in book.students]
    found = read_requests(options.file, students, labs)
    print_lines(found.commands)
    if found.open:
        print_lines(["# No command for:", *(f"# {line}" for line in found.open)])
    return NEEDS_ATTENTION if found.open else DONE
