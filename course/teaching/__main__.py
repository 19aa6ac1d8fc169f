"""``python -m course.teaching``: check the goals and syllabi against the pages; write their pages and the links of terms.

With a file of your own, such as ``python -m course.teaching my_term.toml --start 2027-02-01``: check the syllabi in it
and print them; nothing is written.

With ``--kit FOLDER``: write the texts of one term into a new folder, with its dates: a syllabus of one paragraph a week,
a calendar (.ics), a text for each week's module in a learning platform, an announcement for each lab, the commands that
set due dates, and a request form.
"""

import argparse
import sys
import tomllib
from datetime import date
from pathlib import Path

from autograder.grading.gradebook.timestamps import time_zone
from chip2cluster import _pages

from . import generated_pages, goals, syllabus_check, syllabus_table, term_links, terms


def main():
    """Run the command line; the exit code is 1 if a check fails and 2 if a file cannot be read."""
    parser = argparse.ArgumentParser(
        prog="python -m course.teaching", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("file", nargs="?", type=Path, help="syllabi of your own, written as terms.toml is")
    parser.add_argument("--start", type=date.fromisoformat, metavar="YYYY-MM-DD", help="the day on which week 1 begins")
    parser.add_argument("--check", action="store_true", help="write nothing; only say what doesn't hold")
    parser.add_argument(
        "--kit", type=Path, metavar="FOLDER", help="write the texts of a term; needs --start and --zone"
    )
    parser.add_argument("--term", metavar="NAME", help="name of the term, if the file has several, such as '14 weeks'")
    parser.add_argument("--zone", type=time_zone, help="time zone of due times, such as Europe/Berlin")
    parser.add_argument(
        "--book", default=_book(), metavar="ADDRESS", help="address of the published pages (default: %(default)s)"
    )
    given = parser.parse_args()
    if given.kit and not (given.start and given.zone):
        parser.error("--kit needs --start YYYY-MM-DD and --zone, such as --zone Europe/Berlin")
    if not given.kit and (given.zone or given.term):
        parser.error("--zone and --term are for --kit FOLDER")
    try:
        if given.kit:
            return _write_kit(given)
        return _check_file(given.file, given.start) if given.file else _check_and_write_course(given.check)
    except (ValueError, OSError) as problem:
        print(f"course.teaching: {problem}", file=sys.stderr)
        return 2


def _book():
    project = tomllib.loads((_pages.folder().parent / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return project["urls"]["Documentation"]


def _write_kit(given):
    from . import term_kit

    read = terms.read(given.file) if given.file else terms.read()
    chosen = [term for term in read if given.term in (None, term.name)]
    if len(chosen) != 1:
        raise ValueError(f"choose a term with --term NAME; there are {', '.join(repr(term.name) for term in read)}")
    (term,) = chosen
    if found := syllabus_check.problems(term):
        return _report(found)
    book = given.book if given.book.endswith("/") else f"{given.book}/"
    files = term_kit.kit(term, given.start, given.zone, book)
    term_kit.write(given.kit, files)
    print(f"written: {len(files)} files of {term.name} in {given.kit}")
    return 0


def _check_file(file, start):
    found = []
    for term in terms.read(file):
        found += syllabus_check.problems(term)
        print(f"## {term.name}\n{term.about}\n\n{syllabus_table.table(term, start)}\n")
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
