"""Training through a pipeline: one share of the peak, less the bubble of the layout."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import median

from ... import specs, utilization
from ..model import Row


def fit(rows: Sequence[Row]) -> dict[str, float]:
    """Share of the peak that the kernels reach while no stage waits."""
    return {"share": median(row.measured / _rate(row, 1.0) for row in rows)}


def predict(row: Row, fitted: Mapping[str, float]) -> float:
    """FLOP/s of one chip, recomputation included."""
    return _rate(row, fitted["share"])


def _rate(row: Row, share: float) -> float:
    given = row.given
    peak = specs.accelerator(given["chip"]).peak_flops_dense(given["precision"])
    micro_batches = given["global_batch"] / (given["data_parallel"] * given["micro_batch"])
    # The bubble is the same for any amount of arithmetic; a micro-batch too few is waited for like a whole one.
    step = utilization.step_breakdown(
        peak, 1, peak, share, stages=given["pipeline_parallel"], micro_batches=max(1, round(micro_batches))
    )
    return peak * float(step.mfu)
