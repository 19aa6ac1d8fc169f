"""Write patterns of several writers of one file: strided and segmented."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from .._validate import one_whole

Write: TypeAlias = tuple[int, int, int]  # writer, offset, length


def strided_writes(writers: int, writes_each: int, write_bytes: int) -> Iterator[Write]:
    """Generate strided writes: records of all writers alternate along the file.

    Parameters
    ----------
    writers, writes_each, write_bytes : int
        Number of writers, writes of each, and bytes of a write.

    Returns
    -------
    iterator of tuple of int
        Writer, offset and length of each write, one round of all writers after the other.

    Examples
    --------
    >>> list(strided_writes(2, 2, 10))
    [(0, 0, 10), (1, 10, 10), (0, 20, 10), (1, 30, 10)]
    """
    count, each, size = _pattern(writers, writes_each, write_bytes)
    return ((place % count, place * size, size) for place in range(count * each))


def segmented_writes(writers: int, writes_each: int, write_bytes: int) -> Iterator[Write]:
    """Generate segmented writes: each writer fills its own contiguous part of the file, all at the same pace.

    Parameters
    ----------
    writers, writes_each, write_bytes : int
        Number of writers, writes of each, and bytes of a write.

    Returns
    -------
    iterator of tuple of int
        Writer, offset and length of each write, one round of all writers after the other.

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
