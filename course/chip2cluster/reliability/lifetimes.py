"""Lives of many equal parts, drawn part by part: who else there is changes nobody's luck."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from .._typing import NDArray

_DRAWN = 4  # lives of each part in one block of random numbers


class Lives:
    """How long each of ``count`` parts runs until it breaks, for the first time, the second time ...

    The same ``source`` gives part 7 the same lives, however many parts there are; another mean
    stretches them.
    """

    def __init__(self, count: int, mean: float, source: tuple[int, ...]) -> None:
        self.count, self.mean, self.source = count, mean, source
        self.blocks: list[NDArray] = []
        self.used = [0] * count

    @property
    def first(self) -> NDArray:
        """The first life of each part, seconds; shape (count,)."""
        return self._block(0)[:, 0]

    def next(self, part: int) -> float:
        """The life of a part after the last one that was asked for, seconds; at first the second."""
        self.used[part] += 1
        block, place = divmod(self.used[part], _DRAWN)
        return float(self._block(block)[part, place])

    def _block(self, number: int) -> NDArray:
        while number >= len(self.blocks):
            drawn = np.random.default_rng((*self.source, len(self.blocks)))
            self.blocks.append(self.mean * drawn.standard_exponential((self.count, _DRAWN)))
        return self.blocks[number]
