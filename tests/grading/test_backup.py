"""The gradebook is the only place of marks by hand: it is copied, and a damaged one names the way back."""

import sqlite3
from contextlib import closing

import pytest

from autograder.__main__ import main
from autograder.atomic_write import DiskFull
from autograder.grading.gradebook import backup
from autograder.grading.gradebook.backup import MAX_COPIES, back_up
from autograder.grading.gradebook.course import open_course
from tests.grading.course import LAB
from tests.grading.fakes import answers, graded, run


def mark(course, points):
    with course.gradebook() as book:
        grade = book.find_grade("recommendation", f"lab_{LAB}", LAB, "ann")
        grade.manual_score, grade.needs_manual_grade = points, False
        book.db.commit()


def marked(file):
    with sqlite3.connect(file) as book:
        return [points for (points,) in book.execute("SELECT manual_score FROM grade WHERE manual_score IS NOT NULL")]


def copies(course):
    return sorted((course.root / "autograder/work/backup").glob("*.db"))


@pytest.mark.parametrize("damage", ["garbage", "half"])
def test_damaged_gradebook_is_reported_and_its_copy_restored(course, damage, capsys):
    course.submit("ann", answers(course, 1))
    run(course)
    mark(course, 4.5)
    run(course)
    file = course.root / "autograder/work/gradebook.db"
    assert marked(copies(course)[-1]) == [4.5]
    file.write_bytes(b"no gradebook" * 500 if damage == "garbage" else file.read_bytes()[: file.stat().st_size // 2])
    where = ["--root", str(course.root)]
    for command in (
        ["grade", LAB],
        ["report", LAB],
        ["feedback", LAB],
        ["export", LAB, "--to", str(course.root / "x")],
    ):
        assert main([*command, *where]) == 2
        (line,) = capsys.readouterr().err.splitlines()
        assert str(copies(course)[-1]) in line and "cannot be read" in line and "SELECT" not in line, command
    file.write_bytes(copies(course)[-1].read_bytes())
    run(course)
    assert marked(file) == [4.5]


def test_back_up_skips_identical_and_deletes_old_copies(course):
    course.submit("ann", answers(course, 1))
    run(course)
    run(course)
    before = copies(course)
    run(course)
    assert copies(course) == before
    directory = open_course(course.root).directory
    for number in range(MAX_COPIES + 2):
        mark(course, number / 10)
        assert back_up(directory) == copies(course)[-1]
    assert len(copies(course)) == MAX_COPIES and before[0] not in copies(course)
    assert [marked(copy) for copy in copies(course)[-2:]] == [[MAX_COPIES / 10], [(MAX_COPIES + 1) / 10]]


def test_back_up_reports_a_lock_of_another_program(course, monkeypatch):
    monkeypatch.setattr(backup, "BUSY_SECONDS", 0.1)
    directory = open_course(course.root).directory
    with closing(sqlite3.connect(course.root / "autograder/work/gradebook.db")) as other:
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(ValueError, match=r"cannot be used \(database is locked\)"):
            back_up(directory)
    assert back_up(directory)


def test_full_disk_is_not_reported_as_a_damaged_gradebook(course, monkeypatch):
    course.submit("ann", answers(course, 1))
    with monkeypatch.context() as full:

        def step(*_):
            with sqlite3.connect(":memory:") as disk:
                disk.execute("PRAGMA max_page_count = 1")
                disk.execute("CREATE TABLE too_much (text)")

        full.setattr("autograder.grading.gradebook.writer.reviewed_cells", step)
        with pytest.raises(DiskFull, match="free some space"):
            run(course)
    assert not run(course).failures and graded(course) == ["ann"]
