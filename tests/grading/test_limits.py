"""CPU time limits of student code, with the clock as a second limit."""

import pytest

from autograder.sandbox import CellStatus, CodeCell, Limits, NoReply, Query, Sandbox, session, time_budget
from autograder.sandbox.inside.message_protocol import TimedOut
from autograder.sandbox.inside.reply_codes import ReplyCode
from autograder.sandbox.time_budget import Allowance
from tests.grading.attacks.model import BARE


@pytest.fixture(scope="module")
def sandbox():
    """Sandbox with 0.2 s of CPU time and a clock limit that no test reaches."""
    with Sandbox(BARE, limits=Limits(cell_seconds=0.2, case_seconds=0.2, notebook_seconds=20, patience=600)) as sandbox:
        yield sandbox


CHILD = "import os\nif os.fork() == 0:\n    while True: pass\nos.wait()"


@pytest.mark.sandbox
@pytest.mark.parametrize("source", ["while True: pass", CHILD], ids=["itself", "in a child"])
def test_slow_cell_is_stopped_and_the_next_one_runs(sandbox, source):
    busy, after = sandbox.run([CodeCell(source), CodeCell("1 + 1")])
    assert busy.status is CellStatus.INTERRUPTED and "0.2 s of computing" in busy.outputs[-1]["text"]
    assert after.status is CellStatus.OK


@pytest.mark.sandbox
def test_output_of_many_cells_is_limited():
    with Sandbox(BARE, limits=Limits(output_bytes=10_000, shown_bytes=100_000)) as sandbox:
        *ran, (answered,) = sandbox.run(
            [*[CodeCell("print('x' * 9000)\ndef f(x): return x")] * 50, Query("f", [[1.0]])]
        )
    shown = [len(str(one.outputs)) for one in ran]
    assert 90_000 < sum(shown) < 120_000 and shown[0] > 9000
    assert all(one.status is CellStatus.OK for one in ran) and "shows too much" in str(ran[-1].outputs)
    assert answered.value == 1.0


@pytest.mark.sandbox
def test_waiting_uses_no_cpu_time(sandbox):
    # Sleeps three times as long as it may compute.
    steps = [
        CodeCell("import time\ndef f(x):\n    time.sleep(x)\n    return x\ntime.sleep(0.6)"),
        Query("f", [[0.6]]),
    ]
    cell, (answered,) = sandbox.run(steps)
    assert cell.status is CellStatus.OK and answered.code is ReplyCode.VALUE


@pytest.mark.sandbox
def test_slow_function_is_stopped_in_any_code(sandbox):
    source = "def f(x):\n    import os\n    if os.fork() == 0:\n        while True: pass\n    os.wait()"
    _, answers = sandbox.run([CodeCell(source), Query("f", [[1.0], [2.0]])])
    assert [answered.code for answered in answers] == [NoReply.SLOW] * 2


@pytest.mark.sandbox
def test_sleeping_code_is_stopped_by_the_clock():
    with Sandbox(BARE, limits=Limits(cell_seconds=0.5, case_seconds=0.5, patience=2)) as sandbox:
        # Student code that sleeps uses the clock and no processor.
        steps = [CodeCell("def f(x):\n    import time; time.sleep(1e6)"), CodeCell("f(1)"), Query("f", [[1.0]])]
        _, asleep, (answered,) = sandbox.run(steps)
    assert asleep.status is CellStatus.INTERRUPTED and answered.code is NoReply.SLOW


@pytest.mark.sandbox
def test_unread_message_does_not_block_the_grader(monkeypatch, sandbox):
    monkeypatch.setattr(session, "SEND_SECONDS", 0.5)
    # Student code that makes the sandbox sleep instead of reading.
    deaf = "import time\nfrom autograder.sandbox.inside import message_protocol\nmessage_protocol.receive = lambda *_: time.sleep(1e6)"
    first, last = sandbox.run([CodeCell(deaf), CodeCell("#" * (4 << 20))])
    assert (first.status, last.status) == (CellStatus.OK, CellStatus.KILLED)


class Clock:
    """Clock that a test advances."""

    now = 100.0

    def monotonic(self):
        return self.now


@pytest.fixture
def clock(monkeypatch):
    clock = Clock()
    monkeypatch.setattr(time_budget, "time", clock)
    return clock


def wait(allowed, clock, seconds):
    """Wait as `message_protocol.receive` does, for at most this many seconds."""
    end = clock.now + seconds
    while clock.now < end:
        clock.now += allowed.check()


def test_allowance_counts_cpu_time_on_a_slow_machine(clock):
    used = iter(x / 40 for x in range(10**6))  # 0.1 s of CPU time per second
    allowed = Allowance(2.0, 60.0, lambda: next(used))
    wait(allowed, clock, 19)
    with pytest.raises(TimedOut):
        wait(allowed, clock, 2)
    assert "computing" in allowed.exhausted_text


def test_allowance_never_decreases_when_processes_end(clock):
    used = iter([5.0, 5.9, 0.1, 1.4])
    allowed = Allowance(2.0, 60.0, lambda: next(used))
    with pytest.raises(TimedOut):
        wait(allowed, clock, 1.2)
    assert allowed.spent == pytest.approx(0.9 + 1.3)


def test_allowance_measures_short_limits_often(clock):
    began = clock.now
    allowed = Allowance(0.2, 60.0, lambda: clock.now)
    with pytest.raises(TimedOut):
        wait(allowed, clock, 1)
    assert 0.2 < clock.now - began <= 0.3
    # Code without any time left is still measured at intervals.
    assert Allowance(0.0, 60.0, lambda: clock.now).check() >= 0.01


def test_allowance_ends_by_the_clock(clock):
    allowed = Allowance(2.0, 6.0, lambda: 0.0)
    wait(allowed, clock, 5.9)
    with pytest.raises(TimedOut):
        wait(allowed, clock, 1)
    assert allowed.exhausted_text == "6 s"
