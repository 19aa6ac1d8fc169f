"""Cycles and utilization of a systolic array in closed form, equal to the simulated count."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .._validate import flag, plain, positive, whole
from ._shape import blocks, count, layout, spread

if TYPE_CHECKING:
    from .._typing import ArrayLike, Dataflow, FloatOrArray, IntOrArray


def tiles(
    m: ArrayLike, n: ArrayLike, k: ArrayLike, rows: ArrayLike, cols: ArrayLike, dataflow: Dataflow = "weight_stationary"
) -> IntOrArray:
    """Number of tiles into which the array cuts C[m, n] = A[m, k] B[k, n].

    The stationary matrix is cut: B[k, n] when the weights stay, C[m, n] when the
    outputs stay.

    Parameters
    ----------
    m, n, k : int or array of int
        Sizes of the product; at least 1.
    rows, cols : int or array of int
        Cells of the array, down and across.
    dataflow : {"weight_stationary", "output_stationary"}
        Which matrix stays in the cells.

    Returns
    -------
    int or array of int

    Raises
    ------
    ValueError, TypeError
        For sizes that are not whole numbers of at least 1, and an unknown dataflow.

    Notes
    -----
    A tile that fills the array only in part counts as one. SCALE-Sim calls a tile
    a fold. Source: Samajdar et al., ISPASS 2020, section III.

    Examples
    --------
    >>> tiles(200, 600, 600, 256, 256), tiles(200, 600, 600, 512, 512)
    (9, 4)
    """
    down, across, streamed, rows, cols = layout(m, n, k, rows, cols, dataflow)
    return count(spread(blocks(down, rows) * blocks(across, cols), streamed))


def tile_cycles(streamed: ArrayLike, rows: ArrayLike, cols: ArrayLike) -> IntOrArray:
    """Cycles of one tile on its own: fill or drain the cells, and stream through them.

    Parameters
    ----------
    streamed : int or array of int
        Length of the stream: m when the weights stay, k when the outputs stay.
    rows, cols : int or array of int
        Cells of the array, down and across.

    Returns
    -------
    int or array of int
        ``2 rows + cols + streamed - 2``: ``rows`` to shift the weights in (or the
        results out), ``streamed`` for the stream, ``rows + cols - 2`` for its last
        value to reach the far corner.

    Raises
    ------
    ValueError, TypeError
        For sizes that are not whole numbers of at least 1.

    Notes
    -----
    Ignores the memory behind the array: every value is there when its cycle comes.
    The SCALE-Sim program (3.0.0) counts ``rows`` less for output-stationary tiles: it
    reads each result straight from its cell, here results leave by the neighbour
    below. Source: Samajdar et al., "A systematic methodology for characterizing
    scalability of DNN accelerators using SCALE-Sim", ISPASS 2020, equation 1.

    Examples
    --------
    >>> tile_cycles(streamed=128, rows=128, cols=128)
    510
    """
    streamed, rows, cols = whole("streamed", streamed), whole("rows", rows), whole("cols", cols)
    return count(_alone(streamed, rows, cols))


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
    """Cycles that the array takes for C[m, n] = A[m, k] B[k, n].

    Parameters
    ----------
    m, n, k, rows, cols, dataflow
        As `tiles`.
    overlap : bool
        Double buffering. False: a tile starts when the array is empty. True: the
        next weights shift in (or the last results shift out) in a second set of
        registers while the cells compute, and the next tile follows at once.

    Returns
    -------
    int or array of int
        ``tiles * tile_cycles``; with overlap
        ``(tiles - 1) * max(streamed, rows) + tile_cycles``.

    Raises
    ------
    ValueError, TypeError
        As `tiles`, and for an ``overlap`` that is not a truth value.

    Notes
    -----
    With overlap a tile costs its stream, as on TPU v1 ("B pipelined cycles" for
    B rows), but never less than the ``rows`` cycles that shift a tile in.
    Ignores memory stalls and anything but the product. Sources: Samajdar et al.,
    ISPASS 2020, equation 4 (no overlap); Jouppi et al., ISCA 2017, section 2
    (double-buffered weights).

    Examples
    --------
    >>> cycles(1024, 256, 256, 128, 128)
    5624
    >>> cycles(1024, 256, 256, 128, 128, overlap=True)
    4478
    """
    shape = layout(m, n, k, rows, cols, dataflow)
    return count(_total(*shape, flag("overlap", overlap)))


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
    """Share of all cell cycles that did a useful multiply-accumulate.

    Parameters
    ----------
    m, n, k, rows, cols, dataflow, overlap
        As `cycles`.

    Returns
    -------
    float or array
        ``m n k / (rows cols cycles)``, above 0 and at most 1.

    Raises
    ------
    ValueError, TypeError
        As `cycles`.

    Notes
    -----
    Two losses multiply: padding (`padded_utilization`) and the cycles in which
    values are still on their way. Ignores memory stalls. Source: the definition,
    with the cycles of Samajdar et al., ISPASS 2020.

    Examples
    --------
    >>> round(utilization(128, 128, 128, 128, 128), 3)
    0.251
    >>> round(utilization(8192, 1024, 1024, 128, 128, overlap=True), 3)
    0.999
    """
    shape = down, across, streamed, rows, cols = layout(m, n, k, rows, cols, dataflow)
    return plain(down * across * streamed / (rows * cols * _total(*shape, flag("overlap", overlap))))


def peak_ops(rows: ArrayLike, cols: ArrayLike, clock_hz: ArrayLike, arrays: ArrayLike = 1) -> FloatOrArray:
    """Peak rate of systolic arrays: each cell multiplies and adds in every cycle.

    Parameters
    ----------
    rows, cols : int or array of int
        Cells of one array, down and across.
    clock_hz : float or array
        Cycles a second.
    arrays : int or array of int
        Arrays of that size on the chip.

    Returns
    -------
    float or array
        ``2 rows cols clock_hz arrays``, OP/s (FLOP/s for floating point).

    Raises
    ------
    ValueError, TypeError
        For counts that are not whole numbers of at least 1, a clock not above 0.

    Notes
    -----
    One multiply-accumulate is 2 operations. Ignores the vector units, and cells
    that do more than one product in a cycle (int8 on some chips runs at twice this).
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


def _alone(streamed: IntOrArray, rows: IntOrArray, cols: IntOrArray) -> IntOrArray:
    return streamed + (2 * rows + cols - 2)


def _total(
    down: IntOrArray, across: IntOrArray, streamed: IntOrArray, rows: IntOrArray, cols: IntOrArray, overlap: bool
) -> IntOrArray:
    # Unnamed intermediate results: NumPy then works in place, which halves the time for large arrays.
    if not overlap:
        return blocks(down, rows) * blocks(across, cols) * _alone(streamed, rows, cols)
    larger = max if isinstance(streamed, int) and isinstance(rows, int) else np.maximum
    return (blocks(down, rows) * blocks(across, cols) - 1) * larger(streamed, rows) + _alone(streamed, rows, cols)
