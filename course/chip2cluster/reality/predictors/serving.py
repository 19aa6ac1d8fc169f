"""Serving: one fraction of peak and one of memory bandwidth for each precision, without overlap."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

import numpy as np

from ... import serving
from ..model import Row


def fit(rows: Sequence[Row]) -> dict[str, float]:
    """Fit both fractions to two rows of each precision, one dominated by prefill and one by decode."""
    groups = defaultdict(list)
    for row in rows:
        groups[row.given["precision"]].append(row)
    found: dict[str, float] = {}
    for precision, some in groups.items():
        parts = np.array([_parts(row) for row in some])
        seconds = np.array([row.given["output"] / row.measured for row in some])
        slower, *_ = np.linalg.lstsq(parts[:, :2] / seconds[:, None], 1 - parts[:, 2] / seconds, rcond=None)
        compute, memory = np.minimum(1 / slower, 1.0)
        found |= {f"{precision}, of the peak": float(compute), f"{precision}, of the memory": float(memory)}
    return found


def predict(row: Row, fitted: Mapping[str, float]) -> float:
    """Predict output tokens/s of the replica."""
    given = row.given
    shares = (fitted[f"{given['precision']}, of the {what}"] for what in ("peak", "memory"))
    reached = serving.Efficiency(*shares)
    rate = serving.stream_rate(
        _deployment(row), given["prompt"], given["output"], sequences=given["sequences"], efficiency=reached
    )
    return float(rate)


def _deployment(row: Row) -> serving.Deployment:
    return serving.served_deployment(
        *(row.given[name] for name in ("model", "chip", "devices", "precision", "attention"))
    )


def _parts(row: Row) -> tuple[float, float, float]:
    """Return seconds of a request at datasheet rates: arithmetic, memory traffic, messages."""
    deployment, given = _deployment(row), row.given
    prompt, output = given["prompt"], given["output"]
    together = int(serving.largest_batch(deployment, prompt + output, block_tokens=1))
    kernel = serving.request_kernel(deployment, prompt, output, min(together, given["sequences"] or together))
    return (
        kernel.flops / (deployment.devices * deployment.peak_flops_dense),
        kernel.bytes_moved / (deployment.devices * deployment.memory_bandwidth),
        float(serving.message_seconds(deployment, serving.Batch(prompt=prompt + output - 1))),
    )
