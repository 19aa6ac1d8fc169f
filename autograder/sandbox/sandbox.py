"""A box: one warm, locked interpreter that runs notebooks and answers questions, one after another."""

import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from itertools import count
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

import psutil

from . import bubblewrap, bwrap_binary, cgroup, page_files, seatbelt, visible_paths
from .backends import ISOLATION, LADDERS, ROOMS, Kind, Sandbox, SandboxUnavailable
from .inside import filters
from .limits import Limits
from .process_usage import descendants
from .reruns import run
from .session import Session
from .steps import Answered, Cell, Question, Ran
from .time_budget import Budget
from .visible_paths import Exposed

if TYPE_CHECKING:
    from ..grading.lab import Lab

START_SECONDS = 60
GONE = 5  # seconds for the last processes of a box to end

_count = count()


class Box:
    """A place where a stranger's code can do no harm. A context manager.

    Parameters
    ----------
    lab : grading.lab.Lab
        Decides what the box can see.
    sandbox : str
        ``"auto"`` takes bubblewrap and raises where it cannot run;
        ``"unsandboxed"`` takes a plain subprocess with limits where bubblewrap
        cannot run, on macOS under what that system offers.
    limits : Limits, optional

    Attributes
    ----------
    kind : Kind
        What was taken when the box was opened.
    binary : bwrap_binary.Binary or None
        The bubblewrap program in use; None without a sandbox.
    warm : int
        The warm interpreter's process.
    by_clock : bool
        Whether the clock ended something in the last run that had computing left: on
        a machine with less to do it might have come to its end.

    Raises
    ------
    ValueError
        For another ``sandbox``.
    SandboxUnavailable
        When the box is entered, with the reason and what to do about it.
    """

    def __init__(self, lab: "Lab", *, sandbox: str = "auto", limits: Limits | None = None) -> None:
        if sandbox not in LADDERS:
            raise ValueError(f'sandbox is "auto" or "unsandboxed", not {sandbox!r}')
        self.limits = limits or Limits()
        self.kind = LADDERS[sandbox][0]
        self.binary: bwrap_binary.Binary | None = None
        self._lab, self._sandbox = lab, sandbox
        self._folder: Path | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._control: socket.socket | None = None
        self._group: cgroup.Group | None = None
        self.warm, self.by_clock = 0, False
        # Its submissions get a user id from this, so that their limits count for this box alone.
        self.number = os.getpid() * 16 + next(_count)

    @property
    def name(self) -> Sandbox:
        """What reports say."""
        return Sandbox.BUBBLEWRAP if self.kind in ROOMS else Sandbox.UNSANDBOXED

    @property
    def pid(self) -> int:
        """The process below which everything of this box runs."""
        return self.process.pid

    @property
    def process(self) -> subprocess.Popen[bytes]:
        if self._process is None:
            raise RuntimeError("the box is not open")
        return self._process

    @property
    def control(self) -> socket.socket:
        """The line on which orders go to the warm interpreter."""
        if self._control is None:
            raise RuntimeError("the box is not open")
        return self._control

    @property
    def folder(self) -> Path:
        """What the box sees of the course."""
        if self._folder is None:
            raise RuntimeError("the box is not open")
        return self._folder

    def kills(self) -> int:
        """How many processes of this box the kernel has ended for their memory; 0 where no group counts them."""
        return self._group.kills() if self._group else 0

    def scratch(self, name: str) -> Path:
        """Where a submission works, as it sees that itself."""
        if self.kind not in ROOMS:
            return self.folder / "home" / name
        return Path(bubblewrap.scratch(), "work")

    def __enter__(self) -> "Box":
        self._folder = Path(tempfile.mkdtemp(prefix="box-"))
        try:
            page_files.build(self.folder, self._lab)
            # Whatever the umask: a box reads this as another user.
            for path in (self.folder, *self.folder.rglob("*")):
                path.chmod(0o755 if path.is_dir() else 0o644)
            self._group = cgroup.group(self.number, self.limits)
            self._open()
        except BaseException:
            self.__exit__(None, None, None)
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop()
        if self._group is not None:
            self._group.close()
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)

    def _open(self) -> None:
        """Take the strongest kind that works here."""
        if not hasattr(os, "fork"):
            raise SandboxUnavailable("on Windows grade in WSL, or in the container of autograder/INSTRUCTORS.md")
        binaries, problem = bwrap_binary.find()
        if missing := filters.missing():
            binaries, problem = [], missing
        reasons = {"": problem} if problem else {}
        ladder = LADDERS[self._sandbox]
        attempts: list[tuple[Kind, bwrap_binary.Binary | None]]
        attempts = [(kind, binary) for binary in binaries for kind in ladder if kind in ROOMS]
        attempts += [(kind, None) for kind in ladder if kind not in ROOMS]
        for self.kind, self.binary in attempts:
            if self.kind is Kind.SEATBELT and seatbelt.missing():
                continue
            name = self.binary.path if self.binary else self.kind.value
            try:
                self._start()
                _, answers = self.run([Cell("f = abs"), Question("f", [[-1.0]])])
                if isinstance(answers, list) and answers[0].value == 1.0:
                    return
                reasons[name] = f"{name} starts, but runs no notebook"
            except Exposed:
                raise
            except (SandboxUnavailable, OSError) as problem:
                reasons[name] = f"{name} may not run here ({problem})"
            self._stop()
        reason = ";\n".join(reasons.values())
        advice = f": {bwrap_binary.advice()}" if binaries else ""
        raise SandboxUnavailable(
            f"{reason}{advice}.\nGrade in the container of autograder/INSTRUCTORS.md, or say "
            "--unsandboxed if you trust these students: their code then runs with your rights."
        )

    # -- the process --------------------------------------------------------------------

    def _start(self) -> None:
        ours, theirs = socket.socketpair()
        ours.settimeout(START_SECONDS)
        self._control = ours
        with theirs:
            program, options = self._command(theirs.fileno())
            self._process = subprocess.Popen(
                self._group.entering(program) if self._group else program,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                pass_fds=[theirs.fileno()],
                **options,
            )
        try:
            ready = ours.recv(1)
        except OSError:
            ready = b""
        with self._process.stderr as errors:  # type: ignore[union-attr]  # a pipe, see above
            if ready != b"+":
                self._process.kill()
                last = errors.read().decode(errors="replace").strip().rpartition("\n")[2]
                raise SandboxUnavailable(last or "the box did not start")
        # Before any student's code there is one line of them, and it is the last.
        self.warm = [self._process.pid, *(process.pid for process in descendants(self._process.pid))][-1]

    def _command(self, descriptor: int) -> tuple[list[str], dict[str, Any]]:
        """Return the command line of the warm interpreter, which takes orders on a file descriptor, and Popen's options."""
        place = (Path("/box") if self.binary else self.folder) / "page"
        program = [sys.executable, "-I", str(place / page_files.PROGRAM), str(descriptor), str(place)]
        program.append(ISOLATION[self.kind])
        if self.binary:
            program = bubblewrap.command(
                self.binary.path,
                self.folder,
                program,
                tmp_bytes=self.limits.tmp_bytes,
                separate=self.kind is Kind.WARM,
                hidden=self._lab.private,
            )
            return program, {}
        home = self.folder / "home"
        home.mkdir(exist_ok=True)
        if self.kind is Kind.SEATBELT:
            shown: list[str | Path] = [self.folder, *visible_paths.interpreter()]
            program = seatbelt.command(
                program, home=home, shown=shown, hidden=[*self._lab.private, *visible_paths.own()]
            )
        return program, {"env": bubblewrap.environment(str(home)), "cwd": home, "start_new_session": True}

    def _stop(self, wait: float = 2) -> None:
        """End the warm interpreter, by force when it takes longer than so many seconds, and everything below it."""
        if self._control is not None:
            self._control.close()
            self._control = None
        if self._process is not None:
            below = descendants(self._process.pid)
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(wait)
            if self._process.poll() is None:
                self._process.kill()
            self._process.wait()
            # The kernel ends them one after another when the first has ended.
            until = time.monotonic() + GONE
            while any(map(_runs, below)) and time.monotonic() < until:
                time.sleep(0.002)
            self._process = None

    # -- one notebook -------------------------------------------------------------------

    def run(
        self,
        steps: Sequence[Cell | Question],
        given: dict[str, Any] | None = None,
        files: Mapping[str, bytes] | None = None,
        *,
        reruns: int = 0,
        budget: Budget | None = None,
    ) -> list[Ran | list[Answered]]:
        """Run a notebook's steps in order.

        Parameters
        ----------
        steps : list of Cell and Question
        given : dict, optional
            The student's own constants by exercise, as the page shows them.
        files : dict, optional
            What lies beside the notebook: bytes by path. A file of the lab wins over
            one of the same path.
        reruns : int
            How many times all cells run once more without one that ended the
            interpreter.
        budget : Budget, optional
            What is left of a submission's, where this is not its first run.

        Returns
        -------
        list
            For each step a `Ran`, or a list with one `Answered` for each call of a
            `Question`, from a place that must not be trusted.

        Notes
        -----
        Cells run first, all of them; a question keeps a copy of the moment, and is
        asked when no cell can learn of it any more.
        """
        budget = budget or Budget(self.limits)
        try:
            return run(steps, reruns, budget, partial(self._session, given or {}, files or {}, budget))
        finally:
            self.by_clock = budget.by_clock

    @contextmanager
    def _session(
        self, given: dict[str, Any], files: Mapping[str, bytes], budget: Budget, questions: int
    ) -> Iterator[Session]:
        """One submission's end of the box, which is fit for the next one afterwards."""
        if self._process is None or self._process.poll() is not None:
            self._stop()
            self._start()
        session = Session(self, questions, given, budget)
        try:
            if files:
                session.lay(files)
            yield session
        finally:
            if not session.close() or self.kind is Kind.COLD:
                self._stop(wait=0)


def _runs(process: psutil.Process) -> bool:
    """Whether a process has not ended; one that nobody has fetched yet has."""
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.Error:
        return False
