"""Mapping of a product onto the array: two sizes are tiled over the cells, one is streamed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .._validate import choice, whole

if TYPE_CHECKING:
    from .._typing import ArrayLike, Dataflow, FloatOrArray, IntOrArray

DATAFLOWS = ("weight_stationary", "output_stationary")


def mapping(
    m: ArrayLike, n: ArrayLike, k: ArrayLike, rows: ArrayLike, cols: ArrayLike, dataflow: Dataflow
) -> tuple[IntOrArray, IntOrArray, IntOrArray, IntOrArray, IntOrArray]:
    """Return the checked sizes ``(along_rows, along_cols, streamed, rows, cols)``."""
    m, n, k = whole("m", m), whole("n", n), whole("k", k)
    rows, cols = whole("rows", rows), whole("cols", cols)
    if choice("dataflow", dataflow, DATAFLOWS) == "weight_stationary":
        return k, n, m, rows, cols
    return m, n, k, rows, cols


def blocks(size: IntOrArray, block: IntOrArray) -> IntOrArray:
    """Return the number of blocks that cover ``size``; an int for two int arguments."""
    if isinstance(size, int) and isinstance(block, int):
        return -(-size // block)
    return np.ceil(size / block)


def with_stream_shape(result: FloatOrArray, streamed: IntOrArray) -> FloatOrArray:
    """Broadcast a result that does not depend on the streamed size to the shape of that size."""
    if isinstance(streamed, np.ndarray):
        return np.broadcast_arrays(result, streamed)[0].copy()
    return result


def exact_count(number: Any) -> IntOrArray:
    """Return a count as int or int64 array; a float array is exact up to 2**53."""
    if isinstance(number, int):
        return number
    if number.max(initial=0) > 2**53:
        raise ValueError(f"the count {number.max():g} is too large to be exact in an array")
    return number.astype(np.int64)
