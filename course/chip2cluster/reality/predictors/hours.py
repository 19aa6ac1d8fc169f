"""Device-hours of whole training runs: FLOP, fraction of peak by the width, and the fraction that a whole run keeps of it.

Where the width is not stated it is that of a usual model, 128 times as wide as it has layers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import median

from ... import specs, transformer, utilization
from ..comparison import fitted as numbers_of
from ..validation_model import Row
from .training import share_of

EACH = 6.0  # FLOP per parameter and token
ASPECT = 128  # width over layers, as in GPT-3


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
    reached = numbers_of("training")[f"{given['chip']} {given['precision']}"]
    share = share_of(reached, _config(given), given["chip"], given["precision"])
    return float(utilization.training_time_at(EACH * given["parameters"] * given["tokens"], 1, peak, share))


def _config(given: Mapping) -> transformer.Config | None:
    """Return a model of the size and the width that the row states, or of the usual width."""
    if given["chip"].startswith("TPU"):
        return None
    layers = max(1, round((given["parameters"] / (12.0 * ASPECT**2)) ** (1 / 3)))
    return transformer.Config(
        layers=layers, d_model=ASPECT * layers, heads=layers, vocab_size=32_000, d_hidden=4 * ASPECT * layers
    )
