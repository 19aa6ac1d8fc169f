"""Exact probabilities of a shuffle buffer: how far it moves an item."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from .._validate import one_whole

if TYPE_CHECKING:
    from .._typing import NDArray

MOST_ITEMS = 5000  # limit of the table of probabilities, 200 MB


def shuffle_probabilities(
    items: int, buffer: int, initial: int | None = None, *, shards: int = 1
) -> NDArray[np.float64]:
    """Probability of each item to leave a shuffle buffer at each position of the output.

    The buffer is filled; then one of its items leaves, all equally likely, and the
    next of the input takes its place.

    Parameters
    ----------
    items : int
        Items of the whole input, up to 5,000.
    buffer : int
        Capacity of the buffer, items; more than ``items`` has no effect.
    initial : int, optional
        Items after which the first one leaves while the buffer still fills up, two in for each
        one out: WebDataset, whose default is 100. When left out, the buffer fills up first: tf.data.
    shards : int
        Equal files of the input, read in random order; they must divide ``items``. 1 reads the items in order.

    Returns
    -------
    array, shape (items, items)
        Row i, column j: the probability that item i of the input is item j of the output. Rows and
        columns add up to 1, and are 0 for ``j < i - buffer + 1`` with one shard:
        no item leaves before it enters.

    Notes
    -----
    With m items in the buffer each stays with probability ``1 - 1/m``, so the probability to leave at j is
    the product of all stays since it entered, over m. Shards in random order bring each item to
    the same place of any shard with equal probability. These are probabilities of one item: they do not show that
    items of one shard stay together (`shards_in_batches`). Source: follows from the rule;
    the rule, tf.data's ``shuffle`` and WebDataset's ``shuffle``.

    Examples
    --------
    >>> shuffle_probabilities(4, 2).round(3)
    array([[0.5  , 0.25 , 0.125, 0.125],
           [0.5  , 0.25 , 0.125, 0.125],
           [0.   , 0.5  , 0.25 , 0.25 ],
           [0.   , 0.   , 0.5  , 0.5  ]])
    """
    count = one_whole("items", items)
    if count > MOST_ITEMS:
        raise ValueError(f"items must be at most {MOST_ITEMS:,}, got {count:,}")
    files = one_whole("shards", shards)
    if count % files:
        raise ValueError(f"shards must divide the {count} items, got {files}")
    read = items_read(count, one_whole("buffer", buffer), initial)
    places = np.arange(count)
    inside = read - places  # items in the buffer when output j is drawn
    # A single item in the buffer leaves with certainty, which ends the products.
    stays = np.concatenate([[0.0], np.cumsum(np.log1p(-1.0 / np.where(inside > 1, inside, np.inf)))])
    entered = np.searchsorted(read, places, side="right")  # first output at which item i is in the buffer
    probabilities = np.zeros((count, count))
    for item, first in enumerate(entered):
        last = first + int(np.argmax(np.append(inside[first:], 1) == 1))
        span = slice(first, min(last + 1, count))
        probabilities[item, span] = np.exp(stays[span] - stays[first]) / inside[span]
    if files == 1:
        return probabilities
    return np.tile(probabilities.reshape(files, count // files, count).mean(axis=0), (files, 1))


@dataclass(frozen=True)
class ShuffleQuality:
    """Measures of how well a buffer shuffles.

    Attributes
    ----------
    mean_displacement : float
        Mean distance between an item's input and output positions.
    uniform_displacement : float
        The same of a perfect shuffle: ``(n**2 - 1) / 3n``.
    most_forward : int
        Most positions by which an item can move forward.
    first_stays_first : float
        Probability that the first item comes out first.
    output_of_first, output_of_last : float
        Mean output position of the first and the last item of the input, from 0 on.
    last_in_last_tenth : float
        Probability that the last item is among the last tenth of the output.

    Examples
    --------
    >>> found = shuffle_quality(100, 10)
    >>> round(found.mean_displacement, 1), round(found.uniform_displacement, 1)
    (6.6, 33.3)
    """

    mean_displacement: float
    uniform_displacement: float
    most_forward: int
    first_stays_first: float
    output_of_first: float
    output_of_last: float
    last_in_last_tenth: float


def shuffle_quality(items: int, buffer: int, initial: int | None = None, *, shards: int = 1) -> ShuffleQuality:
    """Summarize how well a shuffle buffer mixes its input.

    Parameters
    ----------
    items : int
        Items of the whole input, up to 5,000.
    buffer : int
        Capacity of the buffer, items.
    initial : int, optional
        Items after which the first one leaves, see `shuffle_probabilities`.
    shards : int
        Equal files of the input, read in random order.

    Returns
    -------
    ShuffleQuality
        Displacements and probabilities.

    Notes
    -----
    A buffer of a tenth of the data moves an item by a fifth of what a real shuffle does.
    Shards in random order move the items, not their neighbours: see `shards_in_batches`. Source:
    `shuffle_probabilities`.

    Examples
    --------
    A buffer as large as the input is a perfect shuffle.

    >>> round(shuffle_quality(20, 40).mean_displacement, 9)
    6.65
    """
    return quality_of_probabilities(shuffle_probabilities(items, buffer, initial, shards=shards))


def quality_of_probabilities(probabilities: NDArray[np.float64]) -> ShuffleQuality:
    """Return `shuffle_quality` of known probabilities."""
    count = len(probabilities)
    places = np.arange(count)
    away = np.abs(places[:, None] - places)
    forward = (places[:, None] - places)[probabilities > 0].max()
    return ShuffleQuality(
        mean_displacement=float((probabilities * away).sum() / count),
        uniform_displacement=(count**2 - 1) / (3 * count),
        most_forward=int(forward),
        first_stays_first=float(probabilities[0, 0]),
        output_of_first=float(probabilities[0] @ places),
        output_of_last=float(probabilities[-1] @ places),
        last_in_last_tenth=float(probabilities[-1, count - max(1, count // 10) :].sum()),
    )


def items_read(items: int, buffer: int, initial: int | None) -> NDArray[np.intp]:
    """Return the number of items read before each output is drawn."""
    places = np.arange(items)
    if initial is None:
        return np.minimum(buffer + places, items)
    start = one_whole("initial", initial)
    if start > buffer:
        raise ValueError(f"initial must be at most the buffer of {buffer}, got {start}")
    read = np.empty(items, dtype=np.intp)
    taken = held = 0
    for place in range(items):
        while taken < items:  # one item, a second if there is room, and enough for a start
            held, taken = held + 1, taken + 1
            if held < buffer and taken < items:
                held, taken = held + 1, taken + 1
            if held >= start:
                break
        read[place] = taken
        held -= 1
    return read
