"""Two adapters and one reliable connection: what is posted, what moves, what completes, and what breaks.

A simulator of the rules of InfiniBand's verbs, not of their time: both adapters work at
once, and only the completion waits until somebody polls. Nothing is lost on the wire.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from enum import StrEnum
from itertools import count

from .._validate import whole

ATOMIC_BYTES = 8


class Status(StrEnum):
    """How a work request ended; ``libibverbs`` calls it ``ibv_wc_status``."""

    SUCCESS = "success"
    NOT_READY = "receiver not ready"  # IBV_WC_RNR_RETRY_EXC_ERR
    TOO_LONG = "remote invalid request"  # IBV_WC_REM_INV_REQ_ERR, and at the other end:
    TOO_SHORT = "local length error"  # IBV_WC_LOC_LEN_ERR
    NO_ACCESS = "remote access error"  # IBV_WC_REM_ACCESS_ERR
    FLUSHED = "flushed"  # IBV_WC_WR_FLUSH_ERR


@dataclass(frozen=True)
class Completion:
    """One entry of a completion queue.

    Attributes
    ----------
    operation : str
        ``"send"``, ``"receive"``, ``"write"``, ``"read"`` or ``"fetch and add"``.
    status : Status
    data : bytes
        What a receive, a read or an atomic operation brought; empty otherwise.
    """

    operation: str
    status: Status
    data: bytes = b""


class QueuePair:
    """One end of a reliable connection; `connect` makes two.

    Notes
    -----
    Ignores time, packets, limits of the queues, and repeats: a send that finds no
    receive fails at once, where real programs let the adapter ask again. Protection
    domains are left out: whoever has the key may use the memory. Source: InfiniBand
    Architecture Specification, volume 1.
    """

    def __init__(self) -> None:
        self._partner: QueuePair = self
        self._regions: dict[int, bytearray] = {}
        self._keys = count(1)
        self._receives: deque[int] = deque()
        self._completed: deque[Completion] = deque()
        self._broken = False

    def register(self, memory: bytearray) -> int:
        """Let the partner write to and read from this memory; returns the R_Key to hand to it.

        Parameters
        ----------
        memory : bytearray

        Returns
        -------
        int
        """
        if not isinstance(memory, bytearray):
            raise TypeError(f"memory is a bytearray, which can be changed in place, not {type(memory).__name__}")
        key = next(self._keys)
        self._regions[key] = memory
        return key

    def post_receive(self, length: int) -> None:
        """Offer a buffer of so many bytes to the partner's next send; the oldest is used first."""
        length = whole("length", length, minimum=0)
        if self._broken:
            self._complete("receive", Status.FLUSHED)
        else:
            self._receives.append(length)

    def post_send(self, data: bytes) -> None:
        """Send into the oldest buffer that the partner has posted."""
        if self._broken:
            self._complete("send", Status.FLUSHED)
        elif not self._partner._receives:
            self._complete("send", Status.NOT_READY)
            self._break()
        elif len(data) > self._partner._receives.popleft():
            self._partner._complete("receive", Status.TOO_SHORT)
            self._complete("send", Status.TOO_LONG)
            self._break_both()
        else:
            self._partner._complete("receive", Status.SUCCESS, bytes(data))
            self._complete("send", Status.SUCCESS)

    def post_write(self, data: bytes, key: int, offset: int = 0) -> None:
        """Write into the partner's memory; the partner's program notices nothing."""
        if (place := self._place("write", key, offset, len(data))) is not None:
            self._partner._regions[key][place] = data
            self._complete("write", Status.SUCCESS)

    def post_read(self, length: int, key: int, offset: int = 0) -> None:
        """Read from the partner's memory; the partner's program notices nothing."""
        if (place := self._place("read", key, offset, length)) is not None:
            self._complete("read", Status.SUCCESS, bytes(self._partner._regions[key][place]))

    def post_fetch_add(self, amount: int, key: int, offset: int = 0) -> None:
        """Add to a number of 8 bytes, lowest byte first, in the partner's memory; brings back the old one."""
        if (place := self._place("fetch and add", key, offset, ATOMIC_BYTES)) is not None:
            memory = self._partner._regions[key]
            old = bytes(memory[place])
            new = (int.from_bytes(old, "little") + amount) % (1 << 8 * ATOMIC_BYTES)
            memory[place] = new.to_bytes(ATOMIC_BYTES, "little")
            self._complete("fetch and add", Status.SUCCESS, old)

    def poll(self) -> list[Completion]:
        """All that has completed at this end since the last poll, in the order in which it was posted."""
        done = list(self._completed)
        self._completed.clear()
        return done

    def _place(self, operation: str, key: int, offset: int, length: int) -> slice | None:
        """Where a one-sided operation goes, or None when it may not go there."""
        if self._broken:
            self._complete(operation, Status.FLUSHED)
            return None
        region = self._partner._regions.get(key)
        if region is None or offset < 0 or length < 0 or offset + length > len(region):
            self._complete(operation, Status.NO_ACCESS)
            self._break_both()
            return None
        return slice(offset, offset + length)

    def _complete(self, operation: str, status: Status, data: bytes = b"") -> None:
        self._completed.append(Completion(operation, status, data))

    def _break(self) -> None:
        self._broken = True
        while self._receives:
            self._receives.popleft()
            self._complete("receive", Status.FLUSHED)

    def _break_both(self) -> None:
        self._break()
        self._partner._break()


def connect() -> tuple[QueuePair, QueuePair]:
    """Two queue pairs on two nodes, joined by one reliable connection (RC).

    Returns
    -------
    tuple of QueuePair

    Examples
    --------
    >>> near, far = connect()
    >>> far.post_receive(16)
    >>> near.post_send(b"gradients")
    >>> far.poll()[0].data
    b'gradients'
    >>> near.post_send(b"more")          # nobody has posted a receive
    >>> [done.status.value for done in near.poll()]
    ['success', 'receiver not ready']
    """
    one, other = QueuePair(), QueuePair()
    one._partner, other._partner = other, one
    return one, other
