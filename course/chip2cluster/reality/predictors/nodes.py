"""All-reduce over several nodes: the slower of the intra-node and inter-node stages, plus one start-up.

Between nodes NCCL has a double binary tree and a ring over all GPUs. In the tree a node of
three or more sends the message twice: up in one half, down to two children, up in the other
half; of two nodes each sends it once. The ring sends 2 (p - 1) / p of it out of each node.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil, log2

from ... import collectives, links
from ..model import Row
from .links import PACKET, payload_rate
from .switch import wire_rate


def fit(rows: Sequence[Row]) -> dict[str, float]:
    """Fit the seconds per level of a tree over the nodes, by least squares of the relative errors."""
    above, below = 0.0, 0.0
    for row in rows:
        given = row.given
        ranks = given["ranks_per_node"] * given["nodes"]
        taken = given["message_bytes"] * collectives.bus_factor("all_reduce", ranks) / row.measured
        above += _levels(given) * (taken - _bytes_time(given)) / taken**2
        below += (_levels(given) / taken) ** 2
    return {"level": float(above / below)}


def predict(row: Row, fitted: Mapping[str, float]) -> float:
    """Predict the bus bandwidth (busbw), bytes/s."""
    given = row.given
    seconds = _bytes_time(given) + _levels(given) * fitted["level"]
    ranks = given["ranks_per_node"] * given["nodes"]
    return float(collectives.bus_bandwidth("all_reduce", given["message_bytes"], seconds, ranks))


def _levels(given: Mapping) -> int:
    """Return the levels of a binary tree over the nodes."""
    return ceil(log2(given["nodes"]))


def _bytes_time(given: Mapping) -> float:
    """Return the seconds of the slower stage; the two overlap."""
    size, inside, nodes = given["message_bytes"], given["ranks_per_node"], given["nodes"]
    network = given["network_per_node"] * links.payload_efficiency("infiniband", PACKET["infiniband"])
    ring = collectives.ring_all_reduce_time(size, inside * nodes, network)
    between = size / network if nodes == 2 else ring
    return float(max(_inside(given, size, inside), between))


def _inside(given: Mapping, size: float, ranks: int) -> float:
    """Return the seconds in the node: NVLS if available, else a ring; 0 for a single GPU."""
    if ranks == 1:
        return 0.0
    if given.get("gpu"):
        return float(collectives.switch_all_reduce_time(size, ranks, wire_rate(given)))
    return float(collectives.ring_all_reduce_time(size, ranks, payload_rate({**given, "by": "sm"})))
