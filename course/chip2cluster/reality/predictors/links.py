"""Transfers over one wire: payload rate and, for a message of a given size, one latency."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from statistics import median

from ... import links
from ..model import Row

LONG = 256  # bytes of data in a packet on PCIe
ALL = 18  # links of an NVLink 4; some chips for export have fewer
PACKET = {"infiniband": 4096, "roce_v2": 4096}  # bytes of data in a packet


def fit(rows: Sequence[Row]) -> dict[str, float]:
    """The latency of each table by size, seconds: what its shortest messages took beyond their bytes."""
    waits = defaultdict(list)
    for row in rows:
        size = row.given["message_bytes"]
        waits[row.given["latency_of"]].append(size / row.measured - size / payload_rate(row.given))
    return {table: median(found) for table, found in waits.items()}


def predict(row: Row, fitted: Mapping[str, float]) -> float:
    """Bytes/s one way."""
    rate = payload_rate(row.given)
    if "message_bytes" not in row.given:
        return rate
    return float(links.effective_bandwidth(row.given["message_bytes"], rate, fitted[row.given["latency_of"]]))


def payload_rate(given: Mapping) -> float:
    """What headers leave of the sheet rate; the sheet rate where no source knows the headers."""
    if "sheet" in given:
        packet = given["packet"]
        share = 1.0 if packet == "none" else links.payload_efficiency(packet, PACKET[packet])
        return float(given["sheet"] * share)
    if given["wire"] == "PCIe 3 x16":  # older than the wires whose measured rates the package holds
        return float(links.pcie(3, 16).bandwidth_one_way * links.payload_efficiency("pcie", LONG))
    wire = links.rates(given["wire"])
    share = wire_share(given["wire"], given["by"])
    return wire.sheet_one_way * share * given.get("links", ALL) / ALL


def wire_share(name: str, engine: str) -> float:
    """Payload over sheet for what moves the bytes; 1 where no source knows the headers."""
    wire = links.rates(name)
    payload = wire.payload_of(engine)
    return payload / wire.sheet_one_way if payload else 1.0
