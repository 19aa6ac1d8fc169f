"""Training: one efficiency for each chip and precision, minus the width of the model and recomputation.

The width, and the factor of a mixture of experts, come from the frozen law of ``reality.expected("training_step")``.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from statistics import median

from ... import specs, transformer, utilization
from ..expectation.constants import load
from ..expectation.laws import training_step
from ..validation_model import Row


def fit(rows: Sequence[Row]) -> dict[str, float]:
    """Fit the efficiency of an infinitely wide model, including recomputation."""
    shares = defaultdict(list)
    for row in rows:
        share = utilization.utilization_of_rate(row.measured, _peak(row)) * _done(row)
        shares[_key(row)].append(efficiency(share, _config(row), row.given["chip"], row.given["precision"]))
    return {key: float(median(found)) for key, found in shares.items()}


def predict(row: Row, fitted: Mapping[str, float]) -> float:
    """Predict model FLOP/s of one chip, including recomputation if the source includes it."""
    given = row.given
    rate = _peak(row) * share_of(fitted[_key(row)], _config(row), given["chip"], given["precision"])
    return rate if given.get("hardware") else rate / _done(row)


def efficiency(share: float, config: transformer.Config | None, chip: str, precision: str) -> float:
    """Return the efficiency that gives a share of the peak: the inverse of `share_of`."""
    if config is None:
        return share
    constants = load()["kinds"]["training_step"]["shared"]
    narrow = constants["width"] * training_step.narrowness(config.d_model, chip, precision)
    inverse = 1.0 / (share * training_step.alignment(config.d_model)) - narrow
    return (constants["experts"] if config.experts else 1.0) / inverse


def share_of(fitted: float, config: transformer.Config | None, chip: str, precision: str) -> float:
    """Return the share of the peak that a model of a width reaches; the efficiency itself if the width is unknown."""
    if config is None:
        return fitted
    constants = load()["kinds"]["training_step"]["shared"]
    return 1.0 / training_step.inverse_share(fitted, config, chip, precision, constants)


def _config(row: Row) -> transformer.Config | None:
    """Return the shape of the model; None for models that only TPUs' rates to expect name, which do not count."""
    return None if row.given["chip"].startswith("TPU") else transformer.model(row.given["model"]).config


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
