"""Training: one fraction of peak for each chip and precision, minus recomputation."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from statistics import median

from ... import specs, transformer, utilization
from ..model import Row


def fit(rows: Sequence[Row]) -> dict[str, float]:
    """Fit the fraction of peak of the hardware (HFU), including recomputation."""
    shares = defaultdict(list)
    for row in rows:
        shares[_key(row)].append(utilization.utilization_of_rate(row.measured, _peak(row)) * _done(row))
    return {key: float(median(found)) for key, found in shares.items()}


def predict(row: Row, fitted: Mapping[str, float]) -> float:
    """Predict model FLOP/s of one chip, including recomputation if the source includes it."""
    rate = fitted[_key(row)] * _peak(row)
    return rate if row.given.get("hardware") else rate / _done(row)


def _key(row: Row) -> str:
    """Return the key of the fitted fraction: chip and precision, or one model that was measured in two ways."""
    if row.given.get("own_share"):
        return row.given["model"]
    return f"{row.given['chip']} {row.given['precision']}"


def _peak(row: Row) -> float:
    return specs.accelerator(row.given["chip"]).peak_flops_dense(row.given["precision"])


def _done(row: Row) -> float:
    """Return executed FLOP over model FLOP."""
    given = row.given
    kind = given.get("recompute", "none")
    if kind != "selective":
        return 4 / 3 if kind == "full" else 1.0
    config, count = transformer.model(given["model"]).config, given["count"]
    again = transformer.recomputed_flops_per_token(config, given["sequence"], kind, count)
    return 1 + again / transformer.training_flops_per_token(config, given["sequence"], count)
