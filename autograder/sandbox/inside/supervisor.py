"""Processes of one submission: a supervisor that it cannot kill, a worker that runs cells, a snapshot for each query."""

import base64
import os
import shutil
import signal
import socket
import sys
from contextlib import suppress
from typing import Any, NoReturn

from . import learner_names, message_protocol, process_isolation, query_runner, remote_functions, thread_pools
from .notebook_shell import Shell
from .reply_codes import Isolation


def supervise(shell: Shell, order: dict[str, Any], fds: list[int], page: str, isolation: Isolation) -> NoReturn:
    """Start the worker, then obey the life socket: ``i`` interrupts, ``k`` kills, closing it ends everything."""
    life, cells, *queries = (socket.socket(fileno=fd) for fd in fds)
    os.setsid()
    process_isolation.become_subreaper()
    process_isolation.set_limits(order["limits"])
    if isolation is not Isolation.NONE:
        process_isolation.drop_privileges(order["uid"])
        process_isolation.forbid_tracing()
    process_isolation.load_filter(required=isolation is not Isolation.NONE)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    copies, report = os.pipe()
    worker = os.fork()
    if worker == 0:
        life.close()
        try:
            _run_worker(shell, order, cells, queries, page, report)
        finally:
            os._exit(0)
    for line in (cells, *queries):
        line.close()
    while True:
        for letter in life.recv(64) or b"q":
            with suppress(ProcessLookupError):
                if letter == ord("i"):
                    os.kill(worker, signal.SIGINT)
                else:
                    # With the children that it has left behind; waiting snapshots are process groups of their own.
                    os.killpg(worker, signal.SIGKILL)
            if letter == ord("q"):
                if isolation is Isolation.NONE:
                    _kill_snapshots(copies)
                # If this process has number 1, all others of the session end with it.
                os._exit(0)


def _kill_snapshots(copies: int) -> None:
    """Kill the snapshots that the worker has reported; needed only without a PID namespace."""
    os.set_blocking(copies, False)
    try:
        numbers = os.read(copies, 1 << 16).split()
    except BlockingIOError:
        return
    for number in numbers:
        with suppress(ProcessLookupError, PermissionError, ValueError):
            os.killpg(int(number), signal.SIGKILL)


def _run_worker(
    shell: Shell, order: dict[str, Any], cells: socket.socket, queries: list[socket.socket], page: str, report: int
) -> NoReturn:
    """Obey the messages on the cells' socket.

    ``run`` runs a cell; ``call`` calls a function of the present state; ``snapshot`` forks a copy of that state for a
    later query; ``files`` are the student's own files, where a file of the page with the same name stays.
    """
    os.setpgid(0, 0)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.makedirs(order["folder"], exist_ok=True)
    os.chdir(order["folder"])
    files = os.path.join(page, "files")
    if os.path.isdir(files):
        shutil.copytree(files, ".", dirs_exist_ok=True)
    # JupyterLab looks there first too.
    sys.path.insert(0, order["folder"])
    learner_names.constants.update(order["given"])
    while True:
        message = message_protocol.receive(cells, 1 << 26)
        # A cell may have written a module since the folder was read last.
        sys.path_importer_cache.pop(order["folder"], None)
        if "files" in message:
            _write_files(message["files"])
            reply = {}
        elif "run" in message:
            reply = shell.run(message["run"], message["cell"], order["limits"]["output_bytes"])
        elif "call" in message:
            reply = remote_functions.call_packed(shell.user_ns, message)
        else:
            number = message["snapshot"]
            copy = process_isolation.fork_beyond_limit()
            if copy == 0:
                try:
                    cells.close()
                    for other in queries[:number] + queries[number + 1 :]:
                        other.close()
                    _discard_output()
                    # The kernel sends this signal to a suspended process when its parent ends.
                    signal.signal(signal.SIGHUP, signal.SIG_IGN)
                    thread_pools.reset_thread_pools()
                    query_runner.answer_query(shell, message["function"], queries[number])
                finally:
                    os._exit(0)
            # A group of its own, before the grader can end the cells and their group.
            os.setpgid(copy, copy)
            os.write(report, f"{copy}\n".encode())
            reply = {"copy": copy}
        message_protocol.send(cells, {**reply, "n": message["n"]})


def _write_files(files: dict[str, str]) -> None:
    """Write files into the worker's folder: contents in base64 by path."""
    for name, content in files.items():
        # A file that cannot be written affects only the cells that read it.
        with suppress(OSError):
            os.makedirs(os.path.dirname(name) or ".", exist_ok=True)
            with open(name, "xb") as file:
                file.write(base64.b64decode(content))


def _discard_output() -> None:
    """Discard everything that a function prints while it answers."""
    null = os.open(os.devnull, os.O_RDWR)
    for fd in (0, 1, 2):
        os.dup2(null, fd)
    sys.stdout = sys.stderr = os.fdopen(null, "w")
