"""Record of each step of a simulator."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from .._typing import NDArray


class Message(NamedTuple):
    """Message from one rank to another in a step: its chunks, its size, whether the receiver reduces it."""

    source: int
    destination: int
    chunks: tuple[int, ...]
    nbytes: int
    combined: bool


@dataclass(frozen=True, eq=False)
class Step:
    """One step of a simulation; the arrays have an entry for each chunk sent.

    Attributes
    ----------
    index : int
        Number of the step, from 0.
    phase : str
        Name of the phase that the step belongs to.
    source, destination : array of int
        Ranks that send and receive the chunk.
    chunk, target : array of int
        Slots of the chunk at the sender and at the receiver.
    nbytes : array of int
        Sizes of the chunks, bytes.
    combined : array of bool
        Whether the receiver reduces the chunk into its slot rather than overwriting it.
    ranks : int
        Number of ranks.
    """

    index: int
    phase: str
    source: np.ndarray
    destination: np.ndarray
    chunk: np.ndarray
    target: np.ndarray
    nbytes: np.ndarray
    combined: np.ndarray
    ranks: int

    @property
    def sent(self) -> NDArray[np.int64]:
        """Bytes sent by each rank."""
        return self._per_rank(self.source)

    @property
    def received(self) -> NDArray[np.int64]:
        """Bytes received by each rank."""
        return self._per_rank(self.destination)

    @property
    def combined_bytes(self) -> NDArray[np.int64]:
        """Bytes that each rank reduced into its own data."""
        return self._per_rank(self.destination, self.nbytes * self.combined)

    @property
    def total_bytes(self) -> int:
        """Bytes sent by all ranks together."""
        return int(self.nbytes.sum())

    @property
    def messages(self) -> list[Message]:
        """List of `Message`, with all chunks between the same two ranks in one message."""
        merged: dict[tuple[int, int, bool], tuple[tuple[int, ...], int]] = {}
        pieces = zip(self.source, self.destination, self.combined, self.chunk, self.nbytes, strict=True)
        for source, destination, combined, chunk, nbytes in pieces:
            key = int(source), int(destination), bool(combined)
            chunks, total = merged.get(key, ((), 0))
            merged[key] = (*chunks, int(chunk)), total + int(nbytes)
        return [
            Message(source, destination, chunks, total, combined)
            for (source, destination, combined), (chunks, total) in merged.items()
        ]

    def _per_rank(self, rank: np.ndarray, nbytes: np.ndarray | None = None) -> NDArray[np.int64]:
        weights = self.nbytes if nbytes is None else nbytes
        return np.bincount(rank, weights, self.ranks).astype(np.int64)
