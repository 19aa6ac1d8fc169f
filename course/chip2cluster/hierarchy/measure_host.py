"""Measurement of the host's memory latency and bandwidth in about a second."""

from __future__ import annotations

import time
from datetime import date
from functools import partial

from ..provenance import Source
from .tiers import Tier

WORDS = 2**23  # of 8 bytes: 64 MiB, more than the caches of a laptop
CACHED_WORDS = 2**9  # stay in the L1 cache
STEPS, COPIES, REPEATS = 100_000, 3, 3


def measure_memory() -> Tier:
    """Measure the latency and bandwidth of this computer's memory with one CPU core.

    Returns
    -------
    Tier
        Tier ``"your memory (measured)"`` without a capacity; the latency is None if it is
        below the noise.

    Raises
    ------
    ModuleNotFoundError
        If NumPy is missing; the message explains how to load it.
    MemoryError
        If 200 MB are not available.

    Notes
    -----
    The latency is measured by pointer chasing (random access): each word holds the index of
    the next one. The time of the same chase within the L1 cache is subtracted, and with it
    the overhead of Python. The bandwidth counts the bytes that a copy (sequential access)
    reads and writes. Ignores caches above 64 MiB, TLB misses due to small pages, and other
    programs; the fastest of three runs counts. Nothing is stored or sent.
    """
    try:
        import numpy as np  # here, because a notebook in a browser may not have it
    except ModuleNotFoundError as missing:
        raise ModuleNotFoundError(
            "measuring needs NumPy, and this kernel has not loaded it: run `import numpy` in a cell of its own, then try again"
        ) from missing

    generator = np.random.default_rng(0)
    memory_seconds, cache_seconds = (_chase(_cycle(generator, words)) for words in (WORDS, CACHED_WORDS))
    latency = (memory_seconds - cache_seconds) / STEPS
    original, copy = np.ones(WORDS), np.empty(WORDS)
    np.copyto(copy, original)  # the first write allocates the pages
    seconds = min(_timed(partial(np.copyto, copy, original)) for _ in range(COPIES))
    source = Source(
        "Measured on this machine, one core: a random chase and a copy, 64 MiB each", date.today().isoformat(), "low"
    )
    fields = ("capacity_bytes_per_instance", "bandwidth_one_way", "latency_seconds")
    return Tier(
        name="your memory (measured)",
        scope="yours",
        instances=1,
        capacity_bytes_per_instance=None,
        bandwidth_one_way=2 * original.nbytes / seconds,
        latency_seconds=latency if latency > 0 else None,
        protocols=(),
        _sources=dict.fromkeys(fields, source),
    )


def _cycle(generator, words):
    """Return the index of the next word for each word: a random cycle through all of them."""
    import numpy as np

    order = generator.permutation(words)
    following = np.empty(words, dtype=np.int64)
    following[order] = np.roll(order, -1)
    return memoryview(following.data)


def _chase(following):
    return min(_timed(partial(_walk, following)) for _ in range(REPEATS))


def _walk(following):
    index = 0
    for _ in range(STEPS):
        index = following[index]
    return index


def _timed(action):
    start = time.perf_counter()
    action()
    return time.perf_counter() - start
