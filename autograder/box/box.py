"""A box: one warm, locked interpreter that runs notebooks and answers questions, one after another."""

import json
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path

from . import bubblewrap, page, wire
from .limits import Limits
from .memory import resident

START_SECONDS = 60
# Each box gives its submissions a user id of their own, so that limits count per box.
FIRST_UID = 200_000


class SandboxUnavailable(RuntimeError):
    """Bubblewrap is missing or may not run here; the message says which and what to do."""


@dataclass(frozen=True)
class Cell:
    """Run this source."""

    source: str


@dataclass(frozen=True)
class Question:
    """Ask ``function``, as it is at this point of the notebook, about each of ``calls`` (lists of arguments)."""

    function: str
    calls: list


@dataclass
class Ran:
    """What a cell gave: ``how`` is "ok", "error", "interrupted", "killed" or "not run"."""

    how: str
    outputs: list = field(default_factory=list)


class Box:
    """A place where a stranger's code can do no harm. A context manager.

    Parameters
    ----------
    lab : grading.lab.Lab
        Decides what the box can see.
    kind : str
        ``"bubblewrap"``, ``"bubblewrap-cold"`` (a new room for each notebook) or ``"unsandboxed"``.
    limits : Limits
    """

    def __init__(self, lab, kind, limits=None):
        self.limits = limits or Limits()
        self.kind = kind
        self._lab, self._process, self._control, self._folder = lab, None, None, None

    @property
    def name(self):
        """What reports say: ``"bubblewrap"`` or ``"unsandboxed"``."""
        return "unsandboxed" if self.kind == "unsandboxed" else "bubblewrap"

    def __enter__(self):
        self._folder = Path(tempfile.mkdtemp(prefix="box-"))
        try:
            page.build(self._folder, self._lab)
            # Whatever the umask: a box reads this as another user.
            for path in (self._folder, *self._folder.rglob("*")):
                path.chmod(0o755 if path.is_dir() else 0o644)
            self._start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        self._stop()
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)

    # -- the process --------------------------------------------------------------------

    def _start(self):
        ours, theirs = socket.socketpair()
        inside = self._folder if self.kind == "unsandboxed" else Path("/box")
        isolation = {"bubblewrap": "namespaces", "bubblewrap-cold": "privileges", "unsandboxed": "none"}[self.kind]
        program = [sys.executable, "-I", str(inside / "inside/zygote.py"), str(theirs.fileno()), str(inside / "page"), isolation]
        extra = {}
        if self.kind == "unsandboxed":
            home = self._folder / "home"
            home.mkdir(exist_ok=True)
            extra = {"env": bubblewrap.environment(str(home)), "cwd": home, "start_new_session": True}
        else:
            program = bubblewrap.command(
                self._folder, program, tmp_bytes=self.limits.tmp_bytes, separate=self.kind == "bubblewrap"
            )
        with theirs:
            self._process = subprocess.Popen(
                program,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                pass_fds=[theirs.fileno()],
                **extra,
            )
        ours.settimeout(START_SECONDS)
        self._control = ours
        try:
            ready = ours.recv(1)
        except OSError:
            ready = b""
        if ready != b"+":
            self._process.kill()
            said = self._process.stderr.read().decode(errors="replace").strip()
            raise SandboxUnavailable(said or "the box did not start")
        self._process.stderr.close()

    def _stop(self):
        if self._control is not None:
            self._control.close()
            self._control = None
        if self._process is not None:
            if self._process.poll() is None:
                try:
                    self._process.wait(2)
                except subprocess.TimeoutExpired:
                    self._process.kill()
            self._process.wait()
            self._process = None

    # -- one notebook -------------------------------------------------------------------

    def run(self, steps, given=None):
        """Run a notebook's steps in order.

        Parameters
        ----------
        steps : list of Cell and Question
        given : dict, optional
            The student's own constants by exercise, as the page shows them.

        Returns
        -------
        list
            For each step a `Ran`, or a list with one dict for each call of a
            `Question`: ``{"value": …}``, ``{"raised": …, "line": …}`` and so on, from a
            place that must not be trusted.

        Notes
        -----
        Cells run first, all of them; a question keeps a copy of the moment, and is
        asked when no cell can learn of it any more.
        """
        if self._process is None or self._process.poll() is not None:
            self._stop()
            self._start()
        session = _Session(self, sum(isinstance(step, Question) for step in steps), given or {})
        try:
            found = [session.cell(at, s) if isinstance(s, Cell) else session.freeze(s) for at, s in enumerate(steps)]
            session.end_cells()
            return [session.ask(one) if isinstance(one, _Frozen) else one for one in found]
        finally:
            if not session.close() or self.kind == "bubblewrap-cold":
                self._process.kill()
                self._stop()


@dataclass
class _Frozen:
    """A copy of the notebook's state, waiting to be asked."""

    question: Question
    line: socket.socket
    alive: bool


class _Session:
    """The grader's end of one submission's lines."""

    def __init__(self, box, questions, given):
        self._box, self._limits = box, box.limits
        pairs = [socket.socketpair() for _ in range(2 + questions)]
        self._life, self._cells, *self._free = (ours for ours, _ in pairs)
        self._lines = [ours for ours, _ in pairs]
        self._too_big = ""
        scratch = box._folder / "home" / f"work-{secrets.token_hex(4)}"
        order = {
            "limits": asdict(self._limits),
            "uid": FIRST_UID + os.getpid() % 60_000,
            "folder": str(scratch) if box.kind == "unsandboxed" else f"{bubblewrap.scratch()}/work",
            "given": given,
        }
        socket.send_fds(box._control, [json.dumps(order).encode()], [theirs.fileno() for _, theirs in pairs])
        for _, theirs in pairs:
            theirs.close()
        self._asked = 0
        self._stopped = "" 
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
                self._life.send(b"i")
                reply = self._reply(self._cells, nonce, time.monotonic() + 2)
        except wire.TooLate:
            self._life.send(b"k")
            self._stopped = "it had to be stopped"
            return Ran("killed", [_note("This cell ran too long and did not stop when asked to. The cells after it were not run.")])
        except (wire.Closed, wire.Malformed, OSError):
            self._stopped = self._too_big or "the interpreter ended"
            return Ran("killed", [_note(f"The interpreter ended in this cell{self._too_big}. The cells after it were not run.")])
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
            return _Frozen(question, line, False)
        nonce = secrets.token_hex(8)
        try:
            wire.send(self._cells, {"freeze": at, "function": question.function, "n": nonce})
            self._reply(self._cells, nonce, time.monotonic() + 10)
        except (wire.Closed, wire.Malformed, wire.TooLate, OSError):
            self._life.send(b"k")
            self._stopped = "the interpreter ended"
            return _Frozen(question, line, False)
        return _Frozen(question, line, True)

    def end_cells(self):
        """No cell runs from here on, so nothing that is asked can be shown by one."""
        try:
            self._life.send(b"k")
        except OSError:
            pass
        self._cells.close()

    # -- questions ----------------------------------------------------------------------

    def ask(self, frozen):
        """Ask a kept copy; one dict for each call."""
        answers = []
        for call in frozen.question.calls:
            if not frozen.alive:
                answers.append(dict(answers[-1]) if answers else {"never": self._stopped or True})
                continue
            nonce = secrets.token_hex(8)
            try:
                wire.send(frozen.line, {"call": wire.pack(list(call)), "n": nonce})
                reply = self._reply(frozen.line, nonce, time.monotonic() + self._limits.case_seconds)
                if "value" in reply:
                    reply["value"] = wire.unpack(reply["value"])
                answers.append(reply)
            except wire.TooLate:
                # A function that does not end would not end for the next call either.
                answers.append({"slow": self._limits.case_seconds})
                frozen.alive = False
            except wire.Malformed:
                answers.append({"garbled": True})
                frozen.alive = False
            except (wire.Closed, OSError):
                answers.append({"died": True})
                frozen.alive = False
        frozen.line.close()
        return answers

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

    def _reply(self, line, nonce, deadline):
        reply = wire.receive(line, 12 * self._limits.output_bytes if line is self._cells else 2 * self._limits.answer_bytes, deadline, self._watch)
        if reply.get("n") != nonce:
            raise wire.Malformed("an answer to no question")
        return reply

    def _watch(self):
        """Stop everything when all processes together hold more memory than one may."""
        if resident(self._box._process.pid) > self._limits.memory_bytes + self._limits.tmp_bytes:
            self._too_big = ", which used more memory than it may"
            self._life.shutdown(socket.SHUT_WR)


def _note(text):
    return {"output_type": "stream", "name": "stdout", "text": f"[{text}]\n"}
