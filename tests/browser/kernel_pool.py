"""Pool of kernels for the notebooks of tests: new processes that have the imports done.

A kernel takes half a second of a processor to come up, the course's imports take one more, and half a second goes by
until Python has taken all down again. Here the imports are done once: the pool forks a process for each kernel,
and one that was told to shut down just ends. Pages of the course have kernels as their readers have.

`begin` starts the pool, which ends with what started it. What Jupyter starts and takes for the kernel is this file
with a socket and a connection file: it asks the pool for a kernel, hands on the signals that it gets itself, and
ends when the kernel does.
"""

import json
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path
from subprocess import PIPE

NAME = "born-ready"


def begin(folder, environment, log):
    """Start a pool, and tell the Jupyter of this environment of its kernels.

    Parameters
    ----------
    folder : path
        Takes the socket.
    environment : dict
        Its variables and Jupyter's, ``JUPYTER_DATA_DIR`` among them.
    log : path
        Takes what the kernels say.

    Returns
    -------
    subprocess.Popen
        It ends when its standard input is closed.
    """
    address = Path(folder) / NAME
    kernels = Path(environment["JUPYTER_DATA_DIR"]) / "kernels" / NAME
    kernels.mkdir(parents=True)
    argv = [sys.executable, "-S", "-E", __file__, str(address), "{connection_file}"]
    spec = {"argv": argv, "display_name": "Python 3", "language": "python"}
    (kernels / "kernel.json").write_text(json.dumps(spec))
    command = [sys.executable, "-m", __name__]
    with socket.socket(socket.AF_UNIX) as door, open(log, "a") as stream:
        door.bind(str(address))
        door.listen()
        number = door.fileno()
        return subprocess.Popen(
            [*command, str(number)], env=environment, stdin=PIPE, stdout=stream, stderr=stream, pass_fds=[number]
        )


def ask(address, connection_file):
    """Have a kernel born, and stand for it until it ends."""
    with socket.socket(socket.AF_UNIX) as line:
        line.connect(address)
        stream = line.makefile("rwb")
        stream.write(json.dumps([connection_file, os.getcwd(), dict(os.environ)]).encode() + b"\n")
        stream.flush()
        kernel = int(stream.readline())
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda number, _: os.kill(kernel, number))
        stream.readline()


def live(line, stream):
    """Be the kernel that was asked for."""
    connection_file, folder, environment = json.loads(stream.readline())
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(folder)
    sys.path.insert(0, "")
    stream.write(f"{os.getpid()}\n".encode())
    stream.flush()
    from ipykernel.kernelapp import IPKernelApp

    IPKernelApp.launch_instance(argv=["-f", connection_file, f"--IPKernelApp.parent_handle={os.getppid()}"])


def serve(door):
    """Wait for wishes until the standard input is closed, as it is when the parent is gone."""
    import gc
    import selectors

    import ipykernel.kernelapp  # noqa: F401

    import autograder  # noqa: F401
    from chip2cluster import explore

    explore.roofline().still()
    gc.freeze()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    with door, selectors.DefaultSelector() as waiting:
        waiting.register(door, selectors.EVENT_READ)
        waiting.register(sys.stdin, selectors.EVENT_READ)
        while all(key.fileobj is door for key, _ in waiting.select()):
            line, _ = door.accept()
            if os.fork() == 0:
                signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                door.close()
                os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
                try:
                    with line, line.makefile("rwb") as stream:
                        live(line, stream)
                finally:
                    os._exit(0)
            line.close()


if __name__ == "__main__":
    if len(sys.argv) == 2:
        serve(socket.socket(fileno=int(sys.argv[1])))
    else:
        ask(*sys.argv[1:])
