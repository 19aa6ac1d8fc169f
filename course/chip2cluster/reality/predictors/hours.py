"""Device-hours of whole trainings: their arithmetic, a chip's share of the peak, and what a whole training keeps of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import median

from ... import specs, utilization
from ..compare import fitted as numbers_of
from ..model import Row

EACH = 6.0  # FLOP for a parameter and a token


def fit(rows: Sequence[Row]) -> dict[str, float]:
    """Share of the device-hours that the steps would have needed at the speed of the runs under training."""
    return {"kept": median(_seconds(row) / row.measured for row in rows)}


def predict(row: Row, fitted: Mapping[str, float]) -> float:
    """Seconds of all devices together."""
    return _seconds(row) / fitted["kept"]


def _seconds(row: Row) -> float:
    """What the steps alone would take one device."""
    given = row.given
    peak = specs.accelerator(given["chip"]).peak_flops_dense(given["precision"])
    share = numbers_of("training")[f"{given['chip']} {given['precision']}"]
    return float(utilization.training_time_at(EACH * given["parameters"] * given["tokens"], 1, peak, share))
