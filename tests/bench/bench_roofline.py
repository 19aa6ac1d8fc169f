"""Timings of `chip2cluster.roofline` and of the same arithmetic in bare NumPy."""

import numpy as np

from chip2cluster import roofline
from tests.bench.rows import call_row


def rows():
    """Return the rows of this module."""
    generator = np.random.default_rng(0)
    intensity = generator.uniform(0.1, 5000, 10**6)
    sizes = generator.integers(1, 9000, (3, 10**6))
    scalar = np.float64(100.0)
    m, n, k = sizes.astype(float)
    return [
        call_row(
            "attainable, one scalar",
            lambda: roofline.attainable(100.0, 312e12, 2e12),
            lambda: np.minimum(312e12, 2e12 * scalar),
            budget=10e-6,
        ),
        call_row("gemm, one scalar", lambda: roofline.gemm(8192, 8192, 8192).intensity, budget=10e-6),
        call_row(
            "batch_threshold, one scalar", lambda: roofline.batch_threshold(8192, 32768, 312e12, 2e12), budget=10e-6
        ),
        call_row(
            "attainable, 10^6 points",
            lambda: roofline.attainable(intensity, 312e12, 2e12),
            lambda: np.minimum(312e12, 2e12 * intensity),
            budget=10e-3,
            max_ratio=2,
        ),
        call_row(
            "gemm intensity, 10^6 points",
            lambda: roofline.gemm(m, n, k).intensity,
            lambda: 2.0 * m * n * k / (2 * (m * k + k * n + m * n)),
            max_ratio=2,
        ),
    ]
