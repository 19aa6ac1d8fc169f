"""What each rank does: `ping_pong` and `all_reduce` start it, under MPI or by itself; rank 0 prints a line a size."""

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


class Mpi:
    """What is asked of a communicator, by MPI."""

    def __init__(self) -> None:
        from mpi4py import MPI  # type: ignore[import-not-found,unused-ignore]

        world = self._world = MPI.COMM_WORLD
        self.rank, self.size, self.barrier, self.all_reduce = world.rank, world.size, world.Barrier, world.Allreduce
        self.library = MPI.Get_library_version().split(",")[0].strip().strip("\0")
        self._largest = MPI.MAX

    def send(self, data: np.ndarray, to: int) -> None:
        self._world.Send(data, to)

    def receive(self, out: np.ndarray, source: int) -> None:
        self._world.Recv(out, source)

    def send_receive(self, data: np.ndarray, to: int, out: np.ndarray, source: int) -> None:
        self._world.Sendrecv(data, to, recvbuf=out, source=source)

    def largest(self, values: np.ndarray) -> np.ndarray:
        out = np.empty_like(values)
        self._world.Allreduce(values, out, self._largest)
        return out


def ring(comm: Any, data: np.ndarray, out: np.ndarray, room: np.ndarray) -> None:
    """All-reduce by neighbours alone: each part goes round once to be summed, and once more to be known."""
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
    """There and back again."""
    if comm.rank == 0:
        comm.send(data, 1)
        comm.receive(out, 1)
    else:
        comm.receive(out, 0)
        comm.send(out, 0)


def sweep(asked: dict[str, Any], comm: Any) -> None:
    """Time every size within its share of the budget."""
    Path(asked["folder"], f"{os.getpid()}.pid").touch()  # so that whoever started us can end us
    if hasattr(signal, "alarm"):  # and if nobody can any more, the system does
        signal.alarm(asked["limit"])
    if comm.size != asked["ranks"]:
        sys.exit(f"mpirun started {asked['ranks']} ranks and mpi4py sees {comm.size}: they are not of the same MPI")
    _print(comm, {"library": comm.library})
    for size in asked["sizes"]:
        _print(comm, {"size": size} | _measured(asked, comm, size // ELEMENT))


def _measured(asked: dict[str, Any], comm: Any, count: int) -> dict[str, Any]:
    pattern = np.arange(count) % 7.0
    data, out, room = pattern + comm.rank, np.empty(count), np.empty(count)
    operations: dict[str, Callable[[], None]] = {
        "ping_pong": lambda: ping_pong(comm, data, out),
        "ring": lambda: ring(comm, data, out, room),
        "all_reduce": lambda: comm.all_reduce(data, out),
    }
    operation = operations[asked["operation"]]
    begin, late = time.perf_counter(), 0.0
    warm_up, times = _times(comm, operation, asked["warm_up"]), np.empty(0)
    while not times.size or (len(times) < asked["repeats"] and late < asked["budget"]):
        more = min(max(1, len(times)), asked["repeats"] - len(times))
        times = np.concatenate([times, _times(comm, operation, more)])
        late = comm.largest(np.array([time.perf_counter() - begin]))[0]  # all ranks repeat as often as each other
    if asked["operation"] == "ping_pong":
        right = pattern  # of rank 0
        warm_up, times = warm_up / 2, times / 2
    else:
        right = comm.size * pattern + comm.size * (comm.size - 1) / 2
    wrong = comm.largest(np.array([float(np.count_nonzero(out != right))]))
    return {"warm_up": warm_up.tolist(), "times": times.tolist(), "wrong": int(wrong[0])}


def _times(comm: Any, operation: Callable[[], None], repeats: int) -> np.ndarray:
    """A repeat took as long as the slowest rank."""
    clock, barrier = time.perf_counter, comm.barrier
    times = np.empty(repeats)
    for repeat in range(repeats):
        barrier()
        start = clock()
        operation()
        times[repeat] = clock() - start
    return comm.largest(times)


def _print(comm: Any, told: dict[str, Any]) -> None:
    if comm.rank == 0:
        print(json.dumps(told), flush=True)


def _end_with_the_reader(folder: str) -> None:
    """Where pipes have names: whoever started us holds the other end of one, and when it is gone, so are we."""
    if not hasattr(os, "mkfifo"):
        return
    end = os.open(Path(folder, "alive"), os.O_RDONLY | os.O_NONBLOCK)  # does not wait for one who is gone already
    os.set_blocking(end, True)

    def last() -> None:
        os.read(end, 1)
        shutil.rmtree(folder, ignore_errors=True)
        os._exit(1)

    threading.Thread(target=last, daemon=True).start()


def main() -> None:
    """Read what is asked from the command line; be one rank of MPI, or start them all."""
    asked = json.loads(sys.argv[1])
    Path(asked["folder"], f"{os.getpid()}.pid").touch()
    _end_with_the_reader(asked["folder"])
    if asked["backend"] == "mpi":
        sweep(asked, Mpi())
    else:
        elements = max(max(asked["sizes"]) // ELEMENT, 64)
        from chip2cluster.measure._ranks import sweep as importable

        file = str(Path(asked["folder"], "memory"))
        _shared_memory.start(asked["ranks"], elements, file, functools.partial(importable, asked))


if __name__ == "__main__":
    main()
