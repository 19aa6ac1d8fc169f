"""What was measured of latency and of bandwidth against occupancy, to hold Little's law against."""

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

_BYTES = {"store": 8, "read": 8, "scale": 16, "triad": 24}  # that one thread moves, of 8-byte numbers


@dataclass(frozen=True)
class Reading:
    """The latency of an idle memory, as one tool measured it: seconds, with its source."""

    gpu: str
    tool: str
    latency_seconds: float
    source: Source


@dataclass(frozen=True)
class Curve:
    """Bandwidth that a kernel reached at rising occupancy; see `curve`.

    ``threads`` (of the whole chip) and ``bandwidth`` (bytes/s) are arrays of one length.
    Each thread moves ``bytes_per_thread`` once and ends; the next block takes its place.
    ``sheet_bandwidth`` is the memory's, bytes/s.
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
        """Threads over the most that fit, 0 to 1."""
        return self.threads / (self.compute_units * self.threads_per_unit)

    @property
    def seconds_under_way(self) -> NDArray[np.float64]:
        """Little's law turned round: how long each thread's bytes, and its place, were taken."""
        return self.threads * self.bytes_per_thread / self.bandwidth


def latency_readings() -> tuple[Reading, ...]:
    """Latencies of an H100's idle memory by tool, from the shortest to the longest.

    Returns
    -------
    tuple of Reading

    Notes
    -----
    Three products with the same processor. Each tool follows a chain of addresses, and
    what it finds depends on how much it walks through: the longer the walk, the more
    translations of addresses miss. A busy memory answers later than any of them. Source:
    see the data, one for each reading.

    Examples
    --------
    >>> [f"{1e9 * reading.latency_seconds:.0f} ns" for reading in latency_readings()]
    ['315 ns', '347 ns', '373 ns', '421 ns', '436 ns']
    """
    data = _data()
    readings = [
        Reading(row["gpu"], row["tool"], row["cycles"] / (1e6 * row["clock_mhz"]), _source(row["source"]))
        for row in data["latency"]
    ]
    return tuple(sorted(readings, key=lambda reading: reading.latency_seconds))


def curves() -> dict[str, tuple[str, ...]]:
    """GPUs whose `curve` the package holds, each with its kernels.

    Returns
    -------
    dict of str to tuple of str

    Notes
    -----
    Source: see the data.

    Examples
    --------
    >>> list(curves()), curves()["GH200"]
    (['V100', 'A100 80 GB', 'H100 PCIe', 'GH200', 'L40'], ('store', 'read', 'scale', 'triad'))
    """
    return {name: tuple(record["columns"][1:]) for name, record in _data()["curves"].items()}


def curve(gpu: str, kernel: str = "read") -> Curve:
    """Bandwidth against occupancy of one GPU, as measured.

    Parameters
    ----------
    gpu : str
        One of `curves`.
    kernel : str
        ``"store"``, ``"read"``, ``"scale"`` or ``"triad"``: one number of 8 bytes a thread
        and array, with one, one, two and three arrays.

    Returns
    -------
    Curve

    Raises
    ------
    ValueError
        For a GPU or a kernel that was not measured, naming those that were.

    Notes
    -----
    Two blocks of varying size lived on each multiprocessor. The time that a place was
    taken includes the start of its block, so it is longer than the latency. Source:
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
