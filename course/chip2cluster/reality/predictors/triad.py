"""Memory bandwidth: datasheet rate times one fraction for all chips."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import median

from ... import roofline
from ..model import Row


def fit(rows: Sequence[Row]) -> dict[str, float]:
    """Fit the fraction of the datasheet rate that streaming kernels reach."""
    return {"share": median(row.measured / row.given["sheet"] for row in rows)}


def predict(row: Row, fitted: Mapping[str, float]) -> float:
    """Predict bytes/s, the slope of the roofline."""
    bandwidth = fitted["share"] * row.given["sheet"]
    return float(roofline.attainable(1.0, 1e18, bandwidth))
