"""Lock traffic between writers of one file: requests and revocations."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from .._validate import choice, one_whole, plain, positive, shortened
from ._lock_table import LockTable
from .striping import StripeLayout
from .write_patterns import Write, strided_writes

if TYPE_CHECKING:
    from .._typing import ArrayLike, FloatOrArray

Policy = Literal["cancel", "split", "exact"]


@dataclass(frozen=True)
class LockTraffic:
    """Work of the lock servers.

    Attributes
    ----------
    writes : int
        Writes of all writers.
    requests : int
        Lock requests, one for each object that a write needs and has no lock on.
    revocations : int
        Revoked locks of other writers; their holders must first flush their caches.

    Examples
    --------
    >>> LockTraffic(writes=10, requests=10, revocations=9).revocations_per_write
    0.9
    """

    writes: int
    requests: int
    revocations: int

    @property
    def revocations_per_write(self) -> float:
        """Revocations per write: 0 if writers do not conflict; 1 if every write waits for another writer."""
        return self.revocations / self.writes if self.writes else 0.0


def lock_traffic(
    writes: Iterable[Write], layout: StripeLayout | None = None, *, granularity: int = 4096, policy: Policy = "cancel"
) -> LockTraffic:
    """Simulate writes to one file and count the lock requests and revocations between the writers.

    Parameters
    ----------
    writes : iterable of (int, int, int)
        Writer, offset and length in order of time: `strided_writes`,
        `segmented_writes`, or a custom list.
    layout : StripeLayout, optional
        Striping of the file, with separate locks for each object; without a layout the file is one object.
    granularity : int
        Unit of the locks, bytes: a page (Lustre), a block (GPFS).
    policy : {"cancel", "split", "exact"}
        Extent that a server grants, and what happens to a conflicting lock. ``"cancel"``: the largest
        free extent is granted, and a conflicting lock is given up whole (Lustre).
        ``"split"``: the same, but the holder keeps the side of the lock on which it last wrote
        (GPFS). ``"exact"``: only the requested extent is granted (group locks, lock-ahead).

    Returns
    -------
    LockTraffic
        Writes, requests and revocations.

    Notes
    -----
    Writes happen one after the other, as by writers of equal speed. Ignores concurrent
    requests, which bound what a server grants, and limits that real servers set under
    contention. Source: F. Schmuck and R. Haskin, "GPFS", FAST 2002, section 3.2; M. Moore et al.,
    "Lustre lockahead", CUG 2017.

    Examples
    --------
    Four writers on four targets: records as long as a stripe give each writer an object of its
    own, longer ones let all of them meet on every object.

    >>> layout = StripeLayout(2**20, 4)
    >>> lock_traffic(strided_writes(4, 100, 2**20), layout).revocations
    0
    >>> lock_traffic(strided_writes(4, 100, 2**20 + 4096), layout).revocations > 400
    True
    """
    unit = one_whole("granularity", granularity, 1)
    choice("policy", policy, ("cancel", "split", "exact"))
    if layout is not None and not isinstance(layout, StripeLayout):
        raise TypeError(f"layout must be a StripeLayout or None, got {layout!r}")
    objects: dict[int, LockTable] = {}
    count = requests = revocations = 0
    for write in writes:
        writer, offset, length = _check_write(write)
        count += 1
        for number, start, end in _touched(layout, offset, length):
            locks = objects.setdefault(number, LockTable(policy))
            requested, revoked = locks.write(writer, start // unit * unit, -(-end // unit) * unit)
            requests, revocations = requests + requested, revocations + revoked
    return LockTraffic(count, requests, revocations)


def token_ping_pong(writes_each: int, record_bytes: int, block_bytes: int) -> LockTraffic:
    """Simulate two writers that append records alternately to a file whose locks cover whole blocks.

    Parameters
    ----------
    writes_each, record_bytes : int
        Number of records of each writer, and their length in bytes.
    block_bytes : int
        Smallest extent of a token, bytes.

    Returns
    -------
    LockTraffic
        Writes, requests and revocations.

    Notes
    -----
    Records shorter than a block share it (false sharing), and its token changes hands with nearly every
    write. Ignores what `lock_traffic` ignores. Source: `lock_traffic` with ``"split"``, as GPFS.

    Examples
    --------
    Records of 64 KiB in blocks of 4 MiB; then the same two, each in a half of its own.

    >>> from chip2cluster.storage import segmented_writes
    >>> token_ping_pong(1000, 2**16, 2**22).revocations_per_write
    0.984
    >>> lock_traffic(segmented_writes(2, 1000, 2**16), granularity=2**22, policy="split").revocations
    2
    """
    record, block = one_whole("record_bytes", record_bytes, 1), one_whole("block_bytes", block_bytes, 1)
    return lock_traffic(strided_writes(2, writes_each, record), granularity=block, policy="split")


def lock_time(
    revocations: ArrayLike, round_trip_seconds: ArrayLike, flushed_bytes: ArrayLike, bandwidth_one_way: ArrayLike
) -> FloatOrArray:
    """Time that writers wait for the locks of others.

    Parameters
    ----------
    revocations : float or array
        Number of revocations, see `LockTraffic`.
    round_trip_seconds : float or array
        Time to request, revoke and grant a lock, seconds.
    flushed_bytes : float or array
        Bytes that a holder flushes before it releases the lock.
    bandwidth_one_way : float or array
        Bandwidth of the flush, bytes/s.

    Returns
    -------
    float or array
        Seconds: each revocation takes ``round_trip + flushed / bandwidth``, one after the other.

    Notes
    -----
    Time of one object; several objects work in parallel. Ignores the queue of the lock server.
    Source: the critical path of a token that changes hands.

    Examples
    --------
    >>> round(lock_time(1999, 200e-6, 2**16, 2e9), 3)
    0.465
    """
    count = positive("revocations", revocations, allow_zero=True)
    flush = positive("flushed_bytes", flushed_bytes, allow_zero=True) / positive("bandwidth_one_way", bandwidth_one_way)
    return plain(count * (positive("round_trip_seconds", round_trip_seconds, allow_zero=True) + flush))


def _touched(layout: StripeLayout | None, offset: int, length: int) -> Iterator[tuple[int, int, int]]:
    """Return object, start and end of a write's extents: in an object its stripes are contiguous."""
    if layout is None:
        yield 0, offset, offset + length
        return
    spans: dict[int, tuple[int, int]] = {}
    for _, size, stripe, _, start in layout.extents(offset, length):
        low, high = spans.get(stripe, (start, start))
        spans[stripe] = min(low, start), max(high, start + size)
    for stripe, (low, high) in spans.items():
        yield stripe, low, high


def _check_write(write: Write) -> Write:
    try:
        writer, offset, length = write
    except (TypeError, ValueError):
        raise ValueError(f"writes must be triples of writer, offset and length, got {shortened(write)}") from None
    return one_whole("writer", writer, 0), one_whole("offset", offset, 0), one_whole("length", length, 1)
