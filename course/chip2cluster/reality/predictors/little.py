"""Bandwidth by threads under way: Little's law up to the memory's roof."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ... import occupancy
from ..compare import fitted as numbers_of
from ..model import Row

BYTES = 16  # that a thread has under way: 8 in and 8 out


def fit(rows: Sequence[Row]) -> dict[str, float]:
    """Seconds that a thread's bytes are under way on each chip, from its row with the fewest threads."""
    return {row.given["chip"]: BYTES * row.given["threads"] / row.measured for row in rows}


def predict(row: Row, fitted: Mapping[str, float]) -> float:
    """Bytes/s."""
    given = row.given
    roof = numbers_of("triad")["share"] * given["sheet"]
    return float(occupancy.bandwidth_from_concurrency(BYTES * given["threads"], fitted[given["chip"]], roof))
