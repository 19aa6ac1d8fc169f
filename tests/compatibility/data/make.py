"""Make the fixtures again from a checkout of the commit in README.md: ``python make.py CHECKOUT TARGET``."""

import shutil
import sqlite3
import sys
from pathlib import Path

from make_class import class_course, syllabus
from make_own_labs import own_labs
from make_student import student
from making import CHECKOUT, TARGET, Place


def trim(root):
    """Leave out what is made again or cannot be kept in git, and write the gradebook as SQL."""
    for book in root.rglob("gradebook.db"):
        with sqlite3.connect(book) as connection:
            book.with_suffix(".sql").write_text("\n".join([*connection.iterdump(), ""]), encoding="utf-8")
        book.unlink()
    unneeded = ("backup", "__pycache__", ".ipynb_checkpoints", "download", "feedback/ann", "feedback/cid")
    for name in unneeded:
        for folder in [*root.rglob(name)]:
            shutil.rmtree(folder)
    # A collection is noted with whole paths; the tests put the folder of their copy in.
    for file in root.rglob("batch.json"):
        file.write_text(file.read_text(encoding="utf-8").replace(str(file.parents[5]), "COURSE"), encoding="utf-8")
    for pattern in (".lock", ".owner", "*.lock", "papers-*.html", "key-*.html"):
        for file in [*root.rglob(pattern)]:
            file.unlink()


def main():
    """Make everything but what ``make_interface.py`` writes."""
    files = "import chip2cluster, autograder; print(chip2cluster.__file__, autograder.__file__)"
    found = Place(TARGET).python("-c", files).split()
    if not all(Path(name).is_relative_to(CHECKOUT) for name in found):
        sys.exit(f"the packages are not those of {CHECKOUT}: {found}")
    class_course(TARGET / "class_course")
    own_labs(TARGET / "own_labs")
    student(TARGET / "student", TARGET / "class_course/people.csv")
    syllabus(TARGET / "my_term.toml")
    trim(TARGET)
    shutil.rmtree(TARGET.with_name(f"{TARGET.name}.scratch"), ignore_errors=True)


if __name__ == "__main__":
    main()
