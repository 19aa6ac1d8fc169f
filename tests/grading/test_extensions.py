"""More time for some students: nobody is forgotten, nobody gets less time than the class without a word."""

from datetime import datetime

import pytest

from autograder.__main__ import main
from autograder.grading.gradebook.dates import Dates
from autograder.grading.gradebook.timestamps import is_day, parse_time
from tests.grading.course import LAB
from tests.grading.fakes import answers, run
from tests.grading.test_dates import ZERO, configure, due, lost, table

LATER = "2030-01-05 00:00 UTC"


@pytest.fixture
def command(course, capsys):
    """Run a command on a class of four; three have handed in, two of them after the due date."""
    (course.root / "class.csv").write_text("id\nann\nbob\ncid\n0012\n", encoding="utf-8")

    def said_by(*words):
        code = main([*words, "--root", str(course.root)])
        said = capsys.readouterr()
        return code, said.out + said.err

    said_by("roster", str(course.root / "class.csv"))
    for student in ("ann", "bob", "cid"):
        course.submit(student, answers(course, 1))
    table(course, "student,received", "ann,2029-12-31 12:00", "bob,2030-01-02 12:00", "cid,2030-01-01 00:10")
    due(course, "2030-01-01")
    return said_by


def own_dates(course):
    return {student: entry.due for student, entry in Dates(course.root, LAB).entries.items() if entry.due}


def test_due_extends_all_students_that_are_named(command, course):
    configure(course, ZERO)
    code, said = command("due", LAB, LATER, "--student", "bob", "--student", "cid", "--student", "0012")
    assert code == 0 and "No longer late (2): bob, cid." in said
    assert own_dates(course) == dict.fromkeys(("bob", "cid", "0012"), datetime(2030, 1, 5))
    run(course)
    assert lost(course) == {"ann": 0, "bob": 0, "cid": 0}
    for student in ("bob", "cid"):
        assert f"`autograder due {LAB} --never --student {student}` undoes this" in said
    command("due", LAB, "--never", "--student", "bob", "--student", "cid", "--student", "0012")
    assert own_dates(course) == {}


def test_due_changes_nothing_if_one_student_is_unknown(command, course):
    code, said = command("due", LAB, LATER, "--student", "bob", "--student", "zed")
    assert code == 2 and "nobody in the gradebook is called 'zed'" in said
    assert own_dates(course) == {}


@pytest.mark.parametrize(("typed", "student"), [("BOB", "bob"), (" bob ", "bob"), ("12", "0012"), ("'0012", "0012")])
def test_due_finds_a_student_as_people_type_the_id(command, course, typed, student):
    assert command("due", LAB, LATER, "--student", typed)[0] == 0
    assert own_dates(course) == {student: datetime(2030, 1, 5)}


@pytest.mark.parametrize("typed", ["", "  "])
def test_due_with_an_empty_id_never_means_the_class(command, course, typed):
    """A script with an unset variable: ``--student "$WHO"``."""
    code, said = command("due", LAB, "2029-01-01 00:00 UTC", "--student", typed)
    assert code == 2 and "an empty one is nobody" in said
    with course.gradebook() as book:
        assert book.find_assignment(LAB).duedate == datetime(2030, 1, 1)


def test_own_date_before_that_of_the_class_is_said(command):
    code, said = command("due", LAB, "2029-12-20 00:00 UTC", "--student", "0012")
    assert code == 1 and "Less time than the class: 0012" in said and f"due {LAB} --never --student 0012" in said
    command("due", LAB, LATER, "--student", "0012")
    code, said = command("due", LAB, "2030-02-01 00:00 UTC")
    assert code == 1 and "Less time than the class: 0012" in said, "the date of the class moved past the extension"
    assert command("due", LAB, "--never", "--student", "0012")[0] == 0


def test_lab_with_extensions_is_not_made_never_due(command, course):
    """`autograder grade` refuses such a table."""
    command("due", LAB, LATER, "--student", "bob", "--student", "cid")
    code, said = command("due", LAB, "--never")
    assert code == 2 and f"`autograder due {LAB} --never --student bob --student cid`" in said
    command("due", LAB, "--never", "--student", "bob", "--student", "cid")
    assert command("due", LAB, "--never")[0] == 0
    run(course)


def test_extension_of_one_member_is_said_for_the_group(command, course):
    (course.root / "groups.csv").write_text("group,student\nred,ann\nred,0012\nblue,bob\nblue,cid\n", encoding="utf-8")
    assert command("group", LAB, str(course.root / "groups.csv"))[0] == 0
    code, said = command("due", LAB, LATER, "--student", "0012")
    assert code == 1 and "0012 has more time than ann of the same group" in said and "cid" not in said
    assert command("due", LAB, LATER, "--student", "ann")[0] == 0
    code, said = command("group", LAB, str(course.root / "groups.csv"))
    assert code == 0, said
    command("due", LAB, "--never", "--student", "ann")
    code, said = command("group", LAB, str(course.root / "groups.csv"))
    assert code == 1 and "0012 has more time than ann" in said


@pytest.mark.parametrize(
    "text", ["2030-01-31 23.59", "2030-W05-4", "0230-01-31 23:59", "2030-01-31 23", "٢٠٣٠-01-31 23:59"]
)
def test_notation_with_another_meaning_is_refused(command, text):
    """Python reads 23.59 as 23 hours, and a week as its first day."""
    with pytest.raises(ValueError, match="is not a time"):
        parse_time(text)
    code, said = command("due", LAB, text)
    assert code == 2 and "write it as" in said


def test_extension_to_a_day_needs_a_time(command, course):
    """The first minute of that day would be a day less than meant."""
    table(course, "student,due", "bob,2030-01-05")
    code, said = command("due", LAB, LATER)
    assert code == 2 and "'2030-01-05' has no time of day; write it as 2030-01-05 23:59 UTC" in said
    assert [is_day(text) for text in ("2030-01-05 UTC", "20300105", "2030-01-05T00:00", "noon")] == [
        True,
        True,
        False,
        False,
    ]
    table(course, "student,due")
    code, said = command("due", LAB, "2030-01-05 Europe/Berlin")
    assert code == 2 and "write it as in '2030-01-05 23:59 Europe/Berlin'" in said
