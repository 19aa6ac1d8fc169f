"""Writers of one file: the two orders in which they usually go along it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from .._validate import one_whole

Write: TypeAlias = tuple[int, int, int]  # writer, offset, length


def strided_writes(writers: int, writes_each: int, write_bytes: int) -> Iterator[Write]:
    """Writers that take turns along a file: record by record, each its own.

    Parameters
    ----------
    writers, writes_each, write_bytes : int
        How many write, how often, and how much at a time.

    Yields
    ------
    tuple of int
        Writer, offset and length of each write, one round of all writers after the other.

    Raises
    ------
    ValueError, TypeError
        For counts that are not whole or not above zero.

    Examples
    --------
    >>> list(strided_writes(2, 2, 10))
    [(0, 0, 10), (1, 10, 10), (0, 20, 10), (1, 30, 10)]
    """
    count, each, size = _pattern(writers, writes_each, write_bytes)
    return ((place % count, place * size, size) for place in range(count * each))


def segmented_writes(writers: int, writes_each: int, write_bytes: int) -> Iterator[Write]:
    """Writers that each fill a part of the file of their own, all at the same pace.

    Parameters
    ----------
    writers, writes_each, write_bytes
        As `strided_writes`.

    Yields
    ------
    tuple of int
        As `strided_writes`.

    Raises
    ------
    ValueError, TypeError
        As `strided_writes`.

    Examples
    --------
    >>> list(segmented_writes(2, 2, 10))
    [(0, 0, 10), (1, 20, 10), (0, 10, 10), (1, 30, 10)]
    """
    count, each, size = _pattern(writers, writes_each, write_bytes)
    return ((writer, (writer * each + number) * size, size) for number in range(each) for writer in range(count))


def _pattern(writers: int, writes_each: int, write_bytes: int) -> tuple[int, int, int]:
    return (
        one_whole("writers", writers, 1),
        one_whole("writes_each", writes_each, 1),
        one_whole("write_bytes", write_bytes, 1),
    )
