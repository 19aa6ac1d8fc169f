"""The clock, the schedule and the record that both dataflows share; see `dataflows`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

import numpy as np

from .._validate import flag, whole
from ._operands import operands, tiled
from .state import State, shown

if TYPE_CHECKING:
    from .._typing import ArrayLike, NDArray

# Values at an edge, with the tile of each and its place in the stream (-1: none).
Edge: TypeAlias = tuple[np.ndarray, np.ndarray, np.ndarray]

NEVER = np.iinfo(np.int64).max


class SystolicArray:
    """Base of `WeightStationary` and `OutputStationary`: rows x cols cells and a clock.

    `step` and `run` move the clock, `state` shows the cells, `history` every cycle so far.

    Parameters
    ----------
    a, b : array of shape (m, k) and (k, n)
        Two matrices of whole numbers are multiplied exactly, in 64 bits; others in float64.
        The array keeps copies.
    rows, cols : int
        Cells of the array, down and across.
    overlap : bool
        Double buffering: the next tile follows as soon as the wires are free,
        instead of when the array is empty.

    Attributes
    ----------
    cycle : int
        Cycles done so far.
    tiles : int
        Tiles into which the stationary matrix is cut, padded with zeros.
    useful_macs : int
        Multiply-accumulates on data, not on padding, done so far.

    Raises
    ------
    ValueError, TypeError
        For anything but two finite real matrices whose inner sizes agree, whole
        numbers whose sums may pass 64 bits, and cells that are not whole numbers.

    Notes
    -----
    A value moves one cell in a cycle, to the neighbour on the right or below, and
    memory delivers each value in the cycle in which it is due.
    """

    dataflow: ClassVar[str] = ""  # each subclass names its own

    def __init__(self, a: ArrayLike, b: ArrayLike, rows: int, cols: int, *, overlap: bool = False) -> None:
        if not self.dataflow:
            raise TypeError("SystolicArray has no dataflow; use WeightStationary or OutputStationary")
        self.a, self.b = operands(a, b)
        self.rows, self.cols = _single("rows", rows), _single("cols", cols)
        self.overlap = flag("overlap", overlap)
        self.cycle = self.useful_macs = 0
        (m, k), n = self.a.shape, self.b.shape[1]

        # The stationary matrix is cut into tiles, down its first block of columns first.
        weights_stay = self.dataflow == "weight_stationary"
        down, self._streamed = (k, m) if weights_stay else (m, k)
        row_start, rows_used = tiled(down, self.rows)
        col_start, cols_used = tiled(n, self.cols)
        self.tiles = len(row_start) * len(col_start)
        self._row_start, self._rows_used = np.tile([row_start, rows_used], len(col_start))
        self._col_start, self._cols_used = np.repeat([col_start, cols_used], len(row_start), axis=1)
        self._tile_started = np.full(self.tiles, NEVER)
        self._tile_started[0], self._started = 0, 1

        # Registers of the cells, and which of them hold something.
        cells, dtype = (self.rows, self.cols), self.a.dtype
        self._i, self._j = np.arange(self.rows)[:, None], np.arange(self.cols)
        self._stationary, self._shadow, self._right, self._down = np.zeros((4, *cells), dtype)
        self._held, self._shadowed, self._busy = np.zeros((3, *cells), bool)
        self._tile, self._beat = np.full((2, *cells), -1)

        # What has left the array, and how many parts make an element of the product.
        self._leaving, self._left = np.zeros(self.cols, dtype), np.zeros(self.cols, bool)
        self._product, self._parts = np.zeros((m, n), dtype), np.zeros((m, n), np.int64)
        self._parts_needed = len(row_start) if weights_stay else 1
        self._count_left, self._count_per_tile = 0, self.cols * (m if weights_stay else self.rows)
        self._states: list[State] = []
        self._replay: SystolicArray | None = None

    def __repr__(self) -> str:
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
        """The product, shape (m, n); a RuntimeError before the last cycle."""
        if not self.done:
            raise RuntimeError(f"the product is not complete after {self.cycle} cycles; call run()")
        return self._product.copy()

    @property
    def utilization(self) -> float:
        """Share of all cell cycles so far with a useful multiply-accumulate; 0 at the start."""
        return self.useful_macs / (self.rows * self.cols * self.cycle) if self.cycle else 0.0

    def step(self) -> State:
        """Advance by one cycle and return the new `State`; a RuntimeError when done."""
        self._clock()
        return self.state

    def run(self) -> NDArray[Any]:
        """Advance to the last cycle and return the product, shape (m, n)."""
        while not self.done:
            self._clock()
        return self.result

    @property
    def state(self) -> State:
        """The `State` after the cycles done so far; later steps do not change it."""
        flowing = self._beat >= 0
        ahead = np.arange(self.cycle, self.cycle + self.rows + self.cols)
        return State(
            dataflow=self.dataflow,
            cycle=self.cycle,
            utilization=self.utilization,
            stationary=shown(self._stationary, self._held),
            shadow=shown(self._shadow, self._shadowed),
            right=shown(self._right, flowing),
            down=shown(self._down, flowing),
            busy=self._busy.copy(),
            tile=self._tile.copy(),
            beat=self._beat.copy(),
            left_queue=self._queue(self._left_edge(ahead)),
            top_queue=self._queue(self._top_edge(ahead[:, None])),
            leaving=shown(self._leaving, self._left),
            product=shown(self._product, self._parts == self._parts_needed),
        )

    @property
    def history(self) -> tuple[State, ...]:
        """One `State` for each cycle done, as a tuple; replayed when first asked for.

        It takes about a hundred bytes for each cell and cycle: a thing for small arrays.
        """
        if self._replay is None:
            self._replay = type(self)(self.a, self.b, self.rows, self.cols, overlap=self.overlap)
        while len(self._states) < self.cycle:
            self._states.append(self._replay.step())
        return tuple(self._states)

    # What a dataflow adds: the values at both edges in a cycle, and what the cells do with them.
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
        # The edge must be free of the last stream, the second registers of the last tile.
        return self.cycle - self._tile_started[self._started - 1] >= max(self._streamed, self.rows)

    def _position(self, since: NDArray[Any], length: int) -> tuple[NDArray[Any], NDArray[Any]]:
        """Tile and beat, ``since`` cycles into the run, of streams of ``length``; -1 in a gap."""
        tile = np.searchsorted(self._tile_started, since, side="right") - 1
        beat = since - self._tile_started[tile]
        gap = (tile < 0) | (beat >= length)
        return np.where(gap, -1, tile), np.where(gap, -1, beat)

    @staticmethod
    def _queue(edge: Edge) -> np.ma.MaskedArray[Any, Any]:
        values, _, beat = edge
        return shown(values, beat >= 0)

    def _leave(self, values: NDArray[Any], left: NDArray[Any], tile: NDArray[Any], row: NDArray[Any]) -> None:
        """Record what leaves at the lower edge and add the part that is not padding."""
        self._leaving, self._left = np.where(left, values, 0), left
        self._count_left += int(np.count_nonzero(left))
        real = left & (self._j < self._cols_used[tile]) & (row < self.a.shape[0])
        place = row[real], (self._col_start[tile] + self._j)[real]
        self._product[place] += values[real]
        self._parts[place] += 1


def _single(name: str, value: int) -> int:
    number = whole(name, value)
    if isinstance(number, int):
        return number
    raise TypeError(f"{name} must be a single number, got an array of shape {number.shape}")
