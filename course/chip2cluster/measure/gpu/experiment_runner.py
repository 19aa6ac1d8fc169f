"""Run an experiment within its time budget, and what all experiments share."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterator, Sequence
from time import monotonic
from typing import TYPE_CHECKING, Any

from ..._validate import one_positive
from ..devices import Backend, NoDevice, NotSupported, find_backend
from .records import recorded_gpu
from .series import GpuSeries
from .timing import DeviceSample

if TYPE_CHECKING:
    from ..sample import Sample

Rows = Iterator[dict[str, Any]]
MEMORY_SHARE = 0.6  # of the device's memory that an experiment uses at most


def run_experiment(
    name: str, rows: Callable[[Backend, float], Rows], points: int, seconds: float, backend: Any
) -> GpuSeries:
    """Run an experiment within its budget; return what was measured before an error of the device, or the recorded."""
    budget = one_positive("seconds", seconds)
    try:
        device = find_backend(backend)
    except NoDevice as reason:
        return recorded_gpu(name, said=f"Recorded on an H100, because nothing can be measured here: {reason}.")
    begin, found, missing = monotonic(), [], []
    try:
        for row in rows(device, budget / max(points, 1)):
            if "missing" in row:
                missing.append(row["missing"])
            else:
                found.append(row)
            if monotonic() - begin > budget and name != "power":
                missing.append(f"stopped after {budget:g} s")
                break
    except (NotSupported, RuntimeError, MemoryError) as reason:  # out of memory is a RuntimeError of both libraries
        missing.append(str(reason).splitlines()[0] if str(reason) else type(reason).__name__)
    device.free()
    state = device.state()
    about = {
        "driver": state.driver, "libraries": device.libraries, "backend": device.name,
        "date": datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%d"),
    }  # fmt: skip
    said = f"Measured here on {device.device}, {len(found)} points{''.join(f'; {text}' for text in missing)}."
    if not found:
        return recorded_gpu(
            name, said=f"Recorded on an H100, because {device.device} gave no value: {'; '.join(missing)}."
        )
    return GpuSeries(name, device.device, tuple(found), False, about, said)


def sample_columns(sample: Sample) -> dict[str, Any]:
    """Return the columns of a row that describe its sample."""
    low, high = sample.quantiles([0.1, 0.9])
    columns: dict[str, Any] = {
        "median_seconds": sample.median, "p10_seconds": float(low), "p90_seconds": float(high),
        "best_seconds": sample.best, "repeats": len(sample), "verdict": sample.verdict,
    }  # fmt: skip
    if isinstance(sample, DeviceSample):
        state = sample.state
        columns |= {
            "calls": sample.calls, "clock_hz": state.clock_hz, "power_watts": state.power_watts,
            "throttle": "; ".join(state.throttle), "queue_full": sample.queue_full,
        }  # fmt: skip
    return columns


def fitting(device: Backend, sizes: Sequence[int]) -> list[int]:
    """Return the sizes that the device's memory holds twice, in bytes."""
    return [size for size in sizes if 2 * size <= MEMORY_SHARE * device.memory_bytes]
