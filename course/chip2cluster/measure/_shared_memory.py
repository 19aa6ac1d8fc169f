"""Ranks without MPI: processes that share one file's memory and tell each other through pipes."""

from __future__ import annotations

import multiprocessing
import os
import platform
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numpy as np

TOKEN = b"."


class SharedMemory:
    """What `_ranks` asks of a communicator. Each rank has a row of the memory to send from; the last row is for sums.

    A pipe joins each two ranks. Its tokens say "my row is filled" or "I have read yours"; both ends use it in the
    same order, so one kind is never taken for another.
    """

    def __init__(self, rank: int, peers: dict[int, Any], rows: np.ndarray):
        self.rank, self.size = rank, len(peers) + 1
        self._peers, self._rows = peers, rows
        self.library = f"multiprocessing of Python {platform.python_version()}, shared memory"

    def barrier(self) -> None:
        """After round k, each knows of 2^k others."""
        step = 1
        while step < self.size:
            self._tell((self.rank + step) % self.size)
            self._wait((self.rank - step) % self.size)
            step *= 2

    def send(self, data: np.ndarray, to: int) -> None:
        self._rows[self.rank, : len(data)] = data
        self._tell(to)
        self._wait(to)

    def receive(self, out: np.ndarray, source: int) -> None:
        self._wait(source)
        out[:] = self._rows[source, : len(out)]
        self._tell(source)

    def send_receive(self, data: np.ndarray, to: int, out: np.ndarray, source: int) -> None:
        self._rows[self.rank, : len(data)] = data
        self._tell(to)
        self.receive(out, source)
        self._wait(to)

    def all_reduce(self, data: np.ndarray, out: np.ndarray) -> None:
        """Each sums its share of all rows; then all read the sum."""
        count = len(data)
        self._rows[self.rank, :count] = data
        self.barrier()
        mine = slice(count * self.rank // self.size, count * (self.rank + 1) // self.size)
        np.sum(self._rows[:-1, mine], axis=0, out=self._rows[-1, mine])
        self.barrier()
        out[:] = self._rows[-1, :count]

    def largest(self, values: np.ndarray) -> np.ndarray:
        """Element by element, of all ranks."""
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


def start(ranks: int, elements: int, file: str, work: Callable[[SharedMemory], None]) -> None:
    """Start the other ranks, and be rank 0."""
    np.zeros((ranks + 1, elements)).tofile(
        file
    )  # written in truth: too little room is an error here, not a crash later
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
            end.close()  # so that whoever waits for a rank that died is told
    _rank(0, ends[0], file, shape, work)
    for process in others:
        process.join()


def _rank(rank: int, peers: dict[int, Any], file: str, shape: tuple[int, int], work: Any) -> None:
    comm = SharedMemory(rank, peers, np.memmap(file, np.float64, "r+", shape=shape))
    comm.barrier()
    if rank == 0:
        with suppress(OSError):  # all hold it: so nothing stays behind, whatever becomes of us
            os.unlink(file)
    work(comm)
