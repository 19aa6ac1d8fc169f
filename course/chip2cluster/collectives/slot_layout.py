"""Mapping between the ranks' vectors and the simulator's slots."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .schedules import ROOTED

if TYPE_CHECKING:
    from .._typing import NDArray, Vectors


class SlotLayout:
    """Slots of all ranks as arrays, filled from the ranks' vectors and read back as vectors.

    ``state[rank, slot]`` holds elements (padded to the longest slot), ``lengths`` their
    number, ``contributions`` the number of ranks whose data they combine: 0 for an empty
    slot.
    """

    def __init__(self, collective: str, algorithm: str, vectors: list[NDArray[Any]], slots: int, root: int) -> None:
        ranks = len(vectors)
        self.collective, self.root = collective, root
        rank = np.arange(ranks)[:, None]
        self._rank = rank
        in_parts = collective in ("all_gather", "gather")
        blocks = {"all_to_all": ranks, "send_recv": 1}.get(collective, slots)
        block = np.broadcast_to(np.arange(blocks), (ranks, blocks))

        # Slot of each block before the collective (start) and after it (end).
        start = end = block
        if collective in ROOTED and slots == ranks:
            start = end = (block - root) % ranks
        elif (collective, algorithm) == ("all_to_all", "pairwise"):
            end = block + ranks
        elif (collective, algorithm) == ("all_to_all", "bruck"):
            start, end = (block - rank) % ranks, (rank - block) % ranks
        elif collective == "send_recv" and ranks > 1:
            end = block + 1
        self._end = end

        lengths = np.array([len(vector) for vector in vectors]) if in_parts else _split(len(vectors[0]), blocks)
        self.state = np.zeros((ranks, slots, lengths.max()), np.result_type(*vectors))
        self.lengths = np.zeros((ranks, slots), np.int64)
        self.lengths[rank, start] = lengths
        self.contributions = np.zeros((ranks, slots), np.int64)

        filled = np.arange(lengths.max()) < lengths[:, None]
        if in_parts:
            self.state[rank[:, 0], start[rank[:, 0], rank[:, 0]]] = _padded(vectors, filled)
            self.contributions[rank, start[rank, rank]] = 1
        else:
            holders = np.array([root]) if collective in ("broadcast", "scatter") else rank[:, 0]
            split = np.zeros((len(holders), *filled.shape), self.state.dtype)
            split[:, filled] = [vectors[holder] for holder in holders]
            self.state[holders[:, None], start[holders]] = split
            self.contributions[holders[:, None], start[holders]] = 1
        if (collective, algorithm) == ("all_to_all", "pairwise"):  # a rank's block for itself is not sent
            for array in (self.state, self.lengths, self.contributions):
                array[rank, rank + ranks] = array[rank, rank]

    def vectors(self) -> Vectors:
        """Return each rank's current data in the order of the blocks: an array, or a list if lengths differ."""
        lengths = self.lengths[self._rank, self._end]
        filled = np.arange(self.state.shape[2]) < lengths[:, :, None]
        flat = self.state[self._rank, self._end][filled]
        each = lengths.sum(axis=1)
        if (each == each[0]).all():
            return flat.reshape(len(each), each[0])
        return np.split(flat, np.cumsum(each)[:-1])

    def result(self) -> Vectors:
        """Return the collective's output: all vectors, the root's vector, or a block for each rank."""
        if self.collective in ("reduce", "gather"):
            return self.vectors()[self.root]
        if self.collective in ("reduce_scatter", "scatter"):
            slots = np.diagonal(self._end)
            return [self.state[r, slot, : self.lengths[r, slot]].copy() for r, slot in enumerate(slots)]
        return self.vectors()


def _split(elements: int, blocks: int) -> np.ndarray:
    """Return the lengths of ``blocks`` nearly equal blocks, the longer ones first."""
    return elements // blocks + (np.arange(blocks) < elements % blocks)


def _padded(vectors: list[NDArray[Any]], filled: np.ndarray) -> np.ndarray:
    rows = np.zeros(filled.shape, np.result_type(*vectors))
    rows[filled] = np.concatenate(vectors)
    return rows
