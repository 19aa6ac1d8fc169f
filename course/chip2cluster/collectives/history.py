"""What a simulator writes down about each step."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from .._typing import NDArray


class Message(NamedTuple):
    """What one rank sends to another in a step: which chunks, how many bytes, added up or not."""

    source: int
    destination: int
    chunks: tuple[int, ...]
    nbytes: int
    combined: bool


@dataclass(frozen=True, eq=False)
class Step:
    """One step of a simulation; the arrays have an entry for each chunk sent.

    ``index`` counts from 0; ``phase`` is its name. Chunk ``chunk[p]`` of rank ``source[p]``,
    ``nbytes[p]`` bytes, went to place ``target[p]`` of rank ``destination[p]`` and was
    combined with what was there if ``combined[p]``.
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
        return self._by(self.source)

    @property
    def received(self) -> NDArray[np.int64]:
        """Bytes received by each rank."""
        return self._by(self.destination)

    @property
    def combined_bytes(self) -> NDArray[np.int64]:
        """Bytes that each rank combined with its own."""
        return self._by(self.destination, self.nbytes * self.combined)

    @property
    def total_bytes(self) -> int:
        """Bytes sent by all ranks together."""
        return int(self.nbytes.sum())

    @property
    def messages(self) -> list[Message]:
        """The step as a list of `Message`, chunks between the same two ranks in one."""
        together: dict[tuple[int, int, bool], tuple[tuple[int, ...], int]] = {}
        pieces = zip(self.source, self.destination, self.combined, self.chunk, self.nbytes, strict=True)
        for source, destination, combined, chunk, nbytes in pieces:
            key = int(source), int(destination), bool(combined)
            chunks, total = together.get(key, ((), 0))
            together[key] = (*chunks, int(chunk)), total + int(nbytes)
        return [
            Message(source, destination, chunks, total, combined)
            for (source, destination, combined), (chunks, total) in together.items()
        ]

    def _by(self, rank: np.ndarray, nbytes: np.ndarray | None = None) -> NDArray[np.int64]:
        weights = self.nbytes if nbytes is None else nbytes
        return np.bincount(rank, weights, self.ranks).astype(np.int64)
