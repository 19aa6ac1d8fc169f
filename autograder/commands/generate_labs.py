"""``autograder generate-labs``: write labs/ from solutions/, as ``nbgrader generate_assignment`` does for one."""

from argparse import ArgumentParser, Namespace

from .common import add_root

HELP = "write the students' versions of the labs, labs/, from solutions/"


def add_options(parser: ArgumentParser) -> None:
    """Add the options of ``autograder generate-labs``."""
    parser.add_argument("labs", nargs="*", metavar="LAB", help="folder in solutions/ (default: all)")
    add_root(parser)
    parser.add_argument("--check", action="store_true", help="only report whether labs/ is up to date")


def run(options: Namespace) -> int:
    """Write the labs, or compare them."""
    from ..grading.gradebook.regenerate import regenerate

    return regenerate(options.root, options.labs, check=options.check)
