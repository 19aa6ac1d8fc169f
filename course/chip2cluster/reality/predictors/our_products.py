"""Square matrix products on our two cards: the frozen law of expected times."""

from __future__ import annotations

from collections.abc import Mapping

from ..expectation import expected_seconds
from ..validation_model import Row


def predict(row: Row, fitted: Mapping[str, float]) -> float:
    """Predict FLOP/s."""
    n = row.given["n"]
    product = {"chip": row.given["chip"], "precision": row.given["precision"], "m": n, "n": n, "k": n}
    return float(2 * n**3 / expected_seconds("gemm", product))
