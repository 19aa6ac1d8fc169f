"""Parts of a schedule: phases that consist of steps, and steps that consist of moves.

A schedule numbers the ranks from 0, with rank 0 as the root, and cuts the message into
numbered slots. It does not know their sizes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from .._typing import ArrayLike, NDArray


class Move(NamedTuple):
    """Pieces that travel in one step; arrays of one length, an entry for each piece.

    Piece p goes from ``slot[p]`` of rank ``source[p]`` to ``target_slot[p]`` of rank
    ``destination[p]``, where it overwrites the slot or is reduced into it. No two pieces
    of a move have the same target.
    """

    source: np.ndarray
    destination: np.ndarray
    slot: np.ndarray
    target_slot: np.ndarray
    combine: bool = False


class Phase(NamedTuple):
    """Steps of one kind: ``moves(k)`` returns the moves of step k, for k below ``steps``."""

    name: str
    steps: int
    moves: Callable[[int], tuple[Move, ...]]


# Number of slots that the message is cut into, and the phases of the schedule.
Plan: TypeAlias = tuple[int, list[Phase]]


def same_slot(source: ArrayLike, destination: ArrayLike, slot: ArrayLike, *, combine: bool = False) -> tuple[Move]:
    """Build a step's moves in which each piece keeps its slot number."""
    sources, destinations, slots = np.broadcast_arrays(source, destination, slot)
    return (Move(sources, destinations, slots, slots, combine),)


def blocks(
    source: NDArray[Any],
    destination: NDArray[Any],
    first: NDArray[Any],
    count: int | NDArray[Any],
    combine: bool = False,
) -> tuple[Move]:
    """Build a step's moves in which each sender sends ``count`` slots from ``first`` on."""
    offset = np.arange(np.max(count, initial=0))
    sent = offset < np.broadcast_to(count, source.shape)[:, None]
    slot = (first[:, None] + offset)[sent]
    lengths = sent.sum(axis=1)
    return same_slot(np.repeat(source, lengths), np.repeat(destination, lengths), slot, combine=combine)
