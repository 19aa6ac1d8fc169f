"""Options, exit codes and output that several commands share."""

import sys
from argparse import ArgumentParser
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DONE, NEEDS_ATTENTION, UNUSABLE, REFUSED = range(4)  # exit codes
MOST_LINES = 40  # of a table in a terminal


def course_folder() -> Path:
    """Return the working directory if it is a course folder, such as an instructor's own, else the one of this package."""
    here = Path.cwd()
    return here if (here / "nbgrader_config.py").is_file() and (here / "solutions").is_dir() else ROOT


def add_root(parser: ArgumentParser) -> None:
    """Add ``--root``, the course folder."""
    parser.add_argument(
        "--root",
        type=Path,
        default=course_folder(),
        metavar="DIR",
        help="course folder (default: the working directory if it is one, else the course of this autograder)",
    )


def add_lab_and_root(parser: ArgumentParser) -> None:
    """Add the argument for the lab, and ``--root``."""
    parser.add_argument("lab", metavar="LAB", help="name of the lab, such as 03_roofline")
    add_root(parser)


def add_unsandboxed(parser: ArgumentParser) -> None:
    """Add ``--unsandboxed`` to a command that grades only submissions of this package."""
    parser.add_argument(
        "--unsandboxed",
        action="store_true",
        help="run even if no sandbox works here; the submissions are made by this package, so their code is safe",
    )


def joined_names(students: Sequence[str], most: int = 20) -> str:
    """Return the first names, safe for a terminal, and how many more there are."""
    from ..grading.sanitize.terminal_text import printable

    names = ", ".join(map(printable, students[:most])) or "nobody"
    return names + (f" and {len(students) - most} more" if len(students) > most else "")


def print_lines(lines: Iterable[str], most: int = 2000) -> None:
    """Print lines that may quote a student, safe for a terminal."""
    from ..grading.sanitize.terminal_text import printable

    for line in lines:
        print(printable(line, most))


@contextmanager
def progress_bar(title: str) -> Iterator[Callable[[int, int], None]]:
    """Show a progress bar on stderr if it is a terminal; yield the function that takes how many are done of how many."""
    from tqdm import tqdm

    # disable=None: no bar if stderr is not a terminal.
    with tqdm(desc=title, unit=" submissions", disable=None, file=sys.stderr, leave=False) as bar:

        def progress(done: int, total: int) -> None:
            bar.total = total
            bar.update(done - bar.n)

        yield progress
