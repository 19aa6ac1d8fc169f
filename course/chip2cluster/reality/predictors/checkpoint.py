"""Time to save or load a checkpoint: writers of a node share, nodes add.

::

    seconds = bytes / nodes * (1 / (writers of a node * writer rate) + 1 / node rate)

Each writer copies and packs its own part; then all parts of a node pass its adapter, disks and processor.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from math import ceil, inf

from ... import reliability
from ..validation_model import Row


def fit(rows: Sequence[Row]) -> dict[str, float]:
    """Fit the bytes/s of a writer for each table, and of a node where a row has several writers on one node."""
    tables = defaultdict(list)
    for row in rows:
        tables[row.table].append(row)
    found: dict[str, float] = {}
    for table, (first, *more) in tables.items():
        alone, shared = _seconds_per_byte(first), 0.0
        writers = _on_a_node(first)
        if more:
            together, many = _seconds_per_byte(more[0]), _on_a_node(more[0])
            # A node that is as fast as all its writers shares nothing.
            shared = max(0.0, (together * many - alone * writers) / (many - writers))
        found[f"{table}, writer"] = 1.0 / (writers * (alone - shared))
        found[f"{table}, node"] = 1.0 / shared if shared else inf
    return found


def predict(row: Row, fitted: Mapping[str, float]) -> float:
    """Predict seconds; the storage is assumed to be as fast as all nodes together."""
    writer, node = (fitted[f"{row.table}, {name}"] for name in ("writer", "node"))
    rate = 1.0 / (1.0 / (_on_a_node(row) * writer) + 1.0 / node)
    nodes = _nodes(row)
    return float(reliability.checkpoint_time(1e9 * row.given["gigabytes"], nodes, rate, nodes * rate))


def _nodes(row: Row) -> int:
    """Return the nodes that write; a writer is a node of its own where the source does not say otherwise."""
    return ceil(row.given["writers"] / row.given.get("writers_per_node", 1))


def _on_a_node(row: Row) -> float:
    return float(row.given["writers"]) / _nodes(row)


def _seconds_per_byte(row: Row) -> float:
    """Return the measured seconds of one byte of a node."""
    return row.measured * _nodes(row) / (1e9 * row.given["gigabytes"])
