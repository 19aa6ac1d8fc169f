"""Simulation of a shuffle buffer, item by item."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from .._validate import one_whole
from .shuffle_probabilities import items_read

if TYPE_CHECKING:
    from .._typing import NDArray


class ShuffleStep(NamedTuple):
    """Contents of the buffer when an item is drawn, and the drawn item."""

    inside: tuple[int, ...]
    drawn: int


class ShuffleBuffer:
    """Shuffle buffer that draws one item after the other and records its history.

    Parameters
    ----------
    items : int
        Items of the whole input.
    buffer : int
        Capacity of the buffer, items.
    seed : int
        Seed of ``numpy.random.default_rng``.
    initial : int, optional
        Items after which the first output is drawn, see `shuffle_probabilities`.

    Attributes
    ----------
    history : list of ShuffleStep
        Draws so far.

    Notes
    -----
    `step` after the last item raises StopIteration. Source: see `shuffle_probabilities`.

    Examples
    --------
    >>> shuffled = ShuffleBuffer(items=8, buffer=3, seed=1)
    >>> shuffled.step()
    ShuffleStep(inside=(0, 1, 2), drawn=1)
    >>> shuffled.run().tolist()
    [1, 2, 4, 5, 0, 6, 3, 7]
    """

    def __init__(self, items: int, buffer: int, seed: int, initial: int | None = None) -> None:
        """Fill nothing yet; the first `step` reads."""
        self.items = one_whole("items", items)
        self.history: list[ShuffleStep] = []
        self._read = items_read(self.items, one_whole("buffer", buffer), initial)
        self._drawn = np.random.default_rng(one_whole("seed", seed, 0))
        self._inside: list[int] = []
        self._next = 0

    def step(self) -> ShuffleStep:
        """Draw the next item."""
        place = len(self.history)
        if place == self.items:
            raise StopIteration(f"all {self.items} items are out")
        self._fill(place)
        inside = tuple(self._inside)
        self.history.append(ShuffleStep(inside, self._draw()))
        return self.history[-1]

    def run(self) -> NDArray[np.intp]:
        """Draw all remaining items and return the whole output."""
        while len(self.history) < self.items:
            self.step()
        return np.array([step.drawn for step in self.history])

    def _run_without_history(self) -> NDArray[np.intp]:
        """Return `run` of an untouched buffer without its history, which would be as long as items times buffer."""
        output = np.empty(self.items, dtype=np.intp)
        for place in range(self.items):
            self._fill(place)
            output[place] = self._draw()
        return output

    def _fill(self, place: int) -> None:
        """Read the items that are read before an output is drawn."""
        read = int(self._read[place])
        self._inside += range(self._next, read)
        self._next = read

    def _draw(self) -> int:
        """Remove one item; the last one fills its place."""
        which = int(self._drawn.integers(len(self._inside)))
        item, self._inside[which] = self._inside[which], self._inside[-1]
        self._inside.pop()
        return item


def shuffle_shards(
    shards: int, items_per_shard: int, buffer: int, seed: int, initial: int | None = None
) -> NDArray[np.intp]:
    """Shuffle in two stages, as loaders do: shards in random order, then items in a buffer.

    Parameters
    ----------
    shards, items_per_shard : int
        Files, and items of each, numbered consecutively.
    buffer : int
        Capacity of the buffer, items.
    seed : int
        Seed of ``numpy.random.default_rng``; each epoch takes another.
    initial : int, optional
        Items after which the first output is drawn, see `shuffle_probabilities`.

    Returns
    -------
    array of int, shape (shards * items_per_shard,)
        Items in the order of the output.

    Notes
    -----
    Items of one shard stay near each other unless the buffer holds several shards. Source: WebDataset.

    Examples
    --------
    >>> shuffle_shards(3, 4, buffer=2, seed=1).tolist()
    [8, 9, 11, 10, 5, 6, 7, 0, 1, 2, 3, 4]
    """
    files, each = one_whole("shards", shards), one_whole("items_per_shard", items_per_shard)
    seeds = np.random.SeedSequence(one_whole("seed", seed, 0)).generate_state(2)
    order = np.random.default_rng(seeds[0]).permutation(files)
    stream = (order[:, None] * each + np.arange(each)).ravel()
    return stream[ShuffleBuffer(files * each, buffer, int(seeds[1]), initial)._run_without_history()]
