"""All-reduce over several nodes: the slower of the stage in the node and the stage between nodes."""

from __future__ import annotations

from collections.abc import Mapping

from ... import collectives, links
from ..model import Row
from .links import PACKET, payload_rate
from .switch import wire_rate


def predict(row: Row, fitted: Mapping[str, float]) -> float:
    """Bus bandwidth, bytes/s."""
    given = row.given
    size, inside, nodes = given["message_bytes"], given["ranks_per_node"], given["nodes"]
    network = given["network_per_node"] * links.payload_efficiency("infiniband", PACKET["infiniband"])
    # Each GPU takes its part of the sum over the nodes, on its part of the adapters.
    between = collectives.ring_all_reduce_time(size / inside, nodes, network / inside)
    seconds = max(_inside(given, size, inside), between)
    return float(collectives.bus_bandwidth("all_reduce", size, seconds, inside * nodes))


def _inside(given: Mapping, size: float, ranks: int) -> float:
    """The stage in the node: its switch where it adds, else its ring; nothing for a GPU alone."""
    if ranks == 1:
        return 0.0
    if given.get("gpu"):
        return float(collectives.switch_all_reduce_time(size, ranks, wire_rate(given)))
    return float(collectives.ring_all_reduce_time(size, ranks, payload_rate({**given, "by": "sm"})))
