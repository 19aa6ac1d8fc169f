"""Chains of kernels on our two cards: launch, kernel, and the gap that follows each kernel."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import median

from ... import measure
from ..validation_model import Row


def fit(rows: Sequence[Row]) -> dict[str, float]:
    """Fit the seconds between two kernels of a graph and of a stream, and those until a waiting CPU continues.

    Each is the median over the rows in which the kernel sets the pace.
    """
    numbers = {}
    for how in ("graph", "stream", "waits"):
        found = [row for row in rows if row.given["how"] == how]
        paced = [row for row in found if how != "stream" or row.given["kernel_seconds"] > row.given["launch_seconds"]]
        launch = (lambda row: row.given["launch_seconds"]) if how == "waits" else lambda row: 0.0
        numbers[how] = median(row.measured - row.given["kernel_seconds"] - launch(row) for row in paced)
    return numbers


def predict(row: Row, fitted: Mapping[str, float]) -> float:
    """Predict the seconds of one kernel."""
    kernel, launch, kernels = (row.given[name] for name in ("kernel_seconds", "launch_seconds", "kernels"))
    how = row.given["how"]
    if how == "graph":
        return float(measure.graph_time(kernel, launch, kernels, gap_seconds=fitted[how])) / kernels
    waits = how == "waits"
    gap, wake = (0.0, fitted[how]) if waits else (fitted[how], 0.0)
    seconds = measure.launched_time(kernel, launch, kernels, waits=waits, gap_seconds=gap, wake_seconds=wake)
    return float(seconds) / kernels
