"""The grader's side of one submission: cells first, then queries to the snapshots that were taken."""

import base64
import json
import secrets
import socket
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import Any

from .inside import message_protocol
from .kernel_memory import KernelMemory
from .notebook_steps import CallReply, CellResult, CellStatus, CodeCell, NoReply, Query
from .process_usage import descendants, measure_usage
from .processes import SubmissionProcesses
from .session_interface import Channel, FunctionAnswers
from .time_budget import INTERVAL, Allowance, TimeBudget

MOST_VALUES = (
    50_000  # of JSON in one message from the sandbox; the longest list of names that may be an answer has fewer
)
# Seconds for an interrupted cell to end, for a snapshot, and for a message to be taken.
GRACE, SNAPSHOT_SECONDS, SEND_SECONDS = 2.0, 10.0, 30.0

# Seconds that a cell with definitions gets although the cells before it have used up the notebook's time, and seconds
# that all such cells get together.
RESERVE_SECONDS, RESERVES_SECONDS = 1.0, 10.0

TOO_LONG = "This cell ran too long and did not stop when asked to."
TOO_BIG = "The interpreter ended in this cell, which used more memory than it may."
ENDED = "The interpreter ended in this cell."
TOO_MUCH = "What this cell shows is left out: the notebook shows too much."


@dataclass
class Snapshot:
    """Forked copy of the notebook's state, waiting for its query.

    Attributes
    ----------
    question : Query
    line : socket
        The grader's end of the snapshot's socket.
    copy : int or None
        Process number of the snapshot inside the sandbox, None without one. A submission that invents a number loses
        only its own replies.
    """

    question: Query
    line: socket.socket
    copy: int | None = None


class Session:
    """The grader's side of one submission.

    Parameters
    ----------
    channel : Channel
        Connection to the sandbox.
    queries : int
        Number of queries to expect.
    given : dict
        The student's own constants by exercise.
    budget : TimeBudget
        Time budget of the submission.
    answers : FunctionAnswers, optional
        Process that answers the calls of corrected functions, see `Query`.
    """

    def __init__(
        self,
        channel: Channel,
        queries: int,
        given: dict[str, Any],
        budget: TimeBudget,
        answers: FunctionAnswers | None = None,
    ) -> None:
        self._answers = answers
        self._channel, self._limits, self._budget = channel, channel.limits, budget
        self._kernel_memory = KernelMemory() if channel.isolated else None
        self._processes = SubmissionProcesses(channel.interpreter_pid)
        self._copies: list[int] = []
        pairs = [socket.socketpair() for _ in range(2 + queries)]
        self._life, self._cells, *self._free = (ours for ours, _ in pairs)
        self._lines = [ours for ours, _ in pairs]
        for line in self._lines:
            # A process that does not read must not block the grader.
            line.settimeout(SEND_SECONDS)
        self._too_big, self._shown = False, 0
        self._kills_before = channel.oom_kills()
        order = {
            "limits": asdict(self._limits),
            "uid": channel.user_id,
            "folder": str(channel.working_folder(f"work-{secrets.token_hex(4)}")),
            "given": given,
        }
        socket.send_fds(channel.control, [json.dumps(order).encode()], [theirs.fileno() for _, theirs in pairs])
        for _, theirs in pairs:
            theirs.close()
        self._snapshots, self._stopped, self._suspended = 0, False, False
        self._measured_at = time.monotonic()
        # Memory that waiting snapshots hold; None until the first measurement after the cells.
        self._baseline: int | None = 0
        self._end = time.monotonic() + self._limits.patience * self._limits.notebook_seconds
        self._left, self._reserve = self._limits.notebook_seconds, RESERVES_SECONDS

    # -- cells --------------------------------------------------------------------------

    def write_files(self, files: Mapping[str, bytes]) -> None:
        """Write files, bytes by path, into the folder where the cells run."""
        nonce = secrets.token_hex(8)
        encoded = {name: base64.b64encode(content).decode() for name, content in files.items()}
        try:
            message_protocol.send(self._cells, {"files": encoded, "n": nonce})
            self._reply(self._cells, nonce, self._budget.allow(SNAPSHOT_SECONDS, self._measure))
        except (message_protocol.ConnectionClosed, message_protocol.Malformed, message_protocol.TimedOut, OSError):
            self._stopped = True

    def run_cell(self, number: int, step: CodeCell) -> CellResult:
        """Run one cell: interrupt it if it takes too long, kill it if it does not respond."""
        if self._stopped:
            return CellResult(CellStatus.NOT_RUN)
        # Many cells, each too short to be measured, could otherwise use any amount together.
        if time.monotonic() > self._measured_at + INTERVAL:
            self._measure()
        nonce = secrets.token_hex(8)
        allowance = self._allow_cell(step)
        note = ""
        try:
            message_protocol.send(self._cells, {"run": step.source, "cell": number, "n": nonce})
            try:
                reply = self._reply(self._cells, nonce, allowance)
            except message_protocol.TimedOut:
                note = f"Stopped after {allowance.exhausted_text}."
                self._signal(b"i")
                reply = self._reply(self._cells, nonce, self._budget.allow(GRACE, self._measure))
            finally:
                self._reserve -= max(0.0, allowance.spent - self._left)
                self._left = max(0.0, self._left - allowance.spent)
        except message_protocol.TimedOut:
            self._signal(b"k")
            return self._killed(TOO_LONG)
        except (message_protocol.ConnectionClosed, message_protocol.Malformed, OSError):
            # The kernel may have killed it before the next measurement.
            too_big = self._too_big or self._channel.oom_kills() > self._kills_before
            return self._killed(TOO_BIG if too_big else ENDED)
        outputs = reply.get("outputs")
        outputs = outputs if isinstance(outputs, list) else []
        self._shown += len(json.dumps(outputs)) if outputs else 0
        if outputs and self._shown > self._limits.shown_bytes:
            # Thousands of cells would fill the grader's memory, and a disk.
            outputs = [_note(TOO_MUCH)]
        remarks = {name: reply.get(name) is True for name in ("refused", "continued", "salvaged")}
        if note:
            return CellResult(CellStatus.INTERRUPTED, [*outputs, _note(note)], **remarks)
        status = CellStatus.OK if reply.get("ok") is True else CellStatus.ERROR
        return CellResult(status, outputs, **remarks)

    def _allow_cell(self, step: CodeCell) -> Allowance:
        """Return the time that a cell may take; one with definitions gets some even if none is left."""
        left, end = self._left, self._end
        reserve = min(RESERVE_SECONDS, self._reserve)
        if step.defines and reserve > 0:
            left, end = max(left, reserve), max(end, time.monotonic() + self._limits.patience * reserve)
        return self._budget.allow(self._limits.cell_seconds, self._measure, left, end)

    def _killed(self, why: str) -> CellResult:
        self._stopped = True
        return CellResult(CellStatus.KILLED, [_note(f"{why} The cells after it were not run.")])

    def call_function(self, name: str, arguments: list[Any], keywords: dict[str, Any]) -> dict[str, Any]:
        """Call a function in the state that the cells have left; the arguments are packed for messages.

        Raises
        ------
        OSError
            If the process has ended or does not answer in time; the session then answers no other call.
        """
        nonce, message = secrets.token_hex(8), {"call": name, "arguments": arguments, "keywords": keywords}
        try:
            if self._stopped:
                raise message_protocol.ConnectionClosed("the process has ended")
            message_protocol.send(self._cells, {**message, "n": nonce})
            return self._reply(self._cells, nonce, self._budget.allow(self._limits.case_seconds, self._measure))
        except (message_protocol.ConnectionClosed, message_protocol.Malformed, message_protocol.TimedOut) as problem:
            self._signal(b"k")
            self._stopped = True
            raise OSError(str(problem)) from None

    def snapshot(self, query: Query) -> Snapshot:
        """Fork a copy of the notebook's present state, to be queried later."""
        line = self._free[self._snapshots]
        number, self._snapshots = self._snapshots, self._snapshots + 1
        if self._stopped:
            return Snapshot(query, line)
        nonce = secrets.token_hex(8)
        try:
            message_protocol.send(self._cells, {"snapshot": number, "function": query.function, "n": nonce})
            reply = self._reply(self._cells, nonce, self._budget.allow(SNAPSHOT_SECONDS, self._measure))
        except (message_protocol.ConnectionClosed, message_protocol.Malformed, message_protocol.TimedOut, OSError):
            self._signal(b"k")
            self._stopped = True
            return Snapshot(query, line)
        copy = reply.get("copy")
        self._copies.append(copy if isinstance(copy, int) else 0)
        return Snapshot(query, line, self._copies[-1])

    def end_cells(self) -> None:
        """Kill everything but the snapshots: no cell runs after this, so none can show a query."""
        self._signal(b"k")
        self._cells.close()
        self._suspended = self._processes.suspend_snapshots(self._copies)
        self._budget.wall_clock_hit |= not self._suspended
        self._baseline, self._too_big = None, False

    # -- queries ------------------------------------------------------------------------

    def query(self, snapshot: Snapshot) -> list[CallReply]:
        """Send a snapshot its query; return one reply for each call."""
        question, nonce = snapshot.question, secrets.token_hex(8)
        calls = question.calls
        seconds = self._limits.cell_seconds if question.test else self._limits.case_seconds
        replies: list[CallReply] = []
        if snapshot.copy is None or not self._suspended:
            return [CallReply(NoReply.NEVER)] * len(calls)
        if self._budget.empty:
            return [CallReply(NoReply.BUDGET)] * len(calls)
        packed = [message_protocol.pack(list(call)) for call in calls]
        if question.corrected and self._answers is not None:
            self._answers.prepare()
        self._processes.resume(snapshot.copy)
        try:
            message_protocol.send(
                snapshot.line,
                {
                    "calls": packed,
                    "before": question.before,
                    "corrected": question.corrected,
                    "test": question.test,
                    "n": nonce,
                },
            )
            for number in range(len(calls)):
                allowance = self._budget.allow(seconds, self._measure_active)
                reply = self._reply(snapshot.line, nonce, allowance, question.corrected)
                if reply.get("number") != number:
                    raise message_protocol.Malformed("a reply out of order")
                replies.append(CallReply.read(reply))
        except message_protocol.TimedOut:
            over = self._budget.empty
            replies.append(CallReply(NoReply.BUDGET) if over else CallReply(NoReply.SLOW, seconds))
        except (message_protocol.ConnectionClosed, OSError):
            replies.append(CallReply(NoReply.DIED))
        except Exception:
            # Malformed, or any other exception while a reply is read: only that reply is lost.
            replies.append(CallReply(NoReply.GARBLED))
        finally:
            snapshot.line.close()
        if isinstance(replies[-1].code, NoReply):
            self._processes.kill_active()
        # A function that does not end, or ends the interpreter, would do so at the next call as well.
        return replies + [replies[-1]] * (len(calls) - len(replies))

    def close(self) -> bool:
        """End the session; return True if all its processes have ended."""
        watch = self._life
        if not self._channel.isolated:
            # The kernel does not end all processes together.
            self._processes.kill_all()
        for line in self._lines:
            if line is not watch:
                line.close()
        try:
            watch.shutdown(socket.SHUT_WR)
            watch.settimeout(10)
            while watch.recv(64):
                pass
            return True
        except OSError:
            return False
        finally:
            watch.close()

    def _signal(self, letter: bytes) -> None:
        """Have the supervisor interrupt or kill the cells; do nothing if all has ended already."""
        with suppress(OSError):
            self._life.send(letter)

    def _reply(
        self, line: socket.socket, nonce: str, allowance: Allowance, corrected: tuple[str, ...] = ()
    ) -> dict[str, Any]:
        """Receive one reply; until it comes, answer the calls of corrected functions."""
        most = 12 * self._limits.output_bytes if line is self._cells else self._limits.answer_bytes
        late = False
        try:
            while True:
                reply = message_protocol.receive(line, most, allowance.check, MOST_VALUES)
                if reply.get("n") != nonce:
                    raise message_protocol.Malformed("a reply to no request")
                if "asks" not in reply:
                    return reply
                message_protocol.send(line, self._answer(reply, corrected))
        except message_protocol.TimedOut:
            late = True
            raise
        finally:
            self._budget.charge(allowance, timed_out=late)

    def _answer(self, message: dict[str, Any], corrected: tuple[str, ...]) -> dict[str, Any]:
        """Have a corrected function called in its own process, and return what it has returned."""
        match message:
            case {"asks": str(name), "arguments": list(arguments), "keywords": dict(keywords)} if name in corrected:
                if self._answers is not None:
                    return self._answers.reply(name, arguments, keywords)
        raise message_protocol.Malformed("a call of an unknown function")

    def _measure(self) -> float:
        """Return the CPU seconds used so far; above the memory limit kill the cells, and then everything."""
        self._measured_at = time.monotonic()
        usage = measure_usage(descendants(self._channel.root_pid), self._limits.memory_bytes / 2)
        held = usage.memory_bytes + (self._kernel_memory.upper_bound(usage.pids) if self._kernel_memory else 0)
        if self._baseline is None:
            # Suspended snapshots share most of their memory; how much cannot be seen from outside.
            self._baseline = held
        if held - self._baseline > self._limits.memory_bytes + self._limits.tmp_bytes:
            if self._too_big:
                self._life.shutdown(socket.SHUT_WR)
            else:
                self._too_big = True
                self._signal(b"k")
        return usage.cpu_seconds

    def _measure_active(self) -> float:
        """Check the memory as `_measure` does; return the CPU seconds of the active snapshot and its descendants."""
        self._measure()
        return self._processes.cpu_seconds()


def _note(text: str) -> dict[str, str]:
    return {"output_type": "stream", "name": "stdout", "text": f"[{text}]\n"}
