"""Occupancy: our calls against the same arithmetic in bare NumPy."""

import numpy as np

from chip2cluster import occupancy as occ
from tests.bench.rows import call_row

POINTS = 1_000_000
KIB = 1024


def rows():
    """Return the rows of this module."""
    random = np.random.default_rng(0)
    threads, registers = random.integers(1, 1025, POINTS), random.integers(1, 256, POINTS)
    memory = random.integers(0, 227 * KIB, POINTS)
    latency, blocks = random.uniform(1e-7, 1e-6, POINTS), random.integers(1, 10**6, POINTS)
    warps, one_warp = random.integers(1, 65, POINTS), random.integers(0, 4096, 32).tolist()
    axes = np.arange(32, 1025, 40), np.arange(1, 201), np.arange(0, 200_000, 1000)
    grid = np.ix_(*axes)
    swept = occ.sweep("9.0", *axes)
    return [
        call_row("occupancy, scalar", lambda: occ.occupancy("9.0", 256, 40, 1024), budget=10e-6),
        call_row(
            "occupancy, 10^6 kernels",
            lambda: occ.occupancy("9.0", threads, registers, memory),
            lambda: _bare_cuda(threads, registers, memory),
            max_ratio=2,
        ),
        call_row("sweep, 25 x 200 x 200", lambda: occ.sweep("9.0", *axes), lambda: _bare_cuda(*grid), budget=1),
        call_row("Occupancy.limiters, 10^6 sets", lambda: swept.limiters),
        call_row(
            "max_potential_block_size, scalar (32 sizes tried)",
            lambda: occ.max_potential_block_size("9.0", 40),
            budget=10e-6,
        ),
        call_row("cdna_occupancy, scalar", lambda: occ.cdna_occupancy("gfx942", 256, 72), budget=10e-6),
        call_row(
            "cdna_occupancy, 10^6 kernels",
            lambda: occ.cdna_occupancy("gfx942", threads, registers, 0, memory // 4),
            lambda: _bare_cdna(threads, registers, memory // 4),
            max_ratio=2,
        ),
        call_row("warps_needed, scalar", lambda: occ.warps_needed(5e-7, 3.35e12, 132, 4), budget=10e-6),
        call_row(
            "warps_needed, 10^6 latencies",
            lambda: occ.warps_needed(latency, 3.35e12, 132, 4),
            lambda: np.ceil(latency * 3.35e12 / (132 * 128)).astype(np.int64),
            max_ratio=2,
        ),
        call_row("waves, scalar", lambda: occ.waves(1000, 132, 2), budget=10e-6),
        call_row("waves, 10^6 grids", lambda: occ.waves(blocks, 132, 2), lambda: -(-blocks // 264), max_ratio=2),
        call_row("issue_utilization, scalar", lambda: occ.issue_utilization(4, 32, 1, 3), budget=10e-6),
        call_row(
            "issue_utilization, 10^6 schedulers",
            lambda: occ.issue_utilization(warps, 32, 1, 3),
            lambda: np.minimum(1.0, warps * 4 / 35),
            max_ratio=2,
        ),
        call_row("warp_timeline, 8 warps, 96 cycles (one frame)", lambda: occ.warp_timeline(8, 32, 1, 3, cycles=96)),
        call_row("stages_needed, scalar", lambda: occ.stages_needed(5e-7, 3.35e12, 132, 4096), budget=10e-6),
        call_row("bank_passes, one warp", lambda: occ.bank_passes(one_warp), budget=10e-6),
        call_row("cdna_workgroups, scalar", lambda: occ.cdna_workgroups("gfx942", 256, 72), budget=10e-6),
    ]


def _bare_cuda(threads, registers, memory):
    """Compute capability 9.0 with its limits written in, unchecked."""
    warps = -(-threads // 32)
    per_warp = -(-registers * 32 // 256) * 256
    by_registers = 16384 // per_warp * 4 // warps
    given = -(-(memory + KIB) // 128) * 128
    by_memory = np.where(given <= 228 * KIB, 228 * KIB // given, 0)
    blocks = np.minimum(np.minimum(64 // warps, by_registers), np.minimum(by_memory, 32))
    return blocks, blocks * warps, per_warp * warps


def _bare_cdna(size, registers, lds):
    """gfx942 with its limits written in, unchecked."""
    waves = -(-size // 64)
    groups = np.where(waves == 1, 32, np.minimum(32 // waves, 16))
    by_registers = 512 // (-(-registers // 8) * 8)
    by_lds = np.where(lds > 0, -(-(65536 // np.maximum(lds, 1) * waves) // 4), 8)
    return np.minimum(np.minimum(-(-groups * waves // 4), by_registers), np.minimum(by_lds, 8))
