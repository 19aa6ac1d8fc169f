"""Timings of `chip2cluster.loading`."""

import numpy as np

from chip2cluster import loading

POINTS = 10**6


def rows():
    """(name, ours, bare NumPy or None, note) for `make bench`."""
    loads = np.linspace(0.0, 2.0, POINTS)
    some = np.linspace(0.1, 0.5, 1000)
    return [
        ("step_time, scalar", lambda: loading.step_time(0.2, 0.9, workers=4), None, "budget 10 µs"),
        (
            "step_time, 10^6 loads",
            lambda: loading.step_time(0.2, loads, workers=4),
            lambda: np.maximum(0.2, loads / 4),
            "",
        ),
        ("shuffle_probabilities, 100 items", lambda: loading.shuffle_probabilities(100, 10), None, "budget 10 ms"),
        ("shuffle_probabilities, 1,000 items", lambda: loading.shuffle_probabilities(1000, 100), None, "budget 100 ms"),
        ("ShuffleBuffer, 10,000 items", lambda: loading.ShuffleBuffer(10_000, 100, 1).run(), None, "budget 200 ms"),
        ("prefetch_run, 1,000 batches", lambda: loading.prefetch_run(some, 0.2, workers=4), None, "budget 10 ms"),
        ("read_amplification, scalar", lambda: loading.read_amplification(1024, 10**7, 67_108), None, "budget 100 µs"),
    ]
