"""Experiments on memory: triad by working set, and copies between host and device."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from ..._validate import one_whole
from ..benchmark import benchmark
from ..devices import Backend
from .experiment_runner import Rows, fitting, run_experiment, sample_columns
from .series import GpuSeries
from .timing import device_benchmark


def gpu_triad(
    working_set_bytes: Sequence[int] | None = None, *, cache: str = "warm", seconds: float = 15.0, backend: Any = None
) -> GpuSeries:
    """Measure the bandwidth of ``a = b + s * c`` in fp32, by the size of its three arrays.

    Parameters
    ----------
    working_set_bytes : sequence of int, optional
        Sizes of the three arrays together, bytes; by default powers of two from 64 KiB to 4 GiB.
    cache : {"warm", "flushed"}
        Whether the L2 cache is overwritten before each repeat.
    seconds : float
        Time budget, seconds.
    backend : str or Backend, optional
        Name of the backend or the backend, by default the first that can run.

    Returns
    -------
    GpuSeries
        Bandwidth, bytes/s, with 12 bytes moved per element.

    Notes
    -----
    Written bytes count once. Ignores ECC and refresh. Source: McCalpin's STREAM for the counting of bytes.

    Examples
    --------
    >>> series = gpu_triad()
    >>> series.experiment, series.best["y"] > 1e12 or not series.recorded
    ('triad', True)
    """
    sizes = list(working_set_bytes or [2**power for power in range(16, 33)])

    def rows(device: Backend, each: float) -> Rows:
        for size in fitting(device, sizes):
            count = max(1, one_whole("working_set_bytes", size, 12) // 12)
            a, b, c = (device.random((count,), "fp32") for _ in range(3))
            sample = device_benchmark(
                partial(device.triad, a, b, c, 1.5),
                backend=device,
                cache=cache,
                budget_seconds=each,
            )
            yield {
                "series": f"triad, {sample.cache}",
                "x": 12 * count,
                "y": 12 * count / sample.median,
                **sample_columns(sample),
            }

    return run_experiment("triad", rows, len(sizes), seconds, backend)


def gpu_copies(message_bytes: Sequence[int] | None = None, *, seconds: float = 15.0, backend: Any = None) -> GpuSeries:
    """Measure copies between host and device, from pinned and from pageable memory.

    Parameters
    ----------
    message_bytes : sequence of int, optional
        Sizes, bytes; by default from 4 KiB to 256 MiB.
    seconds : float
        Time budget, seconds.
    backend : str or Backend, optional
        Name of the backend or the backend, by default the first that can run.

    Returns
    -------
    GpuSeries
        Bandwidth in one direction, bytes/s, by the host's clock.

    Notes
    -----
    A copy from pageable memory goes through a pinned buffer of the driver. Source: NVIDIA, CUDA C++ best practices
    guide, "Pinned memory".

    Examples
    --------
    >>> gpu_copies().experiment
    'copies'
    """
    sizes = sorted(message_bytes or [2**power for power in range(12, 29, 2)])

    def rows(device: Backend, each: float) -> Rows:
        array = device.zeros((sizes[-1],), "u8")
        for pinned in (True, False):
            host = device.host(sizes[-1], pinned)
            for size in sizes:
                for target, source, where in ((array, host, "to device"), (host, array, "to host")):
                    sample = benchmark(
                        partial(device.copy, target, source, size),
                        warm_up=1, repeats=15, budget_seconds=each / 4, synchronize=device.synchronize, clock=device.now,
                    )  # fmt: skip
                    name = f"{'pinned' if pinned else 'pageable'}, {where}"
                    yield {"series": name, "x": size, "y": size / sample.median, **sample_columns(sample)}

    return run_experiment("copies", rows, len(sizes), seconds, backend)
