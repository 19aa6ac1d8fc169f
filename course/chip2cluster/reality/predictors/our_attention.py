"""Fused attention on our two cards, with the numbers that were fitted to published kernels."""

from __future__ import annotations

from collections.abc import Mapping

from ..comparison import fitted as numbers_of
from ..validation_model import Row
from . import attention


def predict(row: Row, fitted: Mapping[str, float]) -> float:
    """Predict FLOP/s; with a causal mask only the unmasked half of the scores counts."""
    return attention.predict(row, numbers_of("attention"))
