"""A gradebook that another program has locked: wait, then stop without losing a result."""

import sqlite3
import threading
from contextlib import closing

import pytest

from autograder.grading.gradebook import backup, locking
from tests.grading import fakes
from tests.grading.fakes import answers, graded, run
from tests.grading.test_grader_faults import MOST
from tests.grading.test_mishaps import grade  # noqa: F401  (a fixture)
from tests.waiting import wait_until


@pytest.mark.parametrize("kind", ["IMMEDIATE", "EXCLUSIVE"])
def test_locked_gradebook_is_waited_for_with_a_word(course, monkeypatch, capfd, kind):
    course.submit("ann", answers(course, 1))
    file = course.root / "autograder/work/gradebook.db"
    with closing(sqlite3.connect(file, check_same_thread=False, isolation_level=None)) as other:
        other.execute(f"BEGIN {kind}")
        said = []

        def release():
            wait_until(
                lambda: said.append(capfd.readouterr().err) or "waiting for at most" in "".join(said),
                seconds=50,
                what="it waits",
            )
            other.execute("ROLLBACK")

        thread = threading.Thread(target=release)
        thread.start()
        assert run(course).clean
        thread.join()
    assert "another program is writing to" in "".join(said)


def test_locked_gradebook_is_given_up_after_the_stated_time(course, monkeypatch, grade):  # noqa: F811
    course.submit("ann", answers(course, 1))
    monkeypatch.setattr(locking, "WAIT_SECONDS", 0.3)
    with closing(sqlite3.connect(course.root / "autograder/work/gradebook.db", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        code, said = grade()
        assert code == 2 and "was locked by another program for 0.3 s" in said and "Traceback" not in said
    assert grade()[0] == 0


def test_lock_in_the_middle_of_a_run_loses_no_result(course, monkeypatch):
    for number in range(4):
        course.submit(f"s{number}", answers(course, 1))
    monkeypatch.setattr(locking, "WAIT_SECONDS", 0.3)
    with closing(sqlite3.connect(course.root / "autograder/work/gradebook.db", isolation_level=None)) as other:

        def lock(done, _):
            if done == 1:
                other.execute("BEGIN IMMEDIATE")

        with pytest.raises(locking.GradebookLocked, match="it continues from here"):
            run(course, progress=lock)
    assert len(graded(course)) < 4, "it does not wait again for each student"
    found = run(course)
    assert found.clean and found.reused >= 2 and fakes.scores(course) == {f"s{n}": MOST for n in range(4)}


def test_back_up_ends_if_the_lock_comes_while_it_copies(course, monkeypatch):
    """Python's own Connection.backup retries without end."""
    stop = backup._stop_if_busy(0.0)
    stop(sqlite3.SQLITE_OK, 0, 1)
    with pytest.raises(sqlite3.OperationalError, match="locked"):
        stop(sqlite3.SQLITE_BUSY, 0, 1)
    source, target = (
        sqlite3.connect(course.root / "autograder/work/gradebook.db", timeout=0.1),
        sqlite3.connect(":memory:"),
    )
    with closing(sqlite3.connect(course.root / "autograder/work/gradebook.db", isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        with closing(source), closing(target), pytest.raises(sqlite3.OperationalError, match="locked"):
            source.backup(target, progress=stop, sleep=0.01)
