"""Bandwidth by bytes in flight on our two cards: Little's law with the latency of our own pointer chase."""

from __future__ import annotations

from collections.abc import Mapping

from ... import occupancy
from ..comparison import fitted as numbers_of
from ..validation_model import Row

WARP = 32  # threads


def predict(row: Row, fitted: Mapping[str, float]) -> float:
    """Predict bytes/s."""
    given = row.given
    in_flight = given["multiprocessors"] * given["warps"] * WARP * given["loads"] * given["load_bytes"]
    roof, queueing = numbers_of("triad")["share"] * given["sheet"], numbers_of("little")["queueing"]
    return float(occupancy.bandwidth_from_concurrency(in_flight, given["idle_latency"], roof, queueing))
