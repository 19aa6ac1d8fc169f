"""Row groups of columnar files: read amplification of random rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .._validate import fraction, holds, one_positive, one_whole, plain, shortened, whole

if TYPE_CHECKING:
    from .._typing import ArrayLike, FloatOrArray


class RowGroups(NamedTuple):
    """Division of a table into row groups: rows of a group, number of groups, and rows of the last one."""

    rows_per_group: int
    groups: int
    last_rows: int


def row_groups(rows: int, row_bytes: float, group_bytes: float) -> RowGroups:
    """Divide a table into row groups of a target size.

    Parameters
    ----------
    rows : int
        Rows of the table.
    row_bytes, group_bytes : float
        Stored bytes of a row, and target bytes of a group, at least one row.

    Returns
    -------
    RowGroups
        ``rows_per_group, groups, last_rows``. The first is pyarrow's
        ``row_group_size``: it counts rows, not bytes.

    Notes
    -----
    Ignores that columns are compressed differently. Source: Apache Parquet, "Concepts";
    pyarrow, ``write_table``.

    Examples
    --------
    >>> row_groups(10_000_000, 2000, 128 * 2**20)
    RowGroups(rows_per_group=67108, groups=150, last_rows=908)
    """
    count = one_whole("rows", rows)
    size, target = one_positive("row_bytes", row_bytes), one_positive("group_bytes", group_bytes)
    if size > target:
        raise ValueError(f"group_bytes must hold a row of {size:g} bytes, got {group_bytes!r}")
    each = min(int(target // size), count)
    groups = -(-count // each)
    return RowGroups(each, groups, count - (groups - 1) * each)


def groups_touched(wanted_rows: ArrayLike, rows: ArrayLike, rows_per_group: ArrayLike) -> FloatOrArray:
    """Expected number of row groups that contain randomly drawn rows.

    Parameters
    ----------
    wanted_rows : int or array of int
        Rows drawn without replacement.
    rows, rows_per_group : int or array of int
        Rows of the table, and of a group; the last group may be shorter.

    Returns
    -------
    float or array
        Groups that must be read.

    Notes
    -----
    A group of g rows is untouched with probability ``C(N - g, k) / C(N, k)``. Ignores pages within a
    group, which some readers fetch alone. Source: S. Yao, "Approximating block accesses in
    database organizations", CACM 20 (1977).

    Examples
    --------
    A batch of 1,024 random rows out of ten million, in groups of 67,108: nearly every group.

    >>> round(groups_touched(1024, 10_000_000, 67_108), 1)
    148.9
    """
    read = _read(wanted_rows, rows, rows_per_group)
    return plain(read.full + read.last)


def read_amplification(
    wanted_rows: ArrayLike, rows: ArrayLike, rows_per_group: ArrayLike, *, column_share: ArrayLike = 1.0
) -> FloatOrArray:
    """Read amplification: bytes read for each byte wanted, with random rows and whole groups.

    Parameters
    ----------
    wanted_rows : int or array of int
        Rows drawn without replacement.
    rows, rows_per_group : int or array of int
        Rows of the table, and of a group; the last group may be shorter.
    column_share : float or array
        Bytes of the wanted columns over those of all columns that are read, above 0 to 1.

    Returns
    -------
    float or array
        Ratio, at least 1.

    Notes
    -----
    Each group that is touched is read once for all of its wanted rows. In the order of the file
    the same rows cost 1. Ignores caches between batches. Source: `groups_touched`.

    Examples
    --------
    >>> round(read_amplification(1024, 10_000_000, 67_108)), round(read_amplification(1024, 10_000_000, 100), 1)
    (9755, 99.5)
    """
    share = fraction("column_share", column_share)
    read = _read(wanted_rows, rows, rows_per_group)
    return plain((read.full * read.full_rows + read.last * read.last_rows) / read.wanted / share)


class _GroupReads(NamedTuple):
    """Expected full groups read and the probability that the last, possibly shorter, one is read, with rows of each."""

    wanted: Any
    full: Any
    full_rows: Any
    last: Any
    last_rows: Any


def _read(wanted_rows: ArrayLike, rows: ArrayLike, rows_per_group: ArrayLike) -> _GroupReads:
    wanted, count, each = (
        whole("wanted_rows", wanted_rows),
        whole("rows", rows),
        whole("rows_per_group", rows_per_group),
    )
    if holds(wanted > count):
        raise ValueError(f"wanted_rows must be at most rows, got {shortened(wanted_rows)} of {shortened(rows)}")
    full_rows = min(each, count) if type(each) is type(count) is int else np.minimum(each, count)
    groups = -(-count // full_rows)
    last_rows = count - (groups - 1) * full_rows
    alone = type(wanted) is type(full_rows) is int
    untouched = _untouched if alone else np.vectorize(_untouched, otypes=[float])
    full = (groups - 1) * (1.0 - untouched(wanted, count, full_rows))
    return _GroupReads(wanted, full, full_rows, 1.0 - untouched(wanted, count, last_rows), last_rows)


def _untouched(wanted: int, count: int, group: int) -> float:
    """Probability that no wanted row is in a group: C(count - group, wanted) / C(count, wanted)."""
    few, many = sorted((int(wanted), int(group)))
    if few + many > count:
        return 0.0
    return float(np.exp(np.log1p(-many / (count - np.arange(few))).sum()))
