"""Experiment on a chain of small kernels: launched one by one, waited for, and as a graph."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from ..._validate import one_whole
from ..benchmark import benchmark
from ..devices import Backend, NotSupported
from .experiment_runner import Rows, fitting, run_experiment, sample_columns
from .series import GpuSeries
from .timing import device_benchmark


def gpu_launches(
    array_bytes: Sequence[int] | None = None, *, kernels: int = 500, seconds: float = 10.0, backend: Any = None
) -> GpuSeries:
    """Measure a chain of small kernels: launched one by one, waited for, and as a graph.

    Parameters
    ----------
    array_bytes : sequence of int, optional
        Sizes of one array of the addition ``x = x + y`` in fp32, bytes.
    kernels : int
        Number of kernels in a chain.
    seconds : float
        Time budget, seconds.
    backend : str or Backend, optional
        Name of the backend or the backend, by default the first that can run.

    Returns
    -------
    GpuSeries
        Time per kernel by the host's clock, seconds.

    Notes
    -----
    Python's own time is part of a launch; a program in C launches about twice as fast. Source: A. Gray, *Getting
    started with CUDA graphs*, 2019.

    Examples
    --------
    >>> gpu_launches().experiment
    'launches'
    """
    sizes = list(array_bytes or [4, 2**14, 2**18, 2**20, 2**22, 2**24, 2**26])
    count = one_whole("kernels", kernels)

    def rows(device: Backend, each: float) -> Rows:
        for size in fitting(device, sizes):
            x, y = (device.random((max(1, size // 4),), "fp32") for _ in range(2))
            kernel = device_benchmark(partial(device.add, x, x, y), backend=device, calls=1, budget_seconds=each / 8)

            def chain(waits: bool, x: Any = x, y: Any = y) -> None:
                for _ in range(count):
                    device.add(x, x, y)
                    if waits:
                        device.synchronize()

            ways: dict[str, Callable[[], Any]] = {
                "one by one": lambda: chain(False),
                "waits after each": lambda: chain(True),
            }
            try:
                ways["graph"] = device.capture(lambda: chain(False))
            except NotSupported as reason:
                yield {"missing": str(reason)}
            for name, call in ways.items():
                sample = benchmark(
                    call,
                    warm_up=1,
                    repeats=9,
                    budget_seconds=each / 4,
                    calls=1,
                    synchronize=device.synchronize,
                    clock=device.now,
                )
                yield {
                    "series": name, "x": size, "y": sample.median / count, "kernel_seconds": kernel.median, "kernels": count,
                    **sample_columns(sample),
                }  # fmt: skip

    return run_experiment("launches", rows, len(sizes), seconds, backend)
