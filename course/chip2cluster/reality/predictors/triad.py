"""Bandwidth of the memory: the sheet rate times one share for all chips."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import median

from ... import roofline
from ..model import Row


def fit(rows: Sequence[Row]) -> dict[str, float]:
    """The share of the sheet that streaming kernels reach."""
    return {"share": median(row.measured / row.given["sheet"] for row in rows)}


def predict(row: Row, fitted: Mapping[str, float]) -> float:
    """Bytes/s: the slope of the roofline, which is its height at 1 FLOP/byte below any peak."""
    bandwidth = fitted["share"] * row.given["sheet"]
    return float(roofline.attainable(1.0, 1e18, bandwidth))
