"""One submission: a keeper that cannot be killed from within, a worker that runs cells, a copy for each question."""

import os
import shutil
import signal
import socket
import sys

import answer
import isolate
import wire


def keep(shell, order, fds, page, isolation):
    """Start the worker, then obey the line of life: ``i`` interrupts, ``k`` kills, its end ends everything."""
    life, cells, *questions = (socket.socket(fileno=fd) for fd in fds)
    os.setsid()
    isolate.limit(order["limits"])
    if isolation != "none":
        isolate.drop_privileges(order["uid"])
        isolate.hide()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    copies, told = os.pipe()
    worker = os.fork()
    if worker == 0:
        life.close()
        try:
            _work(shell, order, cells, questions, page, told)
        finally:
            os._exit(0)
    for line in (cells, *questions):
        line.close()
    while True:
        for letter in life.recv(64) or b"q":
            try:
                if letter == ord("i"):
                    os.kill(worker, signal.SIGINT)
                else:
                    # With the children that it has left behind; the copies that wait are groups of their own.
                    os.killpg(worker, signal.SIGKILL)
            except ProcessLookupError:
                pass
            if letter == ord("q"):
                if isolation == "none":
                    _end(copies)
                # Where this process has number 1, all others of the session end with it.
                os._exit(0)


def _end(copies):
    """Without a process namespace: end the copies that the worker has told of."""
    os.set_blocking(copies, False)
    try:
        told = os.read(copies, 1 << 16)
    except BlockingIOError:
        return
    for copy in told.split():
        try:
            os.killpg(int(copy), signal.SIGKILL)
        except (ProcessLookupError, PermissionError, ValueError):
            pass


def _work(shell, order, cells, questions, page, told):
    """Run cells as they come; ``freeze`` keeps a copy of this very moment for later questions."""
    os.setpgid(0, 0)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.makedirs(order["folder"], exist_ok=True)
    os.chdir(order["folder"])
    files = os.path.join(page, "files")
    if os.path.isdir(files):
        shutil.copytree(files, ".", dirs_exist_ok=True)
    from autograder import _given

    _given.update(order["given"])
    while True:
        message = wire.receive(cells, 1 << 26)
        if "run" in message:
            reply = shell.run(message["run"], message["cell"], order["limits"]["output_bytes"])
        else:
            at = message["freeze"]
            copy = isolate.fork()
            if copy == 0:
                try:
                    cells.close()
                    for other in questions[:at] + questions[at + 1 :]:
                        other.close()
                    _silence()
                    answer.answer(shell.user_ns, message["function"], questions[at], order["limits"]["answer_bytes"])
                finally:
                    os._exit(0)
            # A group of its own, before the grader can end the cells and their group.
            os.setpgid(copy, copy)
            os.write(told, f"{copy}\n".encode())
            reply = {}
        wire.send(cells, {**reply, "n": message["n"]})


def _silence():
    """Nothing that a function prints while it is asked goes anywhere."""
    null = os.open(os.devnull, os.O_RDWR)
    for fd in (0, 1, 2):
        os.dup2(null, fd)
    sys.stdout = sys.stderr = open(os.devnull, "w")
