"""Memory streams on our two cards: the shortest time of a kernel, and the bytes at the rate that memories reach."""

from __future__ import annotations

from collections.abc import Mapping

from ... import roofline
from ..comparison import fitted as numbers_of
from ..validation_model import Row


def predict(row: Row, fitted: Mapping[str, float]) -> float:
    """Predict bytes/s."""
    moved, rate = row.given["moved_bytes"], numbers_of("triad")["share"] * row.given["sheet"]
    return float(moved / (roofline.MEASURED_FLOOR + moved / rate))
