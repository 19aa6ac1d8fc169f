"""Latency and bandwidth fitted to measured all-reduce times, with the residuals."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Literal

import numpy as np

from .._validate import look_up, one_whole, plain, positive

if TYPE_CHECKING:
    from .._typing import ArrayLike, FloatOrArray, NDArray


@dataclass(frozen=True, eq=False)
class Fit:
    """Result of `fit_alpha_beta`, in the terms of `ring_all_reduce_time`.

    Attributes
    ----------
    latency : float
        Fixed cost of one message between neighbours, seconds.
    bandwidth_one_way : float
        Unidirectional bandwidth of a link, bytes/s.
    residuals : array, shape (measurements,)
        Relative errors, ``(measured - model) / measured``.
    ranks : int
        Number of ranks.
    """

    latency: float
    bandwidth_one_way: float
    residuals: np.ndarray
    ranks: int

    @property
    def collective_latency(self) -> float:
        """Time of an empty all-reduce, seconds: ``2 (p - 1)`` messages in a row."""
        return 2 * (self.ranks - 1) * self.latency

    @property
    def algorithm_bandwidth(self) -> float:
        """Algorithm bandwidth (size over time) in the limit of large messages, bytes/s."""
        return self.bandwidth_one_way * self.ranks / (2 * (self.ranks - 1))

    @property
    def half_bandwidth_bytes(self) -> float:
        """Message size that reaches half of `algorithm_bandwidth`, bytes."""
        return self.collective_latency * self.algorithm_bandwidth

    def predict(self, message_bytes: ArrayLike) -> FloatOrArray:
        """Compute the fitted model's time for a message of ``message_bytes``, seconds."""
        message_bytes = positive("message_bytes", message_bytes, allow_zero=True)
        return plain(self.collective_latency + message_bytes / self.algorithm_bandwidth)


def fit_alpha_beta(
    message_bytes: ArrayLike, seconds: ArrayLike, ranks: int, *, weighting: Literal["absolute", "relative"] = "absolute"
) -> Fit:
    """Fit ``time = 2 (p - 1) latency + 2 (p - 1) / p * size / bandwidth`` to measurements.

    Parameters
    ----------
    message_bytes : array, shape (measurements,)
        Sizes of the all-reduces, bytes.
    seconds : array, shape (measurements,)
        Measured times, seconds.
    ranks : int
        Number of ranks, p; at least 2.
    weighting : {"absolute", "relative"}
        Least squares of the seconds (large messages dominate), or of the relative errors
        (every size counts the same).

    Returns
    -------
    Fit
        Latency, bandwidth and residuals.

    Raises
    ------
    ValueError
        If the times do not grow with the size, or all sizes are equal.

    Notes
    -----
    The fitted latency is the launch of the collective divided by the steps of a ring, not
    the latency of a link, and it is negative if the times curve the wrong way. Look at the
    residuals first: on `nccl_tests_table` they reach 46 %, because NCCL changes protocol
    (LL, LL128, Simple) with the size, and each protocol has its own latency and bandwidth.
    Source: ordinary least squares; Hockney 1994 for the two-parameter model.

    Examples
    --------
    >>> table = nccl_tests_table()
    >>> fit = fit_alpha_beta(table.message_bytes, table.seconds, table.ranks)
    >>> round(fit.collective_latency * 1e6, 2), round(fit.bandwidth_one_way / 1e9, 2)
    (26.46, 80.59)
    >>> round(float(abs(fit.residuals).max()), 3)
    0.461
    """
    size = _column("message_bytes", positive("message_bytes", message_bytes, allow_zero=True))
    measured = _column("seconds", positive("seconds", seconds))
    if size.shape != measured.shape:
        raise ValueError(f"message_bytes and seconds must have one length, got {size.size} and {measured.size}")
    ranks = one_whole("ranks", ranks, minimum=2)
    if size.min() == size.max():
        raise ValueError(f"message_bytes must hold at least two different sizes, got only {size[0]:g}")
    relative = look_up("weighting", weighting, {"absolute": False, "relative": True})
    weight = measured**-2.0 if relative else np.ones_like(measured)
    weight = weight / weight.sum()
    mean_size, mean_time = weight @ size, weight @ measured
    per_byte = weight @ ((size - mean_size) * (measured - mean_time)) / (weight @ (size - mean_size) ** 2)
    if per_byte <= 0:
        raise ValueError("seconds must grow with message_bytes, or no bandwidth can be fitted")
    start = mean_time - per_byte * mean_size
    hops = 2 * (ranks - 1)
    residuals = (measured - (start + per_byte * size)) / measured
    return Fit(float(start / hops), float(hops / ranks / per_byte), residuals, ranks)


def _column(name: str, values: FloatOrArray) -> NDArray[np.float64]:
    column = np.asarray(values)
    if column.ndim != 1 or len(column) < 2:
        raise ValueError(f"{name} must be a one-dimensional array of two or more, got {values!r}")
    return column


@dataclass(frozen=True, eq=False)
class NcclTestsTable:
    """Output of an nccl-tests run: arrays with one entry for each message size.

    Attributes
    ----------
    message_bytes : array
        Message sizes, bytes.
    seconds : array
        Measured times, seconds.
    printed_algorithm_bandwidth : array
        Column ``algbw``, bytes/s, rounded to 0.01 GB/s as printed.
    printed_bus_bandwidth : array
        Column ``busbw``, bytes/s, rounded to 0.01 GB/s as printed.
    ranks : int
        Number of ranks.
    system : str
        Description of the system.
    source : str
        Citation.
    """

    message_bytes: np.ndarray
    seconds: np.ndarray
    printed_algorithm_bandwidth: np.ndarray
    printed_bus_bandwidth: np.ndarray
    ranks: int
    system: str
    source: str


@lru_cache(maxsize=1)
def nccl_tests_table() -> NcclTestsTable:
    """Return nccl-tests output: all-reduce on 8 H100 in two nodes, 8 bytes to 8 MiB.

    Returns
    -------
    NcclTestsTable
        Table of 21 rows, out of place, float sum; the arrays are read-only.

    Notes
    -----
    The plateau of 18 microseconds at small sizes is the launch of the collective and its
    hops, not the latency of a link; NCCL's own model gives 20.4 for its tree on this
    system. Source: the table's ``source``.

    Examples
    --------
    >>> table = nccl_tests_table()
    >>> len(table.message_bytes), table.ranks, round(float(table.seconds[-1]) * 1e6, 2)
    (21, 8, 191.09)
    """
    import json
    from importlib.resources import files

    text = (files(__package__.rpartition(".")[0]) / "data" / "nccl_tests_table.json").read_text("utf-8")
    stored = json.loads(text)
    columns = zip(stored["columns"].items(), zip(*stored["rows"], strict=True), strict=True)
    arrays = {name: np.array(column) * float(unit["si"]) for (name, unit), column in columns}
    for array in arrays.values():
        array.setflags(write=False)
    return NcclTestsTable(**arrays, ranks=stored["ranks"], system=stored["system"], source=stored["source"])
