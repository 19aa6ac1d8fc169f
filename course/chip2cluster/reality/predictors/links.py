"""Transfers over one link: payload rate, plus a latency for a message of a given size."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from statistics import median

from ... import links
from ..validation_model import Row

LONG = 256  # payload bytes of a PCIe packet
ALL = 18  # links of an NVLink 4; some export chips have fewer
PACKET = {"infiniband": 4096, "roce_v2": 4096}  # payload bytes of a packet


def fit(rows: Sequence[Row]) -> dict[str, float]:
    """Fit the latency of each table by size, from its shortest messages, seconds."""
    waits = defaultdict(list)
    for row in rows:
        size = row.given["message_bytes"]
        waits[row.given["latency_of"]].append(size / row.measured - size / payload_rate(row.given))
    return {table: median(found) for table, found in waits.items()}


def predict(row: Row, fitted: Mapping[str, float]) -> float:
    """Predict unidirectional bytes/s."""
    rate = payload_rate(row.given)
    if nodes := row.given.get("nodes"):  # a logical rate counts the part of the bytes that stays in the node
        rate *= nodes / (nodes - 1)
    if "message_bytes" not in row.given:
        return rate
    return float(links.effective_bandwidth(row.given["message_bytes"], rate, fitted[row.given["latency_of"]]))


def payload_rate(given: Mapping) -> float:
    """Return the payload rate; the datasheet rate if the headers are unknown."""
    if "sheet" in given:
        packet = given["packet"]
        share = 1.0 if packet == "none" else links.payload_efficiency(packet, PACKET[packet])
        return float(given["sheet"] * share)
    if given["wire"] == "PCIe 3 x16":  # older than the links with stored rates
        return float(links.pcie(3, 16).bandwidth_one_way * links.payload_efficiency("pcie", LONG))
    wire = links.rates(given["wire"])
    share = wire_share(given["wire"], given["by"])
    return wire.sheet_one_way * share * given.get("links", ALL) / ALL


def wire_share(name: str, engine: str) -> float:
    """Return payload over datasheet rate for an engine; 1 if the headers are unknown."""
    wire = links.rates(name)
    payload = wire.payload_of(engine)
    return payload / wire.sheet_one_way if payload else 1.0
