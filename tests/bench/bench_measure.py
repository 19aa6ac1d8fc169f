"""Timings of `chip2cluster.measure`: its overhead on top of the measured call."""

import time

import numpy as np

from chip2cluster import measure
from tests.bench.rows import call_row

TIMES = np.random.default_rng(1).lognormal(0.0, 0.1, 10**6)


def _bare():
    start = time.perf_counter()
    return time.perf_counter() - start


def _ring():
    return measure.all_reduce(2, [8], algorithm="ring", repeats=1, budget_seconds=0.1)


def rows():
    """Return the rows of this module."""
    sample = measure.Sample(TIMES)
    run = measure.recorded("mpi all-reduce, 2 ranks, quiet")
    log = "#  size count type redop root time algbw busbw #wrong time algbw busbw #wrong\n"
    log += "1048576 262144 float sum -1 101.9 10.29 18.00 0 101.0 10.38 18.17 0\n" * 1000
    return [
        call_row(
            "Sample.quantiles, 10^6 times",
            sample.quantiles,
            lambda: np.quantile(TIMES, [0.25, 0.5, 0.75, 0.95]),
            max_ratio=2,
        ),
        call_row("confidence_ranks, 50 repeats", lambda: measure.confidence_ranks(50), budget=10e-6),
        call_row(
            "benchmark, 50 repeats of an empty call",
            lambda: measure.benchmark(int),
            lambda: [_bare() for _ in range(53)],
        ),
        call_row("fit_regimes, 24 sizes", lambda: measure.fit_regimes(run.message_bytes, run.seconds, run.ranks)),
        call_row(
            "all_reduce, 8 bytes, two ranks started and ended (mpirun alone takes 1.5 s)",
            _ring,
            clock=time.perf_counter,
        ),
        call_row("read_nccl_tests, 1,000 lines", lambda: measure.read_nccl_tests(log, partial=True)),
    ]
