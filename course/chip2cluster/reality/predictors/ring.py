"""Ring collectives inside a node: steps and bytes of the ring at the payload rate of the SMs."""

from __future__ import annotations

from collections.abc import Mapping

from ... import collectives
from ..validation_model import Row
from .links import payload_rate


def predict(row: Row, fitted: Mapping[str, float]) -> float:
    """Predict the bus bandwidth (busbw), bytes/s."""
    given = row.given
    rate = payload_rate({**given, "by": "sm"})
    if given["collective"] == "wire":  # a benchmark that reports the traffic of its slowest link
        return rate
    collective, size, ranks = given["collective"], given["message_bytes"], given["ranks"]
    algorithm = "pairwise" if collective == "all_to_all" else "ring"
    seconds = collectives.time(collective, algorithm, size, ranks, rate, collectives.nccl_protocol("Simple").latency)
    return float(collectives.bus_bandwidth(collective, size, seconds, ranks))
