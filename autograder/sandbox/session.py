"""The grader's end of one submission: cells first, then questions to the copies that were kept."""

import base64
import json
import secrets
import socket
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from .backends import ROOMS
from .inside import wire
from .kernel_memory import Unheld
from .process_usage import descendants, usage
from .processes import Processes
from .steps import Answered, Cell, Ending, Question, Ran, Silence
from .time_budget import LOOK, Allowance, Budget

if TYPE_CHECKING:
    from .sandbox import Box

FIRST_UID, UIDS = 200_000, 60_000
MOST_VALUES = 50_000  # of JSON in one message out of a box; the longest list of names that may be an answer has fewer
GRACE, FREEZE, SEND = 2.0, 10.0, 30.0  # seconds for an interrupted cell to end, for a copy, for a message to be taken

TOO_LONG = "This cell ran too long and did not stop when asked to."
TOO_BIG = "The interpreter ended in this cell, which used more memory than it may."
ENDED = "The interpreter ended in this cell."
TOO_MUCH = "What this cell shows is left out: the notebook shows too much."


@dataclass
class Frozen:
    """A copy of the notebook's state, waiting to be asked."""

    question: Question
    line: socket.socket
    # The number of its process inside, None where there is none; who invents one loses only its own answers.
    copy: int | None = None


class Session:
    """The grader's end of one submission's lines."""

    def __init__(self, box: "Box", questions: int, given: dict[str, Any], budget: Budget) -> None:
        self._limits, self._root, self._budget = box.limits, box.pid, budget
        self._unheld = Unheld() if box.kind in ROOMS else None
        self._processes = Processes(box.warm)
        # Where the kernel does not end them all together.
        self._loose = box.kind not in ROOMS
        self._copies: list[int] = []
        pairs = [socket.socketpair() for _ in range(2 + questions)]
        self._life, self._cells, *self._free = (ours for ours, _ in pairs)
        self._lines = [ours for ours, _ in pairs]
        for line in self._lines:
            # What is sent to somebody who does not read must not hold the grader up.
            line.settimeout(SEND)
        self._too_big, self._shown = False, 0
        self._kills, self._kills_before = box.kills, box.kills()
        order = {
            "limits": asdict(self._limits),
            "uid": FIRST_UID + box.number % UIDS,
            "folder": str(box.scratch(f"work-{secrets.token_hex(4)}")),
            "given": given,
        }
        socket.send_fds(box.control, [json.dumps(order).encode()], [theirs.fileno() for _, theirs in pairs])
        for _, theirs in pairs:
            theirs.close()
        self._asked, self._stopped, self._at_rest = 0, False, False
        self._looked = time.monotonic()
        self._waiting: int | None = 0
        self._end = time.monotonic() + self._limits.patience * self._limits.notebook_seconds
        self._left = self._limits.notebook_seconds

    # -- cells --------------------------------------------------------------------------

    def lay(self, files: Mapping[str, bytes]) -> None:
        """Put files into the folder where the cells run, by their paths there."""
        nonce = secrets.token_hex(8)
        laid = {name: base64.b64encode(content).decode() for name, content in files.items()}
        try:
            wire.send(self._cells, {"lay": laid, "n": nonce})
            self._reply(self._cells, nonce, self._budget.allow(FREEZE, self._measure))
        except (wire.Closed, wire.Malformed, wire.TooLate, OSError):
            self._stopped = True

    def cell(self, number: int, step: Cell) -> Ran:
        """Run one cell: interrupted when it takes too long, killed when it does not listen."""
        if self._stopped:
            return Ran(Ending.NOT_RUN)
        # Cells that are each too short for a look would together take what they like.
        if time.monotonic() > self._looked + LOOK:
            self._measure()
        nonce = secrets.token_hex(8)
        allowance = self._budget.allow(self._limits.cell_seconds, self._measure, self._left, self._end)
        note = ""
        try:
            wire.send(self._cells, {"run": step.source, "cell": number, "n": nonce})
            try:
                reply = self._reply(self._cells, nonce, allowance)
            except wire.TooLate:
                note = f"Stopped after {allowance.used_up}."
                self._tell(b"i")
                reply = self._reply(self._cells, nonce, self._budget.allow(GRACE, self._measure))
            finally:
                self._left = max(0.0, self._left - allowance.spent)
        except wire.TooLate:
            self._tell(b"k")
            return self._killed(TOO_LONG)
        except (wire.Closed, wire.Malformed, OSError):
            # The kernel may have been quicker than the next look.
            too_big = self._too_big or self._kills() > self._kills_before
            return self._killed(TOO_BIG if too_big else ENDED)
        outputs = reply.get("outputs")
        outputs = outputs if isinstance(outputs, list) else []
        self._shown += len(json.dumps(outputs)) if outputs else 0
        if outputs and self._shown > self._limits.shown_bytes:
            # Thousands of cells would fill the memory of whoever grades, and a disk.
            outputs = [_note(TOO_MUCH)]
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
            return Frozen(question, line)
        nonce = secrets.token_hex(8)
        try:
            wire.send(self._cells, {"freeze": number, "function": question.function, "n": nonce})
            reply = self._reply(self._cells, nonce, self._budget.allow(FREEZE, self._measure))
        except (wire.Closed, wire.Malformed, wire.TooLate, OSError):
            self._tell(b"k")
            self._stopped = True
            return Frozen(question, line)
        copy = reply.get("copy")
        self._copies.append(copy if isinstance(copy, int) else 0)
        return Frozen(question, line, self._copies[-1])

    def end_cells(self) -> None:
        """No cell runs from here on, so nothing that is asked can be shown by one; only the copies are left."""
        self._tell(b"k")
        self._cells.close()
        self._at_rest = self._processes.keep(self._copies)
        self._budget.by_clock |= not self._at_rest
        self._waiting, self._too_big = None, False

    # -- questions ----------------------------------------------------------------------

    def ask(self, frozen: Frozen) -> list[Answered]:
        """Ask a kept copy; one answer for each call."""
        question, nonce = frozen.question, secrets.token_hex(8)
        calls = question.calls
        seconds = self._limits.cell_seconds if question.test else self._limits.case_seconds
        answers: list[Answered] = []
        if frozen.copy is None or not self._at_rest:
            return [Answered(Silence.NEVER)] * len(calls)
        if self._budget.empty:
            return [Answered(Silence.BUDGET)] * len(calls)
        packed = [wire.pack(list(call)) for call in calls]
        self._processes.ask(frozen.copy)
        try:
            wire.send(frozen.line, {"calls": packed, "before": question.before, "test": question.test, "n": nonce})
            for number in range(len(calls)):
                allowance = self._budget.allow(seconds, self._measure_copy)
                reply = self._reply(frozen.line, nonce, allowance)
                if reply.get("number") != number:
                    raise wire.Malformed("an answer out of turn")
                answers.append(Answered.read(reply))
        except wire.TooLate:
            over = self._budget.empty
            answers.append(Answered(Silence.BUDGET) if over else Answered(Silence.SLOW, seconds))
        except (wire.Closed, OSError):
            answers.append(Answered(Silence.DIED))
        except Exception:
            # Malformed, or whatever else reading a reply could raise: only that answer is lost.
            answers.append(Answered(Silence.GARBLED))
        finally:
            frozen.line.close()
        if isinstance(answers[-1].code, Silence):
            self._processes.end()
        # A function that does not end, or ends everything, would do so for the next call as well.
        return answers + [answers[-1]] * (len(calls) - len(answers))

    def close(self) -> bool:
        """End the session; True when everything of it is gone."""
        watch = self._life
        if self._loose:
            self._processes.close()
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
        most = 12 * self._limits.output_bytes if line is self._cells else self._limits.answer_bytes
        late = False
        try:
            reply = wire.receive(line, most, allowance.look, MOST_VALUES)
        except wire.TooLate:
            late = True
            raise
        finally:
            self._budget.take(allowance, ended=late)
        if reply.get("n") != nonce:
            raise wire.Malformed("an answer to no question")
        return reply

    def _measure(self) -> float:
        """CPU seconds used so far; what holds more memory than it may is stopped: the cells, then everything."""
        self._looked = time.monotonic()
        used = usage(descendants(self._root), self._limits.memory_bytes / 2)
        held = used.memory_bytes + (self._unheld.most(used.pids) if self._unheld else 0)
        if self._waiting is None:
            # The copies that wait share most of their memory, which cannot be told from outside.
            self._waiting = held
        if held - self._waiting > self._limits.memory_bytes + self._limits.tmp_bytes:
            if self._too_big:
                self._life.shutdown(socket.SHUT_WR)
            else:
                self._too_big = True
                self._tell(b"k")
        return used.cpu_seconds

    def _measure_copy(self) -> float:
        """The same for the copy that is asked: CPU seconds of its own and of what it has started."""
        self._measure()
        return self._processes.seconds()


def _note(text: str) -> dict[str, str]:
    return {"output_type": "stream", "name": "stdout", "text": f"[{text}]\n"}
