"""Simulators of the two dataflows: weight-stationary and output-stationary.

The corner cell receives the first value of a tile; the cell i rows down and j columns
across receives it i + j cycles later. Because of this skew the operands meet.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .._validate import choice
from ._operands import padded
from .array import Edge, SystolicArray

if TYPE_CHECKING:
    from .._typing import ArrayLike, Dataflow


class WeightStationary(SystolicArray):
    """Simulate the weight-stationary dataflow: cells hold a tile of B, A flows right, partial sums flow down.

    A tile's weights shift in from above in ``rows`` cycles, into second registers. Each
    takes effect with the first value of A that reaches its cell. Sums leave at the lower
    edge, where those of successive tiles are accumulated.

    Parameters
    ----------
    a, b : array, shapes (m, k) and (k, n)
        Left and right matrix.
    rows, cols : int
        Numbers of rows and columns of cells.
    overlap : bool
        Double buffering, as in `SystolicArray`.

    Notes
    -----
    Source: Jouppi et al.,
    "In-datacenter performance analysis of a tensor processing unit", ISCA 2017,
    section 2 and figure 4.

    Examples
    --------
    >>> array = WeightStationary([[1, 2], [3, 4]], [[5, 6], [7, 8]], rows=2, cols=2)
    >>> array.run()
    array([[19, 22],
           [43, 50]])
    >>> array.cycle
    6
    >>> print(array.history[3].right)
    [[3 1]
     [2 --]]
    """

    dataflow = "weight_stationary"

    def __init__(self, a: ArrayLike, b: ArrayLike, rows: int, cols: int, *, overlap: bool = False) -> None:
        super().__init__(a, b, rows, cols, overlap=overlap)
        self._a = padded(self.a, 1, self.rows)
        self._b = padded(self.b, self.rows, self.cols)

    def _left_edge(self, cycle: Any) -> Edge:
        tile, beat = self._position(cycle - self.rows - self._i, self._streamed)
        return np.where(beat >= 0, self._a[beat, self._row_start[tile] + self._i], 0), tile, beat

    def _top_edge(self, cycle: Any) -> Edge:
        tile, beat = self._position(cycle - self._j, self.rows)
        row = self._row_start[tile] + self.rows - 1 - np.maximum(beat, 0)  # the lowest row enters first
        return np.where(beat >= 0, self._b[row, self._col_start[tile] + self._j], 0), tile, beat

    def _cells(self) -> None:
        first = self._beat == 0
        np.copyto(self._stationary, self._shadow, where=first)
        self._held |= first
        self._shadowed &= ~first

        # Row i shifts from the i-th weight on, because its previous weight was needed until then.
        weights, _, beat = self._top_edge(self.cycle)
        shifting = self._i <= beat
        np.copyto(self._shadow, np.vstack([weights, self._shadow[:-1]]), where=shifting)
        self._shadowed |= shifting

        self._down[1:] = self._down[:-1]
        self._down[0] = 0
        self._down += self._stationary * self._right
        self._leave(self._down[-1], self._beat[-1] >= 0, self._tile[-1], self._beat[-1])


class OutputStationary(SystolicArray):
    """Simulate the output-stationary dataflow: cells accumulate a tile of C, A flows right, B flows down.

    A finished sum moves to a second register; when the lowest cell of a column has
    finished, the column shifts its results out at the lower edge in ``rows`` cycles.

    Parameters
    ----------
    a, b : array, shapes (m, k) and (k, n)
        Left and right matrix.
    rows, cols : int
        Numbers of rows and columns of cells.
    overlap : bool
        Double buffering, as in `SystolicArray`.

    Notes
    -----
    Source: Kung, "Why systolic
    architectures?", IEEE Computer 15(1), 1982, for stationary sums and moving operands;
    the time to shift results out is that of Samajdar et al., ISPASS 2020.

    Examples
    --------
    >>> array = OutputStationary([[1, 2], [3, 4]], [[5, 6], [7, 8]], rows=2, cols=2)
    >>> array.run()
    array([[19, 22],
           [43, 50]])
    >>> print(array.history[1].stationary)
    [[19 6]
     [15 --]]
    """

    dataflow = "output_stationary"

    def __init__(self, a: ArrayLike, b: ArrayLike, rows: int, cols: int, *, overlap: bool = False) -> None:
        super().__init__(a, b, rows, cols, overlap=overlap)
        self._a = padded(self.a, self.rows, 1)
        self._b = padded(self.b, 1, self.cols)
        # Number of results that have left each column (-1: none can leave yet), and their tile.
        self._out, self._out_tile = np.full((2, self.cols), -1)

    def _left_edge(self, cycle: Any) -> Edge:
        tile, beat = self._position(cycle - self._i, self._streamed)
        return np.where(beat >= 0, self._a[self._row_start[tile] + self._i, beat], 0), tile, beat

    def _top_edge(self, cycle: Any) -> Edge:
        tile, beat = self._position(cycle - self._j, self._streamed)
        return np.where(beat >= 0, self._b[beat, self._col_start[tile] + self._j], 0), tile, beat

    def _cells(self) -> None:
        self._down[1:] = self._down[:-1]
        self._down[0] = self._top_edge(self.cycle)[0]
        self._held = self._beat >= 0
        self._stationary[self._beat <= 0] = 0
        self._stationary += self._right * self._down

        # After n results of a column have left, its upper n rows are free for the next tile.
        leaving = self._out >= 0
        row = self._row_start[self._out_tile] + self.rows - 1 - self._out
        self._leave(self._shadow[-1], leaving, self._out_tile, row)
        np.copyto(self._shadow[1:], self._shadow[:-1].copy(), where=leaving & (self._i[1:] > self._out))
        self._shadowed &= ~(leaving & (self._i == self._out))
        self._out[leaving] += 1
        self._out[self._out == self.rows] = -1

        finished = self._beat == self._streamed - 1
        np.copyto(self._shadow, self._stationary, where=finished)
        self._shadowed |= finished
        self._out[finished[-1]] = 0
        self._out_tile[finished[-1]] = self._tile[-1, finished[-1]]


SIMULATORS = {kind.dataflow: kind for kind in (WeightStationary, OutputStationary)}


def simulator(
    a: ArrayLike, b: ArrayLike, rows: int, cols: int, dataflow: Dataflow = "weight_stationary", *, overlap: bool = False
) -> SystolicArray:
    """Return the simulator of a dataflow at cycle 0.

    Parameters
    ----------
    a : array, shape (m, k)
        Left matrix, copied. Two matrices of integers are multiplied exactly, in 64 bits;
        others in float64.
    b : array, shape (k, n)
        Right matrix, copied.
    rows : int
        Number of rows of cells.
    cols : int
        Number of columns of cells.
    dataflow : {"weight_stationary", "output_stationary"}
        Matrix that stays in the cells: B[k, n] or C[m, n].
    overlap : bool
        Double buffering: the next tile follows as soon as the edges are free, rather than
        when the array is empty.

    Returns
    -------
    WeightStationary or OutputStationary
        Simulator of the product.

    Notes
    -----
    The input-stationary dataflow is the weight-stationary one of the transposed product
    B.T A.T. Source: as the two classes.

    Examples
    --------
    >>> simulator([[1, 2]], [[3], [4]], rows=2, cols=2, dataflow="output_stationary").run()
    array([[11]])
    """
    return SIMULATORS[choice("dataflow", dataflow, tuple(SIMULATORS))](a, b, rows, cols, overlap=overlap)
