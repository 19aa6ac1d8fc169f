"""Experiment on power: one product over and over, with clock and temperature."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from ..._validate import choice, one_positive, one_whole
from ..devices import Backend
from .experiment_runner import Rows, run_experiment
from .formats import DTYPES
from .series import GpuSeries
from .timing import device_benchmark

COUNTED_BATCH = 0.04  # seconds of queued work between two reads of the power


def gpu_power(
    duration_seconds: float = 60.0,
    *,
    size: int = 8192,
    dtype: str = "bf16",
    data: Sequence[str] = ("random",),
    backend: Any = None,
) -> GpuSeries:
    """Run one product over and over, and read power and clock about 25 times a second.

    Parameters
    ----------
    duration_seconds : float
        Time for each kind of data, seconds.
    size : int
        Rows of the square matrices.
    dtype : {"bf16", "fp16", "tf32", "fp32", "fp64"}
        Number format.
    data : sequence of {"random", "zeros"}
        Contents of the matrices; zeros switch fewer transistors.
    backend : str or Backend, optional
        Name of the backend or the backend, by default the first that can run.

    Returns
    -------
    GpuSeries
        Power, watts, by time; each row has the clock, the temperature, the throttle reasons and the rate, FLOP/s.

    Notes
    -----
    The driver's power is a mean over about a second on most cards, so the first second rises. Ignores the host.
    Source: NVIDIA, NVML API reference.

    Examples
    --------
    >>> gpu_power(1).experiment
    'power'
    """
    duration, rank = one_positive("duration_seconds", duration_seconds), one_whole("size", size)
    choice("dtype", dtype, DTYPES)
    for kind in data:
        choice("data", kind, ("random", "zeros"))

    def rows(device: Backend, each: float) -> Rows:
        for kind in data:
            fill = device.random if kind == "random" else device.zeros
            a, b, c = fill((rank, rank), dtype), fill((rank, rank), dtype), device.zeros((rank, rank), dtype)
            one = device_benchmark(partial(device.product, c, a, b), backend=device, repeats=6)
            count = max(1, round(COUNTED_BATCH / one.median))
            yield from _sustained(
                device,
                partial(device.product, c, a, b),
                count,
                2.0 * rank**3,
                duration,
                f"{dtype} product, {kind}",
            )

    return run_experiment("power", rows, 1, duration, backend)


def _sustained(device: Backend, call: Callable[[], Any], count: int, flops: float, duration: float, name: str) -> Rows:
    begin = earlier = device.record()
    elapsed = 0.0
    for _ in range(count):
        call()
    last = device.record()
    while elapsed < duration:
        for _ in range(count):
            call()
        following = device.record()
        took = device.seconds_between(earlier, last)  # waits, while the next batch keeps the device busy
        state = device.state()
        elapsed = device.seconds_between(begin, last)
        yield {
            "series": name, "x": elapsed, "y": state.power_watts, "clock_hz": state.clock_hz,
            "temperature_celsius": state.temperature_celsius, "throttle": "; ".join(state.throttle),
            "flops_per_second": count * flops / took,
        }  # fmt: skip
        earlier, last = last, following
    device.synchronize()
