"""``autograder new``: write the skeleton of a part of the course."""

from argparse import ArgumentParser, Namespace

from .common import DONE, add_root

HELP = (
    "write the skeleton of a chapter, an exercise, a lab, an assignment of your own, an explorer or a picture; "
    "`autograder doctor` lists what to fill in"
)
KINDS = ("chapter", "exercise", "lab", "assignment", "explorer", "picture")


def add_options(parser: ArgumentParser) -> None:
    """Add the options of ``autograder new``."""
    parser.add_argument("kind", choices=KINDS)
    parser.add_argument(
        "name",
        help="of a chapter or its lab, the topic: memory; of an exercise, its id: memory.refresh, lab.memory.refresh; of an "
        "assignment, number and topic: 20_power; of an explorer, topic and name: memory.refresh; of a picture, its function "
        "in chip2cluster.draw: refresh_rows",
    )
    add_root(parser)


def run(options: Namespace) -> int:
    """Write the files, and print which are new."""
    from ..scaffold import WRITERS

    for file, state in WRITERS[options.kind](options.root, options.name):
        print(f"{state:5} {file.relative_to(options.root)}")
    return DONE
