"""A gradebook of an earlier nbgrader: each command names `nbgrader db upgrade`, and that command is the way out."""

import sqlite3
from contextlib import closing

import pytest

from autograder.__main__ import main
from tests.grading.course import LAB
from tests.grading.fakes import answers, run

# Columns that nbgrader's migrations have added; the newest is the one that its upgrade adds again here.
EARLIER = {
    "lms_user_id": [
        "ALTER TABLE student DROP COLUMN lms_user_id",
        "UPDATE alembic_version SET version_num = '167914646830'",
    ],
    "extra_credit": ["ALTER TABLE grade DROP COLUMN extra_credit"],
}


@pytest.fixture
def people(course, tmp_path):
    file = tmp_path / "people.csv"
    file.write_text("student,first_name\nann,Ann\nbob,Bob\n", encoding="utf-8")
    assert main(["roster", str(file), "--root", str(course.root)]) == 0
    return file


@pytest.mark.parametrize("column", EARLIER)
def test_earlier_gradebook_names_the_upgrade(course, people, tmp_path, column, capsys):
    course.submit("ann", answers(course, 1))
    run(course)
    book = course.root / "autograder/work/gradebook.db"
    with closing(sqlite3.connect(book)) as opened:
        for line in EARLIER[column]:
            opened.execute(line)
        opened.commit()
    before = book.read_bytes()
    capsys.readouterr()
    where = ["--root", str(course.root)]
    for command in (
        ["roster", str(people)],
        ["grade", LAB],
        ["report", LAB],
        ["feedback", LAB],
        ["due", LAB, "2027-01-31 23:59 UTC"],
        ["export", LAB, "--to", str(tmp_path / "marks.csv")],
    ):
        code = main([*command, *where])
        said = capsys.readouterr().err
        assert code == 2 and said.count("\n") == 1 and "`nbgrader db upgrade`" in said, (command, said)
        assert "Traceback" not in said and "SELECT" not in said
    assert book.read_bytes() == before
    if column == "lms_user_id":
        course.nbgrader("db", "upgrade")
        assert main(["roster", str(people), *where]) == 0


def test_roster_names_labs_without_a_due_date(course, people, capsys):
    where = ["--root", str(course.root)]
    capsys.readouterr()
    assert main(["due", LAB, "2027-01-31 23:59 UTC", *where]) == 0
    assert main(["roster", str(people), *where]) == 0
    (line,) = [one for one in capsys.readouterr().out.splitlines() if "Without a due date" in one]
    labs = {file.parent.name for file in course.root.glob("solutions/*/*.ipynb")}
    assert len(labs) > 10 and all(lab in line for lab in labs - {LAB}) and f"{LAB}," not in line
    assert "`autograder due LAB" in line
