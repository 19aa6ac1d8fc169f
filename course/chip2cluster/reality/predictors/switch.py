"""All-reduce by a switch that adds: the law (1 + 1/p) n with NCCL's share of the wire and one fitted latency."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ... import collectives
from ..model import Row
from .links import payload_rate

# What NCCL counts of a ring's bandwidth when a switch adds: nvlsEffics of its tuning.cc, version 2.27.
ADDING = {"hopper": 0.85, "blackwell": 0.74}


def fit(rows: Sequence[Row]) -> dict[str, float]:
    """One latency, seconds, with the least squares of the relative errors."""
    weighted, weights = 0.0, 0.0
    for row in rows:
        size, ranks = row.given["message_bytes"], row.given["ranks"]
        taken = size * collectives.bus_factor("all_reduce", ranks) / row.measured
        weighted += (taken - collectives.switch_all_reduce_time(size, ranks, wire_rate(row.given))) / taken**2
        weights += 1 / taken**2
    return {"latency": float(weighted / weights)}


def predict(row: Row, fitted: Mapping[str, float]) -> float:
    """Bus bandwidth, bytes/s."""
    size, ranks = row.given["message_bytes"], row.given["ranks"]
    seconds = collectives.switch_all_reduce_time(size, ranks, wire_rate(row.given), fitted["latency"])
    return float(collectives.bus_bandwidth("all_reduce", size, seconds, ranks))


def wire_rate(given: Mapping) -> float:
    """What a GPU's wires carry each way while the switch adds, bytes/s."""
    return ADDING[given["gpu"]] * payload_rate({**given, "by": "sm"})
