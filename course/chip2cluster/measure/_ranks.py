"""Rank process of `ping_pong` and `all_reduce`, under MPI or with shared memory; rank 0 prints one line per size."""

from __future__ import annotations

import functools
import itertools
import json
import os
import shutil
import signal
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from chip2cluster.measure import _shared_memory

ELEMENT = 8  # bytes of a float64


class MpiCommunicator:
    """Communicator that uses MPI."""

    def __init__(self) -> None:
        from mpi4py import MPI  # type: ignore[import-not-found,unused-ignore]

        world = self._world = MPI.COMM_WORLD
        self.rank, self.size, self.barrier, self.all_reduce = world.rank, world.size, world.Barrier, world.Allreduce
        self.library = MPI.Get_library_version().split(",")[0].strip().strip("\0")
        self._largest = MPI.MAX

    def send(self, data: np.ndarray, to: int) -> None:
        """Send an array to a rank."""
        self._world.Send(data, to)

    def receive(self, out: np.ndarray, source: int) -> None:
        """Receive an array from a rank."""
        self._world.Recv(out, source)

    def send_receive(self, data: np.ndarray, to: int, out: np.ndarray, source: int) -> None:
        """Send to one rank and receive from another at the same time."""
        self._world.Sendrecv(data, to, recvbuf=out, source=source)

    def largest(self, values: np.ndarray) -> np.ndarray:
        """Return the element-wise maximum over all ranks."""
        out = np.empty_like(values)
        self._world.Allreduce(values, out, self._largest)
        return out


def ring(comm: Any, data: np.ndarray, out: np.ndarray, room: np.ndarray) -> None:
    """All-reduce on a ring: a reduce-scatter, then an all-gather."""
    ranks, rank = comm.size, comm.rank
    cuts = [len(data) * part // ranks for part in range(ranks + 1)]
    parts = [out[begin:end] for begin, end in itertools.pairwise(cuts)]
    after, before = (rank + 1) % ranks, (rank - 1) % ranks
    out[:] = data
    for step in range(ranks - 1):
        mine, theirs = parts[(rank - step) % ranks], parts[(rank - step - 1) % ranks]
        comm.send_receive(mine, after, room[: len(theirs)], before)
        theirs += room[: len(theirs)]
    for step in range(ranks - 1):
        comm.send_receive(parts[(rank + 1 - step) % ranks], after, parts[(rank - step) % ranks], before)


def ping_pong(comm: Any, data: np.ndarray, out: np.ndarray) -> None:
    """Send a message to the other rank and back."""
    if comm.rank == 0:
        comm.send(data, 1)
        comm.receive(out, 1)
    else:
        comm.receive(out, 0)
        comm.send(out, 0)


def measure_sizes(request: dict[str, Any], comm: Any) -> None:
    """Time every size within its share of the budget."""
    Path(request["folder"], f"{os.getpid()}.pid").touch()  # so that the launcher can terminate this process
    if hasattr(signal, "alarm"):  # the system terminates it if the launcher is gone
        signal.alarm(request["limit"])
    if comm.size != request["ranks"]:
        sys.exit(
            f"mpirun started {request['ranks']} ranks and mpi4py sees {comm.size}: they belong to different MPI libraries"
        )
    _print(comm, {"library": comm.library})
    for size in request["sizes"]:
        _print(comm, {"size": size} | _measured(request, comm, size // ELEMENT))


def _measured(request: dict[str, Any], comm: Any, count: int) -> dict[str, Any]:
    pattern = np.arange(count) % 7.0
    data, out, room = pattern + comm.rank, np.empty(count), np.empty(count)
    operations: dict[str, Callable[[], None]] = {
        "ping_pong": lambda: ping_pong(comm, data, out),
        "ring": lambda: ring(comm, data, out, room),
        "all_reduce": lambda: comm.all_reduce(data, out),
    }
    operation = operations[request["operation"]]
    begin, late = time.perf_counter(), 0.0
    warm_up, times = _times(comm, operation, request["warm_up"]), np.empty(0)
    while not times.size or (len(times) < request["repeats"] and late < request["budget"]):
        more = min(max(1, len(times)), request["repeats"] - len(times))
        times = np.concatenate([times, _times(comm, operation, more)])
        late = comm.largest(np.array([time.perf_counter() - begin]))[0]  # all ranks repeat equally often
    if request["operation"] == "ping_pong":
        right = pattern  # data of rank 0
        warm_up, times = warm_up / 2, times / 2
    else:
        right = comm.size * pattern + comm.size * (comm.size - 1) / 2
    wrong = comm.largest(np.array([float(np.count_nonzero(out != right))]))
    return {"warm_up": warm_up.tolist(), "times": times.tolist(), "wrong": int(wrong[0])}


def _times(comm: Any, operation: Callable[[], None], repeats: int) -> np.ndarray:
    """Return the time of each repeat, the maximum over the ranks."""
    clock, barrier = time.perf_counter, comm.barrier
    times = np.empty(repeats)
    for repeat in range(repeats):
        barrier()
        start = clock()
        operation()
        times[repeat] = clock() - start
    return comm.largest(times)


def _print(comm: Any, message: dict[str, Any]) -> None:
    if comm.rank == 0:
        print(json.dumps(message), flush=True)


def _exit_with_launcher(folder: str) -> None:
    """Exit when the launcher closes its end of the named pipe, if the system has named pipes."""
    if not hasattr(os, "mkfifo"):
        return
    end = os.open(Path(folder, "alive"), os.O_RDONLY | os.O_NONBLOCK)  # does not block if the launcher is already gone
    os.set_blocking(end, True)

    def last() -> None:
        os.read(end, 1)
        shutil.rmtree(folder, ignore_errors=True)
        os._exit(1)

    threading.Thread(target=last, daemon=True).start()


def main() -> None:
    """Read the request from the command line; run as one rank of MPI, or start all ranks."""
    request = json.loads(sys.argv[1])
    Path(request["folder"], f"{os.getpid()}.pid").touch()
    _exit_with_launcher(request["folder"])
    if request["backend"] == "mpi":
        measure_sizes(request, MpiCommunicator())
    else:
        elements = max(max(request["sizes"]) // ELEMENT, 64)
        from chip2cluster.measure._ranks import measure_sizes as importable  # picklable for spawned processes

        file = str(Path(request["folder"], "memory"))
        _shared_memory.start(request["ranks"], elements, file, functools.partial(importable, request))


if __name__ == "__main__":
    main()
