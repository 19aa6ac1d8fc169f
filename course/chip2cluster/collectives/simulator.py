"""Collectives carried out step by step on real arrays, every byte counted."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from .._validate import positive
from .algorithms import find, named
from .history import Step
from .inputs import checked_option, checked_rank, checked_vectors
from .layout import Layout
from .moves import Move
from .schedules import REDUCING, ROOTED, SCHEDULES

if TYPE_CHECKING:
    from .._typing import ArrayLike, NDArray, Operation, Vectors

_OPERATIONS = {"sum": np.add, "prod": np.multiply, "max": np.maximum, "min": np.minimum}


class Simulator:
    """A collective on real arrays, one step at a time.

    Parameters
    ----------
    collective, algorithm : str
        As `time`; also ``"all_reduce"`` by ``"hierarchical"``. A switch that adds up is
        not simulated.
    buffers : sequence of arrays, shape (ranks, elements)
        One vector for each rank, copied. All of one length, except for all-gather and
        gather, where each is that rank's part.
    operation : {"sum", "prod", "max", "min"}, optional
        How to combine; only where something is combined.
    root : int, optional
        Rank 0 when left out; only for broadcast, reduce, gather and scatter.
    segments : int, optional
        Slices of a pipelined algorithm; 8 when left out.
    ranks_per_node : int, optional
        Needed for ``"hierarchical"``; divides the number of ranks.

    Attributes
    ----------
    ranks, root, total_steps : int
        Number of ranks, the root among them, steps from start to end.
    sent, received : array of int, shape (ranks,)
        Bytes so far, rank by rank.
    wire_bytes, combined_bytes : int
        Bytes on the critical path so far: those of each step's busiest rank, added up.

    Raises
    ------
    ValueError, TypeError
        For a pair that has no simulator (naming those that have), an option that means
        nothing there, a number of ranks that the algorithm cannot serve, and buffers
        that are not vectors of numbers.

    Notes
    -----
    All ranks move in lock step, each sending and receiving at once, so a step lasts as
    long as its busiest rank. Lengths that do not divide give chunks that differ by one
    element. Integers wrap around as they do on the machine. Ignores stragglers and
    contention. Sources: see `algorithms`.

    Examples
    --------
    >>> gather = Simulator("all_gather", "bruck", [[1, 2], [3], [4, 5]])
    >>> gather.run()
    array([[1, 2, 3, 4, 5],
           [1, 2, 3, 4, 5],
           [1, 2, 3, 4, 5]])
    >>> len(gather.history), int(gather.sent.sum()) == 2 * 5 * 8
    (2, True)
    """

    def __init__(
        self,
        collective: str,
        algorithm: str,
        buffers: ArrayLike,
        *,
        operation: Operation | None = None,
        root: int | None = None,
        segments: int | None = None,
        ranks_per_node: int | None = None,
    ) -> None:
        of_collective = named("collective", collective, SCHEDULES)
        schedule = named(f"algorithm of a simulated {collective!r}", algorithm, of_collective)
        vectors = checked_vectors(collective, buffers)
        self.collective, self.algorithm, self.ranks = collective, algorithm, len(vectors)
        if algorithm != "hierarchical":
            find(collective, algorithm, self.ranks)  # refuses what is not a power of two
        given = {"segments": segments, "ranks_per_node": ranks_per_node}
        meaningful = {
            "operation": (operation, collective in REDUCING),
            "root": (root, collective in ROOTED),
            **{option: (value, option in schedule.options) for option, value in given.items()},
        }
        for option, (value, allowed) in meaningful.items():
            if value is not None and not allowed:
                raise ValueError(f"{option} means nothing for {collective!r} by {algorithm!r}, got {value!r}")
        self.operation = None
        if collective in REDUCING:
            self.operation = "sum" if operation is None else operation
            self._combine = named("operation", self.operation, _OPERATIONS)
        self.root = checked_rank("root", root, self.ranks) if root is not None else 0
        options = {
            option: checked_option(option, default if given[option] is None else given[option], self.ranks)
            for option, default in schedule.options.items()
        }
        slots, phases = schedule.build(self.ranks, **options)
        self._plan = [(phase, k) for phase in phases for k in range(phase.steps)]
        self._layout = Layout(collective, algorithm, vectors, slots, self.root)
        self._history: list[Step] = []
        self.total_steps = len(self._plan)
        self.sent = np.zeros(self.ranks, np.int64)
        self.received = np.zeros(self.ranks, np.int64)
        self.wire_bytes = 0
        self.combined_bytes = 0

    @property
    def history(self) -> tuple[Step, ...]:
        """The steps taken so far, a tuple of `Step`."""
        return tuple(self._history)

    @property
    def done(self) -> bool:
        """Whether every step has been taken."""
        return len(self._history) == self.total_steps

    @property
    def buffers(self) -> Vectors:
        """What each rank holds now: zeros where nothing has arrived (all-to-all: nothing yet)."""
        return self._layout.vectors()

    @property
    def contributions(self) -> NDArray[np.int64]:
        """How many ranks' data each chunk of each rank combines, shape (ranks, chunks); 0: nothing there."""
        return self._layout.contributions.copy()

    @property
    def complete(self) -> int:
        """Contributions that a finished chunk has: all ranks' where something is combined, else 1."""
        return self.ranks if self.operation else 1

    @property
    def result(self) -> Vectors:
        """What the collective promises, once it is done.

        An array of all ranks' vectors; for reduce and gather the root's vector; for
        reduce-scatter and scatter a list with each rank's block.
        """
        if not self.done:
            raise RuntimeError(f"no result yet: {len(self._history)} of {self.total_steps} steps taken; call run()")
        return self._layout.result()

    def step(self) -> Step | None:
        """Take the next step and return it as `Step`; None when there is none left."""
        if self.done:
            return None
        phase, k = self._plan[len(self._history)]
        layout, itemsize = self._layout, self._layout.state.itemsize
        moves = [self._placed(move) for move in phase.moves(k)]
        # Every rank sends what it held before the step: read all, then write all.
        read = [
            [array[move.source, move.slot] for array in (layout.state, layout.contributions, layout.lengths)]
            for move in moves
        ]
        for move, (elements, contributions, lengths) in zip(moves, read, strict=True):
            to = move.destination, move.target_slot
            if move.combine:
                layout.state[to] = self._combine(layout.state[to], elements)
                layout.contributions[to] += contributions
            else:
                layout.state[to], layout.contributions[to], layout.lengths[to] = elements, contributions, lengths
        step = Step(
            len(self._history),
            phase.name,
            _joined(move.source for move in moves),
            _joined(move.destination for move in moves),
            _joined(move.slot for move in moves),
            _joined(move.target_slot for move in moves),
            _joined(lengths * itemsize for _, _, lengths in read),
            _joined(np.full(len(move.source), move.combine) for move in moves),
            self.ranks,
        )
        sent, received = step.sent, step.received
        self.sent += sent
        self.received += received
        self.wire_bytes += int(max(sent.max(), received.max()))
        self.combined_bytes += int(step.combined_bytes.max()) if step.combined.any() else 0
        self._history.append(step)
        return step

    def run(self) -> Vectors:
        """Take all remaining steps and return `result`."""
        while self.step() is not None:
            pass
        return self.result

    def time(self, bandwidth_one_way: float, latency: float = 0.0, reduction_time_per_byte: float = 0.0) -> float:
        """Time of the steps taken so far, each as slow as its busiest rank.

        Parameters
        ----------
        bandwidth_one_way, latency, reduction_time_per_byte : float
            As the function `time`.

        Returns
        -------
        float
            Seconds; equal to the function `time` for lengths that divide evenly.

        Raises
        ------
        ValueError, TypeError
            As the function `time`.
        """
        bandwidth = positive("bandwidth_one_way", bandwidth_one_way)
        latency = positive("latency", latency, allow_zero=True)
        gamma = positive("reduction_time_per_byte", reduction_time_per_byte, allow_zero=True)
        return len(self._history) * latency + self.wire_bytes / bandwidth + self.combined_bytes * gamma

    def _placed(self, move: Move) -> Move:
        """The move with the real ranks: schedules call the root rank 0."""
        if not self.root:
            return move
        return move._replace(
            source=(move.source + self.root) % self.ranks,
            destination=(move.destination + self.root) % self.ranks,
        )

    def __repr__(self) -> str:
        name = f"{type(self).__name__} {self.collective} by {self.algorithm}"
        return f"<{name}: {self.ranks} ranks, step {len(self._history)} of {self.total_steps}>"


def _joined(arrays: Iterable[NDArray[Any]]) -> NDArray[Any]:
    """One read-only array: the history must not be a way into the schedule."""
    joined = np.concatenate(list(arrays))
    joined.setflags(write=False)
    return joined
