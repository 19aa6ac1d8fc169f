"""What is lost when a matrix does not fill its tiles: why a TPU likes multiples of 128."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._validate import plain, whole
from ._shape import blocks, count, layout, spread

if TYPE_CHECKING:
    from .._typing import ArrayLike, Dataflow, FloatOrArray, IntOrArray


def padded_size(size: ArrayLike, block: ArrayLike) -> IntOrArray:
    """Size after padding with zeros to a multiple of the array's side.

    Parameters
    ----------
    size : int or array of int
        A size of a matrix; at least 1.
    block : int or array of int
        The array's side: 128 for most TPUs, 256 for TPU v1 and v6e.

    Returns
    -------
    int or array of int

    Raises
    ------
    ValueError, TypeError
        For sizes that are not whole numbers of at least 1.

    Notes
    -----
    Ignores the padding to registers that a compiler adds (8 x 128 on a TPU).
    Source: Google, Cloud TPU performance guide, "Padding".

    Examples
    --------
    >>> padded_size([128, 129, 600], 128)
    array([128, 256, 640])
    """
    size, block = whole("size", size), whole("block", block)
    return count(blocks(size, block) * block)


def padded_utilization(
    m: ArrayLike, n: ArrayLike, k: ArrayLike, rows: ArrayLike, cols: ArrayLike, dataflow: Dataflow = "weight_stationary"
) -> FloatOrArray:
    """Share of the cells that hold useful data, over all tiles.

    Parameters
    ----------
    m, n, k : int or array of int
        Sizes of C[m, n] = A[m, k] B[k, n]; at least 1.
    rows, cols : int or array of int
        Cells of the array, down and across.
    dataflow : {"weight_stationary", "output_stationary"}
        Which matrix stays in the cells: B[k, n] or C[m, n].

    Returns
    -------
    float or array
        The stationary matrix over its padded size, above 0 and at most 1.

    Raises
    ------
    ValueError, TypeError
        For sizes that are not whole numbers of at least 1, and an unknown dataflow.

    Notes
    -----
    The limit of `utilization` for a long stream with overlap. The streamed size is
    not padded. SCALE-Sim calls this mapping efficiency. Source: Jouppi et al., ISCA
    2017, section 7: a 600 x 600 matrix on 256 x 256 and on 512 x 512 cells.

    Examples
    --------
    >>> round(padded_utilization(200, 600, 600, 256, 256), 3)
    0.61
    >>> round(padded_utilization(200, 600, 600, 512, 512), 3)
    0.343
    """
    down, across, streamed, rows, cols = layout(m, n, k, rows, cols, dataflow)
    return plain(spread(down / (blocks(down, rows) * rows) * (across / (blocks(across, cols) * cols)), streamed))


def padding_loss(
    m: ArrayLike, n: ArrayLike, k: ArrayLike, rows: ArrayLike, cols: ArrayLike, dataflow: Dataflow = "weight_stationary"
) -> FloatOrArray:
    """Share of the cells that hold padding: 1 - `padded_utilization`.

    Parameters
    ----------
    m, n, k, rows, cols, dataflow
        As `padded_utilization`.

    Returns
    -------
    float or array
        From 0 (multiples of the array) to below 1.

    Raises
    ------
    ValueError, TypeError
        As `padded_utilization`.

    Notes
    -----
    One row or column too many costs a whole tile. Ignores and cites the same as
    `padded_utilization`.

    Examples
    --------
    >>> padding_loss(1024, [127, 128, 129], 128, 128, 128).round(3)
    array([0.008, 0.   , 0.496])
    """
    return plain(1.0 - padded_utilization(m, n, k, rows, cols, dataflow))
