"""Time to save or load a checkpoint: equal parts, each at the rate of one writer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ... import reliability
from ..model import Row


def fit(rows: Sequence[Row]) -> dict[str, float]:
    """Fit the bytes/s of a writer or reader for each table."""
    return {row.table: 1e9 * row.given["gigabytes"] / row.given["writers"] / row.measured for row in rows}


def predict(row: Row, fitted: Mapping[str, float]) -> float:
    """Predict seconds; the storage is assumed to be as fast as all writers together."""
    writers, rate = row.given["writers"], fitted[row.table]
    return float(reliability.checkpoint_time(1e9 * row.given["gigabytes"], writers, rate, writers * rate))
