"""Marks do not depend on who is graded at the same time."""

import json
import shutil
import threading

import pytest

from autograder.commands import grade
from autograder.grading.lab import load
from autograder.grading.result_store import ResultStore
from autograder.grading.runs import pipeline
from autograder.grading.runs.grading_run import GradingRun
from autograder.sandbox import CellStatus, CodeCell, Limits, NoReply, Query, Sandbox
from autograder.sandbox.inside.reply_codes import ReplyCode
from autograder.sandbox.process_usage import descendants
from tests.grading import fakes
from tests.grading.attacks.model import BARE
from tests.grading.course import LAB, ROOT
from tests.grading.fakes import answers, run
from tests.waiting import wait_until

MOST = load(ROOT, LAB).max_score

NEIGHBOUR = """
import os, time
for _ in range(4):
    if os.fork() == 0:
        os.setsid()
        while True: pass
time.sleep(1e6)
"""
WORK = """
import time
def f(x):
    end = time.process_time() + x
    while time.process_time() < end: pass
    return x
"""


@pytest.mark.sandbox
def test_spinning_daemons_do_not_slow_another_sandbox():
    limits = Limits(case_seconds=0.25, patience=600)
    with Sandbox(BARE, limits=limits) as honest, Sandbox(BARE, limits=Limits(cell_seconds=600)) as hostile:
        beside = threading.Thread(target=hostile.run, args=([CodeCell(NEIGHBOUR)],))
        beside.start()

        def daemons_spin():
            assert beside.is_alive()
            return len(descendants(hostile.pid)) >= 6

        wait_until(daemons_spin, seconds=60, what="four daemons run beside the neighbor's own processes")
        _, (first, second) = honest.run([CodeCell(WORK), Query("f", [[0.15], [0.15]])])
        assert (first.code, second.code) == (ReplyCode.VALUE, ReplyCode.VALUE) and not honest.wall_clock_hit
        assert beside.is_alive()
        hostile.process.kill()
        beside.join()


@pytest.mark.sandbox
@pytest.mark.parametrize(
    "steps, by_clock",
    [
        # Sleeping code uses wall time, but no CPU time.
        ([CodeCell("import time; time.sleep(1e6)")], True),
        ([CodeCell("while True: pass")], False),
        ([CodeCell("import time\ndef f(x): time.sleep(1e6)"), Query("f", [[1.0]])], True),
        ([CodeCell("def f(x):\n    while True: pass"), Query("f", [[1.0]])], False),
        ([CodeCell("def f(x): return x"), Query("f", [[1.0]])], False),
    ],
    ids=["cell waits", "cell computes", "call waits", "call computes", "call answers"],
)
def test_wall_clock_hit_tells_clock_from_cpu_time(steps, by_clock, brief, lasting):
    sandbox = brief if by_clock else lasting
    *_, last = sandbox.run(steps)
    assert sandbox.wall_clock_hit is by_clock
    if isinstance(last, list):
        assert last[0].code is (ReplyCode.VALUE if "return" in steps[0].source else NoReply.SLOW)
    else:
        assert last.status is CellStatus.INTERRUPTED


@pytest.fixture(scope="module")
def brief():
    with Sandbox(BARE, limits=Limits(cell_seconds=2, case_seconds=0.5, patience=1)) as sandbox:
        yield sandbox


@pytest.fixture(scope="module")
def lasting():
    with Sandbox(BARE, limits=Limits(cell_seconds=0.2, case_seconds=0.2, patience=600)) as sandbox:
        yield sandbox


# --- second time, alone ------------------------------------------------------------------


@pytest.fixture
def hurried(course):
    """Create a course in which a time limit ends two of five submissions the first time, and a log of their times."""
    spans = course.root / "spans"
    spans.mkdir()
    for number in range(5):
        more = f"# hurried {spans}\n" if number % 2 else "# sleep 0.2\n"
        course.submit(f"s{number}", answers(course, 1, more))
    return spans


def test_clock_timeout_is_graded_again_alone(course, hurried, new_gradebook):
    reports = []
    for jobs in (3, 1):
        found = run(course, jobs=jobs, regrade=True)
        assert (found.graded, found.repeated, found.not_repeated) == (5, 2, 0)
        assert fakes.scores(course) == pytest.approx({f"s{number}": MOST for number in range(5)})
        assert "Graded once more, alone" in grade.table(found) and ": 2." in grade.table(found)
        times = [[line.split() for line in file.read_text().splitlines()] for file in sorted(hurried.iterdir())]
        assert [len(both) for both in times] == [2, 2]
        first, again = ([both[turn] for both in times] for turn in (0, 1))
        # One at a time, after all others, in a new process and sandbox.
        assert not {process for *_, process in first} & {process for *_, process in again}
        spans = sorted((float(began), float(ended)) for began, ended, _ in again)
        assert max(float(ended) for _, ended, _ in first) < spans[0][0] and spans[0][1] <= spans[1][0]
        reports.append(json.dumps(found.to_json()))
        shutil.rmtree(hurried)
        hurried.mkdir()
        new_gradebook()
    assert reports[0] == reports[1]
    assert "once more" not in grade.table(GradingRun(LAB))


def test_second_grading_is_bounded_and_reported(course, hurried, monkeypatch):
    monkeypatch.setattr(pipeline, "REPEAT_SECONDS", 0)
    found = run(course, jobs=2)
    assert (found.graded, found.repeated, found.not_repeated) == (5, 0, 2)
    assert fakes.scores(course) == pytest.approx({f"s{number}": 0 if number % 2 else MOST for number in range(5)})
    assert "--regrade --student" in grade.table(found)


def test_autograde_button_repeats_clock_timeouts(course, hurried):
    done = fakes.press_autograde(course, "s1")
    assert done["success"] and "graded again, alone" in done["log"]
    assert ResultStore.of(course.root, LAB).get("s1").score == MOST
    assert [len(file.read_text().splitlines()) for file in hurried.iterdir()] == [2]
