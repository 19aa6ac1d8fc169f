"""Random lifetimes of many equal parts; the lifetimes of a part do not depend on the other parts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from .._typing import NDArray

_DRAWN = 4  # lifetimes of each part in one block of random numbers


class Lifetimes:
    """Successive times to failure of each of ``count`` parts.

    The same ``source`` gives part 7 the same lifetimes for any ``count``; another mean scales them.
    """

    def __init__(self, count: int, mean: float, source: tuple[int, ...]) -> None:
        self.count, self.mean, self.source = count, mean, source
        self.blocks: list[NDArray] = []
        self.used = [0] * count

    @property
    def first(self) -> NDArray:
        """First lifetime of each part, seconds; shape (count,)."""
        return self._block(0)[:, 0]

    def next(self, part: int) -> float:
        """Return the next lifetime of a part, seconds; the first call returns the second lifetime."""
        self.used[part] += 1
        block, place = divmod(self.used[part], _DRAWN)
        return float(self._block(block)[part, place])

    def _block(self, number: int) -> NDArray:
        while number >= len(self.blocks):
            drawn = np.random.default_rng((*self.source, len(self.blocks)))
            self.blocks.append(self.mean * drawn.standard_exponential((self.count, _DRAWN)))
        return self.blocks[number]
