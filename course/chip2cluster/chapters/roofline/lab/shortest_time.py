"""Task on the lower bound of an operation's time."""

import math

import numpy as np

from chip2cluster import roofline
from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.model import Exercise, Group, Mistake

from ..mutants import MUTANTS


def _kernels(generator):
    peak = generator.uniform(100e12, 2500e12, 6)
    bandwidth = generator.uniform(0.8e12, 8e12, 6)
    moved = generator.uniform(1e9, 90e9, 6)
    relative = np.concatenate([generator.uniform(0.01, 0.7, 3), generator.uniform(1.5, 9, 3)])
    # A case that can be done in the head comes first: it is the one that a student sees.
    easy = (600e12, 2e12, 300e12, 2e12)
    rows = [easy, *zip(moved * relative * peak / bandwidth, moved, peak, bandwidth, strict=True)]
    return [{"flops": f, "bytes_moved": m, "peak_flops": p, "memory_bandwidth": b} for f, m, p, b in rows]


def _kernel_edges(generator):
    chip = {"peak_flops": 989.4e12, "memory_bandwidth": 3.35e12}
    return [{"flops": 0.0, "bytes_moved": 2e9, **chip}, {"flops": 1e12, "bytes_moved": 0.0, **chip}]


TIME = Exercise(
    id="lab.roofline.shortest_time",
    title="The shortest time",
    signature="shortest_time(flops, bytes_moved, peak_flops, memory_bandwidth)",
    unit="s",
    graded=True,
    points=3,
    reference=roofline.kernel_time,
    groups=(
        Group("operations", 0.8, _kernels),
        Group("edges", 0.2, _kernel_edges, advice="A pure copy has 0 FLOP and a pure computation moves 0 bytes."),
    ),
    hints=(
        "Compute two times: how long would the arithmetic take alone, and how long the traffic?",
        "They overlap. When does the operation end?",
        "Divide each amount by its own rate. The operation ends with the slower of the two, so don't add them.",
    ),
    explanation="This is the roofline as a time: two overlapping parts end when the longer one ends.",
    mistakes=(
        Mistake(
            "nothing at the edges",
            lambda flops, bytes_moved, peak_flops, memory_bandwidth: (
                max(flops / peak_flops, bytes_moved / memory_bandwidth) if flops and bytes_moved else 0.0
            ),
            "A pure copy still takes bytes / bandwidth, and a pure computation still takes FLOP / peak.",
            v.EDGES,
            share=0.8,
        ),
        Mistake(
            "no overlap",
            lambda flops, bytes_moved, peak_flops, memory_bandwidth: (
                flops / peak_flops + bytes_moved / memory_bandwidth
            ),
            "You added the two times. They overlap, so the longer one decides.",
        ),
        Mistake(
            "the shorter time",
            lambda flops, bytes_moved, peak_flops, memory_bandwidth: min(
                flops / peak_flops, bytes_moved / memory_bandwidth
            ),
            "You took the shorter of the two times. The operation ends when both parts are finished.",
        ),
        Mistake(
            "arithmetic alone",
            lambda flops, bytes_moved, peak_flops, memory_bandwidth: flops / peak_flops,
            "You counted the arithmetic alone. The bytes have to arrive as well.",
        ),
        Mistake(
            "traffic alone",
            lambda flops, bytes_moved, peak_flops, memory_bandwidth: bytes_moved / memory_bandwidth,
            "You counted the traffic alone. Right of the ridge the arithmetic takes longer.",
        ),
        Mistake(
            "bits for bytes",
            lambda flops, bytes_moved, peak_flops, memory_bandwidth: max(
                flops / peak_flops, 8 * bytes_moved / memory_bandwidth
            ),
            "You turned the traffic into bits. The bandwidth is in bytes/s.",
            v.UNIT,
        ),
        Mistake(
            "from the rate",
            lambda flops, bytes_moved, peak_flops, memory_bandwidth: (
                flops / min(peak_flops, memory_bandwidth * flops / bytes_moved) if bytes_moved and flops else math.inf
            ),
            "Dividing by the intensity fails when there is nothing to compute or to move. Compare the two times.",
            v.EDGES,
            share=0.8,
        ),
        Mistake(
            "upside down",
            lambda flops, bytes_moved, peak_flops, memory_bandwidth: max(
                peak_flops / max(flops, 1e-300), memory_bandwidth / max(bytes_moved, 1e-300)
            ),
            "You inverted the fractions: a time is an amount over a rate.",
        ),
    ),
    mutants=MUTANTS["lab.roofline.shortest_time"],
)
