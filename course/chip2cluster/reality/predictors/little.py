"""Bandwidth by memory-level parallelism: Little's law, with queueing near saturation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import median

from ... import occupancy
from ..comparison import fitted as numbers_of
from ..validation_model import Row

BYTES = 16  # bytes in flight per thread: 8 read and 8 written
BEND = 0.3, 0.9  # range of the roof in which queueing is visible


def fit(rows: Sequence[Row]) -> dict[str, float]:
    """Fit thread latency over pointer-chase latency, queueing delay, and latencies of chips without a pointer chase.

    A thread's time, seconds, follows from the row with the fewest threads.
    """
    first: dict[str, Row] = {}
    for row in sorted(rows, key=lambda row: row.given["threads"]):
        first.setdefault(row.given["chip"], row)
    times = {chip: BYTES * row.given["threads"] / row.measured for chip, row in first.items()}
    chased = [row for row in first.values() if "idle_latency" in row.given]
    numbers = {"of a chase": median(times[row.given["chip"]] / row.given["idle_latency"] for row in chased)}
    waits = []
    for row in rows:
        rho = row.measured / _roof(row)
        load = BYTES * row.given["threads"] / (times[row.given["chip"]] * _roof(row))
        if BEND[0] < rho < BEND[1]:
            waits.append((load / rho - 1) * (1 - rho) / rho)
    numbers["queueing"] = median(waits)
    return numbers | {chip: times[chip] for chip, row in first.items() if row not in chased}


def predict(row: Row, fitted: Mapping[str, float]) -> float:
    """Predict bytes/s."""
    given = row.given
    chased = "idle_latency" in given
    latency = fitted["of a chase"] * given["idle_latency"] if chased else fitted[given["chip"]]
    under_way = BYTES * given["threads"]
    return float(occupancy.bandwidth_from_concurrency(under_way, latency, _roof(row), fitted["queueing"]))


def _roof(row: Row) -> float:
    """Return the bytes/s of streaming kernels."""
    return float(numbers_of("triad")["share"] * row.given["sheet"])
