"""All-reduce with in-network reduction (NVLS): (1 + 1/p) n bytes, NCCL's link efficiency, one fitted latency."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ... import collectives
from ..validation_model import Row
from .links import payload_rate

# NCCL's NVLS efficiency: nvlsEffics of tuning.cc, version 2.27.
ADDING = {"hopper": 0.85, "blackwell": 0.74}


def fit(rows: Sequence[Row]) -> dict[str, float]:
    """Fit one latency by least squares of the relative errors, seconds."""
    weighted, weights = 0.0, 0.0
    for row in rows:
        size, ranks = row.given["message_bytes"], row.given["ranks"]
        taken = size * collectives.bus_factor("all_reduce", ranks) / row.measured
        weighted += (taken - collectives.switch_all_reduce_time(size, ranks, wire_rate(row.given))) / taken**2
        weights += 1 / taken**2
    return {"latency": float(weighted / weights)}


def predict(row: Row, fitted: Mapping[str, float]) -> float:
    """Predict the bus bandwidth (busbw), bytes/s."""
    size, ranks = row.given["message_bytes"], row.given["ranks"]
    seconds = collectives.switch_all_reduce_time(size, ranks, wire_rate(row.given), fitted["latency"])
    return float(collectives.bus_bandwidth("all_reduce", size, seconds, ranks))


def wire_rate(given: Mapping) -> float:
    """Return the unidirectional NVLink bytes/s of a GPU with NVLS."""
    return ADDING[given["gpu"]] * payload_rate({**given, "by": "sm"})
