"""Clock, schedule and history of the simulators of both dataflows; see `dataflows`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

import numpy as np

from .._validate import flag, one_whole
from ._operands import operands, tiled
from .state import ArrayState, masked

if TYPE_CHECKING:
    from .._typing import ArrayLike, NDArray

# Values at an edge, with the tile of each and its index in the stream (-1: none).
Edge: TypeAlias = tuple[np.ndarray, np.ndarray, np.ndarray]

NEVER = np.iinfo(np.int64).max


class SystolicArray:
    """Base class of `WeightStationary` and `OutputStationary`: rows x cols cells and a clock.

    `step` and `run` advance the clock, `state` returns the cells, `history` all cycles so far.

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
    overlap : bool
        Double buffering: the next tile follows as soon as the edges are free, rather than
        when the array is empty.

    Attributes
    ----------
    cycle : int
        Number of cycles so far.
    tiles : int
        Number of tiles of the stationary matrix, padded with zeros.
    useful_macs : int
        Number of multiply-accumulates on data, not on padding, so far.

    Raises
    ------
    ValueError
        If the inner sizes of the matrices differ, or integer sums may exceed 64 bits.

    Notes
    -----
    A value moves one cell per cycle, to the neighbour on the right or below, and memory
    delivers each value in the cycle in which it is needed.
    """

    dataflow: ClassVar[str] = ""  # set by each subclass

    def __init__(self, a: ArrayLike, b: ArrayLike, rows: int, cols: int, *, overlap: bool = False) -> None:
        if not self.dataflow:
            raise TypeError("SystolicArray has no dataflow; use WeightStationary or OutputStationary")
        self.a, self.b = operands(a, b)
        self.rows, self.cols = one_whole("rows", rows), one_whole("cols", cols)
        self.overlap = flag("overlap", overlap)
        self.cycle = self.useful_macs = 0
        (m, k), n = self.a.shape, self.b.shape[1]

        # The stationary matrix is cut into tiles, in column-major order.
        weights_stay = self.dataflow == "weight_stationary"
        down, self._streamed = (k, m) if weights_stay else (m, k)
        row_start, rows_used = tiled(down, self.rows)
        col_start, cols_used = tiled(n, self.cols)
        self.tiles = len(row_start) * len(col_start)
        self._row_start, self._rows_used = np.tile([row_start, rows_used], len(col_start))
        self._col_start, self._cols_used = np.repeat([col_start, cols_used], len(row_start), axis=1)
        self._tile_started = np.full(self.tiles, NEVER)
        self._tile_started[0], self._started = 0, 1

        # Registers of the cells, and whether they hold a value.
        cells, dtype = (self.rows, self.cols), self.a.dtype
        self._i, self._j = np.arange(self.rows)[:, None], np.arange(self.cols)
        self._stationary, self._shadow, self._right, self._down = np.zeros((4, *cells), dtype)
        self._held, self._shadowed, self._busy = np.zeros((3, *cells), bool)
        self._tile, self._beat = np.full((2, *cells), -1)

        # Values that have left the array, and the number of partial sums of each element of the product.
        self._leaving, self._left = np.zeros(self.cols, dtype), np.zeros(self.cols, bool)
        self._product, self._parts = np.zeros((m, n), dtype), np.zeros((m, n), np.int64)
        self._parts_needed = len(row_start) if weights_stay else 1
        self._count_left, self._count_per_tile = 0, self.cols * (m if weights_stay else self.rows)
        self._states: list[ArrayState] = []
        self._replay: SystolicArray | None = None

    def __repr__(self) -> str:
        """Return the sizes, the number of tiles and the cycle."""
        (m, k), n = self.a.shape, self.b.shape[1]
        return (
            f"<{type(self).__name__} {self.rows} x {self.cols}: [{m}, {k}] x [{k}, {n}], "
            f"tiles: {self.tiles}, cycle {self.cycle}{', done' if self.done else ''}>"
        )

    @property
    def done(self) -> bool:
        """Whether the last tile has left the array, its padding included."""
        return self._count_left >= self.tiles * self._count_per_tile

    @property
    def result(self) -> NDArray[Any]:
        """Product, shape (m, n); raises RuntimeError before the last cycle."""
        if not self.done:
            raise RuntimeError(f"the product is not complete after {self.cycle} cycles; call run()")
        return self._product.copy()

    @property
    def utilization(self) -> float:
        """Fraction of all cell cycles so far with a useful multiply-accumulate; 0 at the start."""
        return self.useful_macs / (self.rows * self.cols * self.cycle) if self.cycle else 0.0

    def step(self) -> ArrayState:
        """Advance by one cycle and return the new `ArrayState`; raise RuntimeError after the last cycle."""
        self._clock()
        return self.state

    def run(self) -> NDArray[Any]:
        """Advance to the last cycle and return the product, shape (m, n)."""
        while not self.done:
            self._clock()
        return self.result

    @property
    def state(self) -> ArrayState:
        """Current `ArrayState`; later steps do not change it."""
        flowing = self._beat >= 0
        ahead = np.arange(self.cycle, self.cycle + self.rows + self.cols)
        return ArrayState(
            dataflow=self.dataflow,
            cycle=self.cycle,
            utilization=self.utilization,
            stationary=masked(self._stationary, self._held),
            shadow=masked(self._shadow, self._shadowed),
            right=masked(self._right, flowing),
            down=masked(self._down, flowing),
            busy=self._busy.copy(),
            tile=self._tile.copy(),
            beat=self._beat.copy(),
            left_queue=self._queue(self._left_edge(ahead)),
            top_queue=self._queue(self._top_edge(ahead[:, None])),
            leaving=masked(self._leaving, self._left),
            product=masked(self._product, self._parts == self._parts_needed),
        )

    @property
    def history(self) -> tuple[ArrayState, ...]:
        """Tuple of one `ArrayState` for each cycle so far, replayed on first access.

        It takes about a hundred bytes for each cell and cycle, so use it for small arrays.
        """
        if self._replay is None:
            self._replay = type(self)(self.a, self.b, self.rows, self.cols, overlap=self.overlap)
        while len(self._states) < self.cycle:
            self._states.append(self._replay.step())
        return tuple(self._states)

    # Each dataflow defines the values at both edges in a cycle, and the operation of the cells.
    def _left_edge(self, cycle: Any) -> Edge:
        raise NotImplementedError

    def _top_edge(self, cycle: Any) -> Edge:
        raise NotImplementedError

    def _cells(self) -> None:
        raise NotImplementedError

    def _clock(self) -> None:
        if self.done:
            raise RuntimeError(f"the product was complete after {self.cycle} cycles; there is no next step")
        if self._started < self.tiles and self._may_start():
            self._tile_started[self._started] = self.cycle
            self._started += 1
        entering = self._left_edge(self.cycle)
        for register, column in zip((self._right, self._tile, self._beat), entering, strict=True):
            register[:, 1:] = register[:, :-1]
            register[:, :1] = column
        self._cells()
        data = (self._i < self._rows_used[self._tile]) & (self._j < self._cols_used[self._tile])  # not padding
        self._busy = data & (self._beat >= 0)
        self.useful_macs += int(np.count_nonzero(self._busy))
        self.cycle += 1

    def _may_start(self) -> bool:
        if not self.overlap:
            return self._count_left >= self._started * self._count_per_tile
        # The last stream must have entered, and the second registers must be free of the last tile.
        return self.cycle - self._tile_started[self._started - 1] >= max(self._streamed, self.rows)

    def _position(self, since: NDArray[Any], length: int) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return tile and beat of streams of ``length`` at cycle ``since``; -1 in a gap."""
        tile = np.searchsorted(self._tile_started, since, side="right") - 1
        beat = since - self._tile_started[tile]
        gap = (tile < 0) | (beat >= length)
        return np.where(gap, -1, tile), np.where(gap, -1, beat)

    @staticmethod
    def _queue(edge: Edge) -> np.ma.MaskedArray[Any, Any]:
        values, _, beat = edge
        return masked(values, beat >= 0)

    def _leave(self, values: NDArray[Any], left: NDArray[Any], tile: NDArray[Any], row: NDArray[Any]) -> None:
        """Record the values that leave at the lower edge and accumulate those that are not padding."""
        self._leaving, self._left = np.where(left, values, 0), left
        self._count_left += int(np.count_nonzero(left))
        real = left & (self._j < self._cols_used[tile]) & (row < self.a.shape[0])
        element = row[real], (self._col_start[tile] + self._j)[real]
        self._product[element] += values[real]
        self._parts[element] += 1
