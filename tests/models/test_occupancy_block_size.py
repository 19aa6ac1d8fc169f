"""Suggested block size against a search over all block sizes."""

import csv
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chip2cluster import occupancy as occ
from tests.tables import every_row


def test_block_size_matches_nvidias_suggestion():
    """cudaOccMaxPotentialOccupancyBlockSize on the kernels of the edge rows."""
    with open(Path(__file__).parent / "data" / "occupancy_cuda_edges.csv", newline="") as file:
        table = list(csv.DictReader(file))
    for row in table:
        carveout = int(row["carveout"])
        answer = occ.max_potential_block_size(
            row["cc"],
            int(row["regs_per_thread"]),
            int(row["dynamic_smem_bytes"]),
            static_shared_memory=int(row["static_smem_bytes"]),
            carveout=None if carveout == -1 else carveout,
            opt_in=row["shmem_optin"] == "1",
            barriers=int(row["num_barriers"]),
        )
        assert answer.threads_per_block == int(row["best_block_size"]), row
        assert answer.min_grid_size == int(row["best_min_grid"]), row


@settings(max_examples=60, deadline=None)
@given(
    capability=st.sampled_from(["7.0", "7.5", "8.6", "9.0", "12.0"]),
    registers=st.integers(0, 255),
    memory=st.integers(0, 100_000),
    largest=st.integers(1, 1024),
)
def test_block_size_matches_brute_force(capability, registers, memory, largest):
    best = occ.max_potential_block_size(capability, registers, memory, max_threads_per_block=largest)
    sizes = np.arange(1, largest + 1)
    active = sizes * occ.occupancy(capability, sizes, registers, memory).active_blocks
    assert best.threads_per_block * best.active_blocks == active.max()
    assert best.threads_per_block <= largest
    if best.threads_per_block:
        same = occ.occupancy(capability, best.threads_per_block, registers, memory)
        assert (best.active_blocks, best.occupancy) == (same.active_blocks, same.occupancy)


def test_block_size_accepts_a_memory_function():
    """At 256 bytes per thread, 227 KiB hold 908 threads: 28 whole warps in one block."""
    best = occ.max_potential_block_size("9.0", 32, lambda threads: 256 * threads)
    assert best == (896, 1, 1, 28 / 64)
    sizes = np.arange(1, 1025)
    active = sizes * occ.occupancy("9.0", sizes, 32, 256 * sizes).active_blocks
    # Blocks of half the size would keep as many threads active; the larger one is chosen in a tie.
    assert active[896 - 1] == active[448 - 1] == active[::32].max() // 32 * 32


def test_block_size_is_zero_if_nothing_fits():
    assert occ.max_potential_block_size("9.0", 32, 300_000) == (0, 0, 0, 0.0)


def test_block_size_of_arrays_and_scalars_agrees():
    registers = np.array([[16, 40], [128, 255]])
    many = occ.max_potential_block_size("9.0", registers, [0, 40_000], compute_units=132)
    assert many.threads_per_block.shape == (2, 2)
    for (i, j), count in np.ndenumerate(registers):
        single = occ.max_potential_block_size("9.0", int(count), [0, 40_000][j], compute_units=132)
        assert [type(value) for value in single] == [int, int, int, float]
        assert single == tuple(value[i, j] for value in many)
    assert occ.max_potential_block_size("9.0", compute_units=[1, 132]).min_grid_size.tolist() == [2, 264]


@every_row(
    ("arguments", "error", "message"),
    [
        ({"compute_capability": "6.1"}, ValueError, "compute_capability must be one of '7.0'"),
        ({"registers_per_thread": 256}, ValueError, "registers_per_thread must be at most 255, got 256"),
        ({"shared_memory_per_block": -1}, ValueError, "shared_memory_per_block must be at least 0"),
        ({"shared_memory_per_block": lambda threads: "x"}, TypeError, "shared_memory_per_block must be a number"),
        ({"compute_units": 0}, ValueError, "compute_units must be at least 1"),
        ({"max_threads_per_block": 1025}, ValueError, "max_threads_per_block must be at most 1024"),
        ({"max_threads_per_block": [32, 64]}, TypeError, "max_threads_per_block must be a single whole number"),
        ({"static_shared_memory": 0.5}, ValueError, "static_shared_memory must be a whole number"),
        ({"carveout": -1}, ValueError, "carveout must be at least 0"),
        ({"opt_in": "yes"}, TypeError, "opt_in must be True or False"),
        ({"barriers": 17}, ValueError, "barriers must be at most 16"),
    ],
)
def test_invalid_arguments_are_refused(arguments, error, message):
    with pytest.raises(error, match=message):
        occ.max_potential_block_size(**{"compute_capability": "9.0"} | arguments)
