"""Timings of `chip2cluster.loading`."""

import numpy as np

from chip2cluster import loading
from tests.bench.rows import call_row

POINTS = 10**6


def rows():
    """Return the rows of this module."""
    loads = np.linspace(0.0, 2.0, POINTS)
    some = np.linspace(0.1, 0.5, 1000)
    return [
        call_row("step_time, scalar", lambda: loading.step_time(0.2, 0.9, workers=4), budget=10e-6),
        call_row(
            "step_time, 10^6 loads",
            lambda: loading.step_time(0.2, loads, workers=4),
            lambda: np.maximum(0.2, loads / 4),
            max_ratio=2,
        ),
        call_row("shuffle_probabilities, 100 items", lambda: loading.shuffle_probabilities(100, 10), budget=10e-3),
        call_row("shuffle_probabilities, 1,000 items", lambda: loading.shuffle_probabilities(1000, 100), budget=100e-3),
        call_row("ShuffleBuffer, 10,000 items", lambda: loading.ShuffleBuffer(10_000, 100, 1).run(), budget=200e-3),
        call_row("prefetch_run, 1,000 batches", lambda: loading.prefetch_run(some, 0.2, workers=4), budget=10e-3),
        call_row("read_amplification, scalar", lambda: loading.read_amplification(1024, 10**7, 67_108), budget=100e-6),
    ]
