"""Simulator of RDMA verbs on one reliable connection (RC): posts, completions and errors.

It simulates the rules of InfiniBand's verbs, not their time: an operation is executed when
it is posted, and its completion waits until the program polls. No packet is lost.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from enum import StrEnum
from itertools import count

from .._validate import whole

ATOMIC_BYTES = 8


class Status(StrEnum):
    """Status of a completed work request, ``ibv_wc_status`` of ``libibverbs``."""

    SUCCESS = "success"
    NOT_READY = "receiver not ready"  # IBV_WC_RNR_RETRY_EXC_ERR
    TOO_LONG = "remote invalid request"  # IBV_WC_REM_INV_REQ_ERR; at the receiver:
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
        Result of the operation.
    data : bytes
        Data of a receive, a read or an atomic operation; empty otherwise.
    """

    operation: str
    status: Status
    data: bytes = b""


class QueuePair:
    """Queue pair (QP): one end of a reliable RDMA connection that `connect` creates.

    Notes
    -----
    Ignores time, packets, limits of the queues, and retries: a send without a posted
    receive fails at once, whereas a real NIC retries. Ignores protection domains: the
    key is sufficient to access the memory. Source: InfiniBand Architecture
    Specification, volume 1.
    """

    def __init__(self) -> None:
        self._partner: QueuePair = self
        self._regions: dict[int, bytearray] = {}
        self._keys = count(1)
        self._receives: deque[int] = deque()
        self._completed: deque[Completion] = deque()
        self._broken = False

    def register(self, memory: bytearray) -> int:
        """Register memory that the partner may read and write (RDMA), and return its R_Key.

        Parameters
        ----------
        memory : bytearray
            Memory region.

        Returns
        -------
        int
            R_Key, which the partner needs.
        """
        if not isinstance(memory, bytearray):
            raise TypeError(f"memory must be a bytearray, which can be changed in place, got {type(memory).__name__}")
        key = next(self._keys)
        self._regions[key] = memory
        return key

    def post_receive(self, length: int) -> None:
        """Post a receive buffer of ``length`` bytes; the partner's sends use the oldest buffer first."""
        length = whole("length", length, minimum=0)
        if self._broken:
            self._complete("receive", Status.FLUSHED)
        else:
            self._receives.append(length)

    def post_send(self, data: bytes) -> None:
        """Send into the oldest receive buffer that the partner has posted."""
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
        """Write into the partner's memory (RDMA write) without involving the partner's program."""
        if (region := self._remote_slice("write", key, offset, len(data))) is not None:
            self._partner._regions[key][region] = data
            self._complete("write", Status.SUCCESS)

    def post_read(self, length: int, key: int, offset: int = 0) -> None:
        """Read from the partner's memory (RDMA read) without involving the partner's program."""
        if (region := self._remote_slice("read", key, offset, length)) is not None:
            self._complete("read", Status.SUCCESS, bytes(self._partner._regions[key][region]))

    def post_fetch_add(self, amount: int, key: int, offset: int = 0) -> None:
        """Add atomically to a little-endian 8-byte number in the partner's memory, and fetch the old value."""
        if (region := self._remote_slice("fetch and add", key, offset, ATOMIC_BYTES)) is not None:
            memory = self._partner._regions[key]
            old = bytes(memory[region])
            new = (int.from_bytes(old, "little") + amount) % (1 << 8 * ATOMIC_BYTES)
            memory[region] = new.to_bytes(ATOMIC_BYTES, "little")
            self._complete("fetch and add", Status.SUCCESS, old)

    def poll(self) -> list[Completion]:
        """Return the completions at this end since the last poll, in order."""
        completions = list(self._completed)
        self._completed.clear()
        return completions

    def _remote_slice(self, operation: str, key: int, offset: int, length: int) -> slice | None:
        """Return the slice that a one-sided operation accesses, or None if access is not allowed."""
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
    """Connect two queue pairs on two nodes by one reliable connection (RC).

    Returns
    -------
    tuple of QueuePair
        Both ends of the connection.

    Examples
    --------
    >>> near, far = connect()
    >>> far.post_receive(16)
    >>> near.post_send(b"gradients")
    >>> far.poll()[0].data
    b'gradients'
    >>> near.post_send(b"more")          # no receive is posted
    >>> [done.status.value for done in near.poll()]
    ['success', 'receiver not ready']
    """
    one, other = QueuePair(), QueuePair()
    one._partner, other._partner = other, one
    return one, other
