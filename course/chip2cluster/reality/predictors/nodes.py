"""All-reduce over several nodes: the slower of the intra-node and inter-node stages, plus one start-up.

Between nodes NCCL has a double binary tree and a ring over all GPUs. In the tree a node of
three or more sends the message twice: up in one half, down to two children, up in the other
half; of two nodes each sends it once. The ring sends 2 (p - 1) / p of it out of each node.

A collective uses as many NICs as it has channels for: NCCL opens 16, two a NIC (NVIDIA/nccl, issues 1649 and 1801), so a
rack of 72 GPUs sends over 8 of its NICs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil, log2

import numpy as np

from ... import collectives
from ..validation_model import Row
from .links import payload_rate
from .switch import wire_rate

CHANNELS, CHANNELS_PER_NIC = 16, 2


def fit(rows: Sequence[Row]) -> dict[str, float]:
    """Fit seconds per level of a tree over the nodes, and the fraction of both rates, to the relative errors."""
    taken = np.array([
        row.given["message_bytes"]
        * collectives.bus_factor("all_reduce", row.given["ranks_per_node"] * row.given["nodes"])
        / row.measured
        for row in rows
    ])  # fmt: skip
    parts = np.array([(_levels(row.given), _bytes_time(row.given)) for row in rows])
    (level, slower), *_ = np.linalg.lstsq(parts / taken[:, None], np.ones(len(rows)), rcond=None)
    return {"level": float(level), "fraction of the rate": float(1.0 / slower)}


def predict(row: Row, fitted: Mapping[str, float]) -> float:
    """Predict the bus bandwidth (busbw), bytes/s."""
    given = row.given
    seconds = _bytes_time(given) / fitted.get("fraction of the rate", 1.0) + _levels(given) * fitted["level"]
    ranks = given["ranks_per_node"] * given["nodes"]
    return float(collectives.bus_bandwidth("all_reduce", given["message_bytes"], seconds, ranks))


def _levels(given: Mapping) -> int:
    """Return the levels of a binary tree over the nodes."""
    return ceil(log2(given["nodes"]))


def _bytes_time(given: Mapping) -> float:
    """Return the seconds of the slower stage; the two overlap."""
    size, inside, nodes = given["message_bytes"], given["ranks_per_node"], given["nodes"]
    # One NIC a GPU, or fewer: then a node has no more than its channels need.
    nics = min(1.0, CHANNELS / CHANNELS_PER_NIC / inside) if inside > 1 else 1.0
    network = given["network_per_node"] * nics
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
