"""Requests of students become commands that name the right student, and nothing else in a shell."""

import csv
import shlex
import shutil

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autograder import __main__ as program
from autograder.grading.student_requests import COLUMNS, read_requests
from autograder.parser import parse
from tests.grading.course import Course

STUDENTS = ["ann", "bob", "0012", "o'neil & sons"]
LABS = ["03_roofline", "07_collectives"]
LONG = "2027-02-03 23:59 Europe/Berlin"


def table(path, *rows, columns=COLUMNS):
    file = path / "requests.csv"
    with open(file, "w", newline="", encoding="utf-8") as stream:
        csv.writer(stream).writerows([columns, *rows])
    return file


def test_requests_become_commands(tmp_path):
    rows = [
        ("ANN ", "03_roofline", "More time", LONG, "", "ill; see note"),
        ("12", "lab_07_collectives.ipynb", "regrade", "", "3", "-1 is right"),
    ]
    found = read_requests(table(tmp_path, *rows), STUDENTS, LABS)
    assert not found.open and found.commands == (
        "# ann, 03_roofline: ill; see note",
        "autograder due 03_roofline '2027-02-03 22:59 UTC' --student ann",
        "# 0012, 07_collectives: -1 is right (task 3)",
        "autograder grade 07_collectives --student 0012 --regrade",
    )
    for line in found.commands[1::2]:
        assert parse(shlex.split(line)[1:]).lab in LABS


@pytest.mark.parametrize(
    "row, words",
    [
        (("amn", "03_roofline", "regrade", "", "1", ""), "did you mean ann?"),
        (("ann", "03_rooflin", "regrade", "", "1", ""), "did you mean 03_roofline?"),
        (("ann", "03_roofline", "more points", "", "", ""), "a request is 'more time' or 'regrade'"),
        (("ann", "03_roofline", "more time", "", "", ""), "does not say until when"),
        (("ann", "03_roofline", "more time", "01/02/2027 11:59 PM", "", ""), "2027"),
        (("", "03_roofline", "regrade"), "no student has this id"),
    ],
)
def test_unusable_request_waits_with_its_line(tmp_path, row, words):
    found = read_requests(table(tmp_path, ("bob", LABS[0], "regrade", "", "2", "x"), row), STUDENTS, LABS)
    assert len(found.commands) == 2 and len(found.open) == 1
    assert found.open[0].startswith("line 3, ") and words in found.open[0]


def test_columns_of_a_form_tool_are_found_by_name(tmp_path):
    columns = ("Timestamp", "Reason", "Task", "Until", "Request", "Lab", "Student")
    found = read_requests(
        table(tmp_path, ("now", "why", "2", "", "regrade", LABS[0], "bob"), columns=columns), STUDENTS, LABS
    )
    assert found.commands[1] == "autograder grade 03_roofline --student bob --regrade"
    with pytest.raises(ValueError, match="it lacks student"):
        read_requests(table(tmp_path, columns=columns[:-1]), STUDENTS, LABS)


@given(reason=st.text(), task=st.text(), student=st.sampled_from(STUDENTS))
def test_a_reason_stays_in_its_comment(tmp_path_factory, reason, task, student):
    file = table(tmp_path_factory.mktemp("form"), (student, LABS[0], "regrade", "", task, reason))
    found = read_requests(file, STUDENTS, LABS)
    comment, command = found.commands
    assert comment.startswith("# ") and comment.isprintable()
    assert shlex.split(command) == ["autograder", "grade", LABS[0], "--student", student, "--regrade"]


def test_command_prints_commands_and_runs_none(registered, tmp_path, capsys):
    course = Course(tmp_path / "course")
    database = course.root / "autograder/work/gradebook.db"
    database.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(registered / "autograder/work/gradebook.db", database)
    with course.gradebook() as book:
        book.add_student("ann")
    before = database.read_bytes()

    def requests(*rows):
        code = program.main(["requests", str(table(tmp_path, *rows)), "--root", str(course.root)])
        return code, capsys.readouterr().out

    code, out = requests(("amn", LABS[0], "regrade", "", "1", "\x1b[2J why"))
    assert code == 1 and "# line 2, amn: no student has this id; did you mean ann?" in out and "\x1b" not in out
    code, out = requests(("ann", LABS[0], "more time", LONG, "", "ill"))
    assert code == 0 and out.endswith("autograder due 03_roofline '2027-02-03 22:59 UTC' --student ann\n")
    assert database.read_bytes() == before
