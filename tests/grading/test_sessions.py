"""Processes of a submission end with it, disturb no answer, and share one time budget."""

from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autograder.grading.sandbox_replies import trusted_outcome
from autograder.sandbox import CallReply, CellResult, CellStatus, CodeCell, Limits, NoReply, Query, Sandbox, time_budget
from autograder.sandbox.backends import FALLBACKS, Backend
from autograder.sandbox.inside.reply_codes import ReplyCode
from autograder.sandbox.process_usage import descendants
from autograder.sandbox.reruns import run_with_reruns
from autograder.sandbox.session import Snapshot
from autograder.sandbox.time_budget import Allowance, TimeBudget
from tests.grading.attacks.model import BARE
from tests.waiting import wait_until

# 0.3 s of CPU time, and a clock limit that no test reaches.
LIMITS = Limits(cell_seconds=5, case_seconds=0.3, patience=600)
# Whether a process still writes is seen only by waiting for some time in which it could: `alive`.
HEARTS = """
import os, signal, time
def beat():
    with open("beats", "a") as file: file.write("x")
    rest(0.01)
def compute(seconds):
    end = time.monotonic() + seconds
    while time.monotonic() < end: pass
rest = compute
def alive():
    before = os.path.getsize("beats"); time.sleep(0.3)
    return os.path.getsize("beats") - before
def child(then):
    if os.fork() == 0:
        try: then()
        finally: os._exit(0)
def ever():
    while True: beat()
def daemon():
    os.setsid(); child(ever)
def deaf():
    os.setpgid(0, 0)
    for number in range(1, 65):
        try: signal.signal(number, signal.SIG_IGN)
        except OSError: pass
    ever()
def family():
    os.setsid()
    for _ in range(3): child(daemon)
    ever()
def hop():
    os.setsid()
    while True:
        beat()
        if os.fork(): os._exit(0)
"""


@pytest.fixture(scope="module")
def sandbox():
    with Sandbox(BARE, limits=LIMITS) as sandbox:
        yield sandbox


# --- processes -----------------------------------------------------------------------

LEFT = HEARTS + "rest = time.sleep\nfor one in (ever, daemon, deaf, family): child(one)\n"
LEFT += (
    "while not os.path.exists('beats') or alive() == 0: pass\ndef f(x): return float(alive())\ndef g(x): return x + 1"
)


@pytest.mark.sandbox
@pytest.mark.parametrize("kind", [Backend.WARM, Backend.COLD, Backend.UNSANDBOXED])
def test_processes_of_cells_are_stopped_before_queries(kind, monkeypatch):
    monkeypatch.setitem(FALLBACKS, "auto", (kind,))
    with Sandbox(BARE, limits=LIMITS) as sandbox:
        started, still, answers = sandbox.run([CodeCell(LEFT), Query("f", [[1.0]]), Query("g", [[1.0], [2.0]])])
        assert started.status is CellStatus.OK and still[0].value == 0.0
        assert [one.value for one in answers] == [2.0, 3.0]
        ended = descendants(sandbox.pid) if kind is not Backend.COLD else []
        # The warm interpreter with its own parents, and a helper that is about to end.
        assert len(ended) <= 3


@pytest.mark.sandbox
def test_forking_process_costs_only_its_own_submission(sandbox):
    started, _ = sandbox.run([CodeCell(HEARTS + "child(hop)\ndef f(x): return float(alive())"), Query("f", [[1.0]])])
    assert started.status is CellStatus.OK and len(descendants(sandbox.pid)) <= 3
    (ran,) = sandbox.run([CodeCell("import os\nprint(os.listdir())")])
    assert ran.outputs[0]["text"] == "[]\n"


WORK = (
    "import time\ndef g(x):\n    end = time.process_time() + x\n    while time.process_time() < end: pass\n    return x"
)


@pytest.mark.sandbox
def test_call_pays_only_for_its_own_cpu_time(sandbox):
    leaves = HEARTS + "def f(x):\n    for _ in range(6): child(daemon)\n    return x\n" + WORK
    _, first, second = sandbox.run([CodeCell(leaves), Query("f", [[1.0]]), Query("g", [[0.2]])])
    assert first[0].value == 1.0 and second[0].value == 0.2


@pytest.mark.sandbox
def test_call_pays_for_its_children(sandbox):
    in_child = WORK + "\nimport os\ndef f(x):\n    if os.fork() == 0:\n        g(600); os._exit(0)\n    os.wait()"
    _, (answered,) = sandbox.run([CodeCell(in_child), Query("f", [[1.0]])])
    assert answered.code is NoReply.SLOW and not sandbox.wall_clock_hit


@pytest.mark.sandbox
def test_endless_function_is_killed_before_the_next_query(sandbox):
    _, first, second = sandbox.run(
        [
            CodeCell(HEARTS + "def f(x):\n    child(daemon); ever()\ndef g(x): return float(alive())"),
            Query("f", [[1.0]]),
            Query("g", [[1.0]]),
        ]
    )
    assert first[0].code is NoReply.SLOW and second[0].value == 0.0


def test_daemon_ends_with_its_session_unsandboxed(monkeypatch):
    monkeypatch.setitem(FALLBACKS, "auto", (Backend.UNSANDBOXED,))
    source = HEARTS + "def f(x):\n    child(daemon); child(lambda: time.sleep(1000))\n    return os.getpid()"
    with Sandbox(BARE) as sandbox:
        before = {process.pid for process in descendants(sandbox.pid)}
        _, (answered,) = sandbox.run([CodeCell(source), Query("f", [[1.0]])])

        def living():
            """Processes of the sandbox, and the one that answered, which may be an orphan or a zombie by now."""
            status = Path(f"/proc/{answered.value:.0f}/status")
            try:
                answering = "\nState:\tZ" not in status.read_text()
            except OSError:
                answering = False
            return {process.pid for process in descendants(sandbox.pid)} - before or answering

        wait_until(lambda: not living(), seconds=60, what="all processes of the session end")


# --- reruns ---------------------------------------------------------


class FakeSession:
    """Session whose cells die as the test says, with a diary."""

    def __init__(self, diary):
        self.diary, self.stopped = diary, False

    def run_cell(self, number, step):
        self.diary.append("cell")
        if self.stopped:
            return CellResult(CellStatus.NOT_RUN)
        self.stopped = step.source == "die"
        return CellResult(CellStatus.KILLED if self.stopped else CellStatus.OK, [number])

    def snapshot(self, query):
        return Snapshot(query, None, None if self.stopped else 1)

    def end_cells(self):
        self.diary.append("end")

    def query(self, snapshot):
        self.diary.append("ask")
        return [CallReply(NoReply.NEVER if snapshot.copy is None else ReplyCode.VALUE)]


@given(st.lists(st.sampled_from(["live", "die", "ask"]), max_size=12), st.integers(0, 4))
def test_no_cell_runs_after_a_query(plan, reruns):
    diary = []

    @contextmanager
    def session(questions):
        assert questions == plan.count("ask")
        yield FakeSession(diary)

    steps = [Query("f", [[1.0]]) if word == "ask" else CodeCell(word) for word in plan]
    done = run_with_reruns(steps, reruns, TimeBudget(Limits()), session)
    last = diary.index("end")
    assert "ask" not in diary[:last] and diary[last + 1 :] == ["ask"] * plan.count("ask")
    # As many deaths as reruns are survived, one more ends the run; a death of the last cell needs no rerun.
    deaths = [place for place, word in enumerate(plan) if word == "die"]
    end = deaths[reruns] if len(deaths) > reruns else len(plan)
    for place, (word, one) in enumerate(zip(plan, done, strict=True)):
        if word == "ask":
            assert one[0].code is (ReplyCode.VALUE if place < end else NoReply.NEVER)
        else:
            assert one.status is (
                CellStatus.NOT_RUN if place > end else CellStatus.OK if word == "live" else CellStatus.KILLED
            )


@pytest.mark.sandbox
def test_killed_cell_loses_only_its_own_results(sandbox):
    steps = [
        CodeCell("n = 1\ndef f(x): return x + n"),
        Query("f", [[1.0]]),
        CodeCell("import os; os._exit(1)"),
        CodeCell("n = 2\nprint('here')"),
        Query("f", [[1.0]]),
    ]
    first, one, dead, last, two = sandbox.run(steps, reruns=1)
    assert (first.status, dead.status, last.status) == (CellStatus.OK, CellStatus.KILLED, CellStatus.OK)
    assert (one[0].value, two[0].value) == (2.0, 3.0) and last.outputs[0]["text"] == "here\n"


# --- the budget ----------------------------------------------------------------------


@pytest.mark.sandbox
def test_submission_has_one_budget_and_reports_the_rest():
    limits = Limits(cell_seconds=5, case_seconds=2, notebook_seconds=0.5, submission_seconds=0.8, patience=600)
    with Sandbox(BARE, limits=limits) as sandbox:
        steps = [CodeCell(WORK), Query("g", [[0.7]] * 5), Query("g", [[0.01]])]
        _, first, second = sandbox.run(steps)
        assert first[0].code is ReplyCode.VALUE and {first[-1].code, second[0].code} == {NoReply.BUDGET}
        assert not sandbox.wall_clock_hit
        # Each run of the cells could take all its seconds, but the budget has not so many.
        dies = CodeCell(WORK + "\ng(0.4)\nimport os; os._exit(1)")
        *_, answers = sandbox.run([dies, dies, dies, CodeCell("f = abs"), Query("f", [[1.0]])], reruns=3)
        assert answers[0].code is NoReply.NEVER
    said = trusted_outcome(second[0], "g", ["x"], {})
    assert "no time left" in said.text and "`g`" in said.text


class Clock:
    now = 100.0

    def monotonic(self):
        return self.now


def test_time_budget_ends_by_the_clock(monkeypatch):
    clock = Clock()
    monkeypatch.setattr(time_budget, "time", clock)
    limits = Limits(notebook_seconds=10, submission_seconds=25, patience=2)
    budget = TimeBudget(limits)
    assert budget.allows_rerun and not budget.empty
    clock.now += 31
    assert not budget.allows_rerun and not budget.empty
    waiting = budget.allow(10, lambda: 0.0)
    while clock.now < 149:
        clock.now += waiting.check()
    clock.now = 150
    with pytest.raises(time_budget.TimedOut):
        waiting.check()
    budget.charge(waiting, timed_out=True)
    assert budget.empty and budget.wall_clock_hit


def test_cpu_timeout_is_not_a_wall_clock_hit():
    budget, used = TimeBudget(Limits()), Allowance(1.0, 60.0, lambda: 0.0)
    used.spent = 1.5
    budget.charge(used, timed_out=True)
    assert not budget.wall_clock_hit
