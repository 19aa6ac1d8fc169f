"""Late policy: what it costs never grows with more time, never exceeds the score, and is listed by name."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from autograder.__main__ import main
from autograder.grading.gradebook.late_policy import (
    LatePolicy,
    format_duration,
    load_lab_dates,
    parse_duration,
    parse_percent,
    spend_late_days,
)
from autograder.grading.gradebook.lateness import late_submissions
from tests.grading.course import LAB
from tests.grading.fakes import answers, press_autograde, run
from tests.grading.test_dates import BY_NBGRADER, ZERO, configure, due, lost, table

BERLIN = "Europe/Berlin"
DAY = timedelta(days=1)
# Around the nights in which clocks change, minute by minute.
TIMES = st.one_of(
    *(
        st.integers(-4000, 4000).map(lambda minutes, night=night: night + timedelta(minutes=minutes))
        for night in (datetime(2027, 10, 31, 1), datetime(2027, 3, 28, 1), datetime(2027, 1, 31, 23))
    )
)
POLICIES = st.builds(
    LatePolicy,
    per_day=st.floats(0, 1),
    grace_seconds=st.sampled_from([0.0, 900.0, 3600.0, 90_000.0]),
    late_days=st.integers(0, 5),
    timezone=st.sampled_from(["UTC", BERLIN, "America/New_York", "Australia/Lord_Howe", "Asia/Kolkata"]),
)


def utc(text, zone=BERLIN):
    """A clock's time in UTC."""
    return datetime.fromisoformat(text).replace(tzinfo=ZoneInfo(zone)).astimezone(UTC).replace(tzinfo=None)


@given(POLICIES, TIMES, st.integers(0, 10_000), st.integers(0, 3000))
def test_more_time_never_costs_more_days(policy, date, late, more):
    received = date + timedelta(minutes=late)
    granted = date + timedelta(minutes=more)
    assert policy.days_late(received, granted) <= policy.days_late(received, date)


@given(POLICIES, TIMES, st.integers(0, 10_000), st.integers(0, 3000), st.floats(0, 40))
def test_later_submission_never_scores_more(policy, date, late, more, score):
    early, later = (policy.days_late(date + timedelta(minutes=minutes), date) for minutes in (late, late + more))
    assert early <= later
    assert score - policy.penalty(score, later) <= score - policy.penalty(score, early)


@given(POLICIES, st.floats(-5, 1e6), st.integers(0, 10_000))
def test_penalty_is_between_zero_and_the_score(policy, score, days):
    assert 0 <= policy.penalty(score, days) <= max(score, 0)


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 9)), max_size=6), st.data())
def test_late_days_are_spent_in_order_and_never_lowered_by_time(labs, data):
    spent = spend_late_days(labs)
    assert all(0 <= used <= needed for (used, _), (_, needed) in zip(spent, labs, strict=True))
    assert all(sum(used for used, _ in spent[: i + 1]) <= max(g for g, _ in labs[: i + 1]) for i in range(len(labs)))
    if labs:
        index = data.draw(st.integers(0, len(labs) - 1))
        fewer = [*labs]
        fewer[index] = (labs[index][0], data.draw(st.integers(0, labs[index][1])))
        charged = [
            [needed - used for (_, needed), (used, _) in zip(of, spend_late_days(of), strict=True)]
            for of in (labs, fewer)
        ]
        assert all(after <= before for before, after in zip(*charged, strict=True))


@pytest.mark.parametrize(
    ("date", "received", "days"),
    [
        # Summer time ends on 31 October 2027: the day has 25 hours. It begins on 28 March: 23 hours.
        ("2027-10-30 23:59", "2027-10-31 23:59", 1),
        ("2027-10-30 23:59", "2027-11-01 00:00", 2),
        ("2027-03-27 23:59", "2027-03-28 23:59", 1),
        ("2027-03-27 23:59", "2027-03-29 00:59", 1),
        ("2027-03-27 23:59", "2027-03-29 01:00", 2),
        ("2027-01-31 23:59", "2027-02-01 00:00", 1),
        ("2027-01-31 23:59", "2027-01-31 23:59", 0),
    ],
)
def test_days_end_by_the_clock_when_summer_time_changes(date, received, days):
    assert LatePolicy(0.1, timezone=BERLIN).days_late(utc(received), utc(date)) == days


def test_grace_period_costs_nothing_and_shifts_each_day():
    policy, date = LatePolicy(0.1, grace_seconds=900), datetime(2027, 1, 31)
    late = [policy.days_late(date + timedelta(minutes=minutes), date) for minutes in (0, 15, 16, 1440, 1455, 1456)]
    assert late == [0, 0, 1, 1, 1, 2]


@pytest.mark.parametrize("text", ["10", "0.1", "110%", "-5%", "ten%", ""])
def test_percentage_without_its_sign_is_refused(text):
    with pytest.raises(ValueError, match="write it as 10%"):
        parse_percent(text)


@given(st.integers(0, 3000))
@example(2160)
def test_durations_are_read_back(minutes):
    assert parse_duration(f"{minutes}min") == timedelta(minutes=minutes)
    parts = format_duration(timedelta(minutes=minutes)).split()
    units = {"d": DAY, "h": timedelta(hours=1), "min": timedelta(minutes=1)}
    assert sum((int(n) * units[u] for n, u in zip(parts[::2], parts[1::2], strict=True)), timedelta()) == timedelta(
        minutes=minutes
    )
    with pytest.raises(ValueError, match="write it as 15min"):
        parse_duration(str(minutes))


def command(course, *words):
    return main([*words, "--root", str(course.root)])


@pytest.fixture
def late(course):
    """A course due at the beginning of 2030; ann is in time, bob 1.5 days late, cid 10 minutes."""
    for student in ("ann", "bob", "cid"):
        course.submit(student, answers(course, 1))
    table(course, "student,received", "ann,2029-12-31 12:00", "bob,2030-01-02 12:00", "cid,2030-01-01 00:10")
    due(course, "2030-01-01")
    return course


def test_late_command_sets_shows_and_removes_a_policy(late, capsys):
    configure(late, ZERO)
    assert command(late, "late", LAB) == 0
    assert "nbgrader_config.py decides: penalty_method 'zero'" in capsys.readouterr().out
    assert command(late, "late", LAB, "--per-day", "10%", "--grace", "15min", "--late-days", "3") == 0
    said = capsys.readouterr().out
    assert "10 % of the points earned for each day begun, 15 min of grace, 3 late days" in said
    assert "autograder/work/dates/03_roofline.toml" in said
    assert command(late, "late", LAB, "--late-days", "0") == 0  # the rest stays
    assert load_lab_dates(late.root, LAB).policy == LatePolicy(0.1, 900.0, 0)
    run(late)
    assert lost(late) == pytest.approx({"ann": 0, "bob": 0.2, "cid": 0})
    assert command(late, "late", LAB, "--remove") == 0
    run(late)
    assert lost(late) == {"ann": 0, "bob": 1, "cid": 1}, "the policy of nbgrader_config.py again"


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--per-day", "10"], "write it as 10%"),
        (["--grace", "15"], "write it as 15min"),
        (["--late-days", "-1"], "0 or more"),
        (["--remove", "--late-days", "1"], "--remove removes"),
    ],
)
def test_late_command_refuses_an_invalid_policy(course, capsys, words, says):
    assert command(course, "late", LAB, *words) == 2
    assert says in capsys.readouterr().err
    assert not load_lab_dates(course.root, LAB).policy


def test_damaged_policy_file_is_named_before_grading(late):
    (late.root / "autograder/work/dates" / f"{LAB}.toml").write_text("per_day = 10\n")
    with pytest.raises(ValueError, match=r"03_roofline.toml cannot be read \(per_day is a share"):
        run(late)


def test_policy_applies_by_the_button_and_by_nbgrader(late):
    command(late, "late", LAB, "--per-day", "10%")
    assert press_autograde(late, "bob")["success"]
    assert lost(late) == pytest.approx({"bob": 0.2})
    configure(late, BY_NBGRADER)
    late.nbgrader_here("autograde", LAB, "--student", "cid")
    with late.gradebook() as book:
        assert book.find_submission(LAB, "cid").total_seconds_late == 600
    command(late, "late", LAB, "--per-day", "50%")
    late.nbgrader_here("autograde", LAB, "--student", "bob", "--force")
    assert lost(late)["bob"] == pytest.approx(1)


def second_lab(course, due_date, received):
    """Enter another lab with ann's submission of 10 points."""
    with course.gradebook() as book:
        book.add_assignment("02_accelerators", duedate=due_date)
        book.add_notebook("lab_02_accelerators", "02_accelerators")
        book.add_grade_cell("one", "lab_02_accelerators", "02_accelerators", max_score=10, cell_type="code")
        book.update_or_create_student("bob")
        book.add_submission("02_accelerators", "bob", timestamp=received)
        book.find_grade("one", "lab_02_accelerators", "02_accelerators", "bob").auto_score = 10.0
        book.db.commit()


@pytest.mark.parametrize(("other_due", "charged"), [("2029-12-01", 0.2), ("2030-02-01", 0.0)])
def test_late_days_count_over_labs_in_order_of_due_date(late, other_due, charged):
    second_lab(late, other_due, datetime.fromisoformat(other_due) + 2 * DAY)
    command(late, "late", LAB, "02_accelerators", "--per-day", "10%", "--late-days", "2")
    found = run(late)
    assert lost(late)["bob"] == pytest.approx(charged)
    with late.gradebook() as book:
        other = book.find_submission("02_accelerators", "bob").late_submission_penalty
    assert other == pytest.approx(0 if charged else 2)
    assert found.late_days_moved == ({} if charged else {"02_accelerators": ["bob"]})


def test_later_due_date_never_changes_the_order_of_labs(late):
    second_lab(late, "2030-01-15", "2030-01-17")
    command(late, "late", LAB, "02_accelerators", "--per-day", "10%", "--late-days", "2")
    run(late)
    assert lost(late)["bob"] == 0, "2 late days are spent here"
    command(late, "due", LAB, "2030-01-01 06:00")
    run(late)
    command(late, "due", LAB, "2030-01-20 00:00 UTC")
    run(late)
    assert lost(late)["bob"] == 0
    with late.gradebook() as book:
        assert book.find_submission("02_accelerators", "bob").late_submission_penalty == 0, (
            "2 late days are left for it"
        )


def test_extension_comes_before_late_days(late):
    command(late, "late", LAB, "--per-day", "10%", "--late-days", "3")
    run(late)
    command(late, "due", LAB, "2030-01-02 00:00", "--student", "bob")
    run(late)
    with late.gradebook() as book:
        bob, cid = late_submissions(late.root, LAB, book)
    assert (bob.student, bob.late, bob.days.used, bob.days.left) == ("bob", DAY / 2, 1, 2)
    assert (cid.student, cid.days.used, cid.points_lost) == ("cid", 1, 0)


def test_report_and_export_list_who_was_late(late, capsys, tmp_path):
    command(late, "late", LAB, "--per-day", "10%", "--late-days", "1")
    run(late)
    assert command(late, "report", LAB, "--html", str(tmp_path / "report.html")) == 0
    said = capsys.readouterr().out
    lines = said[said.index("Late\n") :].splitlines()[1:4]
    assert lines[0].split() == [
        "student",
        "late",
        "by",
        "points",
        "lost",
        "days",
        "late",
        "days",
        "used",
        "late",
        "days",
        "left",
    ]
    assert lines[1].split() == ["bob", "1", "d", "12", "h", "2.5", "2", "1", "0"]
    assert lines[2].split() == ["cid", "10", "min", "0", "1", "1", "0"]
    assert "Late: 2</h3>" in (tmp_path / "report.html").read_text()
    command(late, "export", LAB, "--to", str(tmp_path / "marks.csv"))
    said = capsys.readouterr().out
    assert "bob: 1 d 12 h late, 2.5 points lost, 1 late days used, 0 left" in said and "ann" not in said
