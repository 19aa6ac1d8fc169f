"""Immutable state of a systolic array after a cycle, for pictures and tests."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from .._typing import NDArray


@dataclass(frozen=True, eq=False)
class ArrayState:
    """Contents of all cells at the end of a cycle.

    Arrays have the shape (rows, cols) unless stated otherwise. Masked entries are empty; a
    zero that is not masked is a value or padding.

    Attributes
    ----------
    dataflow : str
        ``"weight_stationary"`` or ``"output_stationary"``.
    cycle : int
        Number of cycles so far.
    utilization : float
        Useful multiply-accumulates so far over all cell cycles so far.
    stationary : masked array
        Weights in use, or running sums.
    shadow : masked array
        Second registers: the next weights, or results that are shifted out.
    right : masked array
        Values of A, which move one cell to the right in every cycle.
    down : masked array
        Partial sums (weight-stationary) or values of B (output-stationary), which move one
        cell down in every cycle.
    busy : array of bool
        Whether a cell did a useful multiply-accumulate in this cycle.
    tile, beat : array of int
        Tile of the value of A in a cell, and its index in that tile's stream, both from 0;
        -1 without a value.
    left_queue : masked array, shape (rows, rows + cols)
        Values of A that enter each row in the next cycles, the next one first.
    top_queue : masked array, shape (rows + cols, cols)
        Weights, or values of B, that enter each column in the next cycles.
    leaving : masked array, shape (cols,)
        Values that left the array at its lower edge in this cycle.
    product : masked array, shape (m, n)
        Complete elements of the product.
    """

    dataflow: str
    cycle: int
    utilization: float
    stationary: np.ma.MaskedArray
    shadow: np.ma.MaskedArray
    right: np.ma.MaskedArray
    down: np.ma.MaskedArray
    busy: np.ndarray
    tile: np.ndarray
    beat: np.ndarray
    left_queue: np.ma.MaskedArray
    top_queue: np.ma.MaskedArray
    leaving: np.ma.MaskedArray
    product: np.ma.MaskedArray


def masked(values: NDArray[Any], present: NDArray[np.bool_]) -> np.ma.MaskedArray[Any, Any]:
    """Return a copy of ``values``, masked unless ``present``."""
    return np.ma.array(values, mask=~present, copy=True)
