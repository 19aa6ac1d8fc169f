"""Servers for tests and measurements: a folder on a web server of its own, and Jupyter's server when it answers."""

import json
import socket
import subprocess
import sys
from contextlib import contextmanager, suppress
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from urllib.parse import urlsplit

from tests.waiting import wait_until


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def copyfile(self, source, outputfile):
        with suppress(ConnectionError):  # a page that is left takes the rest no more
            super().copyfile(source, outputfile)


@contextmanager
def served(folder):
    """Serve a folder; gives the address, without a slash at its end."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(folder)))
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


def start_jupyter(arguments, environment, folder, log):
    """Start a Jupyter server and wait until it answers.

    Parameters
    ----------
    arguments : list of str
        What follows ``python -m``.
    environment : dict
        Its variables, ``JUPYTER_RUNTIME_DIR`` among them.
    folder : path
        Where it starts.
    log : path
        Takes what it says.

    Returns
    -------
    subprocess.Popen, str
        The server, which the caller ends, and its address.

    Notes
    -----
    The server looks for a free port, lets go of it, writes its address down, and opens the port last of all: in
    between nobody answers, or somebody else has taken the port and the server ends. Then it is started again, up to
    three times in all, because no option makes the server keep the port that it found.
    """
    for _ in range(3):
        with open(log, "a") as stream:
            command = [sys.executable, "-m", *arguments, "--ServerApp.ip=127.0.0.1", "--ServerApp.port=0"]
            server = subprocess.Popen(command, env=environment, stdout=stream, stderr=stream, cwd=folder)
        written = Path(environment["JUPYTER_RUNTIME_DIR"]) / f"jpserver-{server.pid}.json"
        try:
            address = wait_until(
                lambda server=server, written=written: _address(written) or server.poll() is not None,
                seconds=180,
                what=lambda: f"the server answers\n{_end_of(log)}",
            )
        except BaseException:
            server.kill()
            server.wait()
            raise
        if address is not True:
            return server, address
    raise RuntimeError(f"the server ended three times:\n{_end_of(log)}")


def _address(written):
    """Return the address that a Jupyter server wrote down, or None if nobody answers there."""
    with suppress(OSError, ValueError, KeyError):
        address = json.loads(written.read_text())["url"]
        socket.create_connection((urlsplit(address).hostname, urlsplit(address).port), 1).close()
        return address


def _end_of(log):
    return Path(log).read_text()[-4000:]
