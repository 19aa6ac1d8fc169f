"""Ranks without MPI: processes that share the memory of one file and synchronize through pipes."""

from __future__ import annotations

import multiprocessing
import os
import platform
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numpy as np

TOKEN = b"."


class SharedMemoryCommunicator:
    """Communicator over shared memory: each rank has one row to send from, and the last row holds sums.

    A pipe joins each pair of ranks. Its tokens mean "my row is filled" or "I have read yours"; both ends use it in the
    same order, so the two meanings are never confused.
    """

    def __init__(self, rank: int, peers: dict[int, Any], rows: np.ndarray) -> None:
        self.rank, self.size = rank, len(peers) + 1
        self._peers, self._rows = peers, rows
        self.library = f"multiprocessing of Python {platform.python_version()}, shared memory"

    def barrier(self) -> None:
        """Wait for all ranks with a dissemination barrier: after round k each rank has heard of 2^k others."""
        step = 1
        while step < self.size:
            self._tell((self.rank + step) % self.size)
            self._wait((self.rank - step) % self.size)
            step *= 2

    def send(self, data: np.ndarray, to: int) -> None:
        """Send an array to a rank."""
        self._rows[self.rank, : len(data)] = data
        self._tell(to)
        self._wait(to)

    def receive(self, out: np.ndarray, source: int) -> None:
        """Receive an array from a rank."""
        self._wait(source)
        out[:] = self._rows[source, : len(out)]
        self._tell(source)

    def send_receive(self, data: np.ndarray, to: int, out: np.ndarray, source: int) -> None:
        """Send to one rank and receive from another at the same time."""
        self._rows[self.rank, : len(data)] = data
        self._tell(to)
        self.receive(out, source)
        self._wait(to)

    def all_reduce(self, data: np.ndarray, out: np.ndarray) -> None:
        """All-reduce: each rank sums its share of all rows, then all read the sum."""
        count = len(data)
        self._rows[self.rank, :count] = data
        self.barrier()
        mine = slice(count * self.rank // self.size, count * (self.rank + 1) // self.size)
        np.sum(self._rows[:-1, mine], axis=0, out=self._rows[-1, mine])
        self.barrier()
        out[:] = self._rows[-1, :count]

    def largest(self, values: np.ndarray) -> np.ndarray:
        """Return the element-wise maximum over all ranks."""
        rank = self._rows[self.rank]
        largest = np.empty_like(values)
        for start in range(0, len(values), len(rank)):
            part = values[start : start + len(rank)]
            rank[: len(part)] = part
            self.barrier()
            largest[start : start + len(rank)] = self._rows[:-1, : len(part)].max(axis=0)
            self.barrier()
        return largest

    def _tell(self, other: int) -> None:
        self._peers[other].send_bytes(TOKEN)

    def _wait(self, other: int) -> None:
        self._peers[other].recv_bytes()


def start(ranks: int, elements: int, file: str, work: Callable[[SharedMemoryCommunicator], None]) -> None:
    """Start the other ranks, and run rank 0 in this process."""
    # Written in full, so that a lack of space is an error here and not a crash later.
    np.zeros((ranks + 1, elements)).tofile(file)
    context = multiprocessing.get_context("spawn")
    ends: list[dict[int, Any]] = [{} for _ in range(ranks)]
    for one in range(ranks):
        for other in range(one):
            ends[one][other], ends[other][one] = context.Pipe()
    shape = (ranks + 1, elements)
    others = [
        context.Process(target=_rank, args=(rank, ends[rank], file, shape, work), daemon=True)
        for rank in range(1, ranks)
    ]
    for process, given in zip(others, ends[1:], strict=True):
        process.start()
        for end in given.values():
            end.close()  # so that waiting for a dead rank raises EOFError
    _rank(0, ends[0], file, shape, work)
    for process in others:
        process.join()


def _rank(rank: int, peers: dict[int, Any], file: str, shape: tuple[int, int], work: Any) -> None:
    comm = SharedMemoryCommunicator(rank, peers, np.memmap(file, np.float64, "r+", shape=shape))
    comm.barrier()
    if rank == 0:
        with suppress(OSError):  # all ranks have it mapped, so the file is removed in any case
            os.unlink(file)
    work(comm)
