"""Rows in groups: what must be read to get at one of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .._validate import fraction, holds, one_positive, one_whole, plain, shortened, whole

if TYPE_CHECKING:
    from .._typing import ArrayLike, FloatOrArray


class RowGroups(NamedTuple):
    """How a table is cut: rows of a group, how many groups, and rows of the last one."""

    rows_per_group: int
    groups: int
    last_rows: int


def row_groups(rows: int, row_bytes: float, group_bytes: float) -> RowGroups:
    """Cut a table into row groups of about so many bytes.

    Parameters
    ----------
    rows : int
        Of the table.
    row_bytes, group_bytes : float
        Bytes of a row as it is stored, and wanted of a group.

    Returns
    -------
    RowGroups
        ``rows_per_group, groups, last_rows``. The first is what pyarrow calls
        ``row_group_size``: it counts rows, not bytes.

    Raises
    ------
    ValueError, TypeError
        For counts that are not whole, sizes that are not above zero, and a row larger than a group.

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
    """Row groups that rows drawn at random lie in, on average.

    Parameters
    ----------
    wanted_rows : int or array of int
        Rows drawn, no row twice.
    rows, rows_per_group : int or array of int
        Of the table, and of a group; the last group may be shorter.

    Returns
    -------
    float or array
        Groups that must be read.

    Raises
    ------
    ValueError, TypeError
        For counts that are not whole or not above zero, and more wanted rows than rows.

    Notes
    -----
    A group of g rows is left alone with chance ``C(N - g, k) / C(N, k)``. Ignores pages within a
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
    """Bytes read for each byte wanted, when rows are drawn at random and groups are read whole.

    Parameters
    ----------
    wanted_rows, rows, rows_per_group
        As `groups_touched`.
    column_share : float or array
        Bytes of the wanted columns over those of all columns that are read, above 0 to 1.

    Returns
    -------
    float or array
        At least 1.

    Raises
    ------
    ValueError, TypeError
        As `groups_touched`, and for a share that is not above 0 or above 1.

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


class _Read(NamedTuple):
    """Full groups that are read on average and the chance of the last one, which may be short, with rows of each."""

    wanted: Any
    full: Any
    full_rows: Any
    last: Any
    last_rows: Any


def _read(wanted_rows: ArrayLike, rows: ArrayLike, rows_per_group: ArrayLike) -> _Read:
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
    return _Read(wanted, full, full_rows, 1.0 - untouched(wanted, count, last_rows), last_rows)


def _untouched(wanted: int, count: int, group: int) -> float:
    """Chance that none of the wanted rows lies in a group of so many: C(count - group, wanted) / C(count, wanted)."""
    few, many = sorted((int(wanted), int(group)))
    if few + many > count:
        return 0.0
    return float(np.exp(np.log1p(-many / (count - np.arange(few))).sum()))
