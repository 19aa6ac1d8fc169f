"""Message size at which one algorithm becomes faster than another."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING

import numpy as np

from .._validate import positive, whole
from .algorithms import algorithm_cost

if TYPE_CHECKING:
    from .._typing import ArrayLike, FloatOrArray


def crossover_size(
    collective: str,
    algorithm: str,
    other: str,
    ranks: ArrayLike,
    bandwidth_one_way: ArrayLike,
    latency: ArrayLike,
    reduction_time_per_byte: ArrayLike = 0.0,
) -> FloatOrArray:
    """Compute the message size at which two algorithms of a collective take the same time.

    Below this size the algorithm with fewer steps is faster, above it the one with fewer bytes.

    Parameters
    ----------
    collective : str
        Collective that `time` accepts.
    algorithm : str
        One algorithm of the collective.
    other : str
        Algorithm to compare with; the order does not matter.
    ranks : int or array of int
        Number of ranks; 1 costs nothing. Some algorithms need a power of two.
    bandwidth_one_way : float
        Rate at which a rank can send and at the same time receive, bytes/s.
    latency : float
        Fixed cost of one message between two ranks, seconds.
    reduction_time_per_byte : float
        Time to reduce one received byte into the local buffer, s/byte.

    Returns
    -------
    float or array
        Smallest such size, bytes; ``inf`` if one of the two is faster at every size, 0 if
        they differ only in their bytes.

    Notes
    -----
    Ignores what `time` ignores. NCCL switches at the sizes that its own tables give, with
    a latency and a bandwidth for each protocol: `nccl_changes`. Source: equating the two
    times of `time`, both linear in the size.

    Examples
    --------
    >>> round(crossover_size("all_reduce", "ring", "tree", 8, bandwidth_one_way=450e9, latency=2e-6))
    1694118
    >>> crossover_size("all_reduce", "ring", "halving_doubling", 8, 450e9, 2e-6)
    inf
    """
    ranks = whole("ranks", ranks)
    first, second = algorithm_cost(collective, algorithm, ranks), algorithm_cost(collective, other, ranks)
    bandwidth = positive("bandwidth_one_way", bandwidth_one_way)
    latency = positive("latency", latency, allow_zero=True)
    gamma = positive("reduction_time_per_byte", reduction_time_per_byte, allow_zero=True)
    saved = (first.steps(ranks) - second.steps(ranks)) * latency
    per_byte = (second.wire(ranks) - first.wire(ranks)) / bandwidth
    per_byte = per_byte + (second.combined(ranks) - first.combined(ranks)) * gamma
    if not isinstance(saved, np.ndarray) and not isinstance(per_byte, np.ndarray):
        return _crossover(float(saved), float(per_byte))
    with np.errstate(divide="ignore", invalid="ignore"):
        size = np.divide(saved, per_byte)
    return np.where(np.equal(saved, 0), 0.0, np.where(size > 0, size, np.inf))


def _crossover(saved: float, per_byte: float) -> float:
    if not saved:
        return 0.0  # both need the same number of steps, so they are equal at size 0
    size = saved / per_byte if per_byte else inf
    return size if size > 0 else inf
