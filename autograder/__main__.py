"""The command line: ``autograder start`` for students, ``autograder doctor`` and ``labs`` for authors."""

import argparse
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def main(arguments=None):
    """Run one command and return its exit code."""
    parser = argparse.ArgumentParser(prog="autograder", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    start = commands.add_parser("start", help="copy labs into your own folder; existing files are kept")
    start.add_argument("labs", nargs="*", help="names of labs; all when left out")
    start.add_argument("--to", type=Path, default=Path("my_labs"), help="your folder (default: my_labs)")
    start.add_argument("--from", dest="source", type=Path, default=ROOT / "labs", help="where the labs are")
    commands.add_parser("doctor", help="prove that every exercise marks as it says")
    labs = commands.add_parser("labs", help="write labs/ anew from solutions/")
    labs.add_argument("--root", type=Path, default=ROOT, help="the course folder")
    labs.add_argument("--check", action="store_true", help="only say whether labs/ is up to date")
    options = parser.parse_args(arguments)
    try:
        return {"start": _start, "doctor": _doctor, "labs": _labs}[options.command](options)
    except (ValueError, OSError) as problem:
        print(f"autograder: {problem}", file=sys.stderr)
        return 2


def _start(options):
    from .labs import start

    for file, what in start(options.source, options.to, options.labs):
        print(f"{what:5} {file}")
    return 0


def _doctor(_):
    from .doctor import examine_all
    from .exercises import exercises

    complaints = examine_all()
    print("\n".join(complaints) or f"All {len(exercises())} exercises mark as they say.")
    return 1 if complaints else 0


def _labs(options):
    from .grading.regenerate import regenerate

    return regenerate(options.root, check=options.check)


if __name__ == "__main__":
    sys.exit(main())
