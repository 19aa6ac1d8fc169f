"""Step-by-step simulation of collectives on real arrays, with a count of all bytes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from .._validate import look_up, one_whole, positive
from .algorithms import algorithm_cost
from .schedule_steps import Move
from .schedules import REDUCING, ROOTED, SCHEDULES
from .slot_layout import SlotLayout
from .step_history import Step

if TYPE_CHECKING:
    from .._typing import ArrayLike, NDArray, Operation, Vectors

_OPERATIONS = {"sum": np.add, "prod": np.multiply, "max": np.maximum, "min": np.minimum}


class Simulator:
    """Simulate a collective on real arrays, one step at a time.

    Parameters
    ----------
    collective : str
        Collective that `time` accepts.
    algorithm : str
        One of its `algorithms` other than ``"in_network"``, or ``"hierarchical"`` for an
        all-reduce.
    buffers : sequence of arrays, shape (ranks, elements)
        One vector for each rank, copied. All have one length, except for all-gather and
        gather, where each is that rank's part.
    operation : {"sum", "prod", "max", "min"}, optional
        Reduction operation of a collective that reduces.
    root : int, optional
        Root of a broadcast, reduce, gather or scatter; default 0.
    segments : int, optional
        Number of slices of a pipelined algorithm; default 8.
    ranks_per_node : int, optional
        Number of ranks in a node, required for ``"hierarchical"``; a divisor of the number
        of ranks.

    Attributes
    ----------
    ranks, root, total_steps : int
        Number of ranks, root, and number of steps from start to end.
    sent, received : array of int, shape (ranks,)
        Bytes sent and received so far by each rank.
    wire_bytes, combined_bytes : int
        Bytes sent and bytes reduced on the critical path so far, summed over the busiest
        rank of each step.

    Raises
    ------
    ValueError
        If the pair has no simulator, an option does not apply to it, or the algorithm cannot
        serve this number of ranks.

    Notes
    -----
    All ranks work in lock step, and each sends and receives at once, so a step takes as
    long as its busiest rank. If the number of chunks doesn't divide the length, chunks
    differ by one element. Integers wrap around as in hardware. Ignores stragglers and
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
    >>> chain = Simulator("broadcast", "ring", [[1, 2, 3, 4], [0] * 4, [0] * 4], segments=4)
    >>> chain.run()[2].tolist(), chain.total_steps                 # ranks - 2 + segments
    ([1, 2, 3, 4], 5)
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
        schedules = look_up("collective", collective, SCHEDULES)
        schedule = look_up(f"algorithm of a simulated {collective!r}", algorithm, schedules)
        vectors = _checked_vectors(collective, buffers)
        self.collective, self.algorithm, self.ranks = collective, algorithm, len(vectors)
        if algorithm != "hierarchical":
            algorithm_cost(collective, algorithm, self.ranks)  # checks that ranks is a power of two where needed
        options = {"segments": segments, "ranks_per_node": ranks_per_node}
        applicable = {
            "operation": (operation, collective in REDUCING),
            "root": (root, collective in ROOTED),
            **{option: (value, option in schedule.options) for option, value in options.items()},
        }
        for option, (value, applies) in applicable.items():
            if value is not None and not applies:
                raise ValueError(f"{option} does not apply to {collective!r} by {algorithm!r}, got {value!r}")
        self.operation = None
        if collective in REDUCING:
            self.operation = "sum" if operation is None else operation
            self._combine = look_up("operation", self.operation, _OPERATIONS)
        self.root = 0 if root is None else one_whole("root", root, minimum=0)
        if self.root >= self.ranks:
            raise ValueError(f"root must be a rank from 0 to {self.ranks - 1}, got {root!r}")
        chosen = {
            option: _checked_option(option, default if options[option] is None else options[option], self.ranks)
            for option, default in schedule.options.items()
        }
        slots, phases = schedule.build(self.ranks, **chosen)
        self._plan = [(phase, k) for phase in phases for k in range(phase.steps)]
        self._layout = SlotLayout(collective, algorithm, vectors, slots, self.root)
        self._history: list[Step] = []
        self.total_steps = len(self._plan)
        self.sent = np.zeros(self.ranks, np.int64)
        self.received = np.zeros(self.ranks, np.int64)
        self.wire_bytes = 0
        self.combined_bytes = 0

    @property
    def history(self) -> tuple[Step, ...]:
        """Tuple of the steps taken so far."""
        return tuple(self._history)

    @property
    def done(self) -> bool:
        """Whether every step has been taken."""
        return len(self._history) == self.total_steps

    @property
    def buffers(self) -> Vectors:
        """Current data of each rank, with zeros in empty slots (all-to-all: empty slots omitted)."""
        return self._layout.vectors()

    @property
    def contributions(self) -> NDArray[np.int64]:
        """Number of ranks whose data each chunk combines, shape (ranks, chunks); 0 for an empty chunk."""
        return self._layout.contributions.copy()

    @property
    def complete(self) -> int:
        """Number of contributions of a finished chunk: all ranks in a reduction, otherwise 1."""
        return self.ranks if self.operation else 1

    @property
    def result(self) -> Vectors:
        """Output of the finished collective.

        An array of all ranks' vectors; for reduce and gather the root's vector; for
        reduce-scatter and scatter a list with each rank's block.
        """
        if not self.done:
            raise RuntimeError(f"no result yet: {len(self._history)} of {self.total_steps} steps taken; call run()")
        return self._layout.result()

    def step(self) -> Step | None:
        """Take the next step and return it as `Step`; return None after the last step."""
        if self.done:
            return None
        phase, k = self._plan[len(self._history)]
        layout, itemsize = self._layout, self._layout.state.itemsize
        moves = [self._with_root(move) for move in phase.moves(k)]
        # Every rank sends the data that it had before the step, so read everything before writing anything.
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
            _concatenated(move.source for move in moves),
            _concatenated(move.destination for move in moves),
            _concatenated(move.slot for move in moves),
            _concatenated(move.target_slot for move in moves),
            _concatenated(lengths * itemsize for _, _, lengths in read),
            _concatenated(np.full(len(move.source), move.combine) for move in moves),
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
        """Compute the time of the steps taken so far, each as slow as its busiest rank.

        Parameters
        ----------
        bandwidth_one_way : float
            Rate at which a rank can send and at the same time receive, bytes/s.
        latency : float
            Fixed cost of one message between two ranks, seconds.
        reduction_time_per_byte : float
            Time to reduce one received byte into the local buffer, s/byte.

        Returns
        -------
        float
            Time, seconds; equal to `collectives.time` for lengths that divide evenly.
        """
        bandwidth = positive("bandwidth_one_way", bandwidth_one_way)
        latency = positive("latency", latency, allow_zero=True)
        gamma = positive("reduction_time_per_byte", reduction_time_per_byte, allow_zero=True)
        return len(self._history) * latency + self.wire_bytes / bandwidth + self.combined_bytes * gamma

    def _with_root(self, move: Move) -> Move:
        """Return the move with the real rank numbers; in a schedule the root is rank 0."""
        if not self.root:
            return move
        return move._replace(
            source=(move.source + self.root) % self.ranks,
            destination=(move.destination + self.root) % self.ranks,
        )

    def __repr__(self) -> str:
        """Return the collective, the algorithm and the number of steps taken."""
        name = f"{type(self).__name__} {self.collective} by {self.algorithm}"
        return f"<{name}: {self.ranks} ranks, step {len(self._history)} of {self.total_steps}>"


def _concatenated(arrays: Iterable[NDArray[Any]]) -> NDArray[Any]:
    """Return one read-only array, so that changes of the history cannot change the schedule."""
    array = np.concatenate(list(arrays))
    array.setflags(write=False)
    return array


def _checked_vectors(collective: str, buffers: Any) -> list[NDArray[Any]]:
    """Return the ranks' buffers as one-dimensional arrays of numbers."""
    if isinstance(buffers, (str, bytes, dict)) or not hasattr(buffers, "__len__"):
        raise TypeError(f"buffers must be a sequence of arrays, one for each rank, got {buffers!r}")
    if not len(buffers):
        raise ValueError("buffers must hold at least one rank's array, got none")
    vectors = []
    for rank, buffer in enumerate(buffers):
        try:
            vector = np.asarray(buffer)
        except ValueError:
            raise ValueError(f"buffers[{rank}] must be a one-dimensional array of numbers") from None
        if vector.dtype.kind not in "iufc":
            raise TypeError(f"buffers[{rank}] must hold numbers, got {vector.dtype} values")
        if vector.ndim != 1:
            raise ValueError(f"buffers[{rank}] must be one-dimensional, got shape {vector.shape}")
        vectors.append(vector)
    sizes = sorted({len(vector) for vector in vectors})
    if len(sizes) > 1 and collective not in ("all_gather", "gather"):
        raise ValueError(f"buffers must have one length for {collective!r}, got {sizes}")
    if not sizes[-1]:
        raise ValueError("buffers must hold at least one element, got empty arrays")
    return vectors


def _checked_option(name: str, value: Any, ranks: int) -> int:
    """Return a number of segments, or of ranks in a node, which must divide the ranks."""
    if value is None:
        raise ValueError(f"{name} must be given: a number that divides the {ranks} ranks")
    number = one_whole(name, value)
    if name == "ranks_per_node" and ranks % number:
        raise ValueError(f"ranks_per_node must divide the {ranks} ranks, got {value!r}")
    return number
