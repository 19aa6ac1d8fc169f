"""The roofline beside the same arithmetic in bare NumPy."""

import numpy as np

from chip2cluster import roofline


def rows():
    """(name, ours, bare NumPy, budget) for one scalar and for a million points."""
    generator = np.random.default_rng(0)
    intensity = generator.uniform(0.1, 5000, 10**6)
    sizes = generator.integers(1, 9000, (3, 10**6))
    scalar = np.float64(100.0)
    m, n, k = sizes.astype(float)
    return [
        (
            "attainable, one scalar",
            lambda: roofline.attainable(100.0, 312e12, 2e12),
            lambda: np.minimum(312e12, 2e12 * scalar),
            "10 µs",
        ),
        ("gemm, one scalar", lambda: roofline.gemm(8192, 8192, 8192).intensity, None, "10 µs"),
        ("batch_threshold, one scalar", lambda: roofline.batch_threshold(8192, 32768, 312e12, 2e12), None, "10 µs"),
        (
            "attainable, 10^6 points",
            lambda: roofline.attainable(intensity, 312e12, 2e12),
            lambda: np.minimum(312e12, 2e12 * intensity),
            "10 ms",
        ),
        (
            "gemm intensity, 10^6 points",
            lambda: roofline.gemm(m, n, k).intensity,
            lambda: 2.0 * m * n * k / (2 * (m * k + k * n + m * n)),
            "2x bare",
        ),
    ]
