"""Pipeline-parallel training: one fraction of peak, minus the pipeline bubble, plus messages if the shape is known.

A width that is no multiple of 128 has a fraction of its own: its products do not fill the tiles of the matrix units.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from statistics import median

from ... import parallelism, specs, transformer, utilization
from ..validation_model import Row

STEPS = 40  # steps of a bisection
TILE = 128  # elements of a tile of the matrix units


def fit(rows: Sequence[Row]) -> dict[str, float]:
    """Fit the fraction of peak of the kernels: of whole and of partial tiles, and of each table with a published shape."""
    shares = defaultdict(list)
    for row in rows:
        if "layers" not in row.given:
            shares[_name(row)].append(row.measured / _rate(row, 1.0))
    found = {name: median(some) for name, some in shares.items()}
    return found | {row.table: _share(row) for row in rows if "layers" in row.given}


def predict(row: Row, fitted: Mapping[str, float]) -> float:
    """Predict FLOP/s of one chip, including recomputation."""
    return _of_step(row, fitted[row.table]) if "layers" in row.given else _rate(row, fitted[_name(row)])


def _name(row: Row) -> str:
    """Return the key of the fitted fraction by the width of the model."""
    return "share of partial tiles" if (row.given.get("d_model") or TILE) % TILE else "share"


def _rate(row: Row, share: float) -> float:
    given = row.given
    peak = specs.accelerator(given["chip"]).peak_flops_dense(given["precision"])
    micro_batches = given["global_batch"] / (given["data_parallel"] * given["micro_batch"])
    # The bubble does not depend on the FLOP; a partial micro-batch counts as a full one.
    step = utilization.step_breakdown(
        peak, 1, peak, share, stages=given["pipeline_parallel"], micro_batches=max(1, round(micro_batches))
    )
    return peak * float(step.mfu)


def _of_step(row: Row, share: float) -> float:
    """Return FLOP/s of a whole step with its messages."""
    given = row.given
    chip, tensor, pipeline = specs.accelerator(given["chip"]), given["tensor"], given["pipeline"]
    config = transformer.Config(
        layers=given["layers"], d_model=given["d_model"], heads=given["heads"], vocab_size=given["vocab_size"],
        d_hidden=4 * given["d_model"], positions=given["sequence"],
    )  # fmt: skip
    layout = parallelism.Layout(
        tensor, pipeline, given["devices"] // (tensor * pipeline), sequence_parallel=False, recompute="full"
    )
    tiers = (
        parallelism.Tier("node", given["node"], given["inside"], 2e-6),
        parallelism.Tier("network", given["devices"], given["outside"], 5e-6),
    )
    step = parallelism.step_time(
        config, layout, chip, tiers, sequence=given["sequence"], global_batch=given["global_batch"],
        precision=given["precision"], kernel_efficiency=share,
    )  # fmt: skip
    return float(step.hfu * chip.peak_flops_dense(given["precision"]))


def _share(row: Row) -> float:
    """Return the fraction of peak that reproduces a step, by bisection."""
    low, high = 0.0, 1.0
    for _ in range(STEPS):
        middle = (low + high) / 2
        low, high = (middle, high) if _of_step(row, middle) < row.measured else (low, middle)
    return high
