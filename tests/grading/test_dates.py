"""Lateness: due dates, policies and extensions hold on every run, and no file of a student decides."""

import re
from datetime import datetime

import pytest

from autograder.grading.gradebook.dates import Dates
from tests.grading.course import LAB, ROOT
from tests.grading.fakes import answers, graded, run, submitted

ZERO = '\nc.LateSubmissionPlugin.penalty_method = "zero"\n'
BELIEVE = "\nc.Dates.believe_timestamps = True\n"
# Neither RunInSandbox nor RebuildSubmission: nbgrader itself grades.
BY_NBGRADER = """
from autograder.grading.gradebook.lateness import AssignCoursePenalties
c.Autograde.sanitize_preprocessors = c.Autograde.autograde_preprocessors = [AssignCoursePenalties]
"""
GUIDE = (ROOT / "docs/instructors/dates-and-groups.md").read_text(encoding="utf-8")


@pytest.fixture
def late(course):
    """A course in which bob's work came on the second day of a year and ann's a day before."""
    for student in ("ann", "bob"):
        course.submit(student, answers(course, 1))
    table(course, "student,received", "ann,2029-12-31 12:00", "bob,2030-01-02T01:00:00+01:00")
    return course


def configure(course, *lines):
    config = course.root / "nbgrader_config.py"
    config.write_text(config.read_text() + "".join(lines))


def table(course, *lines):
    file = course.root / "autograder/work/dates" / f"{LAB}.csv"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("\n".join(lines) + "\n", encoding="utf-8-sig")


def due(course, date):
    with course.gradebook() as book:
        book.update_or_create_assignment(LAB, duedate=date)


def lost(course):
    """The share of the points that each student loses for handing in late."""
    with course.gradebook() as book:
        return {s.student_id: s.late_submission_penalty / (s.score or 1) for s in book.assignment_submissions(LAB)}


def test_penalties_follow_date_policy_and_extension(late):
    run(late)
    assert graded(late) == ["ann", "bob"] and lost(late) == {"ann": 0, "bob": 0}
    due(late, "2030-01-01")
    run(late)
    assert lost(late) == {"ann": 0, "bob": 0}
    configure(late, ZERO)
    run(late)
    assert lost(late) == {"ann": 0, "bob": 1}
    table(late, "student,received,due", "bob,2030-01-02,2030-01-03 00:00")
    run(late)
    assert lost(late) == {"ann": 0, "bob": 0}, "an extension of one's own"
    table(late, "student,received,due", "bob,2030-01-02,")
    run(late)
    assert lost(late) == {"ann": 0, "bob": 1}, "taken back"
    due(late, "2030-01-05")
    run(late)
    assert lost(late) == {"ann": 0, "bob": 0}, "a later date for all"
    assert graded(late) == []


def test_documented_penalty_of_ten_percent_a_day_is_deducted(late):
    (example,) = re.findall(
        r"```python\n(from nbgrader\.plugins import LateSubmissionPlugin\n.*?)```", GUIDE, re.DOTALL
    )
    configure(late, "\n", example)
    due(late, "2030-01-01")
    table(late, "student,received", "ann,2030-01-01 00:00", "bob,2030-01-02 12:00")
    run(late)
    with late.gradebook() as book:
        found = {one.student_id: (one.score, one.late_submission_penalty) for one in book.assignment_submissions(LAB)}
    assert found == {"ann": (25, 0), "bob": (25, 5.0)} and "1.5 days late cost 5 of 25 points" in GUIDE


def test_dates_keep_an_extension_without_a_table(late):
    configure(late, ZERO, BELIEVE)
    (late.root / "autograder/work/dates" / f"{LAB}.csv").unlink()
    (submitted(late, "bob") / "timestamp.txt").write_text("2030-01-02 00:00:00 UTC")
    due(late, "2030-01-01")
    run(late)
    assert lost(late) == {"ann": 0, "bob": 1}
    with late.gradebook() as book:
        book.grant_extension(LAB, "bob", days=2)
    run(late)
    assert lost(late) == {"ann": 0, "bob": 0}


def test_dates_ignore_a_time_that_a_student_wrote(late):
    configure(late, ZERO)
    due(late, "2030-01-01")
    (submitted(late, "bob") / "timestamp.txt").write_text("2029-01-01 00:00:00 UTC")
    assert run(late).undated == 0
    assert lost(late) == {"ann": 0, "bob": 1}
    table(late, "student,received", "ann,2029-12-31 12:00")
    assert run(late).undated == 1, "nobody has written down when bob's came, and that is said"
    assert lost(late) == {"ann": 0, "bob": 0}


def test_dates_report_unknown_students(late):
    table(late, "student,due", "bop,2030-01-03 00:00", "ann,2030-01-04 00:00")
    due(late, "2030-01-01")
    with late.gradebook() as book:
        book.update_or_create_student("cid")  # who has not handed in yet
    assert run(late).unknown_students == ["bop"]


def test_late_preprocessor_works_if_nbgrader_grades(late):
    configure(late, ZERO, BY_NBGRADER)
    due(late, "2030-01-01")
    (submitted(late, "bob") / "timestamp.txt").write_text("2029-01-01 00:00:00 UTC")
    late.nbgrader_here("autograde", LAB, "--student", "bob")
    with late.gradebook() as book:
        assert book.find_submission(LAB, "bob").total_seconds_late == 24 * 3600


@pytest.mark.parametrize(
    ("lines", "says"),
    [
        (["student,received", "ann,soon"], "line 2: 'soon' is not a time for 'received'"),
        (["student,received", "ann,01/02/2030 22:10"], "line 2: '01/02/2030 22:10' is not a time"),
        (["student,received", "ann,2030-02-01 10:10 PM"], "10:10 PM' is not a time"),
        (["student,received", "ann,2030-02-01 22:10 CEST"], "22:10 CEST' is not a time"),
        (["student,received", "ann,2030-02-01 22:10 UTC+2"], "is not a time"),
        (["student,received", "ann,", "ann,"], "line 3: ann appears twice"),
        (["name,received"], "the first line must be student,received,due"),
        (
            ["student,due", "ann,2030-01-01 00:00"],
            "03_roofline is never due: set a date with `nbgrader db assignment add",
        ),
    ],
)
def test_dates_refuse_an_invalid_table_before_grading(late, lines, says):
    table(late, *lines)
    with pytest.raises(ValueError, match=says):
        run(late)
    assert graded(late) == []


@pytest.mark.parametrize(
    "written",
    [
        "2030-01-01 22:10 UTC",
        "2030-01-01 22:10",
        "2030-01-01T22:10:00Z",
        "2030-01-02 00:10 +02:00",
        "2030-01-02T00:10:00+02:00",
        "2030-01-01 17:10 -0500",
    ],
)
def test_dates_parse_times_with_their_zone(course, written):
    table(course, "student,received", f"ann,{written}")
    assert Dates(course.root, LAB).entries["ann"].received == datetime(2030, 1, 1, 22, 10)
