"""How a product lies on the array: which sizes are tiled over the cells, which one streams."""

import numpy as np

from .._validate import choice, whole

DATAFLOWS = ("weight_stationary", "output_stationary")


def layout(m, n, k, rows, cols, dataflow):
    """Return the checked sizes ``(along_rows, along_cols, streamed, rows, cols)``."""
    m, n, k = whole("m", m), whole("n", n), whole("k", k)
    rows, cols = whole("rows", rows), whole("cols", cols)
    if choice("dataflow", dataflow, DATAFLOWS) == "weight_stationary":
        return k, n, m, rows, cols
    return m, n, k, rows, cols


def flag(name, value):
    """Return ``value`` if it is a truth value; a number or a word is refused."""
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    raise TypeError(f"{name} must be True or False, got {value!r}")


def blocks(size, block):
    """Number of blocks that cover ``size``; whole numbers in, whole number out."""
    if isinstance(size, int) and isinstance(block, int):
        return -(-size // block)
    return np.ceil(size / block)


def spread(result, streamed):
    """Give a result that does not depend on the streamed size the shape that it brings."""
    if isinstance(streamed, np.ndarray):
        return np.broadcast_arrays(result, streamed)[0].copy()
    return result


def count(number):
    """Return a count as int or int64 array; a float array holds it exactly up to 2**53."""
    if isinstance(number, int):
        return number
    if number.max(initial=0) > 2**53:
        raise ValueError(f"the count {number.max():g} is too large to be exact in an array")
    return number.astype(np.int64)
