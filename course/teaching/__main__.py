"""``python -m course.teaching``: check the goals and syllabi against the pages; write their pages and the links of terms.

With a file of your own, such as ``python -m course.teaching my_term.toml --start 2027-02-01``: check the syllabi in it
and print them; nothing is written.
"""

import argparse
import sys
from datetime import date
from pathlib import Path

from . import generated_pages, goals, syllabus_check, term_links, terms


def main():
    """Run the command line; the exit code is 1 if a check fails and 2 if a file cannot be read."""
    parser = argparse.ArgumentParser(
        prog="python -m course.teaching", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("file", nargs="?", type=Path, help="syllabi of your own, written as terms.toml is")
    parser.add_argument("--start", type=date.fromisoformat, metavar="YYYY-MM-DD", help="the day on which week 1 begins")
    parser.add_argument("--check", action="store_true", help="write nothing; only say what doesn't hold")
    given = parser.parse_args()
    try:
        return _check_file(given.file, given.start) if given.file else _check_and_write_course(given.check)
    except (ValueError, OSError) as problem:
        print(f"course.teaching: {problem}", file=sys.stderr)
        return 2


def _check_file(file, start):
    found = []
    for term in terms.read(file):
        found += syllabus_check.problems(term)
        print(f"## {term.name}\n{term.about}\n\n{generated_pages.table(term, start)}\n")
    return _report(found)


def _check_and_write_course(only_check):
    found = goals.problems() + [problem for term in terms.read() for problem in syllabus_check.problems(term)]
    if found:
        return _report(found)
    if only_check:
        return _report(
            [
                f"{n} is not up to date"
                for n, text in generated_pages.files().items()
                if generated_pages.outdated(generated_pages.HERE / n, text)
            ]
            + [f"{path.name}: the links of terms are not up to date" for path in term_links.outdated()]
        )
    for path in term_links.write():
        print(f"written: course/{path.name}, links of terms to the glossary")
    for name in generated_pages.write():
        print(f"written: course/teaching/{name}")
    return 0


def _report(found):
    for problem in found:
        print(problem, file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
