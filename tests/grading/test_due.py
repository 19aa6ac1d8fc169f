"""Times with a time zone, and the due date of a lab."""

from datetime import datetime

import pytest

from autograder.__main__ import main
from autograder.grading.gradebook.dates import Dates
from autograder.grading.gradebook.timestamps import parse_time
from tests.grading.course import LAB
from tests.grading.fakes import answers, run
from tests.grading.test_dates import ZERO, configure, lost, table


@pytest.mark.parametrize(
    ("text", "utc"),
    [
        ("2027-01-31 23:59 Europe/Berlin", "2027-01-31 22:59"),
        ("2027-07-31 23:59 Europe/Berlin", "2027-07-31 21:59"),
        ("2027-01-31 23:59 America/New_York", "2027-02-01 04:59"),
        ("2027-01-31 23:59 Asia/Kolkata", "2027-01-31 18:29"),
        ("2027-01-31T23:59 America/Argentina/Buenos_Aires", "2027-02-01 02:59"),
        ("2027-01-31 23:59 UTC", "2027-01-31 23:59"),
        ("2027-01-31 23:59 +02:00", "2027-01-31 21:59"),
        ("2027-01-31 23:59", "2027-01-31 23:59"),
    ],
)
def test_moment_reads_a_time_with_a_zone(text, utc):
    assert parse_time(text) == datetime.fromisoformat(utc)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("2027-10-31 02:30 Europe/Berlin", "twice"),
        ("2027-03-28 02:30 Europe/Berlin", "never"),
        ("2027-01-31 23:59 Europe/Berlni", "no time zone is called"),
        ("2027-01-31 23:59 CET", ""),
        ("01/02/2027 23:59", ""),
        ("2027-01-31 11:59 PM", ""),
    ],
)
def test_ambiguous_times_are_refused(course, capsys, text, says):
    assert main(["due", LAB, text, "--root", str(course.root)]) == 2
    err = capsys.readouterr().err
    assert says in err and "write it as '2027-01-31 23:59 Europe/Berlin'" in err
    table(course, "student,received", f"ann,{text}")
    with pytest.raises(ValueError, match="is not a time for 'received'"):
        Dates(course.root, LAB)


def test_due_prints_the_command_that_undoes_it(course, capsys):
    root = ["--root", str(course.root)]
    assert main(["due", LAB, "2030-01-01 00:30 Europe/Berlin", *root]) == 0
    out = capsys.readouterr().out
    assert f"{LAB} is due 2029-12-31 23:30 UTC; it was never due, and `autograder due {LAB} --never` undoes this" in out
    with course.gradebook() as book:
        assert book.find_assignment(LAB).duedate == datetime(2029, 12, 31, 23, 30)
    assert main(["due", LAB, "--never", *root]) == 0
    assert "`autograder due 03_roofline '2029-12-31 23:30 UTC'` undoes this" in capsys.readouterr().out
    with course.gradebook() as book:
        assert book.find_assignment(LAB).duedate is None


def test_late_without_a_time_costs_the_late_penalty(course):
    """Canvas marks work as late and gives no time."""
    configure(course, ZERO)
    for student in ("ann", "bob", "cid"):
        course.submit(student, answers(course, 1))
    table(course, "student,received,due,late", "ann,,,yes", "bob,,,no")
    with course.gradebook() as book:
        book.update_or_create_assignment(LAB, duedate="2030-01-01")
    assert run(course).undated == 1, "cid has no time"
    assert lost(course) == {"ann": 1, "bob": 0, "cid": 0}
    table(course, "student,received,due,late", "ann,2029-12-31,,yes", "bob,,2030-01-05 00:00,yes")
    run(course)
    assert lost(course) == {"ann": 0, "bob": 1, "cid": 0}, "a time takes precedence over the word late"
    table(course, "student,late", "ann,perhaps")
    with pytest.raises(ValueError, match="'perhaps' is neither yes nor no"):
        run(course)
