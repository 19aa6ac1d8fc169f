"""The message size at which one algorithm overtakes another."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING

import numpy as np

from .._validate import positive, whole
from .algorithms import find

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
    """Message size at which two algorithms of a collective take the same time.

    Below it the one with fewer steps wins, above it the one with fewer bytes.

    Parameters
    ----------
    collective, algorithm, other : str
        The collective and two of its algorithms, in either order.
    ranks, bandwidth_one_way, latency, reduction_time_per_byte
        As `time`.

    Returns
    -------
    float or array
        The smallest such size, bytes. ``inf`` where there is none: one of the two is
        the faster at every size. 0 where they differ in their bytes alone.

    Raises
    ------
    ValueError, TypeError
        As `time`.

    Notes
    -----
    Ignores what `time` ignores; a library changes where its own table says, which has a
    latency and a bandwidth for each protocol: `nccl_changes`.
    Source: equating the two times of `time`, both linear in the size.

    Examples
    --------
    >>> round(crossover_size("all_reduce", "ring", "tree", 8, bandwidth_one_way=450e9, latency=2e-6))
    1694118
    >>> crossover_size("all_reduce", "ring", "halving_doubling", 8, 450e9, 2e-6)
    inf
    """
    ranks = whole("ranks", ranks)
    first, second = find(collective, algorithm, ranks), find(collective, other, ranks)
    bandwidth = positive("bandwidth_one_way", bandwidth_one_way)
    latency = positive("latency", latency, allow_zero=True)
    gamma = positive("reduction_time_per_byte", reduction_time_per_byte, allow_zero=True)
    saved = (first.steps(ranks) - second.steps(ranks)) * latency
    per_byte = (second.wire(ranks) - first.wire(ranks)) / bandwidth
    per_byte = per_byte + (second.combined(ranks) - first.combined(ranks)) * gamma
    if not isinstance(saved, np.ndarray) and not isinstance(per_byte, np.ndarray):
        return _meeting_point(float(saved), float(per_byte))
    with np.errstate(divide="ignore", invalid="ignore"):
        size = np.divide(saved, per_byte)
    return np.where(np.equal(saved, 0), 0.0, np.where(size > 0, size, np.inf))


def _meeting_point(saved: float, per_byte: float) -> float:
    if not saved:
        return 0.0  # equal already at size 0
    size = saved / per_byte if per_byte else inf
    return size if size > 0 else inf
