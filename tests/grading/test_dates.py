"""Lateness: due dates, policies and extensions hold on every run, and no file of a student decides."""

import re
from datetime import datetime

import pytest

from autograder.__main__ import main
from autograder.grading.gradebook.dates import Dates
from tests.grading.course import LAB, ROOT
from tests.grading.fakes import answers, graded, run, submitted
from tests.grading.test_mishaps import grade  # noqa: F401  (a fixture)

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
    assert [one.student for one in run(late).unknown_students] == ["bop"]


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


def test_misspelled_id_charges_nobody_who_may_be_meant(late):
    """An extension for `bop` is likely bob's: his penalty waits, and that of a student with a penalty of her own stands."""
    configure(late, ZERO)
    due(late, "2030-01-01")
    table(late, "student,received,due", "ann,2030-01-02,", "bob,2030-01-02,", "bop,,2030-01-03 00:00")
    found = run(late)
    assert lost(late) == {"ann": 1, "bob": 0} and found.waiting_penalties == ["bob"] and not found.clean
    told = "\n".join(found.notices)
    assert "Do you mean bob?" in told and "due date of their own, 2030-01-03" in told and "no penalty for it" in told
    table(late, "student,received,due", "ann,2030-01-02,", "bob,2030-01-02,2030-01-03 00:00")
    found = run(late)
    assert lost(late) == {"ann": 1, "bob": 0} and found.clean and not found.waiting_penalties
    table(late, "student,received,due", "ann,2030-01-02,", "bob,2030-01-02,")
    assert run(late).clean and lost(late) == {"ann": 1, "bob": 1}


def test_own_date_is_not_a_misspelled_one(late):
    configure(late, ZERO)
    due(late, "2030-01-01")
    table(late, "student,received,due", "bob,2030-01-04,2030-01-03 00:00", "bop,,2030-01-05 00:00", "ann,2029-12-31,")
    found = run(late)
    assert lost(late) == {"ann": 0, "bob": 1} and not found.waiting_penalties and not found.clean


def test_grade_says_unknown_students_before_it_grades(late, grade):  # noqa: F811
    table(late, "student,due", "Bob@example.org,2030-01-03 00:00", "zoe,2030-01-03 00:00")
    due(late, "2030-01-01")
    code, told = grade()
    assert code == 1 and told.startswith("Need you: 2 in the table of dates.\n")
    assert "Do you mean bob? Correct the id" in told and "nobody is called that" in told.partition("zoe")[2]
    assert told.count("Do you mean") == 2 == told.count("gives zoe"), "before, and once more at the end"
    code, told = grade("--regrade")
    assert code == 1 and told.startswith("Need you: 2")
    table(late, "student,due", "bob,2030-01-03 00:00")
    assert grade()[0] == 0


@pytest.mark.parametrize(
    "words",
    [["due", LAB, "2030-01-02 23:59 UTC"], ["due", LAB, "2030-01-02 23:59 UTC", "--student", "ann"], ["late", LAB]],
)
def test_commands_about_dates_name_unknown_students(late, words, capsys):
    run(late)
    due(late, "2030-01-01")
    table(late, "student,due", "bop,2030-01-03 00:00")
    assert main([*words, "--root", str(late.root)]) == 1
    assert "Do you mean bob?" in capsys.readouterr().out


def test_export_and_collect_name_unknown_students(late, tmp_path, capsys):
    run(late)
    table(late, "student,due", "bop,2030-01-03 00:00")
    assert main(["export", LAB, "--root", str(late.root), "--to", str(tmp_path / "marks.csv")]) == 1
    assert "Do you mean bob?" in capsys.readouterr().err
    again = tmp_path / "again" / "bob"
    again.mkdir(parents=True)
    (again / f"lab_{LAB}.ipynb").write_bytes((submitted(late, "bob") / f"lab_{LAB}.ipynb").read_bytes())
    assert main(["collect", LAB, str(again.parent), "--root", str(late.root)]) == 1
    assert "Do you mean bob?" in capsys.readouterr().out
