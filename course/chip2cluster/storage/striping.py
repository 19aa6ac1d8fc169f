"""Striping of a file over many targets: which target holds a byte, and how many bytes each holds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from .._validate import MOST_BYTES, byte_counts, one_byte_count, one_whole

if TYPE_CHECKING:
    from .._typing import ArrayLike, IntOrArray, NDArray

MOST_EXTENTS = 10**8  # limit of one request


class Location(NamedTuple):
    """Location of a byte of a file; integers, or arrays of them.

    Attributes
    ----------
    stripe : int or array of int
        Object of the file, from 0 on.
    ost : int or array of int
        Target (OST) of the file system.
    object_offset : int or array of int
        Offset within the object, bytes.
    """

    stripe: IntOrArray
    ost: IntOrArray
    object_offset: IntOrArray


@dataclass(frozen=True)
class Extents:
    """Extents of a request, one for each stripe that it touches, in the order of the file.

    Attributes
    ----------
    offset, length : array of int
        Offset in the file and length of each extent, bytes.
    stripe, ost, object_offset : array of int
        Location of its first byte, as in `Location`.

    Examples
    --------
    >>> pieces = StripeLayout(stripe_size=100, stripe_count=2).extents(150, 100)
    >>> pieces.length.tolist(), pieces.stripe.tolist(), len(pieces)
    ([50, 50], [1, 0], 2)
    """

    offset: NDArray
    length: NDArray
    stripe: NDArray
    ost: NDArray
    object_offset: NDArray

    def __len__(self) -> int:
        """Return the number of extents."""
        return len(self.offset)

    def __iter__(self) -> Iterator[tuple[int, int, int, int, int]]:
        """Iterate over the extents as tuples."""
        columns = (self.offset, self.length, self.stripe, self.ost, self.object_offset)
        return zip(*(column.tolist() for column in columns), strict=True)


@dataclass(frozen=True)
class StripeLayout:
    """Round-robin striping of a file (RAID 0) over objects on different targets.

    Attributes
    ----------
    stripe_size : int
        Contiguous bytes in one object; ``lfs setstripe -S``, a chunk of BeeGFS.
    stripe_count : int
        Objects of the file, each on its own target; ``lfs setstripe -c``. -1 means all targets.
    first_ost : int
        Target of the first object, from 0 to ``ost_count - 1``.
    ost_count : int, optional
        Targets of the file system, numbered from 0; after the last one comes the first. As many as
        needed when left out.

    Notes
    -----
    RAID 0: stripe ``(offset mod (S C)) div S``, offset in the object ``offset div (S C) * S +
    offset mod S``. The number of a stripe is not that of its target. Ignores that Lustre
    requires multiples of 64 KiB, and that its server picks the targets. Source: Lustre
    software manual, chapter 19; the client's lov_offset.c.

    Examples
    --------
    >>> layout = StripeLayout(2**20, 4, first_ost=3, ost_count=8)
    >>> layout.osts.tolist(), layout.bytes_per_object(9 * 2**20 + 1).tolist()
    ([3, 4, 5, 6], [3145728, 2097153, 2097152, 2097152])
    >>> layout.locate(5 * 2**20 + 7)
    Location(stripe=1, ost=4, object_offset=1048583)
    """

    stripe_size: int
    stripe_count: int
    first_ost: int = 0
    ost_count: int | None = None

    def __post_init__(self) -> None:
        """Validate the fields."""
        object.__setattr__(self, "stripe_size", one_byte_count("stripe_size", self.stripe_size, 1))
        object.__setattr__(self, "first_ost", one_whole("first_ost", self.first_ost, 0))
        targets = None if self.ost_count is None else one_whole("ost_count", self.ost_count, 1)
        object.__setattr__(self, "ost_count", targets)
        if self.stripe_count == -1 and not isinstance(self.stripe_count, bool):
            if targets is None:
                raise ValueError("stripe_count -1 is all targets: ost_count must say how many there are, got None")
            object.__setattr__(self, "stripe_count", targets)
        object.__setattr__(self, "stripe_count", one_whole("stripe_count", self.stripe_count, 1))
        if targets is not None and self.stripe_count > targets:
            raise ValueError(f"stripe_count must be at most the {targets} targets, got {self.stripe_count}")
        if self._round_bytes >= MOST_BYTES:
            raise ValueError(
                f"stripe_size times {self.stripe_count} stripes must be below 2**63, got {self.stripe_size}"
            )
        if targets is not None and self.first_ost >= targets:
            raise ValueError(f"first_ost must be 0 to {targets - 1}, got {self.first_ost}")

    @property
    def osts(self) -> NDArray:
        """Target of each stripe."""
        return np.asarray(self._ost(np.arange(self.stripe_count)))

    def locate(self, offset: ArrayLike) -> Location:
        """Locate bytes of the file.

        Parameters
        ----------
        offset : int or array of int
            Offset from the start of the file, bytes.

        Returns
        -------
        Location
            Object, target and offset within the object.

        Examples
        --------
        >>> StripeLayout(100, 3).locate([0, 99, 100, 350]).object_offset.tolist()
        [0, 99, 0, 150]
        """
        place = byte_counts("offset", offset)
        rounds, within = place // self._round_bytes, place % self.stripe_size
        stripe = place % self._round_bytes // self.stripe_size
        return Location(stripe, self._ost(stripe), rounds * self.stripe_size + within)

    def bytes_per_object(self, file_size: int, start: int = 0) -> NDArray:
        """Bytes of each object of a file, or of the part from ``start`` on.

        Parameters
        ----------
        file_size, start : int
            Size of the file, and first byte that counts, bytes.

        Returns
        -------
        array of int, shape (stripe_count,)
            Bytes of each object.

        Examples
        --------
        >>> StripeLayout(100, 3).bytes_per_object(250).tolist()
        [100, 100, 50]
        """
        end, begin = one_byte_count("file_size", file_size), one_byte_count("start", start)
        if begin > end:
            raise ValueError(f"start must be at most file_size {end}, got {begin}")
        return self._before(end) - self._before(begin)

    def bytes_per_target(self, file_size: int, start: int = 0) -> NDArray:
        """Bytes on each target, empty targets included.

        Parameters
        ----------
        file_size, start : int
            Size of the file, and first byte that counts, bytes.

        Returns
        -------
        array of int, shape (ost_count,)
            Bytes on each target, up to the last target of the file if ``ost_count`` is left out.

        Examples
        --------
        >>> StripeLayout(100, 3, first_ost=2, ost_count=4).bytes_per_target(250).tolist()
        [50, 0, 100, 100]
        """
        bytes_held = np.zeros(self.ost_count or self.first_ost + self.stripe_count, dtype=np.int64)
        bytes_held[self.osts] = self.bytes_per_object(file_size, start)
        return bytes_held

    def extents(self, offset: int, length: int) -> Extents:
        """Split a request into extents, each within one stripe.

        Parameters
        ----------
        offset, length : int
            Offset in the file and length of the request, bytes; at most 100 million extents.

        Returns
        -------
        Extents
            One extent for each stripe touched; none if ``length`` is 0.

        Examples
        --------
        >>> [piece[1:3] for piece in StripeLayout(100, 3).extents(250, 200)]
        [(50, 2), (100, 0), (50, 1)]
        """
        begin, count = one_byte_count("offset", offset), one_byte_count("length", length)
        end = one_byte_count("offset and length together", begin + count)
        count_of_extents = -(-end // self.stripe_size) - begin // self.stripe_size if count else 0
        if count_of_extents > MOST_EXTENTS:
            raise ValueError(f"length must make at most {MOST_EXTENTS:,} extents, got {count_of_extents:,}")
        edges = (begin // self.stripe_size + np.arange(count_of_extents + 1)) * self.stripe_size
        edges = np.clip(edges, begin, end)
        starts = edges[:-1]
        place = self.locate(starts)
        return Extents(starts, np.diff(edges), *(np.asarray(column) for column in place))

    @property
    def _round_bytes(self) -> int:
        return self.stripe_size * self.stripe_count

    def _ost(self, stripe: IntOrArray) -> IntOrArray:
        ost = self.first_ost + stripe
        return ost if self.ost_count is None else ost % self.ost_count

    def _before(self, end: int) -> NDArray:
        """Return the bytes of each object before this offset of the file."""
        rest = end % self._round_bytes - self.stripe_size * np.arange(self.stripe_count)
        return end // self._round_bytes * self.stripe_size + np.clip(rest, 0, self.stripe_size)


def beegfs_layout(chunk_size: int, targets: int) -> StripeLayout:
    """Return the layout of BeeGFS: chunks round-robin over storage targets.

    Parameters
    ----------
    chunk_size : int
        Size of a chunk, bytes; BeeGFS's default is 512 KiB.
    targets : int
        Targets of the file; BeeGFS's default is 4.

    Returns
    -------
    StripeLayout
        Layout whose ``stripe`` is the index in the file's list of targets and whose ``object_offset`` is the
        offset in the chunk file.

    Notes
    -----
    Ignores buddy mirroring, and that chunk sizes are powers of two from 64 KiB on.
    Source: BeeGFS documentation, striping.

    Examples
    --------
    >>> beegfs_layout(2**19, 4).locate(2**21 + 5)
    Location(stripe=0, ost=0, object_offset=524293)
    """
    return StripeLayout(one_byte_count("chunk_size", chunk_size, 1), one_whole("targets", targets, 1))
