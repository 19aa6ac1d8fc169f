"""The grader's end of one submission: cells first, then questions to the copies that were kept."""

import json
import secrets
import socket
import time
from contextlib import suppress
from dataclasses import asdict, dataclass
from math import inf
from typing import TYPE_CHECKING, Any

from .allowance import Allowance
from .inside import wire
from .steps import Answered, Cell, Ending, Question, Ran, Silence
from .usage import usage

if TYPE_CHECKING:
    from .box import Box

FIRST_UID, UIDS = 200_000, 60_000
GRACE, FREEZE, SEND = 2.0, 10.0, 30.0  # seconds for an interrupted cell to end, for a copy, for a message to be taken

TOO_LONG = "This cell ran too long and did not stop when asked to."
TOO_BIG = "The interpreter ended in this cell, which used more memory than it may."
ENDED = "The interpreter ended in this cell."


@dataclass
class Frozen:
    """A copy of the notebook's state, waiting to be asked."""

    question: Question
    line: socket.socket
    alive: bool


class Session:
    """The grader's end of one submission's lines."""

    def __init__(self, box: "Box", questions: int, given: dict[str, Any]) -> None:
        self._limits, self._root = box.limits, box.pid
        pairs = [socket.socketpair() for _ in range(2 + questions)]
        self._life, self._cells, *self._free = (ours for ours, _ in pairs)
        self._lines = [ours for ours, _ in pairs]
        for line in self._lines:
            # What is sent to somebody who does not read must not hold the grader up.
            line.settimeout(SEND)
        self._too_big = False
        order = {
            "limits": asdict(self._limits),
            "uid": FIRST_UID + box.number % UIDS,
            "folder": str(box.scratch(f"work-{secrets.token_hex(4)}")),
            "given": given,
        }
        socket.send_fds(box.control, [json.dumps(order).encode()], [theirs.fileno() for _, theirs in pairs])
        for _, theirs in pairs:
            theirs.close()
        self._asked, self._stopped = 0, False
        self._waiting: int | None = 0
        self._end = time.monotonic() + self._limits.patience * self._limits.notebook_seconds
        self._left = self._limits.notebook_seconds

    # -- cells --------------------------------------------------------------------------

    def cell(self, number: int, step: Cell) -> Ran:
        """Run one cell: interrupted when it takes too long, killed when it does not listen."""
        if self._stopped:
            return Ran(Ending.NOT_RUN)
        nonce = secrets.token_hex(8)
        allowance = self._allow(self._limits.cell_seconds, self._left, self._end)
        note = ""
        try:
            wire.send(self._cells, {"run": step.source, "cell": number, "n": nonce})
            try:
                reply = self._reply(self._cells, nonce, allowance)
            except wire.TooLate:
                note = f"Stopped after {allowance.used_up}."
                self._tell(b"i")
                reply = self._reply(self._cells, nonce, self._allow(GRACE))
            finally:
                self._left = max(0.0, self._left - allowance.spent)
        except wire.TooLate:
            self._tell(b"k")
            return self._killed(TOO_LONG)
        except (wire.Closed, wire.Malformed, OSError):
            return self._killed(TOO_BIG if self._too_big else ENDED)
        outputs = reply.get("outputs")
        outputs = outputs if isinstance(outputs, list) else []
        if note:
            return Ran(Ending.INTERRUPTED, [*outputs, _note(note)])
        return Ran(Ending.OK if reply.get("ok") is True else Ending.ERROR, outputs)

    def _killed(self, why: str) -> Ran:
        self._stopped = True
        return Ran(Ending.KILLED, [_note(f"{why} The cells after it were not run.")])

    def freeze(self, question: Question) -> Frozen:
        """Keep a copy of this moment, to be asked later."""
        line = self._free[self._asked]
        number, self._asked = self._asked, self._asked + 1
        if self._stopped:
            return Frozen(question, line, False)
        nonce = secrets.token_hex(8)
        try:
            wire.send(self._cells, {"freeze": number, "function": question.function, "n": nonce})
            self._reply(self._cells, nonce, self._allow(FREEZE))
        except (wire.Closed, wire.Malformed, wire.TooLate, OSError):
            self._tell(b"k")
            self._stopped = True
            return Frozen(question, line, False)
        return Frozen(question, line, True)

    def end_cells(self) -> None:
        """No cell runs from here on, so nothing that is asked can be shown by one."""
        self._tell(b"k")
        self._cells.close()
        self._waiting, self._too_big = None, False

    # -- questions ----------------------------------------------------------------------

    def ask(self, frozen: Frozen) -> list[Answered]:
        """Ask a kept copy; one answer for each call."""
        question, nonce = frozen.question, secrets.token_hex(8)
        calls = question.calls
        seconds = self._limits.cell_seconds if question.test else self._limits.case_seconds
        answers: list[Answered] = []
        if not frozen.alive:
            return [Answered(Silence.NEVER)] * len(calls)
        try:
            packed = [wire.pack(list(call)) for call in calls]
            wire.send(frozen.line, {"calls": packed, "before": question.before, "test": question.test, "n": nonce})
            for number in range(len(calls)):
                reply = self._reply(frozen.line, nonce, self._allow(seconds))
                if reply.get("number") != number:
                    raise wire.Malformed("an answer out of turn")
                answers.append(Answered.read(reply))
        except wire.TooLate:
            answers.append(Answered(Silence.SLOW, seconds))
        except wire.Malformed:
            answers.append(Answered(Silence.GARBLED))
        except (wire.Closed, OSError):
            answers.append(Answered(Silence.DIED))
        finally:
            frozen.line.close()
        # A function that does not end, or ends everything, would do so for the next call as well.
        return answers + [answers[-1]] * (len(calls) - len(answers))

    def close(self) -> bool:
        """End the session; True when everything of it is gone."""
        watch = self._life
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

    def _tell(self, letter: bytes) -> None:
        """Have the session's keeper interrupt or kill the cells; nothing when all has ended already."""
        with suppress(OSError):
            self._life.send(letter)

    def _reply(self, line: socket.socket, nonce: str, allowance: Allowance) -> dict[str, Any]:
        most = 12 * self._limits.output_bytes if line is self._cells else 2 * self._limits.answer_bytes
        reply = wire.receive(line, most, allowance.look)
        if reply.get("n") != nonce:
            raise wire.Malformed("an answer to no question")
        return reply

    def _allow(self, seconds: float, left: float = inf, end: float = inf) -> Allowance:
        """So many seconds of computing, but no more than are left, and their multiple by the clock, but not beyond an end."""
        by_clock = min(self._limits.patience * seconds, end - time.monotonic())
        return Allowance(min(seconds, left), by_clock, self._measure)

    def _measure(self) -> float:
        """CPU seconds used so far; what holds more memory than it may is stopped: the cells, then everything."""
        used = usage(self._root)
        if self._waiting is None:
            # The copies that wait share most of their memory, which cannot be told from outside.
            self._waiting = used.memory_bytes
        if used.memory_bytes - self._waiting > self._limits.memory_bytes + self._limits.tmp_bytes:
            if self._too_big:
                self._life.shutdown(socket.SHUT_WR)
            else:
                self._too_big = True
                self._tell(b"k")
        return used.cpu_seconds


def _note(text: str) -> dict[str, str]:
    return {"output_type": "stream", "name": "stdout", "text": f"[{text}]\n"}
