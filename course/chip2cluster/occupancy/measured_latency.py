"""Measured memory latency, and measured bandwidth as a function of occupancy, to test Little's law."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from .._validate import choice
from ..provenance import Source

if TYPE_CHECKING:
    from .._typing import NDArray

_BYTES = {"store": 8, "read": 8, "scale": 16, "triad": 24}  # moved per thread, with 8-byte numbers


@dataclass(frozen=True)
class Reading:
    """Latency of an idle memory measured by one tool.

    Attributes
    ----------
    gpu : str
        Product name.
    tool : str
        Name of the benchmark.
    latency_seconds : float
        Measured latency, seconds.
    source : Source
        Citation, date and confidence.
    """

    gpu: str
    tool: str
    latency_seconds: float
    source: Source


@dataclass(frozen=True)
class Curve:
    """Measured bandwidth of a kernel as a function of occupancy; see `curve`.

    Attributes
    ----------
    gpu : str
        Product name.
    kernel : str
        ``"store"``, ``"read"``, ``"scale"`` or ``"triad"``.
    compute_units : int
        Number of SMs.
    threads_per_unit : int
        Maximum number of threads per SM.
    threads : array of int
        Number of threads on the whole chip.
    bandwidth : array
        Measured bandwidth, bytes/s.
    bytes_per_thread : int
        Bytes that each thread moves once before it exits.
    sheet_bandwidth : float
        Datasheet bandwidth of the memory, bytes/s.
    source : Source
        Citation, date and confidence.
    """

    gpu: str
    kernel: str
    compute_units: int
    threads_per_unit: int
    threads: NDArray[np.int64]
    bandwidth: NDArray[np.float64]
    bytes_per_thread: int
    sheet_bandwidth: float
    source: Source

    @property
    def occupancy(self) -> NDArray[np.float64]:
        """Threads over the maximum number of threads, 0 to 1."""
        return self.threads / (self.compute_units * self.threads_per_unit)

    @property
    def seconds_under_way(self) -> NDArray[np.float64]:
        """Mean time that a thread and its bytes were in flight by Little's law, seconds."""
        return self.threads * self.bytes_per_thread / self.bandwidth


def latency_readings() -> tuple[Reading, ...]:
    """Return the latencies of an H100's idle memory by tool, in ascending order.

    Returns
    -------
    tuple of Reading
        Measurements with their tools and sources.

    Notes
    -----
    Three products with the same GPU. Each tool chases pointers (random access), and the
    result depends on the size of its working set: the larger it is, the more address
    translations (TLB) miss. The latency of a loaded memory is higher. Source: the data, one
    for each measurement.

    Examples
    --------
    >>> [f"{1e9 * reading.latency_seconds:.0f} ns" for reading in latency_readings()]
    ['315 ns', '347 ns', '347 ns', '373 ns', '421 ns', '436 ns']
    """
    data = _data()
    readings = [
        Reading(row["gpu"], row["tool"], row["cycles"] / (1e6 * row["clock_mhz"]), _source(row["source"]))
        for row in data["latency"]
    ]
    return tuple(sorted(readings, key=lambda reading: reading.latency_seconds))


def curves() -> dict[str, tuple[str, ...]]:
    """List the GPUs that have a `curve`, each with its kernels.

    Returns
    -------
    dict of str to tuple of str
        Names of the kernels by GPU.

    Notes
    -----
    Source: the data.

    Examples
    --------
    >>> list(curves()), curves()["GH200"]
    (['V100', 'A100 80 GB', 'H100 PCIe', 'GH200', 'L40'], ('store', 'read', 'scale', 'triad'))
    """
    return {name: tuple(record["columns"][1:]) for name, record in _data()["curves"].items()}


def curve(gpu: str, kernel: str = "read") -> Curve:
    """Return the measured bandwidth of one GPU as a function of occupancy.

    Parameters
    ----------
    gpu : str
        GPU listed by `curves`.
    kernel : str
        ``"store"``, ``"read"``, ``"scale"`` or ``"triad"``: one 8-byte number per thread and
        array, with one, one, two and three arrays.

    Returns
    -------
    Curve
        Threads, bandwidth and origin of the measurement.

    Raises
    ------
    ValueError
        If the GPU or kernel was not measured; the message names those that were.

    Notes
    -----
    Two blocks of varying size were resident on each SM. ``seconds_under_way`` includes the
    launch of the block, so it is longer than the latency. Source:
    D. Ernst, gpu-benches, gpu-stream.

    Examples
    --------
    >>> full = curve("GH200", "read")
    >>> round(full.bandwidth[-1] / 1e9), round(1e9 * full.seconds_under_way[-1])
    (2775, 779)
    """
    record = _data()["curves"][choice("gpu", gpu, tuple(_data()["curves"]))]
    column = record["columns"].index(choice("kernel", kernel, tuple(record["columns"][1:])))
    rows = record["rows"]
    return Curve(
        gpu,
        kernel,
        record["compute_units"],
        record["threads_per_unit"],
        np.array([row[0] for row in rows]),
        1e9 * np.array([row[column] for row in rows]),
        _BYTES[kernel],
        1e9 * record["sheet_gbytes"],
        _source(record["source"]),
    )


def _source(name: str) -> Source:
    return Source(**_data()["sources"][name])


@cache
def _data() -> dict[str, Any]:
    from importlib.resources import files  # slow to import, and needed once

    return json.loads((files("chip2cluster") / "data" / "occupancy_measured.json").read_text(encoding="utf-8"))
