"""One cycle of a systolic array, frozen: what a picture or a test looks at."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from .._typing import NDArray


@dataclass(frozen=True, eq=False)
class State:
    """What every cell holds at the end of a cycle.

    Arrays have the shape (rows, cols) of the array unless said otherwise. Masked
    entries are empty; a zero that is not masked is a value, or padding.

    Attributes
    ----------
    dataflow : str
        ``"weight_stationary"`` or ``"output_stationary"``.
    cycle : int
        Cycles done, 0 before the first.
    utilization : float
        Useful multiply-accumulates so far over all cell cycles so far.
    stationary : masked array
        Weights in use, or running sums.
    shadow : masked array
        Second registers: next weights on their way in, or results on their way out.
    right : masked array
        Values of A; they move one cell to the right in every cycle.
    down : masked array
        Partial sums (weights stay) or values of B (outputs stay); they move one cell down.
    busy : array of bool
        Cells that did a useful multiply-accumulate in this cycle.
    tile, beat : array of int
        Tile to which the value of A in a cell belongs, and its place in that tile's
        stream, both from 0; -1 where there is no value.
    left_queue : masked array, shape (rows, rows + cols)
        Values of A that enter each row in the next cycles, the next one first.
    top_queue : masked array, shape (rows + cols, cols)
        Weights, or values of B, that enter each column in the next cycles.
    leaving : masked array, shape (cols,)
        What left the array at its lower edge in this cycle.
    product : masked array, shape (m, n)
        The product as far as it is complete.
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


def shown(values: NDArray[Any], present: NDArray[np.bool_]) -> np.ma.MaskedArray[Any, Any]:
    """A copy of ``values``, masked where nothing is present."""
    return np.ma.array(values, mask=~present, copy=True)
