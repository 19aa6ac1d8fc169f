"""Cycles and utilization of a systolic array in closed form, equal to the simulated values."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .._validate import flag, plain, positive, whole
from ._tiling import blocks, exact_count, mapping, with_stream_shape

if TYPE_CHECKING:
    from .._typing import ArrayLike, Dataflow, FloatOrArray, IntOrArray


def tiles(
    m: ArrayLike, n: ArrayLike, k: ArrayLike, rows: ArrayLike, cols: ArrayLike, dataflow: Dataflow = "weight_stationary"
) -> IntOrArray:
    """Count the tiles of the stationary matrix of C[m, n] = A[m, k] B[k, n].

    Parameters
    ----------
    m, n, k : int or array of int
        Size of the product, at least 1.
    rows : int or array of int
        Number of rows of cells.
    cols : int or array of int
        Number of columns of cells.
    dataflow : {"weight_stationary", "output_stationary"}
        Matrix that stays in the cells and is cut into tiles: B[k, n] or C[m, n].

    Returns
    -------
    int or array of int
        Number of tiles; one that fills the array only in part counts as a whole tile.

    Notes
    -----
    SCALE-Sim calls a tile a fold. Source: Samajdar et al., ISPASS 2020, section III.

    Examples
    --------
    >>> tiles(200, 600, 600, 256, 256), tiles(200, 600, 600, 512, 512)
    (9, 4)
    """
    down, across, streamed, rows, cols = mapping(m, n, k, rows, cols, dataflow)
    return exact_count(with_stream_shape(blocks(down, rows) * blocks(across, cols), streamed))


def tile_cycles(streamed: ArrayLike, rows: ArrayLike, cols: ArrayLike) -> IntOrArray:
    """Compute the cycles of a single tile: fill or drain the cells, and stream through them.

    Parameters
    ----------
    streamed : int or array of int
        Length of the stream: m for weight-stationary, k for output-stationary.
    rows : int or array of int
        Number of rows of cells.
    cols : int or array of int
        Number of columns of cells.

    Returns
    -------
    int or array of int
        Number of cycles, ``2 rows + cols + streamed - 2``: ``rows`` to shift the weights in
        (or the results out), ``streamed`` for the stream, ``rows + cols - 2`` for its last
        value to reach the opposite corner.

    Notes
    -----
    Ignores memory stalls: every value arrives on time. The SCALE-Sim program (3.0.0)
    counts ``rows`` fewer for output-stationary tiles: it reads each result directly from
    its cell, whereas here results leave through the neighbour below. Source: Samajdar et al., "A systematic methodology for characterizing
    scalability of DNN accelerators using SCALE-Sim", ISPASS 2020, equation 1.

    Examples
    --------
    >>> tile_cycles(streamed=128, rows=128, cols=128)
    510
    """
    streamed, rows, cols = whole("streamed", streamed), whole("rows", rows), whole("cols", cols)
    return exact_count(_single_tile(streamed, rows, cols))


def cycles(
    m: ArrayLike,
    n: ArrayLike,
    k: ArrayLike,
    rows: ArrayLike,
    cols: ArrayLike,
    dataflow: Dataflow = "weight_stationary",
    *,
    overlap: bool = False,
) -> IntOrArray:
    """Compute the cycles of the array for C[m, n] = A[m, k] B[k, n].

    Parameters
    ----------
    m : int or array of int
        Size of the product, at least 1.
    n : int or array of int
        Size of the product, at least 1.
    k : int or array of int
        Size of the product, at least 1.
    rows : int or array of int
        Number of rows of cells.
    cols : int or array of int
        Number of columns of cells.
    dataflow : {"weight_stationary", "output_stationary"}
        Matrix that stays in the cells and is cut into tiles: B[k, n] or C[m, n].
    overlap : bool
        Double buffering. False: a tile starts when the array is empty. True: the next
        weights shift in (or the last results shift out) in a second set of registers while
        the cells compute, and the next tile follows immediately.

    Returns
    -------
    int or array of int
        Number of cycles, ``tiles * tile_cycles``; with overlap
        ``(tiles - 1) * max(streamed, rows) + tile_cycles``.

    Notes
    -----
    With overlap a tile costs its stream, as on TPU v1 ("B pipelined cycles" for B rows),
    but at least the ``rows`` cycles that shift a tile in. Ignores memory stalls and
    operations other than the product. Sources: Samajdar et al.,
    ISPASS 2020, equation 4 (no overlap); Jouppi et al., ISCA 2017, section 2
    (double-buffered weights).

    Examples
    --------
    >>> cycles(1024, 256, 256, 128, 128)
    5624
    >>> cycles(1024, 256, 256, 128, 128, overlap=True)
    4478
    """
    shape = mapping(m, n, k, rows, cols, dataflow)
    return exact_count(_total(*shape, flag("overlap", overlap)))


def utilization(
    m: ArrayLike,
    n: ArrayLike,
    k: ArrayLike,
    rows: ArrayLike,
    cols: ArrayLike,
    dataflow: Dataflow = "weight_stationary",
    *,
    overlap: bool = False,
) -> FloatOrArray:
    """Compute the fraction of all cell cycles with a useful multiply-accumulate.

    Parameters
    ----------
    m : int or array of int
        Size of the product, at least 1.
    n : int or array of int
        Size of the product, at least 1.
    k : int or array of int
        Size of the product, at least 1.
    rows : int or array of int
        Number of rows of cells.
    cols : int or array of int
        Number of columns of cells.
    dataflow : {"weight_stationary", "output_stationary"}
        Matrix that stays in the cells and is cut into tiles: B[k, n] or C[m, n].
    overlap : bool
        Double buffering. False: a tile starts when the array is empty. True: the next
        weights shift in (or the last results shift out) in a second set of registers while
        the cells compute, and the next tile follows immediately.

    Returns
    -------
    float or array
        Fraction, ``m n k / (rows cols cycles)``, above 0 and at most 1.

    Notes
    -----
    Two losses multiply: padding (`padded_utilization`) and the cycles that fill and drain
    the array. Ignores memory stalls. Source: the definition,
    with the cycles of Samajdar et al., ISPASS 2020.

    Examples
    --------
    >>> round(utilization(128, 128, 128, 128, 128), 3)
    0.251
    >>> round(utilization(8192, 1024, 1024, 128, 128, overlap=True), 3)
    0.999
    """
    shape = down, across, streamed, rows, cols = mapping(m, n, k, rows, cols, dataflow)
    return plain(down * across * streamed / (rows * cols * _total(*shape, flag("overlap", overlap))))


def peak_ops(rows: ArrayLike, cols: ArrayLike, clock_hz: ArrayLike, arrays: ArrayLike = 1) -> FloatOrArray:
    """Compute the peak rate of systolic arrays: one multiply-accumulate per cell and cycle.

    Parameters
    ----------
    rows : int or array of int
        Number of rows of cells of one array.
    cols : int or array of int
        Number of columns of cells of one array.
    clock_hz : float or array
        Clock frequency, Hz.
    arrays : int or array of int
        Number of arrays on the chip.

    Returns
    -------
    float or array
        Peak rate, ``2 rows cols clock_hz arrays``, OP/s (FLOP/s for floating point).

    Notes
    -----
    One multiply-accumulate is 2 operations. Ignores the vector units, and cells that do
    more than one product per cycle (int8 on some chips runs at twice this rate).
    Source: Jouppi et al., ISCA 2017: 256 x 256 cells at 700 MHz, 92 TOPS.

    Examples
    --------
    >>> peak_ops(256, 256, clock_hz=700e6) / 1e12
    91.7504
    >>> peak_ops(128, 128, clock_hz=940e6, arrays=4) / 1e12      # TPU v3, 123 TFLOP/s
    123.20768
    """
    rows, cols, arrays = whole("rows", rows), whole("cols", cols), whole("arrays", arrays)
    return plain(2.0 * rows * cols * arrays * positive("clock_hz", clock_hz))


def _single_tile(streamed: IntOrArray, rows: IntOrArray, cols: IntOrArray) -> IntOrArray:
    return streamed + (2 * rows + cols - 2)


def _total(
    down: IntOrArray, across: IntOrArray, streamed: IntOrArray, rows: IntOrArray, cols: IntOrArray, overlap: bool
) -> IntOrArray:
    # Without named intermediate results NumPy works in place, which halves the time for large arrays.
    if not overlap:
        return blocks(down, rows) * blocks(across, cols) * _single_tile(streamed, rows, cols)
    larger = max if isinstance(streamed, int) and isinstance(rows, int) else np.maximum
    return (blocks(down, rows) * blocks(across, cols) - 1) * larger(streamed, rows) + _single_tile(streamed, rows, cols)
