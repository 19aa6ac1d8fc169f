"""The memory of the machine that the reader sits at, measured in about a second."""

from __future__ import annotations

import time
from datetime import date
from functools import partial

from ..provenance import Source
from .tiers import Tier

WORDS = 2**23  # of 8 bytes: 64 MiB, more than the caches of a laptop hold
NEAR = 2**9  # words that stay in the nearest cache
STEPS, COPIES, TRIES = 100_000, 3, 3


def measure_memory() -> Tier:
    """Measure latency and bandwidth of this machine's own memory, as one core of its CPU sees it.

    Returns
    -------
    Tier
        Named ``"your memory (measured)"``; its capacity is not asked for. A latency that is
        lost in the noise is None.

    Raises
    ------
    ModuleNotFoundError
        Where there is no NumPy, with what to do about it.
    MemoryError
        Where 200 MB are not to be had.

    Notes
    -----
    The latency is that of a chase: each word says where the next one lies, in random order.
    The same chase in a few words that stay in the nearest cache is taken off, and with it the time
    that Python itself needs. The bandwidth counts what a copy reads and what it writes.
    Ignores that a cache of more than 64 MiB holds a part, that pages are small, and
    that other programs run; the quickest of three tries counts. Nothing is stored or sent.
    """
    try:
        import numpy as np  # here, because a page in a browser may have none
    except ModuleNotFoundError as missing:
        raise ModuleNotFoundError(
            "measuring needs NumPy, and this kernel has not loaded it: run `import numpy` in a cell of its own, then try again"
        ) from missing

    generator = np.random.default_rng(0)
    far, near = (_chase(_cycle(generator, words)) for words in (WORDS, NEAR))
    latency = (far - near) / STEPS
    there, back = np.ones(WORDS), np.empty(WORDS)
    np.copyto(back, there)  # its pages exist from here on
    seconds = min(_timed(partial(np.copyto, back, there)) for _ in range(COPIES))
    source = Source(
        "Measured on this machine, one core: a random chase and a copy, 64 MiB each", date.today().isoformat(), "low"
    )
    fields = ("capacity_bytes_per_instance", "bandwidth_one_way", "latency_seconds")
    return Tier(
        name="your memory (measured)",
        scope="yours",
        instances=1,
        capacity_bytes_per_instance=None,
        bandwidth_one_way=2 * there.nbytes / seconds,
        latency_seconds=latency if latency > 0 else None,
        protocols=(),
        _sources=dict.fromkeys(fields, source),
    )


def _cycle(generator, words):
    """Where the next word lies, from each: one closed way through all of them in random order."""
    import numpy as np

    order = generator.permutation(words)
    after = np.empty(words, dtype=np.int64)
    after[order] = np.roll(order, -1)
    return memoryview(after.data)


def _chase(after):
    return min(_timed(partial(_walk, after)) for _ in range(TRIES))


def _walk(after):
    place = 0
    for _ in range(STEPS):
        place = after[place]
    return place


def _timed(action):
    start = time.perf_counter()
    action()
    return time.perf_counter() - start
