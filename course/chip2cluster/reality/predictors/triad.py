"""Memory bandwidth: datasheet rate times one fraction for all chips, or less by Little's law if threads are few.

The sweep of gpu-stream keeps two blocks on a multiprocessor. Its threads are those of the kind ``little``, and so is the
latency: a kernel that keeps fewer bytes in flight stays below the roof.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import median

from ... import occupancy
from ..comparison import fitted as numbers_of
from ..measurement_tables import load
from ..validation_model import Row

ELEMENT = 8  # bytes
# Elements that each kernel moves for a thread. A thread does not wait for its stores, so "store only" is not here.
MOVED = {"scale": 2, "triad": 3, "read only": 1, "stencil of 3 points": 2, "stencil of 5 points": 2}


def fit(rows: Sequence[Row]) -> dict[str, float]:
    """Fit the fraction of the datasheet rate that streaming kernels reach."""
    return {"share": median(row.measured / row.given["sheet"] for row in rows)}


def predict(row: Row, fitted: Mapping[str, float]) -> float:
    """Predict bytes/s, the slope of the roofline."""
    roof = fitted["share"] * row.given["sheet"]
    swept = [other for other in load("little").rows if other.given["chip"] == row.table]
    if not swept or row.label not in MOVED:
        return float(roof)
    numbers = numbers_of("little")
    given = max(swept, key=lambda other: other.given["threads"]).given
    chased = "idle_latency" in given
    latency = numbers["of a chase"] * given["idle_latency"] if chased else numbers[row.table]
    in_flight = ELEMENT * MOVED[row.label] * given["threads"]
    return float(occupancy.bandwidth_from_concurrency(in_flight, latency, roof, numbers["queueing"]))
