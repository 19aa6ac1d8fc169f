"""Benchmark of a function with warm-up, repeats and a time budget."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from .._validate import one_positive, one_whole
from .sample import Sample


def benchmark(
    function: Callable[[], Any],
    *,
    warm_up: int = 3,
    repeats: int = 50,
    budget_seconds: float = 2.0,
    calls: int = 1,
    clock: Callable[[], float] = time.perf_counter,
) -> Sample:
    """Time a function repeatedly.

    Parameters
    ----------
    function : callable
        Function without arguments; its result is dropped after the clock is read.
    warm_up : int
        Number of calls before the measurement, which load caches and code and raise clocks.
    repeats : int
        Largest number of repeats.
    budget_seconds : float
        Time after which no new repeat begins, warm-up included, seconds; one repeat always runs.
    calls : int
        Number of calls in one repeat, for functions faster than the clock resolution; the time is divided by it.
    clock : callable
        Function that returns seconds; for tests.

    Returns
    -------
    Sample
        Times of all repeats.

    Notes
    -----
    The first call typically takes 3 to 10,000 times the median of the others. Ignores the time to read
    the clock and to call Python, about 0.1 microseconds, and does not stop a function that never returns. Source: Hoefler and Belli, SC 2015.

    Examples
    --------
    >>> ticks = iter(range(100))
    >>> benchmark(list, warm_up=1, repeats=4, budget_seconds=60, clock=lambda: float(next(ticks))).median
    1.0
    """
    for name, value in (("function", function), ("clock", clock)):
        if not callable(value):
            raise TypeError(f"{name} must be callable without arguments, got {value!r}")
    warm_up, repeats = one_whole("warm_up", warm_up, 0), one_whole("repeats", repeats)
    budget, calls = one_positive("budget_seconds", budget_seconds), one_whole("calls", calls)

    def once() -> tuple[float, float]:
        start = clock()
        for _ in range(calls):
            function()
        end = clock()
        return end, (end - start) / calls

    begin = now = clock()
    before: list[float] = []
    times: list[float] = []
    while len(before) < warm_up and (not before or now - begin < budget):
        now, took = once()
        before.append(took)
    while len(times) < repeats and (not times or now - begin < budget):
        now, took = once()
        times.append(took)
    resolution = time.get_clock_info("perf_counter").resolution if clock is time.perf_counter else 0.0
    return Sample(times, resolution / calls, before)  # type: ignore[arg-type]
