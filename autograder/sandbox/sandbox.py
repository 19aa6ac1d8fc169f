"""Sandbox: one isolated warm interpreter that runs notebooks and answers queries, one submission after another."""

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
from typing import Any

import psutil

from . import bubblewrap, bwrap_binary, cgroup, page_files, seatbelt, visible_paths
from .backends import FALLBACKS, ISOLATED, ISOLATION, Backend, SandboxType, SandboxUnavailable
from .inside import filters
from .limits import Limits
from .notebook_steps import CallReply, CellResult, CodeCell, Query
from .process_usage import descendants
from .reruns import run_with_reruns
from .session import Session
from .session_interface import Channel, FunctionAnswers
from .time_budget import TimeBudget
from .visible_paths import HiddenPathConflict

START_SECONDS = 60
END_SECONDS = 5  # for the last processes of a sandbox to end
FIRST_UID, UIDS = 200_000, 60_000
MODEL_ANSWERS = "model answers"  # not the name of a module

_count = count()


class Sandbox:
    """Isolated place to run student code. A context manager.

    Parameters
    ----------
    lab : page_files.LabContent
        Lab that decides which files are visible.
    sandbox : str
        Mode: ``"auto"`` takes bubblewrap and raises if it cannot run; ``"unsandboxed"`` takes a plain subprocess with
        limits if bubblewrap cannot run, on macOS under ``sandbox-exec``.
    limits : Limits, optional

    Attributes
    ----------
    backend : Backend
        Backend that was chosen when the sandbox was opened.
    binary : bwrap_binary.Binary or None
        The bubblewrap program in use; None without isolation.
    interpreter_pid : int
        Process of the warm interpreter.
    wall_clock_hit : bool
        Whether the clock has stopped code in the last run that had CPU time left: on a less busy machine it might have
        finished.

    Raises
    ------
    ValueError
        If ``sandbox`` is another word.
    SandboxUnavailable
        If no backend works when the sandbox is entered; the message gives the reason and the remedy.
    """

    def __init__(self, lab: page_files.LabContent, *, sandbox: str = "auto", limits: Limits | None = None) -> None:
        if sandbox not in FALLBACKS:
            raise ValueError(f'sandbox is "auto" or "unsandboxed", not {sandbox!r}')
        self.limits = limits or Limits()
        self.backend = FALLBACKS[sandbox][0]
        self.binary: bwrap_binary.Binary | None = None
        self._lab, self._mode = lab, sandbox
        self._folder: Path | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._control: socket.socket | None = None
        self._group: cgroup.ControlGroup | None = None
        self._others: dict[tuple[str, ...], Sandbox] = {}  # by what answers may call there, or what it is for
        self.interpreter_pid, self.wall_clock_hit = 0, False
        # Its submissions get a user id from this number, so that their limits count for this sandbox alone.
        self.number = os.getpid() * 16 + next(_count)

    @property
    def name(self) -> SandboxType:
        """Type that reports name."""
        return SandboxType.BUBBLEWRAP if self.backend in ISOLATED else SandboxType.UNSANDBOXED

    @property
    def pid(self) -> int:
        """Process number of `process`."""
        return self.process.pid

    @property
    def process(self) -> subprocess.Popen[bytes]:
        """Process below which everything in this sandbox runs."""
        if self._process is None:
            raise RuntimeError("the sandbox is not open")
        return self._process

    @property
    def folder(self) -> Path:
        """Folder with the files of the course that the sandbox sees."""
        if self._folder is None:
            raise RuntimeError("the sandbox is not open")
        return self._folder

    def oom_kills(self) -> int:
        """Return how many processes of this sandbox the kernel has killed for lack of memory; 0 without a group."""
        return self._group.oom_kills() if self._group else 0

    def with_models(self) -> "Sandbox":
        """Return a sandbox of the same lab in which cells may call every model of the package; see `allowing`."""
        return self.allowing(page_files.ALL_MODELS)

    def allowing(self, models: tuple[str, ...]) -> "Sandbox":
        """Return a sandbox of the same lab with these models; this one if it has them and no others.

        Another one opens when it is first needed, shares nothing with this one, and closes with it.

        Parameters
        ----------
        models : tuple of str
            Full names of the models that cells and answers may call, sorted.

        Raises
        ------
        SandboxUnavailable
        """
        return self if models == self._lab.allowed else self._other(models, models)

    def for_answers(self) -> "Sandbox":
        """Return a sandbox of the same lab for model answers alone: no code of a submission ever runs there."""
        return self._other((MODEL_ANSWERS,), self._lab.allowed)

    def _other(self, key: tuple[str, ...], models: tuple[str, ...]) -> "Sandbox":
        if key not in self._others:
            # The lab's own folder may be gone by now.
            folder = self.folder / "page" / "files"
            content = page_files.OtherModels(self._lab.released, folder, self._lab.private, models)
            self._others[key] = Sandbox(content, sandbox=self._mode, limits=self.limits).__enter__()
        return self._others[key]

    def working_folder(self, name: str) -> Path:
        """Return the path of a submission's working folder, as the submission sees it."""
        if self.backend not in ISOLATED:
            return self.folder / "home" / name
        return Path(bubblewrap.scratch_folder(), "work")

    def __enter__(self) -> "Sandbox":
        """Open the sandbox with the strongest backend that works."""
        self._folder = Path(tempfile.mkdtemp(prefix="box-"))
        try:
            page_files.build(self.folder, self._lab)
            # Whatever the umask: the sandbox reads these files as another user.
            for path in (self.folder, *self.folder.rglob("*")):
                path.chmod(0o755 if path.is_dir() else 0o644)
            self._group = cgroup.create_group(self.number, self.limits)
            self._open()
        except BaseException:
            self.__exit__(None, None, None)
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End all processes and remove the sandbox's files."""
        for other in self._others.values():
            other.__exit__(kind, problem, trace)
        self._others.clear()
        self._stop()
        if self._group is not None:
            self._group.close()
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)

    def _open(self) -> None:
        """Start the strongest backend that works on this machine."""
        if not hasattr(os, "fork"):
            raise SandboxUnavailable("on Windows grade in WSL or in a container: see docs/instructors/sandbox.md")
        binaries, problem = bwrap_binary.find()
        if missing := filters.unavailable_reason():
            binaries, problem = [], missing
        reasons = {"": problem} if problem else {}
        backends = FALLBACKS[self._mode]
        attempts: list[tuple[Backend, bwrap_binary.Binary | None]]
        attempts = [(backend, binary) for binary in binaries for backend in backends if backend in ISOLATED]
        attempts += [(backend, None) for backend in backends if backend not in ISOLATED]
        for self.backend, self.binary in attempts:
            if self.backend is Backend.SEATBELT and seatbelt.unavailable_reason():
                continue
            name = self.binary.path if self.binary else self.backend.value
            try:
                self._start()
                _, replies = self.run([CodeCell("f = abs"), Query("f", [[-1.0]])])
                if isinstance(replies, list) and replies[0].value == 1.0:
                    return
                reasons[name] = f"{name} starts, but runs no notebook"
            except HiddenPathConflict:
                raise
            except (SandboxUnavailable, OSError) as problem:
                reasons[name] = f"{name} may not run here ({problem})"
            self._stop()
        reason = ";\n".join(reasons.values())
        advice = f": {bwrap_binary.advice()}" if binaries else ""
        raise SandboxUnavailable(
            f"{reason}{advice}.\nGrade in a container (see docs/instructors/sandbox.md), or say "
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
                self._group.wrap(program) if self._group else program,
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
                raise SandboxUnavailable(last or "the sandbox did not start")
        # No student process exists yet, so the warm interpreter is the last in the chain of descendants.
        self.interpreter_pid = [self.pid, *(process.pid for process in descendants(self.pid))][-1]

    def _command(self, descriptor: int) -> tuple[list[str], dict[str, Any]]:
        """Return the command line of the warm interpreter, which takes orders on a file descriptor, and Popen's options."""
        page = (Path("/box") if self.binary else self.folder) / "page"
        program = [sys.executable, "-I", str(page / page_files.PROGRAM), str(descriptor), str(page)]
        program.append(ISOLATION[self.backend])
        if self.binary:
            program = bubblewrap.command(
                self.binary.path,
                self.folder,
                program,
                tmp_bytes=self.limits.tmp_bytes,
                separate=self.backend is Backend.WARM,
                hidden=self._lab.private,
            )
            return program, {}
        home = self.folder / "home"
        home.mkdir(exist_ok=True)
        if self.backend is Backend.SEATBELT:
            shown: list[str | Path] = [self.folder, *visible_paths.interpreter()]
            program = seatbelt.command(
                program, home=home, shown=shown, hidden=[*self._lab.private, *visible_paths.private_paths()]
            )
        return program, {"env": bubblewrap.environment(str(home)), "cwd": home, "start_new_session": True}

    def _stop(self, wait: float = 2) -> None:
        """End the warm interpreter and everything below it; kill it if it takes longer than ``wait`` seconds."""
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
            until = time.monotonic() + END_SECONDS
            while any(map(_is_alive, below)) and time.monotonic() < until:
                time.sleep(0.002)
            self._process = None

    # -- one notebook -------------------------------------------------------------------

    def run(
        self,
        steps: Sequence[CodeCell | Query],
        given: dict[str, Any] | None = None,
        files: Mapping[str, bytes] | None = None,
        *,
        reruns: int = 0,
        budget: TimeBudget | None = None,
        answers: FunctionAnswers | None = None,
    ) -> list[CellResult | list[CallReply]]:
        """Run a notebook's steps in order.

        Parameters
        ----------
        steps : list of CodeCell and Query
        given : dict, optional
            The student's own constants by exercise, as the page shows them.
        files : dict, optional
            Files beside the notebook: bytes by path. A file of the lab has priority over one with the same path.
        reruns : int
            How many times all cells run again without one that ended the interpreter.
        budget : TimeBudget, optional
            Remaining time of the submission, if this is not its first run.
        answers : FunctionAnswers, optional
            Answers the calls of functions that a query lists as corrected.

        Returns
        -------
        list
            For each step a `CellResult`, or a list with one `CallReply` for each call of a `Query`. All come from
            untrusted code.

        Notes
        -----
        All cells run first. At each query a snapshot of the state is taken; it gets the query when no cell runs any
        more, so no cell can learn the inputs.
        """
        budget = budget or TimeBudget(self.limits)
        opened = partial(self.open_session, given or {}, files or {}, budget, answers=answers)
        try:
            return run_with_reruns(steps, reruns, budget, opened)
        finally:
            self.wall_clock_hit = budget.wall_clock_hit

    @contextmanager
    def open_session(
        self,
        given: dict[str, Any],
        files: Mapping[str, bytes],
        budget: TimeBudget,
        queries: int = 0,
        *,
        answers: FunctionAnswers | None = None,
    ) -> Iterator[Session]:
        """Open a session for one submission; leave the sandbox ready for the next one. Parameters as for `run`."""
        if self._process is None or self._process.poll() is not None:
            self._stop()
            self._start()
        session = Session(self._channel(), queries, given, budget, answers)
        try:
            if files:
                session.write_files(files)
            yield session
        finally:
            if not session.close() or self.backend is Backend.COLD:
                self._stop(wait=0)

    def _channel(self) -> Channel:
        if self._control is None:
            raise RuntimeError("the sandbox is not open")
        return Channel(
            control=self._control,
            root_pid=self.pid,
            interpreter_pid=self.interpreter_pid,
            user_id=FIRST_UID + self.number % UIDS,
            isolated=self.backend in ISOLATED,
            limits=self.limits,
            working_folder=self.working_folder,
            oom_kills=self.oom_kills,
        )


def _is_alive(process: psutil.Process) -> bool:
    """Return whether a process has not ended; a zombie has."""
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.Error:
        return False
