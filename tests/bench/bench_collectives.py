"""Collectives against the same arithmetic in bare Python and NumPy."""

import numpy as np

from chip2cluster import collectives
from tests.bench.rows import call_row

POINTS = 1_000_000
SIZES = np.geomspace(8, 1e10, POINTS)
RANKS = np.tile([2.0, 8.0, 64.0, 1024.0], POINTS // 4)
TIMES = 1e-5 + SIZES / 1e11
NODE = collectives.NcclSystem("hopper", 8, 360e9, switch_adds=True)
SIMPLE = collectives.nccl_protocol("Simple")
LINES = [(curve.latency, curve.bandwidth, np.array(curve.corrections)) for curve in NODE.curves]


def _ring(size, ranks):
    return 2 * (ranks - 1) * 2e-6 + size * (2 * (ranks - 1) / ranks) / 450e9


def _tree(size, ranks):
    return 2 * np.ceil(np.log2(ranks)) * 2e-6 + size * (2 * np.ceil(np.log2(ranks))) / 450e9


def _hierarchical(size):
    inside = 7 / 8 * size / 450e9
    return inside + 2 * 63 / 64 * (size / 8) / 50e9 + inside


def _envelope(size):
    classes = np.clip(np.frexp(size * (1 / 64))[1], 0, 24)
    best = np.full(size.shape, np.inf)
    for latency, bandwidth, corrections in LINES:
        per_byte = (corrections / bandwidth)[classes] if len(corrections) else 1 / bandwidth
        np.minimum(best, latency + size * per_byte, out=best)
    return best


def _simulated(ranks):
    buffers = np.ones((ranks, ranks), np.float32)

    def run():
        return collectives.RingAllReduce(buffers).run()

    return run


def rows():
    """Return the rows of this module."""
    ring = 14e9, 8, 450e9, 2e-6
    return [
        call_row(
            "ring_all_reduce_time, scalar",
            lambda: collectives.ring_all_reduce_time(*ring),
            lambda: _ring(14e9, 8),
            budget=10e-6,
        ),
        call_row(
            "ring_all_reduce_time, 1e6 sizes",
            lambda: collectives.ring_all_reduce_time(SIZES, 8, 450e9, 2e-6),
            lambda: _ring(SIZES, 8),
            max_ratio=2,
        ),
        call_row(
            "ring_all_reduce_time, 1e6 sizes and ranks",
            lambda: collectives.ring_all_reduce_time(SIZES, RANKS, 450e9, 2e-6),
            lambda: _ring(SIZES, RANKS),
            max_ratio=2,
        ),
        call_row(
            "time tree, scalar",
            lambda: collectives.time("all_reduce", "tree", *ring),
            lambda: _tree(14e9, 8),
            budget=10e-6,
        ),
        call_row(
            "time tree, 1e6 sizes and ranks",
            lambda: collectives.time("all_reduce", "tree", SIZES, RANKS, 450e9, 2e-6),
            lambda: _tree(SIZES, RANKS),
            max_ratio=2,
        ),
        call_row(
            "bus_bandwidth, scalar",
            lambda: collectives.bus_bandwidth("all_reduce", 8388608, 191.09e-6, 8),
            lambda: 8388608 * (2 * 7 / 8) / 191.09e-6,
            budget=10e-6,
        ),
        call_row(
            "bus_bandwidth, 1e6 points",
            lambda: collectives.bus_bandwidth("all_reduce", SIZES, TIMES, 8),
            lambda: SIZES * (2 * 7 / 8) / TIMES,
            max_ratio=2,
        ),
        call_row(
            "hierarchical_all_reduce_time, scalar",
            lambda: collectives.hierarchical_all_reduce_time(14e9, 8, 64, 450e9, 50e9),
            lambda: _hierarchical(14e9),
            budget=10e-6,
        ),
        call_row(
            "hierarchical_all_reduce_time, 1e6 sizes",
            lambda: collectives.hierarchical_all_reduce_time(SIZES, 8, 64, 450e9, 50e9),
            lambda: _hierarchical(SIZES),
            max_ratio=2,
        ),
        call_row(
            "crossover_size, scalar",
            lambda: collectives.crossover_size("all_reduce", "ring", "tree", 8, 450e9, 2e-6),
            budget=10e-6,
        ),
        call_row("nccl_time, scalar (seven methods)", lambda: collectives.nccl_time(1e6, NODE), budget=10e-6),
        call_row("nccl_choice, scalar (seven methods)", lambda: collectives.nccl_choice(1e6, NODE), budget=10e-6),
        call_row("Protocol.time, scalar", lambda: SIMPLE.time(1e6, 370e9), lambda: 3.4e-6 + 1e6 / 370e9, budget=10e-6),
        call_row(
            "Protocol.time, 1e6 sizes", lambda: SIMPLE.time(SIZES, 370e9), lambda: 3.4e-6 + SIZES / 370e9, max_ratio=2
        ),
        call_row("nccl_half_bandwidth_size (cached)", lambda: collectives.nccl_half_bandwidth_size(NODE)),
        call_row(
            "half_bandwidth_size, scalar",
            lambda: collectives.half_bandwidth_size("all_reduce", "ring", 8, 370e9, 3.4e-6),
            budget=10e-6,
        ),
        call_row(
            "nccl_time, 1e6 sizes (seven methods)",
            lambda: collectives.nccl_time(SIZES, NODE),
            lambda: _envelope(SIZES),
            max_ratio=2,
        ),
        call_row(
            "switch_all_reduce_time, scalar",
            lambda: collectives.switch_all_reduce_time(14e9, 8, 307e9),
            lambda: 14e9 * (1 + 1 / 8) / 307e9,
            budget=10e-6,
        ),
        call_row(
            "switch_all_reduce_time, 1e6 sizes",
            lambda: collectives.switch_all_reduce_time(SIZES, 8, 307e9, 2.5e-5),
            lambda: 2.5e-5 + SIZES * (1 + 1 / 8) / 307e9,
            max_ratio=2,
        ),
        call_row("switch_bus_bandwidth, scalar", lambda: collectives.switch_bus_bandwidth(8, 307e9), budget=10e-6),
        call_row(
            "switch_crossover_ranks, scalar", lambda: collectives.switch_crossover_ranks(365e9, 307e9), budget=10e-6
        ),
        call_row("RingAllReduce, 1,024 ranks (2,046 steps, 2.1 million messages)", _simulated(1024)),
    ]
