"""Benchmark of a function with warm-up, repeats and a time budget."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from .._validate import one_positive, one_whole
from .device_synchronization import Waiter, waiters
from .sample import Sample


def benchmark(
    function: Callable[[], Any],
    *,
    warm_up: int = 3,
    repeats: int = 50,
    budget_seconds: float = 2.0,
    calls: int = 1,
    synchronize: Callable[[], Any] | None = None,
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
    synchronize : callable, optional
        Function that waits until the work of the calls has ended, such as ``torch.cuda.synchronize``; its time counts.
    clock : callable
        Function that returns seconds; for tests.

    Returns
    -------
    Sample
        Times of all repeats.

    Notes
    -----
    A launch on a GPU returns at once, long before its kernel ends. Where PyTorch, CuPy or JAX uses a device, each repeat
    is followed by a wait that is timed apart: a sample of calls that returned early is *unusable*, and its reason says
    so. Pass ``synchronize``, or time on the device with `device_benchmark`. The first call typically takes 3 to 10,000 times the median of the others. Ignores the time to read
    the clock and to call Python, about 0.1 microseconds, and does not stop a function that never returns. Source: Hoefler and Belli, SC 2015.

    Examples
    --------
    >>> ticks = iter(range(100))
    >>> benchmark(list, warm_up=1, repeats=4, budget_seconds=60, clock=lambda: float(next(ticks))).median
    1.0
    """
    for name, value in (("function", function), ("clock", clock), ("synchronize", synchronize)):
        if not callable(value) and (name, value) != ("synchronize", None):
            raise TypeError(f"{name} must be callable without arguments, got {value!r}")
    warm_up, repeats = one_whole("warm_up", warm_up, 0), one_whole("repeats", repeats)
    budget, calls = one_positive("budget_seconds", budget_seconds), one_whole("calls", calls)

    found: tuple[Waiter, ...] = ()
    pending: list[float] = []

    def once() -> tuple[float, float]:
        nonlocal found
        start = clock()
        for _ in range(calls):
            result = function()
        if synchronize is not None:
            synchronize()
        end = clock()
        found = waiters(result)
        waited = _wait(found, clock) if found else 0.0
        pending.append(waited / calls)
        return end + waited, (end - start) / calls

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
    return Sample(
        np.array(times),
        resolution / calls,
        np.array(before),
        np.array(pending[len(before) :] if found else []),
        " and ".join(one.name for one in found),
    )


def _wait(found: tuple[Waiter, ...], clock: Callable[[], float]) -> float:
    """Return the seconds until the devices are idle, less the time of the same calls on idle devices."""
    reads = [clock()]
    for _ in range(2):
        for one in found:
            one.wait()
        reads.append(clock())
    return max(0.0, (reads[1] - reads[0]) - (reads[2] - reads[1]))
