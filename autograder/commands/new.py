"""``autograder new``: write the skeleton of a part of the course."""

from argparse import ArgumentParser, Namespace

from .common import DONE, add_root

HELP = (
    "write the skeleton of a chapter, an exercise, a lab or an assignment of your own; `autograder doctor` lists what "
    "to fill in"
)
KINDS = ("chapter", "exercise", "lab", "assignment")


def add_options(parser: ArgumentParser) -> None:
    """Add the options of ``autograder new``."""
    parser.add_argument("kind", choices=KINDS)
    parser.add_argument(
        "name",
        help="a topic, such as memory; for an exercise its id, memory.refresh or lab.memory.refresh; for an assignment "
        "20_power",
    )
    add_root(parser)


def run(options: Namespace) -> int:
    """Write the files, and print which are new."""
    from ..scaffold import KINDS

    for file, state in KINDS[options.kind](options.root, options.name):
        print(f"{state:5} {file.relative_to(options.root)}")
    return DONE
