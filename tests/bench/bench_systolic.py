"""Timings of the systolic array against the same arithmetic in bare NumPy."""

import numpy as np

from chip2cluster import systolic
from tests.bench.rows import call_row

POINTS = 1_000_000


def rows():
    """Return the rows of this module."""
    rng = np.random.default_rng(0)
    m, n, k = (rng.integers(1, 9000, POINTS).astype(float) for _ in range(3))
    clock_hz = rng.uniform(5e8, 2e9, POINTS)
    a, b = rng.integers(-9, 10, (128, 128)), rng.integers(-9, 10, (128, 128))

    def tiles():
        return np.ceil(k / 128) * np.ceil(n / 128)

    def cycles(tiles):
        return ((tiles - 1) * np.maximum(m, 128) + m + 382).astype(np.int64)

    return [
        call_row("cycles, scalar", lambda: systolic.cycles(1024, 512, 512, 128, 128, overlap=True), budget=10e-6),
        call_row(
            "cycles, 10^6",
            lambda: systolic.cycles(m, n, k, 128, 128, overlap=True),
            lambda: cycles(tiles()),
            max_ratio=2,
        ),
        call_row("utilization, scalar", lambda: systolic.utilization(1024, 512, 512, 128, 128), budget=10e-6),
        call_row(
            "utilization, 10^6",
            lambda: systolic.utilization(m, n, k, 128, 128),
            lambda: m * n * k / (128 * 128 * tiles() * (m + 382)),
            max_ratio=2,
        ),
        call_row(
            "padded_utilization, scalar", lambda: systolic.padded_utilization(1024, 600, 600, 128, 128), budget=10e-6
        ),
        call_row(
            "padded_utilization, 10^6",
            lambda: systolic.padded_utilization(1024, n, k, 128, 128),
            lambda: k * n / (128 * 128 * tiles()),
            max_ratio=2,
        ),
        call_row("peak_ops, scalar", lambda: systolic.peak_ops(128, 128, 940e6, 4), budget=10e-6),
        call_row(
            "peak_ops, 10^6 clocks (checking the arguments dominates)",
            lambda: systolic.peak_ops(128, 128, clock_hz),
            lambda: 2.0 * 128 * 128 * clock_hz,
            max_ratio=2,
        ),
        call_row(
            "peak_ops, 10^6 sizes and clocks (checking the arguments dominates)",
            lambda: systolic.peak_ops(n, 128, clock_hz),
            lambda: 2.0 * 128 * n * clock_hz,
            max_ratio=2,
        ),
        *(
            call_row(
                f"{kind.__name__}, 128^3 on 128 x 128 (510 cycles of 16,384 cells)",
                lambda kind=kind: kind(a, b, 128, 128).run(),
            )
            for kind in (systolic.WeightStationary, systolic.OutputStationary)
        ),
    ]
