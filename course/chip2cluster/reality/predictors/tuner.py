"""All-reduce of latency-bound messages: NCCL's own estimate, or the kernel start time of a process.

A benchmark queues one all-reduce behind the other. A process that drives several GPUs starts
a kernel on each in turn; where that takes longer than the kernels run, the GPUs wait for it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import median

from ... import collectives, links
from ..validation_model import Row
from .links import PACKET, payload_rate


def fit(rows: Sequence[Row]) -> dict[str, float]:
    """Fit the start time of one kernel from runs whose time is independent of the message size, seconds."""
    return {"start": median(row.measured / row.given["gpus_per_process"] for row in rows)}


def predict(row: Row, fitted: Mapping[str, float]) -> float:
    """Predict seconds."""
    return max(_estimate(row.given), row.given.get("gpus_per_process", 1) * fitted["start"])


def _estimate(given: Mapping) -> float:
    """Return the estimate of the library, seconds."""
    if "wire" in given:
        ring = payload_rate({**given, "by": "sm"})
    else:  # across nodes the NICs of a node set the ring's rate
        ring = given["network_per_node"] * links.payload_efficiency("infiniband", PACKET["infiniband"])
    system = collectives.NcclSystem(
        given["gpu"],
        given["ranks_per_node"],
        ring,
        nodes=given["nodes"],
        switch_adds=given.get("switch_adds", False),
        version=given["version"],
        network_latency=given.get("network_latency", 0.0),
    )
    return float(collectives.nccl_time(given["message_bytes"], system))
