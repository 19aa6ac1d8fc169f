"""The grader's end of one submission: cells first, then questions to the copies that were kept."""

import json
import secrets
import socket
import time
from dataclasses import asdict, dataclass

from . import bubblewrap, wire
from .memory import resident
from .steps import Question, Ran

FIRST_UID, UIDS = 200_000, 60_000


@dataclass
class Frozen:
    """A copy of the notebook's state, waiting to be asked."""

    question: Question
    line: socket.socket
    alive: bool


class Session:
    """The grader's end of one submission's lines."""

    def __init__(self, box, questions, given):
        self._box, self._limits = box, box.limits
        pairs = [socket.socketpair() for _ in range(2 + questions)]
        self._life, self._cells, *self._free = (ours for ours, _ in pairs)
        self._lines = [ours for ours, _ in pairs]
        self._too_big = ""
        scratch = box.folder / "home" / f"work-{secrets.token_hex(4)}"
        order = {
            "limits": asdict(self._limits),
            "uid": FIRST_UID + box.number % UIDS,
            "folder": str(scratch) if box.kind == "unsandboxed" else f"{bubblewrap.scratch()}/work",
            "given": given,
        }
        socket.send_fds(box.control, [json.dumps(order).encode()], [theirs.fileno() for _, theirs in pairs])
        for _, theirs in pairs:
            theirs.close()
        self._asked, self._stopped, self._waiting = 0, False, 0
        self._end = time.monotonic() + self._limits.notebook_seconds

    # -- cells --------------------------------------------------------------------------

    def cell(self, at, step):
        """Run one cell: interrupted when it takes too long, killed when it does not listen."""
        if self._stopped:
            return Ran("not run")
        deadline = min(time.monotonic() + self._limits.cell_seconds, self._end)
        nonce = secrets.token_hex(8)
        how = ""
        try:
            wire.send(self._cells, {"run": step.source, "cell": at, "n": nonce})
            try:
                reply = self._reply(self._cells, nonce, deadline)
            except wire.TooLate:
                how = "interrupted"
                self._tell(b"i")
                reply = self._reply(self._cells, nonce, time.monotonic() + 2)
        except wire.TooLate:
            self._tell(b"k")
            self._stopped = True
            return Ran(
                "killed",
                [_note("This cell ran too long and did not stop when asked to. The cells after it were not run.")],
            )
        except (wire.Closed, wire.Malformed, OSError):
            self._stopped = True
            return Ran(
                "killed",
                [_note(f"The interpreter ended in this cell{self._too_big}. The cells after it were not run.")],
            )
        outputs = reply.get("outputs")
        if how:
            note = f"Stopped after {self._limits.cell_seconds:g} s."
            return Ran(how, [*(outputs if isinstance(outputs, list) else []), _note(note)])
        return Ran("ok" if reply.get("ok") is True else "error", outputs if isinstance(outputs, list) else [])

    def freeze(self, question):
        """Keep a copy of this moment, to be asked later."""
        line = self._free[self._asked]
        at, self._asked = self._asked, self._asked + 1
        if self._stopped:
            return Frozen(question, line, False)
        nonce = secrets.token_hex(8)
        try:
            wire.send(self._cells, {"freeze": at, "function": question.function, "n": nonce})
            self._reply(self._cells, nonce, time.monotonic() + 10)
        except (wire.Closed, wire.Malformed, wire.TooLate, OSError):
            self._tell(b"k")
            self._stopped = True
            return Frozen(question, line, False)
        return Frozen(question, line, True)

    def end_cells(self):
        """No cell runs from here on, so nothing that is asked can be shown by one."""
        self._tell(b"k")
        self._cells.close()
        self._waiting, self._too_big = None, ""

    # -- questions ----------------------------------------------------------------------

    def ask(self, frozen):
        """Ask a kept copy; one dict for each call."""
        calls, nonce, answers = frozen.question.calls, secrets.token_hex(8), []
        if not frozen.alive:
            return [{"never": True}] * len(calls)
        try:
            wire.send(frozen.line, {"calls": [wire.pack(list(call)) for call in calls], "n": nonce})
            for at in range(len(calls)):
                reply = self._reply(frozen.line, nonce, time.monotonic() + self._limits.case_seconds)
                if reply.get("at") != at:
                    raise wire.Malformed("an answer out of turn")
                if "value" in reply:
                    reply["value"] = wire.unpack(reply["value"])
                answers.append(reply)
        except wire.TooLate:
            answers.append({"slow": self._limits.case_seconds})
        except wire.Malformed:
            answers.append({"garbled": True})
        except (wire.Closed, OSError):
            answers.append({"died": True})
        finally:
            frozen.line.close()
        # A function that does not end, or ends everything, would do so for the next call as well.
        return answers + [answers[-1]] * (len(calls) - len(answers))

    def close(self):
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

    def _tell(self, letter):
        """Have the session's keeper interrupt or kill the cells; nothing when all has ended already."""
        try:
            self._life.send(letter)
        except OSError:
            pass

    def _reply(self, line, nonce, deadline):
        reply = wire.receive(
            line,
            12 * self._limits.output_bytes if line is self._cells else 2 * self._limits.answer_bytes,
            deadline,
            self._watch,
        )
        if reply.get("n") != nonce:
            raise wire.Malformed("an answer to no question")
        return reply

    def _watch(self):
        """Stop what holds more memory than it may: the cells first, and if that does not help, everything."""
        held = resident(self._box.process.pid)
        if self._waiting is None:
            # The copies that wait share most of their memory, which cannot be told from outside.
            self._waiting = held
        held -= self._waiting
        if held <= self._limits.memory_bytes + self._limits.tmp_bytes:
            return
        if not self._too_big:
            self._too_big = ", which used more memory than it may"
            self._tell(b"k")
        else:
            self._life.shutdown(socket.SHUT_WR)


def _note(text):
    return {"output_type": "stream", "name": "stdout", "text": f"[{text}]\n"}
