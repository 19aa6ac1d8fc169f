"""Worker process: opens a warm sandbox, grades the submissions that the pool sends, and ends with its parent."""

import gc
import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from enum import StrEnum
from importlib import import_module
from multiprocessing import connection
from pathlib import Path
from typing import Any

from ...atomic_write import is_disk_full
from ...sandbox import Sandbox, SandboxUnavailable
from ..lab import Lab
from ..result import Result
from ..student_seeds import Secrets


class WorkerMessage(StrEnum):
    """Type of a message from a worker."""

    READY = "ready"
    RESULT = "result"
    REFUSED = "refused"
    FAULT = "fault"
    FULL = "disk full"
    USABLE = "exercises usable"
    UNUSABLE = "exercise unusable"


def default_grade(folder: Path, student: str, lab: Lab, sandbox: Sandbox, secrets: Secrets | None = None) -> Result:
    """Grade with `autograder.grading.submission.grade`, imported where it is used."""
    from ..submission import grade

    return grade(folder, student, lab, sandbox, secrets)


def default_sandbox(lab: Lab, *, sandbox: str) -> Sandbox:
    """Open a sandbox of `autograder.sandbox`, imported where it is used."""
    from ...sandbox import Sandbox

    return Sandbox(lab, sandbox=sandbox)


def work(
    pipe: connection.Connection,
    sandbox: str,
    open_sandbox: Callable[..., Any],
    grade_one: Callable[..., Result],
) -> None:
    """Run in the worker: open a sandbox, grade submissions, and end with the parent."""
    # Ctrl-C reaches the whole process group; the parent decides when workers end.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # Closes the sandbox and removes its folder.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    threading.Thread(target=_end_with_parent, daemon=True).start()
    try:
        import_module("autograder.grading.submission")
        lab, examines = pipe.recv()
        if examines:
            from ..usable_exercises import unusable_exercise

            problem = unusable_exercise(lab)
            _send(pipe, WorkerMessage.UNUSABLE if problem else WorkerMessage.USABLE, problem)
        with open_sandbox(lab, sandbox=sandbox) as opened:
            _send(pipe, WorkerMessage.READY, opened.name)
            while True:
                folder, student = pipe.recv()
                _send(pipe, WorkerMessage.RESULT, grade_one(folder, student, lab, opened))
    except EOFError:
        gc.freeze()  # skips a garbage collection of all imported modules at exit
    except SandboxUnavailable as problem:
        _send(pipe, WorkerMessage.REFUSED, str(problem))
    except Exception as problem:
        import traceback

        if is_disk_full(problem):
            _send(pipe, WorkerMessage.FULL, "")
        _send(pipe, WorkerMessage.FAULT, traceback.format_exc())


def _send(pipe: connection.Connection, message: WorkerMessage, content: object) -> None:
    # If the parent is gone, the next `recv` reports it.
    with suppress(OSError):
        pipe.send((message, content))


def _end_with_parent() -> None:
    """End this process, its sandbox and the sandbox's folder as soon as the parent has died."""
    if (parent := multiprocessing.parent_process()) is not None:
        connection.wait([parent.sentinel])
        os.kill(os.getpid(), signal.SIGTERM)
