"""``autograder workspace``: make or update a student's own copies of chapters and labs."""

from argparse import ArgumentParser, Namespace
from pathlib import Path

from .common import DONE, NEEDS_ATTENTION

HELP = "copy chapters and labs into my_course and my_labs, to work in; existing files are kept"


def add_options(parser: ArgumentParser) -> None:
    """Add the options of ``autograder workspace``."""
    parser.add_argument(
        "pages", nargs="*", metavar="PAGE", help="such as 03_roofline, 3, roofline or lab_03_roofline (default: all)"
    )
    change = parser.add_mutually_exclusive_group()
    change.add_argument(
        "--update",
        nargs="*",
        metavar="PAGE",
        help="update copies (these, or all) that are older than the course, and keep your answers in them",
    )
    change.add_argument(
        "--reset", nargs="+", metavar="PAGE", help="start these again; your previous copy is kept in the folder older"
    )
    parser.add_argument(
        "--to", type=Path, metavar="DIR", help="folder that holds my_course and my_labs (default: the one with course)"
    )
    parser.add_argument(
        "--from",
        dest="source",
        type=Path,
        metavar="DIR",
        help="folder that holds course and labs (default: the one of this autograder, or the working directory)",
    )


def run(options: Namespace) -> int:
    """Copy, update or reset the notebooks, and print a line for each folder and each changed notebook."""
    from ..workspace import CopyState, Workspace, course_folder, reset, start, update
    from ..workspace.messages import summary_lines

    root = (options.source or course_folder()).resolve()
    if not (root / "course").is_dir():
        raise ValueError(f"{root} holds no course/; --from names the folder in which course/ and labs/ are")
    course = Workspace(root, (options.to or root).resolve())
    if options.reset:
        done = reset(course, course.chosen(options.reset + options.pages))
    elif options.update is not None:
        names = options.update + options.pages
        done = update(course, course.chosen(names) if names else None)
    else:
        done = start(course, course.chosen(options.pages, with_labs=True) if options.pages else None)
    print("\n".join(summary_lines(course, done)))
    return NEEDS_ATTENTION if any(one.state is CopyState.UNREADABLE for one in done) else DONE
