"""Step-by-step simulator of the ring all-reduce; `Simulator` runs every other algorithm."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .simulator import Simulator

if TYPE_CHECKING:
    from .._typing import ArrayLike, Operation


class RingAllReduce(Simulator):
    """Simulate a ring all-reduce: reduce-scatter once around the ring, then all-gather once around.

    In step s rank i sends chunk (i - s) mod n to rank i + 1. After n - 1 steps it holds
    the complete chunk (i + 1) mod n; after n - 1 more steps every rank holds every chunk.
    Each step moves every chunk exactly once, so the whole message crosses the ring.

    Parameters
    ----------
    buffers : sequence of arrays, shape (ranks, elements)
        One vector for each rank, copied; any length, any number of ranks.
    operation : {"sum", "prod", "max", "min"}
        Reduction operation.

    Notes
    -----
    Ignores what `Simulator` ignores. Source: Patarasuk and Yuan 2009.

    Examples
    --------
    >>> import numpy as np
    >>> ring = RingAllReduce([np.full(8, rank) for rank in range(8)])
    >>> ring.run()[5]
    array([28, 28, 28, 28, 28, 28, 28, 28])
    >>> len(ring.history), ring.sent[0].item()                     # 2 * 7 / 8 of 64 bytes
    (14, 112)
    """

    def __init__(self, buffers: ArrayLike, *, operation: Operation = "sum") -> None:
        super().__init__("all_reduce", "ring", buffers, operation=operation)
