"""What is published: ``python -m course.publish book|lite|slides|bundle``, from the root of the repository."""

import argparse
import time
from pathlib import Path


def book(options):
    """Build the book."""
    from .book.build import build
    from .pyodide import CACHE, Distribution, NoPyodide, fetch_engine

    try:
        python = Distribution(options.pyodide or fetch_engine(CACHE), served_from_afar=options.pyodide is None)
    except NoPyodide as missing:
        if options.pyodide is not None:
            raise SystemExit(str(missing)) from None
        python = None
        print(f"Exercises are not checked on the pages: {missing}.")
    build(options.site, options.repository, options.ref, python=python)
    return options.site / "index.html"


def lite(options):
    """Build the lab that runs in the browser, beside the book."""
    from .lite import build

    return build(options.site, options.pyodide).summary


def slides(options):
    """Make the slides of every chapter."""
    from .slides.build import build

    build(options.folder)
    return options.folder / "index.html"


def bundle(options):
    """Make the zip for a learning platform."""
    from .bundle import build
    from .wheel import NotDistributable

    students = None
    if options.students is not None:
        from autograder.grading.collect.roster import class_in_gradebook, read_roster
        from autograder.secret import require_unguessable_key

        from .wheel import ROOT

        if not options.keep_key:
            try:
                require_unguessable_key()
            except ValueError as error:
                raise SystemExit(str(error)) from None
        if options.students != GRADEBOOK:
            students = [one.student for one in read_roster(options.students, options.id).people]
        elif not (students := class_in_gradebook(ROOT)):
            raise SystemExit("the gradebook has no students: name a list of them, as in --students students.csv")
    try:
        return build(options.folder, students=students)
    except NotDistributable as error:
        raise SystemExit(str(error)) from None


GRADEBOOK = Path()  # of --students without a file

FOLDERS = {bundle: ("build/dist", "the zip goes"), slides: ("build/slides", "the slides lie")}


def main():
    """Do what the command line says."""
    parser = argparse.ArgumentParser(prog="python -m course.publish", description=__doc__)
    commands = parser.add_subparsers(required=True, metavar="command")
    for command in (book, lite, slides, bundle):
        one = commands.add_parser(command.__name__, help=command.__doc__)
        one.set_defaults(command=command)
        if command in FOLDERS:
            default, holds = FOLDERS[command]
            if command is bundle:
                one.add_argument(
                    "--students",
                    type=Path,
                    nargs="?",
                    const=GRADEBOOK,
                    metavar="FILE",
                    help="for this class: a list of students, as for autograder roster (default: the class in the gradebook)",
                )
                one.add_argument("--id", metavar="COLUMN", help="of their ids in it (default: the first that is known)")
                one.add_argument(
                    "--keep-key",
                    action="store_true",
                    help="even if the course's secret can be guessed, because students have numbers from it already",
                )
            one.add_argument(
                "folder", nargs="?", type=Path, default=Path(default), help=f"where {holds} (default: %(default)s)"
            )
            continue
        one.add_argument(
            "--site", type=Path, default=Path("build/site"), help="where the site lies (default: %(default)s)"
        )
        one.add_argument(
            "--pyodide",
            metavar="FOLDER",
            type=Path,
            help="serve this Pyodide with the site (default: npm's, with packages from where its makers serve them)",
        )
        if command is book:
            one.add_argument(
                "--repository",
                metavar="OWNER/NAME",
                help="where Binder finds the course (default: as in pyproject.toml)",
            )
            one.add_argument("--ref", help="the branch, tag or commit that Binder opens (default: main)")
    options = parser.parse_args()
    start = time.perf_counter()
    made = options.command(options)
    print(f"{made} ({time.perf_counter() - start:.1f} s)")


if __name__ == "__main__":
    main()
