"""One submission: a keeper that cannot be killed from within, a worker that runs cells, a copy for each question."""

import base64
import os
import shutil
import signal
import socket
import sys
from contextlib import suppress
from typing import Any, NoReturn

from . import answer_questions, isolate, learner_names, thread_pools, wire
from .codes import Isolation
from .shell import Shell


def keep(shell: Shell, order: dict[str, Any], fds: list[int], page: str, isolation: Isolation) -> NoReturn:
    """Start the worker, then obey the line of life: ``i`` interrupts, ``k`` kills, its end ends everything."""
    life, cells, *questions = (socket.socket(fileno=fd) for fd in fds)
    os.setsid()
    isolate.adopt()
    isolate.limit(order["limits"])
    if isolation is not Isolation.NONE:
        isolate.drop_privileges(order["uid"])
        isolate.hide()
    isolate.refuse_calls(must=isolation is not Isolation.NONE)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    copies, report = os.pipe()
    worker = os.fork()
    if worker == 0:
        life.close()
        try:
            _work(shell, order, cells, questions, page, report)
        finally:
            os._exit(0)
    for line in (cells, *questions):
        line.close()
    while True:
        for letter in life.recv(64) or b"q":
            with suppress(ProcessLookupError):
                if letter == ord("i"):
                    os.kill(worker, signal.SIGINT)
                else:
                    # With the children that it has left behind; the copies that wait are groups of their own.
                    os.killpg(worker, signal.SIGKILL)
            if letter == ord("q"):
                if isolation is Isolation.NONE:
                    _end(copies)
                # Where this process has number 1, all others of the session end with it.
                os._exit(0)


def _end(copies: int) -> None:
    """Without a process namespace: end the copies that the worker has told of."""
    os.set_blocking(copies, False)
    try:
        numbers = os.read(copies, 1 << 16).split()
    except BlockingIOError:
        return
    for number in numbers:
        with suppress(ProcessLookupError, PermissionError, ValueError):
            os.killpg(int(number), signal.SIGKILL)


def _work(
    shell: Shell, order: dict[str, Any], cells: socket.socket, questions: list[socket.socket], page: str, report: int
) -> NoReturn:
    """Run cells as they come; ``freeze`` keeps a copy of this very moment for later questions.

    ``lay`` are the student's own files: what the page brings under the same name stays.
    """
    os.setpgid(0, 0)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.makedirs(order["folder"], exist_ok=True)
    os.chdir(order["folder"])
    files = os.path.join(page, "files")
    if os.path.isdir(files):
        shutil.copytree(files, ".", dirs_exist_ok=True)
    # Where JupyterLab looks first too.
    sys.path.insert(0, order["folder"])
    learner_names.own.update(order["given"])
    while True:
        message = wire.receive(cells, 1 << 26)
        # A cell may have written a module since somebody looked there last.
        sys.path_importer_cache.pop(order["folder"], None)
        if "lay" in message:
            _lay(message["lay"])
            reply = {}
        elif "run" in message:
            reply = shell.run(message["run"], message["cell"], order["limits"]["output_bytes"])
        else:
            number = message["freeze"]
            copy = isolate.fork()
            if copy == 0:
                try:
                    cells.close()
                    for other in questions[:number] + questions[number + 1 :]:
                        other.close()
                    _silence()
                    # What the system says to one that is stopped when its parent ends.
                    signal.signal(signal.SIGHUP, signal.SIG_IGN)
                    thread_pools.revive()
                    answer_questions.answer(shell, message["function"], questions[number])
                finally:
                    os._exit(0)
            # A group of its own, before the grader can end the cells and their group.
            os.setpgid(copy, copy)
            os.write(report, f"{copy}\n".encode())
            reply = {"copy": copy}
        wire.send(cells, {**reply, "n": message["n"]})


def _lay(files: dict[str, str]) -> None:
    """Write files into the worker's folder: contents in base64 by path."""
    for name, content in files.items():
        # One that finds no place costs the cells that look for it, no more.
        with suppress(OSError):
            os.makedirs(os.path.dirname(name) or ".", exist_ok=True)
            with open(name, "xb") as file:
                file.write(base64.b64decode(content))


def _silence() -> None:
    """Nothing that a function prints while it is asked goes anywhere."""
    null = os.open(os.devnull, os.O_RDWR)
    for fd in (0, 1, 2):
        os.dup2(null, fd)
    sys.stdout = sys.stderr = os.fdopen(null, "w")
