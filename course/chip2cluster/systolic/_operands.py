"""Operands of the simulators: checked, exact, and cut into padded tiles."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from .._typing import ArrayLike, NDArray


def operands(a: ArrayLike, b: ArrayLike) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return read-only copies of both matrices, int64 if both hold integers, otherwise float64."""
    left, right = _matrix("a", a), _matrix("b", b)
    if left.shape[1] != right.shape[0]:
        raise ValueError(f"a and b must agree in the inner size, got shapes {left.shape} and {right.shape}")
    if left.dtype.kind == "f" or right.dtype.kind == "f":
        return _read_only(left, np.float64), _read_only(right, np.float64)
    # Python integers do not overflow, so this bound is exact; the 1 prevents a zero matrix from hiding the other factor.
    largest_left, largest_right = (max(1, abs(int(x.min())), abs(int(x.max()))) for x in (left, right))
    if largest_left * largest_right * left.shape[1] >= 2**63:
        raise ValueError("the sums of a @ b may not fit in 64 bits; use smaller whole numbers, or floats")
    return _read_only(left, np.int64), _read_only(right, np.int64)


def tiled(size: int, block: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the start of each block of ``size``, and its length without padding."""
    start = np.arange(0, size, block)
    return start, np.minimum(block, size - start)


def padded(matrix: NDArray[Any], row_block: int, col_block: int) -> NDArray[Any]:
    """Return ``matrix`` padded with zeros to multiples of both blocks."""
    rows, cols = matrix.shape
    return np.pad(matrix, ((0, -rows % row_block), (0, -cols % col_block)))


def _read_only(matrix: NDArray[Any], dtype: type[np.generic]) -> NDArray[Any]:
    matrix = matrix.astype(dtype)
    matrix.setflags(write=False)
    return matrix


def _matrix(name: str, value: ArrayLike) -> NDArray[Any]:
    try:
        matrix = np.array(value)
    except ValueError:
        raise TypeError(f"{name} must be a matrix of numbers, got rows of different lengths") from None
    if matrix.dtype.kind not in "iuf":
        raise TypeError(f"{name} must be a matrix of numbers, got elements of type {matrix.dtype}")
    if matrix.ndim != 2 or not matrix.size:
        raise ValueError(f"{name} must have two dimensions and at least one element, got shape {matrix.shape}")
    if not np.isfinite(matrix).all():
        raise ValueError(f"{name} must hold finite numbers, got NaN or infinity")
    return matrix
