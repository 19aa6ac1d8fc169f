"""Published utilizations: accounting with the published speed as an input."""

from __future__ import annotations

from collections.abc import Mapping

from ... import specs, transformer, utilization
from ..validation_model import Row


def predict(row: Row, fitted: Mapping[str, float]) -> float:
    """Predict the MFU, a fraction."""
    given = row.given
    config = transformer.model(given["model"]).config
    work = transformer.training_flops_per_token(
        config, given["sequence"], given["count"], causal=given.get("causal", False)
    )
    peak = specs.accelerator(given["chip"]).peak_flops_dense(given["precision"])
    return float(utilization.mfu(given["tokens_per_second"], work, given["devices"], peak))
