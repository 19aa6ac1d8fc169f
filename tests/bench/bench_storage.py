"""Timings of `chip2cluster.storage` and of the same arithmetic in bare NumPy."""

import numpy as np

from chip2cluster import storage
from tests.bench.rows import call_row

POINTS = 10**6


def rows():
    """Return the rows of this module."""
    layout = storage.StripeLayout(2**20, 12, 3, 96)
    offsets = np.random.default_rng(1).integers(0, 2**40, POINTS)
    shares = np.linspace(0.0, 1.0, POINTS)
    writes = [*storage.strided_writes(16, 64, 2**20)]

    def bare(offset):
        turn = 2**20 * 12
        stripe = offset % turn // 2**20
        return stripe, (3 + stripe) % 96, offset // turn * 2**20 + offset % 2**20

    return [
        call_row("StripeLayout.locate, scalar", lambda: layout.locate(123_456_789), budget=10e-6),
        call_row(
            "StripeLayout.locate, 10^6 offsets", lambda: layout.locate(offsets), lambda: bare(offsets), max_ratio=2
        ),
        call_row("StripeLayout.extents, 10^6 pieces", lambda: layout.extents(5, POINTS * 2**20), budget=200e-3),
        call_row("hdfs_blocks, scalar", lambda: storage.hdfs_blocks(10**12), budget=10e-6),
        call_row("mixed_rate, scalar", lambda: storage.mixed_rate(0.5, 4096, 150, 250e6), budget=10e-6),
        call_row(
            "mixed_rate, 10^6 shares",
            lambda: storage.mixed_rate(shares, 4096, 150, 250e6),
            lambda: 1 / (shares / (4096 * 150) + 1 / 250e6),
            max_ratio=2,
        ),
        call_row("lock_traffic, 1,024 writes", lambda: storage.lock_traffic(writes, layout), budget=100e-3),
    ]
