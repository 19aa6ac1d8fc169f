"""Bank conflicts of shared memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .._validate import shortened, whole

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .._typing import ArrayLike, IntOrArray

BANKS = 32  # each 4 bytes wide, in every SM since compute capability 5.0


def bank_passes(words: ArrayLike) -> IntOrArray:
    """Compute the degree of bank conflict: passes that a warp's access to shared memory takes.

    Word ``i`` is in bank ``i % 32``. A bank delivers one word per pass to all threads that
    request it, so equal words are broadcast, and different words of one bank conflict and
    are serialized.

    Parameters
    ----------
    words : array of int, shape (..., threads)
        Index of the 4-byte word of shared memory that each thread of the warp reads, with
        up to 32 threads along the last axis. A byte address is 4 times as large.

    Returns
    -------
    int or array of int
        Number of passes of each warp, 1 (no conflict) up to the number of threads.

    Notes
    -----
    For accesses of 4 bytes per thread; wider ones are served in halves or quarters of a
    warp. Ignores that passes of different warps may overlap. Source: NVIDIA, CUDA C++
    programming guide, "Shared memory" of compute capability 5.x and later.

    Examples
    --------
    >>> threads = np.arange(32)
    >>> bank_passes(threads), bank_passes(2 * threads), bank_passes(32 * threads), bank_passes(33 * threads)
    (1, 2, 32, 1)
    """
    given: Any = words
    if type(given) in (list, tuple) and 0 < len(given) <= BANKS and all(type(word) is int for word in given):
        return _passes_of_one_warp(given)
    index = np.asarray(whole("words", np.atleast_1d(words), minimum=0), dtype=np.int64)
    if not 1 <= index.shape[-1] <= BANKS:
        raise ValueError(f"words must hold 1 to {BANKS} threads along its last axis, got {shortened(words)}")
    warps = np.sort(index.reshape(-1, index.shape[-1]), axis=1)
    first = np.ones_like(warps, dtype=bool)
    first[:, 1:] = warps[:, 1:] != warps[:, :-1]  # equal words are broadcast
    bank = np.arange(len(warps))[:, None] * BANKS + warps % BANKS
    passes = np.bincount(bank[first], minlength=len(warps) * BANKS).reshape(-1, BANKS).max(axis=1)
    return int(passes[0]) if index.ndim == 1 else passes.reshape(index.shape[:-1])


def _passes_of_one_warp(words: Sequence[int]) -> int:
    """Count the passes of one warp without arrays, which is faster."""
    if min(words) < 0:
        raise ValueError(f"words must be at least 0, got {shortened(words)}")
    passes = [0] * BANKS
    for word in set(words):
        passes[word % BANKS] += 1
    return max(passes)
