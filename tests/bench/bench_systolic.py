"""Timings of the systolic array against the same arithmetic in bare NumPy."""

import numpy as np

from chip2cluster import systolic

POINTS = 1_000_000


def rows():
    """Return (name, ours, bare NumPy or None, note) for one point, 10**6 points and the simulators."""
    rng = np.random.default_rng(0)
    m, n, k = (rng.integers(1, 9000, POINTS).astype(float) for _ in range(3))
    clock_hz = rng.uniform(5e8, 2e9, POINTS)
    a, b = rng.integers(-9, 10, (128, 128)), rng.integers(-9, 10, (128, 128))

    def tiles():
        return np.ceil(k / 128) * np.ceil(n / 128)

    def cycles(tiles):
        return ((tiles - 1) * np.maximum(m, 128) + m + 382).astype(np.int64)

    return [
        ("systolic.cycles, scalar", lambda: systolic.cycles(1024, 512, 512, 128, 128, overlap=True), None, ""),
        (
            "systolic.cycles, 10^6",
            lambda: systolic.cycles(m, n, k, 128, 128, overlap=True),
            lambda: cycles(tiles()),
            "",
        ),
        ("systolic.utilization, scalar", lambda: systolic.utilization(1024, 512, 512, 128, 128), None, ""),
        (
            "systolic.utilization, 10^6",
            lambda: systolic.utilization(m, n, k, 128, 128),
            lambda: m * n * k / (128 * 128 * tiles() * (m + 382)),
            "",
        ),
        (
            "systolic.padded_utilization, scalar",
            lambda: systolic.padded_utilization(1024, 600, 600, 128, 128),
            None,
            "",
        ),
        (
            "systolic.padded_utilization, 10^6",
            lambda: systolic.padded_utilization(1024, n, k, 128, 128),
            lambda: k * n / (128 * 128 * tiles()),
            "",
        ),
        ("systolic.peak_ops, scalar", lambda: systolic.peak_ops(128, 128, 940e6, 4), None, ""),
        (
            "systolic.peak_ops, 10^6 clocks",
            lambda: systolic.peak_ops(128, 128, clock_hz),
            lambda: 2.0 * 128 * 128 * clock_hz,
            "one multiplication: the check takes longer",
        ),
        (
            "systolic.peak_ops, 10^6 sizes and clocks",
            lambda: systolic.peak_ops(n, 128, clock_hz),
            lambda: 2.0 * 128 * n * clock_hz,
            "little arithmetic: the checks take longer",
        ),
        *(
            (
                f"systolic.{kind.__name__}, 128^3 on 128 x 128",
                lambda kind=kind: kind(a, b, 128, 128).run(),
                None,
                "510 cycles of 16,384 cells",
            )
            for kind in (systolic.WeightStationary, systolic.OutputStationary)
        ),
    ]
