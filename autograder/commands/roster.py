"""``autograder roster``: enter a class list in the gradebook."""

from argparse import ArgumentParser, Namespace
from pathlib import Path

from ..grading.platforms import platforms
from .common import DONE, add_root, joined_names

HELP = "enter a list of students, as exported by a learning platform"


def add_options(parser: ArgumentParser) -> None:
    """Add the options of ``autograder roster``."""
    lists = [one.roster.description for one in platforms() if one.roster]
    parser.add_argument("file", type=Path, metavar="FILE", help=f"CSV: {', '.join(lists[:-1])}, or {lists[-1]}")
    parser.add_argument("--id", metavar="COLUMN", help="column with the students' ids (default: the first known one)")
    add_root(parser)


def run(options: Namespace) -> int:
    """Enter the students, and print what changed and how to undo it."""
    from ..grading.collect.roster import import_roster

    done = import_roster(options.root, options.file, options.id)
    print(f"{len(done.people)} students from {options.file}; their ids are in the column {done.column!r}.")
    print(f"New in the gradebook: {len(done.added)}. Changed: {joined_names(done.changed)}.")
    if done.assignments:
        print(f"Assignments of the gradebook, whose names exports for Canvas use: {len(done.assignments)}.")
    for note in done.notes:
        print(note)
    if done.gone:
        print(
            f"In the gradebook and not in the list, and left there: {joined_names(done.gone)}. "
            "`nbgrader db student remove ID` removes a student and all marks."
        )
    if done.undated:
        print(
            f"Without a due date, so nothing is late there: {joined_names(done.undated)}. "
            '`autograder due LAB "2027-01-31 23:59 Europe/Berlin"` sets one.'
        )
    if done.backup:
        print(f"The gradebook as it was is {done.backup}; copied into its place it undoes this.")
    return DONE
