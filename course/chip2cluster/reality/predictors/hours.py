"""Device-hours of whole training runs: FLOP, fraction of peak, and the fraction that a whole run keeps of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import median

from ... import specs, utilization
from ..compare import fitted as numbers_of
from ..model import Row

EACH = 6.0  # FLOP per parameter and token


def fit(rows: Sequence[Row]) -> dict[str, float]:
    """Fit the fraction of the device-hours that the steps need at the speed of the kind "training"."""
    return {"kept": median(_seconds(row) / row.measured for row in rows)}


def predict(row: Row, fitted: Mapping[str, float]) -> float:
    """Predict device-seconds."""
    return _seconds(row) / fitted["kept"]


def _seconds(row: Row) -> float:
    """Return the device-seconds of the steps alone."""
    given = row.given
    peak = specs.accelerator(given["chip"]).peak_flops_dense(given["precision"])
    share = numbers_of("training")[f"{given['chip']} {given['precision']}"]
    return float(utilization.training_time_at(EACH * given["parameters"] * given["tokens"], 1, peak, share))
