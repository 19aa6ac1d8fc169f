"""Assignment of shards to consumers, and the imbalance that follows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

from .._validate import choice, one_whole, plain, whole

if TYPE_CHECKING:
    from .._typing import ArrayLike, FloatOrArray, IntOrArray, NDArray

Order = Literal["round_robin", "contiguous"]


def assign_shards(shards: int, consumers: int, order: Order = "round_robin") -> tuple[NDArray, ...]:
    """Assign shards to consumers, each to exactly one.

    Parameters
    ----------
    shards, consumers : int
        Files, and processes that read them.
    order : {"round_robin", "contiguous"}
        Round-robin gives consumer i every ``consumers``-th shard from i on; contiguous gives it a run of
        neighbours.

    Returns
    -------
    tuple of array of int
        Shards of each consumer, from 0 on; empty for some if there are too few.

    Notes
    -----
    The stride is the number of consumers, and their numbers begin at 0: with a stride of one
    more, or with numbers that begin elsewhere, shards are silently left out. Ignores
    that shards differ in size. Source: WebDataset's ``split_by_node``; MosaicML Streaming.

    Examples
    --------
    >>> [part.tolist() for part in assign_shards(7, 3)]
    [[0, 3, 6], [1, 4], [2, 5]]
    >>> [part.tolist() for part in assign_shards(7, 3, "contiguous")]
    [[0, 1, 2], [3, 4], [5, 6]]
    """
    count, readers = one_whole("shards", shards), one_whole("consumers", consumers)
    choice("order", order, ("round_robin", "contiguous"))
    if order == "contiguous":
        return tuple(np.array_split(np.arange(count), readers))
    return tuple(np.arange(first, count, readers) for first in range(readers))


def most_shards(shards: ArrayLike, consumers: ArrayLike) -> IntOrArray:
    """Shards of the busiest consumer when they are assigned as evenly as possible.

    Parameters
    ----------
    shards, consumers : int or array of int
        Files, and processes that read them.

    Returns
    -------
    int or array
        ``ceil(shards / consumers)``.

    Notes
    -----
    Source: the pigeonhole principle.

    Examples
    --------
    >>> most_shards(100, 64)
    2
    """
    return -(-whole("shards", shards) // whole("consumers", consumers))


def shard_efficiency(shards: ArrayLike, consumers: ArrayLike) -> FloatOrArray:
    """Fraction of the consumers' time spent reading when all wait for the busiest.

    Parameters
    ----------
    shards, consumers : int or array of int
        Files, and processes that read them.

    Returns
    -------
    float or array
        Shards over consumers times the most of any, 0 to 1.

    Notes
    -----
    Two to four times as many shards as consumers leave at most half idle if they do not
    divide; a multiple leaves none. Ignores that shards differ in size. Source: `most_shards`.

    Examples
    --------
    >>> shard_efficiency([64, 65, 128, 1000], 64).round(3)
    array([1.   , 0.508, 1.   , 0.977])
    """
    files, readers = whole("shards", shards), whole("consumers", consumers)
    return plain(files / (readers * most_shards(shards, consumers)))


def shards_in_batches(order: ArrayLike, items_per_shard: int, batch: int) -> float:
    """Mean number of different shards in a batch, over the batches of an epoch.

    Parameters
    ----------
    order : array of int, shape (items,)
        Items in the order of the output, numbered consecutively from shard to shard, as
        `shuffle_shards` returns them.
    items_per_shard, batch : int
        Items of a shard, and of a batch; an incomplete last batch is left out.

    Returns
    -------
    float
        Between 1, if a batch is of one file, and ``groups_touched(batch, items, items_per_shard)``,
        the mean of a perfect shuffle.

    Notes
    -----
    Shows what the position of an item does not: whether its neighbours came along. Ignores whether
    shards differ at all. Source: counted.

    Examples
    --------
    >>> from chip2cluster.loading import shuffle_shards
    >>> shards_in_batches(range(12), 4, 4), shards_in_batches(shuffle_shards(3, 4, 12, seed=1), 4, 4)
    (1.0, 2.0)
    """
    items, each = whole("order", order, minimum=0), one_whole("items_per_shard", items_per_shard)
    size = one_whole("batch", batch)
    places = np.atleast_1d(items)
    if size > len(places):
        raise ValueError(f"batch must be at most the {len(places)} items of order, got {size}")
    files = np.sort(places[: len(places) // size * size].reshape(-1, size) // each, axis=1)
    return float(1 + np.count_nonzero(np.diff(files, axis=1)) / len(files))
