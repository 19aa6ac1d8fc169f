"""Padding (tile quantization) of a systolic array: the loss if a matrix does not fill its tiles."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._validate import plain, whole
from ._tiling import blocks, exact_count, mapping, with_stream_shape

if TYPE_CHECKING:
    from .._typing import ArrayLike, Dataflow, FloatOrArray, IntOrArray


def padded_size(size: ArrayLike, block: ArrayLike) -> IntOrArray:
    """Compute a size after zero padding to a multiple of the array's side.

    Parameters
    ----------
    size : int or array of int
        Number of rows or columns of a matrix, at least 1.
    block : int or array of int
        Number of rows or columns of the array: 128 for most TPUs, 256 for TPU v1 and v6e.

    Returns
    -------
    int or array of int
        Padded size.

    Notes
    -----
    Ignores the padding to registers by the compiler (8 x 128 on a TPU).
    Source: Google, Cloud TPU performance guide, "Padding".

    Examples
    --------
    >>> padded_size([128, 129, 600], 128)
    array([128, 256, 640])
    """
    size, block = whole("size", size), whole("block", block)
    return exact_count(blocks(size, block) * block)


def padded_utilization(
    m: ArrayLike, n: ArrayLike, k: ArrayLike, rows: ArrayLike, cols: ArrayLike, dataflow: Dataflow = "weight_stationary"
) -> FloatOrArray:
    """Compute the fraction of cells that hold data rather than padding, over all tiles (tile quantization).

    Parameters
    ----------
    m, n, k : int or array of int
        Size of the product C[m, n] = A[m, k] B[k, n], at least 1.
    rows : int or array of int
        Number of rows of cells.
    cols : int or array of int
        Number of columns of cells.
    dataflow : {"weight_stationary", "output_stationary"}
        Matrix that stays in the cells: B[k, n] or C[m, n].

    Returns
    -------
    float or array
        Fraction, the stationary matrix over its padded size, above 0 and at most 1.

    Notes
    -----
    The limit of `utilization` for a long stream with overlap. The streamed size is not
    padded. SCALE-Sim calls this mapping efficiency. Source: Jouppi et al., ISCA 2017,
    section 7: a 600 x 600 matrix on 256 x 256 and on 512 x 512 cells.

    Examples
    --------
    >>> round(padded_utilization(200, 600, 600, 256, 256), 3)
    0.61
    >>> round(padded_utilization(200, 600, 600, 512, 512), 3)
    0.343
    """
    down, across, streamed, rows, cols = mapping(m, n, k, rows, cols, dataflow)
    return plain(
        with_stream_shape(down / (blocks(down, rows) * rows) * (across / (blocks(across, cols) * cols)), streamed)
    )


def padding_loss(
    m: ArrayLike, n: ArrayLike, k: ArrayLike, rows: ArrayLike, cols: ArrayLike, dataflow: Dataflow = "weight_stationary"
) -> FloatOrArray:
    """Compute the fraction of cells that hold padding: 1 - `padded_utilization`.

    Parameters
    ----------
    m : int or array of int
        Size of the product C[m, n] = A[m, k] B[k, n], at least 1.
    n : int or array of int
        Size of the product C[m, n] = A[m, k] B[k, n], at least 1.
    k : int or array of int
        Size of the product C[m, n] = A[m, k] B[k, n], at least 1.
    rows : int or array of int
        Number of rows of cells.
    cols : int or array of int
        Number of columns of cells.
    dataflow : {"weight_stationary", "output_stationary"}
        Matrix that stays in the cells: B[k, n] or C[m, n].

    Returns
    -------
    float or array
        Fraction, 0 for multiples of the array, below 1.

    Notes
    -----
    One additional row or column costs a whole tile. Ignores what `padded_utilization`
    ignores. Source: as there.

    Examples
    --------
    >>> padding_loss(1024, [127, 128, 129], 128, 128, 128).round(3)
    array([0.008, 0.   , 0.496])
    """
    return plain(1.0 - padded_utilization(m, n, k, rows, cols, dataflow))
