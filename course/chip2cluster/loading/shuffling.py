"""A shuffle buffer: how far an item can travel in it, exactly."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from .._validate import one_whole

if TYPE_CHECKING:
    from .._typing import NDArray

MOST_ITEMS = 5000  # whose table of chances still fits: 200 MB


def shuffle_probabilities(
    items: int, buffer: int, initial: int | None = None, *, shards: int = 1
) -> NDArray[np.float64]:
    """Chance of each item to leave a shuffle buffer at each place of the output.

    The buffer is filled; then one of what is in it leaves, each as likely as any other, and the
    next of the input takes its place.

    Parameters
    ----------
    items : int
        Of the whole input, up to 5,000.
    buffer : int
        Items that the buffer has room for; more than ``items`` is as good as all of them.
    initial : int, optional
        Items after which the first one leaves while the buffer still fills up, two in for each
        one out: WebDataset, whose default is 100. Left out, the buffer fills up first: tf.data.
    shards : int
        Equal files of the input, read in random order; 1 reads the items as they lie.

    Returns
    -------
    array, shape (items, items)
        Row i, column j: the chance that item i of the input is item j of the output. Rows and
        columns add up to 1, and are 0 for ``j < i - buffer + 1`` where there is one shard:
        nothing leaves earlier than it comes in.

    Raises
    ------
    ValueError, TypeError
        For counts that are not whole or not above zero, more items than that, an ``initial``
        above the buffer, and shards that do not divide the items.

    Notes
    -----
    With m items in the buffer each stays with chance ``1 - 1/m``, so the chance to leave at j is
    the product of all stays since it came in, over m. Shards in random order bring each item to
    the same place of any shard, all of them alike. Chances of one item: they do not show that
    items of one shard still come together (`shards_in_batches`). Source: follows from the rule;
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
    read = read_before(count, one_whole("buffer", buffer), initial)
    places = np.arange(count)
    inside = read - places  # items in the buffer when output j is drawn
    # One item alone inside leaves for certain: there the products end, and nothing is multiplied.
    stays = np.concatenate([[0.0], np.cumsum(np.log1p(-1.0 / np.where(inside > 1, inside, np.inf)))])
    entered = np.searchsorted(read, places, side="right")  # first output for which item i is there
    chances = np.zeros((count, count))
    for item, first in enumerate(entered):
        last = first + int(np.argmax(np.append(inside[first:], 1) == 1))
        span = slice(first, min(last + 1, count))
        chances[item, span] = np.exp(stays[span] - stays[first]) / inside[span]
    if files == 1:
        return chances
    return np.tile(chances.reshape(files, count // files, count).mean(axis=0), (files, 1))


@dataclass(frozen=True)
class ShuffleQuality:
    """How well a buffer shuffles.

    Attributes
    ----------
    mean_displacement : float
        Places between where an item stood and where it comes out, on average.
    uniform_displacement : float
        The same of a perfect shuffle: ``(n**2 - 1) / 3n``.
    most_forward : int
        Places that an item can come out earlier than it stood.
    first_stays_first : float
        Chance that the first item comes out first.
    output_of_first, output_of_last : float
        Where the first and the last item of the input come out, on average, from 0 on.
    last_in_last_tenth : float
        Chance that the last item is among the last tenth of the output.

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
    """Say in a few numbers how well a shuffle buffer mixes its input.

    Parameters
    ----------
    items, buffer, initial, shards
        As `shuffle_probabilities`.

    Returns
    -------
    ShuffleQuality

    Raises
    ------
    ValueError, TypeError
        As `shuffle_probabilities`.

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
    return quality_of(shuffle_probabilities(items, buffer, initial, shards=shards))


def quality_of(chances: NDArray[np.float64]) -> ShuffleQuality:
    """`shuffle_quality` of chances that are already known."""
    count = len(chances)
    places = np.arange(count)
    away = np.abs(places[:, None] - places)
    forward = (places[:, None] - places)[chances > 0].max()
    return ShuffleQuality(
        mean_displacement=float((chances * away).sum() / count),
        uniform_displacement=(count**2 - 1) / (3 * count),
        most_forward=int(forward),
        first_stays_first=float(chances[0, 0]),
        output_of_first=float(chances[0] @ places),
        output_of_last=float(chances[-1] @ places),
        last_in_last_tenth=float(chances[-1, count - max(1, count // 10) :].sum()),
    )


def read_before(items: int, buffer: int, initial: int | None) -> NDArray[np.intp]:
    """Items that were read before each output is drawn."""
    places = np.arange(items)
    if initial is None:
        return np.minimum(buffer + places, items)
    start = one_whole("initial", initial)
    if start > buffer:
        raise ValueError(f"initial must be at most the buffer of {buffer}, got {start}")
    read = np.empty(items, dtype=np.intp)
    taken = held = 0
    for place in range(items):
        while taken < items:  # one more, a second while there is room, and enough to begin with
            held, taken = held + 1, taken + 1
            if held < buffer and taken < items:
                held, taken = held + 1, taken + 1
            if held >= start:
                break
        read[place] = taken
        held -= 1
    return read
