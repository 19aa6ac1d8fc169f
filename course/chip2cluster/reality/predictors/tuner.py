"""All-reduce of short messages: NCCL's own estimate of the method that it would take."""

from __future__ import annotations

from collections.abc import Mapping

from ... import collectives, links
from ..model import Row
from .links import PACKET, payload_rate


def predict(row: Row, fitted: Mapping[str, float]) -> float:
    """Seconds."""
    given = row.given
    if "wire" in given:
        ring = payload_rate({**given, "by": "sm"})
    else:  # over several nodes the adapters of a node set the ring's rate
        ring = given["network_per_node"] * links.payload_efficiency("infiniband", PACKET["infiniband"])
    system = collectives.NcclSystem(
        given["gpu"],
        given["ranks_per_node"],
        ring,
        nodes=given["nodes"],
        switch_adds=given.get("switch_adds", False),
        version=given["version"],
    )
    return float(collectives.nccl_time(given["message_bytes"], system))
