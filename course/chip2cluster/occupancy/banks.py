"""Shared memory lies in banks: what a warp asks of one bank takes its turns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .._validate import shortened, whole

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .._typing import ArrayLike, IntOrArray

BANKS = 32  # of 4 bytes each, in every multiprocessor since compute capability 5.0


def bank_passes(words: ArrayLike) -> IntOrArray:
    """Passes that a warp's access to shared memory takes: the most different words in one bank.

    Word ``i`` lies in bank ``i % 32``. A bank gives one word a pass, to all threads that
    want it; so equal words cost nothing extra, and different words of one bank take turns.

    Parameters
    ----------
    words : array of int, shape (..., threads)
        Which 4-byte word of shared memory each thread of the warp reads, from 0; up to 32
        threads along the last axis. A byte address is 4 times as large.

    Returns
    -------
    int or array of int
        At least 1, at most the number of threads; one number for each warp.

    Raises
    ------
    ValueError, TypeError
        For words that are not whole or are negative, and for more than 32 threads or none.

    Notes
    -----
    For accesses of 4 bytes a thread; wider ones are served in halves or quarters of a warp.
    Ignores that two passes of different warps may overlap. Source: NVIDIA, CUDA C++
    programming guide, "Shared memory" of compute capability 5.x and later.

    Examples
    --------
    >>> threads = np.arange(32)
    >>> bank_passes(threads), bank_passes(2 * threads), bank_passes(32 * threads), bank_passes(33 * threads)
    (1, 2, 32, 1)
    """
    given: Any = words
    if type(given) in (list, tuple) and 0 < len(given) <= BANKS and all(type(word) is int for word in given):
        return _by_hand(given)
    asked = np.asarray(whole("words", np.atleast_1d(words), minimum=0), dtype=np.int64)
    if not 1 <= asked.shape[-1] <= BANKS:
        raise ValueError(f"words must hold 1 to {BANKS} threads along its last axis, got {shortened(words)}")
    warps = np.sort(asked.reshape(-1, asked.shape[-1]), axis=1)
    first = np.ones_like(warps, dtype=bool)
    first[:, 1:] = warps[:, 1:] != warps[:, :-1]  # equal words are fetched once
    bank = np.arange(len(warps))[:, None] * BANKS + warps % BANKS
    passes = np.bincount(bank[first], minlength=len(warps) * BANKS).reshape(-1, BANKS).max(axis=1)
    return int(passes[0]) if asked.ndim == 1 else passes.reshape(asked.shape[:-1])


def _by_hand(words: Sequence[int]) -> int:
    """Count one warp without arrays, which is faster."""
    if min(words) < 0:
        raise ValueError(f"words must be at least 0, got {shortened(words)}")
    passes = [0] * BANKS
    for word in set(words):
        passes[word % BANKS] += 1
    return max(passes)
