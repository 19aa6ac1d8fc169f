"""Simulation of the ranks of an SPMD program in one process: blocking calls, messages, and deadlock detection."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from inspect import getclosurevars, isfunction, isgenerator
from typing import TYPE_CHECKING, Any

import numpy as np

from .._validate import one_positive, shortened

if TYPE_CHECKING:
    from .._typing import ArrayLike, NDArray

ELEMENT = 8  # bytes of a float64
MOST_CALLS = 100_000  # most calls, all ranks together


class Deadlock(RuntimeError):
    """All remaining ranks wait for one another; the message says who waits for what."""


@dataclass(eq=False)
class _Call:
    """One blocking call of a rank: the message that it sends, and the rank from which it receives."""

    name: str
    data: NDArray[np.float64] | None = None
    to: int | None = None
    source: int | None = None
    sent: bool = False
    got: NDArray[np.float64] | None = None

    def _no_message(self, *_: Any, **__: Any) -> Any:
        raise TypeError(f"this is the call, not its result: write got = yield comm.{self.name}(…)")

    # Without yield, the program uses the call as a number; NumPy must leave that operation to this class.
    __array_ufunc__ = None
    __array__ = __getitem__ = __iter__ = _no_message
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = _no_message

    @property
    def done(self) -> bool:
        """Whether the call has sent and received everything."""
        return (self.to is None or self.sent) and (self.source is None or self.got is not None)

    def waits(self, rank: int) -> str:
        """Describe what the call still waits for."""
        parts = []
        if self.to is not None and not self.sent:
            count = 0 if self.data is None else len(self.data)
            parts.append(f"send {count} number{'s' * (count != 1)} to rank {self.to}")
        if self.source is not None and self.got is None:
            parts.append(f"receive from rank {self.source}")
        return f"rank {rank} waits to {' and to '.join(parts)}"


class Communicator:
    """Communicator of a simulated rank; each of its three calls must be yielded.

    Parameters
    ----------
    rank : int
        Number of the rank.
    size : int
        Number of ranks.
    """

    def __init__(self, rank: int, size: int) -> None:
        self.rank, self.size = rank, size
        self._made: _Call | None = None

    def send(self, data: ArrayLike, to: int) -> _Call:
        """Send a message; blocks until ``to`` receives it, unless it is short enough to be sent eagerly."""
        return self._make("send", data, to, None)

    def receive(self, source: int) -> _Call:
        """Receive the next message of ``source``, which is the value of the yield expression."""
        return self._make("receive", None, None, source)

    def send_receive(self, data: ArrayLike, to: int, source: int) -> _Call:
        """Send and receive at the same time; neither waits for the other."""
        return self._make("send_receive", data, to, source)

    def _make(self, name: str, data: Any, to: int | None, source: int | None) -> _Call:
        for word, other in (("to", to), ("source", source)):
            if other is not None and (isinstance(other, bool) or not isinstance(other, (int, np.integer))):
                raise TypeError(f"{word} must be the number of a rank, got {other!r}")
            if other is not None and not 0 <= other < self.size:
                raise ValueError(
                    f"{word} must be a rank from 0 to {self.size - 1}, got {other}: wrap around with % size"
                )
            if other == self.rank:
                raise ValueError(f"rank {self.rank} calls {name} with itself as {word}")
        if self._made is not None:
            raise RuntimeError(
                f"rank {self.rank} makes a second call before its {self._made.name} was yielded: write yield before each"
            )
        message = None if data is None else np.atleast_1d(np.array(data, dtype=np.float64))
        self._made = _Call(name, message, None if to is None else int(to), None if source is None else int(source))
        return self._made


@dataclass(frozen=True, eq=False)
class RanksResult:
    """Result of `run_ranks`.

    Attributes
    ----------
    buffers : array, shape (ranks, numbers)
        Final data of each rank.
    sent : array, shape (ranks,)
        Count of numbers that each rank sent.
    """

    buffers: NDArray[np.float64] = field(repr=False)
    sent: NDArray[np.float64]

    @property
    def rows(self) -> NDArray[np.float64]:
        """One row per rank: its final data, and in the last column the largest count that any rank sent."""
        return np.column_stack([self.buffers, np.full(len(self.sent), self.sent.max())])


def run_ranks(
    program: Callable[[Communicator, NDArray[np.float64]], Generator[Any, Any, Any]],
    buffers: ArrayLike,
    *,
    eager_bytes: float = 0.0,
) -> RanksResult:
    """Run one SPMD program as every rank, each with its own data, and deliver the messages.

    Parameters
    ----------
    program : generator function
        Function of a `Communicator` and the data of the rank. It yields each call, such as
        ``got = yield comm.send_receive(data, to, source)``, and returns its result or changes its data in place.
        Ranks share no memory, so the function must not use outer arrays.
    buffers : array, shape (ranks, numbers)
        Initial data of each rank; each gets a copy.
    eager_bytes : float
        Largest message that is buffered (sent eagerly), so that its sender continues at once; 0 buffers none.

    Returns
    -------
    RanksResult
        Final data, and count of sent numbers.

    Raises
    ------
    Deadlock
        All remaining ranks wait for one another; the message says who waits for what.
    RuntimeError
        A call lacks ``yield``, a message is never received, or the program does not end.
    ValueError, TypeError
        A rank does not exist, or the program is not a generator function or uses an array of the enclosing
        function.

    Notes
    -----
    Semantics of blocking MPI calls: ``MPI_Send`` may wait for the matching receive, ``MPI_Sendrecv`` does not deadlock
    with other ``MPI_Sendrecv``, and messages between two ranks keep their order. Ignores time, tags and all other calls.
    Source: MPI Forum, *MPI: a message-passing interface standard* 4.1, 3.4 and 3.5.

    Examples
    --------
    >>> def exchange(comm, data):
    ...     other = 1 - comm.rank
    ...     got = yield comm.send_receive(data, to=other, source=other)
    ...     return data + got
    >>> run_ranks(exchange, [[1.0, 2.0], [10.0, 20.0]]).rows.tolist()
    [[11.0, 22.0, 2.0], [11.0, 22.0, 2.0]]
    >>> def polite(comm, data):
    ...     got = yield comm.receive(1 - comm.rank)
    ...     yield comm.send(data, 1 - comm.rank)
    >>> run_ranks(polite, [[1.0], [2.0]])
    Traceback (most recent call last):
        ...
    chip2cluster.measure.rank_simulator.Deadlock: rank 0 waits to receive from rank 1; rank 1 waits to receive from rank 0. All wait to receive, and nobody sends
    """
    start = np.array(buffers, dtype=np.float64)
    if start.ndim != 2 or not start.size:
        raise ValueError(f"buffers must have one row of numbers per rank, got {shortened(buffers)}")
    eager = one_positive("eager_bytes", eager_bytes, allow_zero=True)
    if not callable(program):
        raise TypeError(f"program must be a function of a communicator and its data, got {program!r}")
    if isfunction(program):
        for name, value in getclosurevars(program).nonlocals.items():
            if isinstance(value, np.ndarray):
                raise ValueError(
                    f"program uses the outer array {name}, but ranks share no memory: use data, the row of the rank"
                )
    return _RankSimulation(program, start, eager).run()


class _RankSimulation:
    """State of the simulated ranks and their undelivered messages."""

    def __init__(self, program: Any, start: NDArray[np.float64], eager: float) -> None:
        size = len(start)
        self.data, self.eager = [row.copy() for row in start], eager
        self.comms = [Communicator(rank, size) for rank in range(size)]
        self.programs = [program(comm, row) for comm, row in zip(self.comms, self.data, strict=True)]
        if not all(isgenerator(one) for one in self.programs):
            raise TypeError("program must yield its calls, such as: got = yield comm.receive(0)")
        self.calls: list[_Call | None] = [None] * size
        self.ended = [False] * size
        self.mail: dict[tuple[int, int], deque[_Call]] = {}
        self.sent = np.zeros(size)
        self.made = 0

    def run(self) -> RanksResult:
        """Run all ranks to their end."""
        for rank in range(len(self.comms)):
            self._resume(rank, None)
        while not all(self.ended):
            moved = False
            for rank, call in enumerate(self.calls):
                if call is None:
                    continue
                moved |= self._receive(rank, call)
                if call.done:
                    self._resume(rank, call.got)
                    moved = True
            if not moved:
                raise Deadlock(self._explanation())
        for (source, to), waiting in self.mail.items():
            if waiting:
                raise RuntimeError(f"rank {to} ended without receiving a message from rank {source}")
        if len({row.shape for row in self.data}) > 1 or self.data[0].ndim != 1:
            raise ValueError("every rank must return one row of equally many numbers")
        return RanksResult(np.array(self.data), self.sent)

    def _resume(self, rank: int, value: Any) -> None:
        comm = self.comms[rank]
        try:
            call = self.programs[rank].send(value)
        except StopIteration as end:
            if comm._made is not None:
                raise RuntimeError(
                    f"rank {rank} ended with a {comm._made.name} that was not yielded: write yield before it"
                ) from None
            self.calls[rank], self.ended[rank] = None, True
            if end.value is not None:
                self.data[rank] = np.array(end.value, dtype=np.float64)
            return
        if not isinstance(call, _Call) or call is not comm._made:
            raise TypeError(f"yield takes a call of the communicator, such as comm.receive(0), got {call!r}")
        comm._made, self.calls[rank] = None, call
        self.made += 1
        if self.made > MOST_CALLS:
            raise RuntimeError(f"the ranks have made {MOST_CALLS:,} calls: does the program end?")
        if call.to is not None and call.data is not None:
            self.mail.setdefault((rank, call.to), deque()).append(call)
            self.sent[rank] += len(call.data)
            call.sent = call.data.nbytes <= self.eager

    def _receive(self, rank: int, call: _Call) -> bool:
        if call.source is None or call.got is not None or not (mail := self.mail.get((call.source, rank))):
            return False
        message = mail.popleft()
        call.got, message.sent = message.data, True
        return True

    def _explanation(self) -> str:
        waiting = {rank: call for rank, call in enumerate(self.calls) if call is not None}
        listed = "; ".join(call.waits(rank) for rank, call in list(waiting.items())[:4])
        more = f"; and {len(waiting) - 4} more" if len(waiting) > 4 else ""
        partners = {other for call in waiting.values() for other in (call.to, call.source) if other is not None}
        if all(call.source is None for call in waiting.values()):
            why = "All send, and nobody receives"
        elif all(call.to is None for call in waiting.values()):
            why = "All wait to receive, and nobody sends"
        else:
            why = "Each waits for another"
        if gone := sorted(rank for rank in partners if self.ended[rank]):
            why = f"Rank {gone[0]} has ended already"
        return f"{listed}{more}. {why}"
