"""A file dealt out over many targets: which of them holds a byte, and how many bytes each."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from .._validate import one_whole
from ._numbers import MOST_BYTES, counted, one_count

if TYPE_CHECKING:
    from .._typing import ArrayLike, IntOrArray, NDArray

MOST_PIECES = 10**8  # of one request


class Location(NamedTuple):
    """Where a byte of a file lies; integers, or arrays of them.

    ``stripe`` counts the objects of the file, ``ost`` the targets of the file system, and
    ``object_offset`` is the byte within the object.
    """

    stripe: IntOrArray
    ost: IntOrArray
    object_offset: IntOrArray


@dataclass(frozen=True)
class Extents:
    """The pieces of a request, one for each stripe that it touches, in the order of the file: arrays.

    Attributes
    ----------
    offset, length : array of int
        Of each piece in the file, bytes.
    stripe, ost, object_offset : array of int
        Where it begins, as in `Location`.

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
        return len(self.offset)

    def __iter__(self) -> Iterator[tuple[int, int, int, int, int]]:
        columns = (self.offset, self.length, self.stripe, self.ost, self.object_offset)
        return zip(*(column.tolist() for column in columns), strict=True)


@dataclass(frozen=True)
class StripeLayout:
    """A file in round robin: so many bytes to one object, the next to the next, and around again.

    Attributes
    ----------
    stripe_size : int
        Bytes that follow each other in one object; ``lfs setstripe -S``, a chunk of BeeGFS.
    stripe_count : int
        Objects of the file, each on a target of its own; ``lfs setstripe -c``. -1 is all targets.
    first_ost : int
        Target of the first object.
    ost_count : int, optional
        Targets of the file system, numbered from 0: behind the last one comes the first. Left
        out, there are enough of them.

    Raises
    ------
    ValueError, TypeError
        For sizes and counts that are not whole or not above zero, more stripes than targets,
        and a first target that does not exist.

    Notes
    -----
    RAID 0: stripe ``(offset mod (S C)) div S``, offset in the object ``offset div (S C) * S +
    offset mod S``. The number of a stripe is not that of its target. Ignores that a real Lustre
    takes sizes in steps of 64 KiB, and that its server picks the targets. Source: Lustre
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
        object.__setattr__(self, "stripe_size", one_count("stripe_size", self.stripe_size, 1))
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
        if self._turn >= MOST_BYTES:
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
        """Find bytes of the file.

        Parameters
        ----------
        offset : int or array of int
            Bytes from its start.

        Returns
        -------
        Location

        Raises
        ------
        ValueError, TypeError
            For offsets that are negative or not whole.

        Examples
        --------
        >>> StripeLayout(100, 3).locate([0, 99, 100, 350]).object_offset.tolist()
        [0, 99, 0, 150]
        """
        place = counted("offset", offset)
        turn, within = place // self._turn, place % self.stripe_size
        stripe = place % self._turn // self.stripe_size
        return Location(stripe, self._ost(stripe), turn * self.stripe_size + within)

    def bytes_per_object(self, file_size: int, start: int = 0) -> NDArray:
        """Bytes of each object of a file, or of the part of it from ``start`` on.

        Parameters
        ----------
        file_size, start : int
            Bytes.

        Returns
        -------
        array of int, shape (stripe_count,)

        Raises
        ------
        ValueError, TypeError
            For sizes that are negative or not whole, and a start behind the end.

        Examples
        --------
        >>> StripeLayout(100, 3).bytes_per_object(250).tolist()
        [100, 100, 50]
        """
        end, begin = one_count("file_size", file_size), one_count("start", start)
        if begin > end:
            raise ValueError(f"start must be at most file_size {end}, got {begin}")
        return self._before(end) - self._before(begin)

    def bytes_per_target(self, file_size: int, start: int = 0) -> NDArray:
        """Bytes that each target holds, those without any too.

        Parameters
        ----------
        file_size, start : int
            As `bytes_per_object`.

        Returns
        -------
        array of int, shape (ost_count,)
            Up to the last target of the file where ``ost_count`` is left out.

        Raises
        ------
        ValueError, TypeError
            As `bytes_per_object`.

        Examples
        --------
        >>> StripeLayout(100, 3, first_ost=2, ost_count=4).bytes_per_target(250).tolist()
        [50, 0, 100, 100]
        """
        held = np.zeros(self.ost_count or self.first_ost + self.stripe_count, dtype=np.int64)
        held[self.osts] = self.bytes_per_object(file_size, start)
        return held

    def extents(self, offset: int, length: int) -> Extents:
        """Take a request apart into pieces that each lie in one stripe.

        Parameters
        ----------
        offset, length : int
            Of the request in the file, bytes.

        Returns
        -------
        Extents
            Without pieces where ``length`` is 0.

        Raises
        ------
        ValueError, TypeError
            For numbers that are negative or not whole, and more than 100 million pieces.

        Examples
        --------
        >>> [piece[1:3] for piece in StripeLayout(100, 3).extents(250, 200)]
        [(50, 2), (100, 0), (50, 1)]
        """
        begin, count = one_count("offset", offset), one_count("length", length)
        end = one_count("offset and length together", begin + count)
        pieces = -(-end // self.stripe_size) - begin // self.stripe_size if count else 0
        if pieces > MOST_PIECES:
            raise ValueError(f"length must make at most {MOST_PIECES:,} pieces, got {pieces:,}")
        edges = (begin // self.stripe_size + np.arange(pieces + 1)) * self.stripe_size
        edges = np.clip(edges, begin, end)
        starts = edges[:-1]
        place = self.locate(starts)
        return Extents(starts, np.diff(edges), *(np.asarray(column) for column in place))

    @property
    def _turn(self) -> int:
        return self.stripe_size * self.stripe_count

    def _ost(self, stripe: IntOrArray) -> IntOrArray:
        ost = self.first_ost + stripe
        return ost if self.ost_count is None else ost % self.ost_count

    def _before(self, end: int) -> NDArray:
        """Bytes of each object before this offset of the file."""
        rest = end % self._turn - self.stripe_size * np.arange(self.stripe_count)
        return end // self._turn * self.stripe_size + np.clip(rest, 0, self.stripe_size)


def beegfs_layout(chunk_size: int, targets: int) -> StripeLayout:
    """Lay a file out as BeeGFS does: chunks in turn on so many storage targets.

    Parameters
    ----------
    chunk_size : int
        Bytes; 512 KiB where nothing else is set.
    targets : int
        That the file is spread over; 4 where nothing else is set.

    Returns
    -------
    StripeLayout
        Its ``stripe`` is the index in the file's list of targets, its ``object_offset`` the
        offset in the chunk file.

    Raises
    ------
    ValueError, TypeError
        As `StripeLayout`.

    Notes
    -----
    Ignores mirroring between buddies, and that chunk sizes are powers of two from 64 KiB on.
    Source: BeeGFS documentation, striping.

    Examples
    --------
    >>> beegfs_layout(2**19, 4).locate(2**21 + 5)
    Location(stripe=0, ost=0, object_offset=524293)
    """
    return StripeLayout(one_count("chunk_size", chunk_size, 1), one_whole("targets", targets, 1))
