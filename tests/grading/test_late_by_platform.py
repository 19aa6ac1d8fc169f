"""Work that a platform calls late, without a time, is in time for a later date that the download itself meets."""

from datetime import UTC, datetime, timedelta

import pytest

from autograder.__main__ import main
from autograder.grading.collect.collect import collect
from autograder.grading.collect.undo import undo
from autograder.grading.gradebook.dates import Dates
from tests.grading.course import LAB
from tests.grading.downloads import canvas_name, lab_bytes
from tests.grading.fakes import run
from tests.grading.test_dates import ZERO, configure, lost

NOW = datetime.now(UTC).replace(tzinfo=None, microsecond=0)
DAY = timedelta(days=1)


def time(when):
    return f"{when:%Y-%m-%d %H:%M} UTC"


def command(course, *words):
    return main([*words, "--root", str(course.root)])


@pytest.fixture
def late(on_canvas, download):
    """A course due yesterday; today Canvas gives jane's work as LATE, and bo's as in time."""
    configure(on_canvas, ZERO)
    command(on_canvas, "due", LAB, time(NOW - DAY))
    files = {
        canvas_name("Doe", "Jane", 102, 9002, late=True): lab_bytes("1"),
        canvas_name("van der Berg", "Bo", 104, 9004): lab_bytes("2"),
    }
    on_canvas.zip = download(files)
    collect(on_canvas.root, LAB, [on_canvas.zip])
    run(on_canvas)
    # The fake grader gives no points; a person does.
    with on_canvas.gradebook() as book:
        for student in ("jane", "bo"):
            book.find_grade("recommendation", f"lab_{LAB}", LAB, student).manual_score = 4.0
        book.db.commit()
    run(on_canvas)
    return on_canvas


@pytest.mark.parametrize("whom", [[], ["--student", "jane"]])
def test_extension_beyond_the_download_takes_no_points(late, capsys, whom):
    assert lost(late) == {"jane": 1, "bo": 0}
    capsys.readouterr()
    assert command(late, "due", LAB, time(NOW + 9 * DAY), *whom) == 0
    assert "No longer late (1): jane." in capsys.readouterr().out
    run(late)
    assert lost(late) == {"jane": 0, "bo": 0}
    with late.gradebook() as book:
        submission = book.find_submission(LAB, "jane")
        assert NOW <= submission.timestamp <= submission.duedate


@pytest.mark.parametrize("whom", [[], ["--student", "jane"]])
def test_due_names_who_stays_late_and_what_to_type(late, capsys, whom):
    """Between the old date and the download nobody knows when the work came."""
    capsys.readouterr()
    assert command(late, "due", LAB, time(NOW - DAY / 2), *whom) == 1
    said = capsys.readouterr().out
    (line,) = [line for line in said.splitlines() if line.startswith("Late: ")]
    assert line.startswith("Late: jane, by the platform's word alone.") and "was collected" in line
    assert line.endswith(f"`autograder due {LAB} --in-time --student jane`.")
    run(late)
    assert lost(late) == {"jane": 1, "bo": 0}
    assert command(late, "due", LAB, "--in-time", "--student", "jane") == 0
    run(late)
    assert lost(late) == {"jane": 0, "bo": 0}


def test_work_that_is_collected_again_keeps_its_first_time(late, download):
    first = Dates(late.root, LAB).entries["jane"].collected
    assert first and NOW <= first <= datetime.now(UTC).replace(tzinfo=None) + timedelta(seconds=1)
    file = late.root / "autograder/work/dates" / f"{LAB}.csv"
    earlier = first - timedelta(hours=3)
    file.write_text(file.read_text().replace(f"{first}", f"{earlier}"))
    collect(late.root, LAB, [late.zip])
    assert Dates(late.root, LAB).entries["jane"].collected == earlier
    # Other work replaces it: that came at an unknown time before now.
    files = {canvas_name("Doe", "Jane", 102, 9010, late=True): lab_bytes("3")}
    collect(late.root, LAB, [download(files, "again.zip")])
    assert Dates(late.root, LAB).entries["jane"].collected >= first
    undo(late.root, LAB)
    assert Dates(late.root, LAB).entries["jane"].collected == earlier


def test_due_names_late_work_with_its_time(late, capsys):
    file = late.root / "autograder/work/dates" / f"{LAB}.csv"
    file.write_text(f"student,received,due,late\nbo,{time(NOW)},,\n")
    capsys.readouterr()
    assert command(late, "due", LAB, time(NOW - DAY / 2)) == 0
    said = capsys.readouterr().out
    assert "Late: bo, by 12 h" in said and f"More time: `autograder due {LAB} TIME --student bo`" in said
    assert command(late, "due", LAB, time(NOW - DAY / 4), "--student", "bo") == 1, "he has more time, and not enough"


def test_in_time_is_refused_where_the_time_is_known(late, capsys):
    assert command(late, "due", LAB, "--in-time") == 2
    assert "needs --student" in capsys.readouterr().err
    assert command(late, "due", LAB, "--in-time", "--student", "bo") == 0, "Canvas said nothing of him but in time"
    file = late.root / "autograder/work/dates" / f"{LAB}.csv"
    file.write_text(f"student,received\nbo,{time(NOW)}\n")
    assert command(late, "due", LAB, "--in-time", "--student", "bo") == 2
    assert "--student bo" in capsys.readouterr().err
