"""Timings of `chip2cluster.reliability` and of the same arithmetic in bare NumPy."""

import numpy as np

from chip2cluster import reliability
from tests.bench.rows import call_row

POINTS = 10**6
DAY = 86400.0


def rows():
    """Return the rows of this module."""
    intervals = np.linspace(600.0, 6000.0, POINTS)
    checkpoints = np.linspace(1.0, 600.0, POINTS)
    mean = 11135.0
    plain = {"interval": 1200, "checkpoint_seconds": 60, "restart_seconds": 600, "node_mtbf": 264 * DAY, "nodes": 2048}
    plan = reliability.RunPlan(60 * DAY, **plain)
    racks = reliability.RunPlan(60 * DAY, **plain, spares=64, repair_seconds=DAY, group_nodes=32, group_mtbf=400 * DAY)

    def bare(interval):
        return mean * np.exp(600 / mean) * np.expm1((interval + 60) / mean) * 1e6 / interval

    def failures():
        """Draw as many failures as 10,000 runs of 70 days have."""
        generator = np.random.default_rng(1)
        for _ in range(550):
            generator.exponential(size=10_000)

    return [
        call_row("young_interval, scalar", lambda: reliability.young_interval(60, mean), budget=10e-6),
        call_row("optimal_interval, scalar", lambda: reliability.optimal_interval(60, mean), budget=10e-6),
        call_row(
            "optimal_interval, 10^6 checkpoints (six Newton steps)",
            lambda: reliability.optimal_interval(checkpoints, mean),
        ),
        call_row("expected_time, scalar", lambda: reliability.expected_time(1e6, 1200, 60, 600, mean), budget=10e-6),
        call_row(
            "expected_time, 10^6 intervals",
            lambda: reliability.expected_time(1e6, intervals, 60, 600, mean),
            lambda: bare(intervals),
            max_ratio=2,
        ),
        call_row("goodput, scalar", lambda: reliability.goodput(1200, 60, 600, mean), budget=10e-6),
        call_row(
            "two_level, 4 segments", lambda: reliability.two_level(4, 300, 5, 60, 60, 600, 10800, 0.2), budget=100e-6
        ),
        call_row(
            "10,000 runs of 60 days (baseline: only the random draws)",
            lambda: reliability.simulate(plan, 10_000, 1),
            failures,
            budget=1,
        ),
        call_row("the same with spares and racks", lambda: reliability.simulate(racks, 10_000, 1), failures, budget=1),
        call_row("one run of 60 days, with its timeline", lambda: reliability.simulate_run(plan, 1), budget=100e-3),
    ]
