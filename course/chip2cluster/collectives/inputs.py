"""Checks on what a simulator is given."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .._validate import whole

if TYPE_CHECKING:
    from .._typing import NDArray


def checked_vectors(collective: str, buffers: Any) -> list[NDArray[Any]]:
    """The ranks' buffers as arrays, refused with a reason if they are no vectors of numbers."""
    if isinstance(buffers, (str, bytes, dict)) or not hasattr(buffers, "__len__"):
        raise TypeError(f"buffers must be a sequence of arrays, one for each rank, got {buffers!r}")
    if not len(buffers):
        raise ValueError("buffers must hold at least one rank's array, got none")
    vectors = []
    for rank, buffer in enumerate(buffers):
        try:
            vector = np.asarray(buffer)
        except ValueError:
            raise ValueError(f"buffers[{rank}] must be a one-dimensional array of numbers") from None
        if vector.dtype.kind not in "iufc":
            raise TypeError(f"buffers[{rank}] must hold numbers, got {vector.dtype} values")
        if vector.ndim != 1:
            raise ValueError(f"buffers[{rank}] must be one-dimensional, got shape {vector.shape}")
        vectors.append(vector)
    sizes = sorted({len(vector) for vector in vectors})
    if len(sizes) > 1 and collective not in ("all_gather", "gather"):
        raise ValueError(f"buffers must have one length for {collective!r}, got {sizes}")
    if not sizes[-1]:
        raise ValueError("buffers must hold at least one element, got empty arrays")
    return vectors


def checked_rank(name: str, value: Any, ranks: int) -> int:
    """One rank's number."""
    number = whole(name, value, minimum=0)
    if not isinstance(number, int) or number >= ranks:
        raise ValueError(f"{name} must be one rank from 0 to {ranks - 1}, got {value!r}")
    return number


def checked_option(name: str, value: Any, ranks: int) -> int:
    """One count: of segments, or of ranks in a node, which must divide the ranks."""
    if value is None:
        raise ValueError(f"{name} must be given: a number that divides the {ranks} ranks")
    number = whole(name, value)
    if not isinstance(number, int):
        raise TypeError(f"{name} must be one whole number, got {value!r}")
    if name == "ranks_per_node" and ranks % number:
        raise ValueError(f"ranks_per_node must divide the {ranks} ranks, got {value!r}")
    return number
