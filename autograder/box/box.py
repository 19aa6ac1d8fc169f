"""A box: one warm, locked interpreter that runs notebooks and answers questions, one after another."""

import os
import shutil
import socket
import subprocess
import sys
import tempfile
from itertools import count
from pathlib import Path

from . import bubblewrap, page
from .limits import Limits
from .session import Frozen, Session
from .steps import Cell, Question

START_SECONDS = 60
LADDERS = {
    "auto": ("bubblewrap", "bubblewrap-cold"),
    "unsandboxed": ("bubblewrap", "bubblewrap-cold", "unsandboxed"),
}


_count = count()


class SandboxUnavailable(RuntimeError):
    """Bubblewrap is missing or may not run here; the message says which and what to do."""


class Box:
    """A place where a stranger's code can do no harm. A context manager.

    Parameters
    ----------
    lab : grading.lab.Lab
        Decides what the box can see.
    sandbox : str
        ``"auto"`` takes bubblewrap and raises where it cannot run;
        ``"unsandboxed"`` takes a plain subprocess with limits where bubblewrap
        cannot run.
    limits : Limits, optional

    Attributes
    ----------
    kind : str
        ``"bubblewrap"``, ``"bubblewrap-cold"`` (a new room for each notebook) or ``"unsandboxed"``.

    Raises
    ------
    ValueError
        For another ``sandbox``.
    SandboxUnavailable
        When the box is entered, with the reason and what to do about it.
    """

    def __init__(self, lab, *, sandbox="auto", limits=None):
        if sandbox not in LADDERS:
            raise ValueError(f'sandbox is "auto" or "unsandboxed", not {sandbox!r}')
        self.limits = limits or Limits()
        self.kind, self.folder, self.process, self.control = None, None, None, None
        self._lab, self._sandbox = lab, sandbox
        # Its submissions get a user id from this, so that their limits count for this box alone.
        self.number = os.getpid() * 16 + next(_count)

    @property
    def name(self):
        """What reports say: ``"bubblewrap"`` or ``"unsandboxed"``."""
        return "unsandboxed" if self.kind == "unsandboxed" else "bubblewrap"

    def __enter__(self):
        self.folder = Path(tempfile.mkdtemp(prefix="box-"))
        try:
            page.build(self.folder, self._lab)
            # Whatever the umask: a box reads this as another user.
            for path in (self.folder, *self.folder.rglob("*")):
                path.chmod(0o755 if path.is_dir() else 0o644)
            self._open()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        self._stop()
        if self.folder is not None:
            shutil.rmtree(self.folder, ignore_errors=True)

    def _open(self):
        """Take the strongest kind that works here."""
        if not hasattr(os, "fork"):
            raise SandboxUnavailable("grading student code needs Linux or macOS; on Windows run it in WSL")
        reason = bubblewrap.missing()
        for kind in LADDERS[self._sandbox]:
            if bubblewrap.missing() and kind != "unsandboxed":
                continue
            self.kind = kind
            try:
                self._start()
                if self.run([Cell("1 + 1")])[0].how == "ok":
                    return
                reason = "a notebook could not be started in it"
            except (SandboxUnavailable, OSError) as problem:
                reason = f"bubblewrap may not run here ({problem}); in a container it needs user namespaces"
            self._stop()
        raise SandboxUnavailable(
            f"{reason}. Student code would run with your rights: grade on a Linux machine where bubblewrap runs, "
            "or say --unsandboxed if you trust these students."
        )

    # -- the process --------------------------------------------------------------------

    def _start(self):
        ours, theirs = socket.socketpair()
        inside = self.folder if self.kind == "unsandboxed" else Path("/box")
        isolation = {"bubblewrap": "namespaces", "bubblewrap-cold": "privileges", "unsandboxed": "none"}[self.kind]
        program = [
            sys.executable,
            "-I",
            str(inside / "inside/zygote.py"),
            str(theirs.fileno()),
            str(inside / "page"),
            isolation,
        ]
        extra = {}
        if self.kind == "unsandboxed":
            home = self.folder / "home"
            home.mkdir(exist_ok=True)
            extra = {"env": bubblewrap.environment(str(home)), "cwd": home, "start_new_session": True}
        else:
            program = bubblewrap.command(
                self.folder, program, tmp_bytes=self.limits.tmp_bytes, separate=self.kind == "bubblewrap"
            )
        with theirs:
            self.process = subprocess.Popen(
                program,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                pass_fds=[theirs.fileno()],
                **extra,
            )
        ours.settimeout(START_SECONDS)
        self.control = ours
        try:
            ready = ours.recv(1)
        except OSError:
            ready = b""
        if ready != b"+":
            self.process.kill()
            said = self.process.stderr.read().decode(errors="replace").strip().rpartition("\n")[2]
            raise SandboxUnavailable(said or "the box did not start")
        self.process.stderr.close()

    def _stop(self):
        if self.control is not None:
            self.control.close()
            self.control = None
        if self.process is not None:
            if self.process.poll() is None:
                try:
                    self.process.wait(2)
                except subprocess.TimeoutExpired:
                    self.process.kill()
            self.process.wait()
            self.process = None

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
        if self.process is None or self.process.poll() is not None:
            self._stop()
            self._start()
        session = Session(self, sum(isinstance(step, Question) for step in steps), given or {})
        try:
            found = [session.cell(at, s) if isinstance(s, Cell) else session.freeze(s) for at, s in enumerate(steps)]
            session.end_cells()
            return [session.ask(one) if isinstance(one, Frozen) else one for one in found]
        finally:
            if not session.close() or self.kind == "bubblewrap-cold":
                self.process.kill()
                self._stop()
