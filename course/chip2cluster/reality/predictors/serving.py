"""Serving: one fraction of peak and one of memory bandwidth for each precision, plus the expected fixed time of a step.

What does not shrink with the bytes comes from the frozen laws of ``reality.expected``: a layer's fixed time and the
server's own all-reduce (``serving_step``), and with data-parallel attention the exchange of experts (``expert_all_to_all``).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ... import serving
from ..expectation import expected_seconds
from ..expectation.constants import choose
from ..expectation.laws import serving_step
from ..expectation.models import shape
from ..validation_model import Row

MOST = 512  # concurrent sequences of a GPU where the source states none


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
    given, deployment = row.given, _deployment(row)
    compute, memory = (fitted[f"{given['precision']}, of the {what}"] for what in ("peak", "memory"))
    together = _together(row, deployment)
    fixed = fixed_seconds(deployment, given["chip"], together)
    reached = serving.Efficiency(compute, memory, link=serving_step.LINK_SHARE, overhead_seconds=fixed)
    rate = serving.stream_rate(deployment, given["prompt"], given["output"], sequences=together, efficiency=reached)
    return float(rate)


def fixed_seconds(deployment: serving.Deployment, chip: Any, together: float) -> float:
    """Return the expected seconds of a step beside arithmetic, traffic and the bytes of messages."""
    constants = choose("serving_step", chip)
    of = shape(deployment.config)
    fixed = serving_step.layer_seconds(of, "trtllm", constants.own, constants.shared)
    experts = deployment.config.experts
    if deployment.devices == 1 or (deployment.attention == "data" and experts is None):
        return fixed
    if deployment.attention != "data" or experts is None:
        return fixed + 2.0 * of.layers * serving_step.all_reduce_seconds(chip, constants.shared)
    question = {
        "chip": chip, "mode": "low latency", "tokens_per_rank": max(together / deployment.devices, 1.0),
        "d_model": deployment.config.d_model, "top_k": experts.per_token, "experts": experts.routed,
        "ranks": deployment.devices,
    }  # fmt: skip
    phases = (expected_seconds("expert_all_to_all", question, phase=phase) for phase in ("dispatch", "combine"))
    return float(fixed + of.moe_layers * sum(phases))


def _deployment(row: Row) -> serving.Deployment:
    return serving.served_deployment(
        *(row.given[name] for name in ("model", "chip", "devices", "precision", "attention"))
    )


def _together(row: Row, deployment: serving.Deployment) -> int:
    """Return the concurrent sequences: as many as fit, and no more than the source states."""
    given = row.given
    fitting = int(serving.largest_batch(deployment, given["prompt"] + given["output"], block_tokens=1))
    return min(fitting, given["sequences"] or MOST * deployment.devices)


def _parts(row: Row) -> tuple[float, float, float]:
    """Return seconds of a request: arithmetic and traffic at datasheet rates, and what needs neither."""
    deployment, given = _deployment(row), row.given
    prompt, output = given["prompt"], given["output"]
    together = _together(row, deployment)
    kernel = serving.request_kernel(deployment, prompt, output, together)
    sent = serving.message_seconds(deployment, serving.Batch(prompt=prompt + output - 1)) / serving_step.LINK_SHARE
    fixed = fixed_seconds(deployment, given["chip"], together)
    return (
        kernel.flops / (deployment.devices * deployment.peak_flops_dense),
        kernel.bytes_moved / (deployment.devices * deployment.memory_bandwidth),
        float(sent + fixed * (output - 1) / together),
    )
