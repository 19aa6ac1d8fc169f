"""Occupancy of NVIDIA multiprocessors against NVIDIA's calculator and published examples."""

import csv
import shutil
import subprocess
from importlib.metadata import PackageNotFoundError, files, version
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chip2cluster import occupancy as occ
from tests.tables import every_row

DATA = Path(__file__).parent / "data"
CAPABILITIES = ["7.0", "7.5", "8.0", "8.6", "8.7", "8.8", "8.9", "9.0", "10.0", "10.3", "11.0", "12.0", "12.1"]
FACTORS = ("warps", "registers", "shared_memory", "blocks", "barriers")


def rows(name):
    with open(DATA / name, newline="") as file:
        return list(csv.DictReader(file))


def of_row(row):
    carveout = int(row["carveout"])
    return occ.occupancy(
        row["cc"],
        int(row["threads_per_block"]),
        int(row["regs_per_thread"]),
        int(row["dynamic_smem_bytes"]),
        static_shared_memory=int(row["static_smem_bytes"]),
        carveout=None if carveout == -1 else carveout,
        opt_in=row["shmem_optin"] == "1",
        barriers=int(row["num_barriers"]),
    )


# --- NVIDIA's answers ---


@pytest.mark.parametrize("name", ["occupancy_cuda.csv", "occupancy_cuda_edges.csv"])
def test_occupancy_matches_nvidias_calculator(name):
    """Rows computed with cuda_occupancy.h; the second file has cases at rounding edges."""
    table = rows(name)
    assert len(table) > 370
    for row in table:
        result = of_row(row)
        answer = result.active_blocks, "|".join(f for f in FACTORS if f in result.limiters)
        assert answer == (int(row["active_blocks_per_sm"]), row["limiting_factors"]), row
        if "active_warps" in row:
            assert (result.active_warps, result.max_warps) == (int(row["active_warps"]), int(row["max_warps"])), row
            assert f"{result.occupancy:.6f}" == row["occupancy"], row
        if "smem_per_block" in row:
            given_out = result.registers_per_block, result.shared_memory_per_block
            assert given_out == (int(row["registers_per_block"]), int(row["smem_per_block"])), row


def test_edge_cases_cover_every_capability_and_factor():
    table = rows("occupancy_cuda_edges.csv")
    assert {row["cc"] for row in table} == set(CAPABILITIES)
    assert {factor for row in table for factor in row["limiting_factors"].split("|")} == set(FACTORS)
    assert any(row["active_blocks_per_sm"] == "0" for row in table)


@pytest.fixture(scope="module")
def calculator(tmp_path_factory):
    """NVIDIA's header, compiled: a function from cases to its results."""
    compiler = shutil.which("g++") or shutil.which("clang++")
    try:
        recent = tuple(map(int, version("nvidia-cuda-runtime").split(".")[:2])) >= (13, 5)
    except PackageNotFoundError:
        recent = False
    if not compiler or not recent:  # older headers count the barriers of capability 10.3 otherwise
        pytest.skip(
            "NO CALCULATOR OF NVIDIA TESTED: needs a C++ compiler and the package nvidia-cuda-runtime 13.5 or later"
        )
    header = next(file for file in files("nvidia-cuda-runtime") if file.name == "cuda_occupancy.h").locate()
    program = tmp_path_factory.mktemp("nvidia") / "calculator"
    include = f"-I{Path(header).parent}"
    subprocess.run([compiler, "-w", include, DATA / "occupancy_nvidia.cpp", "-o", program], check=True)

    def answers(cases):
        text = "\n".join(" ".join(map(str, case)) for case in cases) + "\n"
        output = subprocess.run([program], input=text, capture_output=True, text=True, check=True).stdout
        return np.array([line.split() for line in output.splitlines()], dtype=np.int64)

    return answers


@pytest.mark.parametrize("capability", CAPABILITIES)
def test_occupancy_of_arrays_matches_nvidias_calculator(calculator, capability):
    chip, random, n = occ.limits(capability), np.random.default_rng(7), 3000
    threads, registers = random.integers(1, 1025, n), random.integers(0, 256, n)
    dynamic = random.integers(0, 240_000, n) // random.choice([1, 20, 400], n)
    static = random.integers(0, 20_000, n) // random.choice([1, 40], n)
    carveout, opt_in, barriers = random.integers(0, 101, n), random.random(n) < 0.7, random.integers(0, 17, n)
    chip_columns = (
        *capability.split("."),
        chip.max_threads_per_sm,
        chip.shared_memory_per_sm,
        chip.shared_memory_per_block_opt_in,
        chip.reserved_shared_memory_per_block,
    )
    kernels = zip(threads, registers, static, dynamic, carveout, opt_in.astype(int), barriers, strict=True)
    blocks, flags, block_registers, block_memory, best, grid = calculator([(*chip_columns, *k) for k in kernels]).T
    options = {"static_shared_memory": static, "carveout": carveout, "opt_in": opt_in, "barriers": barriers}
    result = occ.occupancy(capability, threads, registers, dynamic, **options)
    assert (result.active_blocks == blocks).all()
    assert (result.registers_per_block == block_registers).all()
    assert (result.shared_memory_per_block == block_memory).all()
    for bit, factor in enumerate(FACTORS):
        assert (result.limited_by(factor) == (flags >> bit & 1)).all(), factor
    suggested = occ.max_potential_block_size(capability, registers, dynamic, **options)
    assert (suggested.threads_per_block == best).all()
    assert (suggested.min_grid_size == grid).all()


# --- published examples ---


def test_occupancy_matches_the_best_practices_guide():
    """CUDA C++ Best Practices Guide: 37 registers on capability 7.0, 75 % and 63 %."""
    small, large = occ.occupancy("7.0", 128, 37), occ.occupancy("7.0", 320, 37)
    assert (small.active_blocks, small.occupancy) == (12, 0.75)
    assert (large.active_blocks, round(large.occupancy, 2)) == (4, 0.62)  # the guide rounds 62.5 up


def test_occupancy_matches_a_published_matrix_product():
    """S. Boehm, "How to optimize a CUDA matmul kernel": 11 blocks by memory, 1 by threads, 1 by registers."""
    result = occ.occupancy("8.6", 1024, 37, static_shared_memory=8192)
    assert result.block_limits[:3] == (1, 1, 11)
    assert (result.registers_per_block, result.shared_memory_per_block) == (40960, 9216)
    assert round(result.occupancy, 2) == 0.67


@every_row(
    ("capability", "warps", "blocks", "kib", "kib_per_block"),
    [
        ("7.0", 64, 32, 96, 96),
        ("7.5", 32, 16, 64, 64),
        ("8.0", 64, 32, 164, 163),
        ("8.6", 48, 16, 100, 99),
        ("8.7", 48, 16, 164, 163),
        ("8.8", 48, 16, 100, 99),
        ("8.9", 48, 24, 100, 99),
        ("9.0", 64, 32, 228, 227),
        ("10.0", 64, 32, 228, 227),
        ("10.3", 64, 32, 228, 227),
        ("11.0", 48, 24, 228, 227),
        ("12.0", 48, 24, 100, 99),
        ("12.1", 48, 24, 100, 99),
    ],
)
def test_limits_match_the_programming_guide(capability, warps, blocks, kib, kib_per_block):
    chip = occ.limits(capability)
    assert (chip.max_warps_per_sm, chip.max_blocks_per_sm) == (warps, blocks)
    assert (chip.shared_memory_per_sm, chip.shared_memory_per_block_opt_in) == (kib * 1024, kib_per_block * 1024)
    assert chip.max_threads_per_sm == warps * chip.warp_size
    assert chip.carveout_sizes[-1] == chip.shared_memory_per_sm
    assert chip.shared_memory_per_block_opt_in + chip.reserved_shared_memory_per_block == chip.shared_memory_per_sm
    assert chip.registers_per_sm == chip.max_registers_per_block == 65536
    assert chip.max_registers_per_thread == 255


def test_every_limit_has_a_source():
    for chip in [*map(occ.limits, CAPABILITIES), *map(occ.cdna_limits, ["gfx908", "gfx90a", "gfx942", "gfx950"])]:
        for name in chip.__dataclass_fields__:
            if name not in ("compute_capability", "target", "_sources"):
                source = chip.source(name)
                assert source.citation and source.as_of[:2] == "20" and source.confidence == "confirmed"
    with pytest.raises(ValueError, match="name must be one of 'warp_size'"):
        occ.limits("9.0").source("colour")


# --- single rules ---


def test_occupancy_counts_warps_not_blocks():
    result = occ.occupancy("9.0", 32)
    assert result.active_blocks == occ.limits("9.0").max_blocks_per_sm
    assert result.occupancy == 0.5


def test_limiters_include_all_in_a_tie():
    assert occ.occupancy("9.0", 128, 32).limiters == {"warps", "registers"}


def test_barriers_limit_from_hopper_on():
    assert occ.occupancy("8.0", 64, 16, barriers=16).active_blocks == 32
    hopper = occ.occupancy("9.0", 64, 16, barriers=16)
    assert hopper.active_blocks == 4
    assert hopper.block_limits.barriers == 4
    # As in NVIDIA's calculator: without the barriers, warps and blocks would tie at 32.
    assert hopper.limiters == {"warps", "blocks", "barriers"}


def test_opt_in_allows_more_than_48_kib():
    assert occ.occupancy("9.0", 128, 32, 48 * 1024, opt_in=False).active_blocks == 4
    assert occ.occupancy("9.0", 128, 32, 48 * 1024 + 1, opt_in=False).active_blocks == 0
    assert occ.occupancy("9.0", 128, 32, 227 * 1024).active_blocks == 1
    assert occ.occupancy("9.0", 128, 32, 227 * 1024 + 1).active_blocks == 0


def test_carveout_rounds_up_to_a_supported_size():
    """10 % of 228 KiB is 22.8, so 32 KiB: 16 blocks of 1 KiB and the 1 KiB reserved with it."""
    assert occ.occupancy("9.0", 32, 16, 1024, carveout=10).block_limits.shared_memory == 16
    assert occ.occupancy("9.0", 32, 16, 1024, carveout=100).block_limits.shared_memory == 114
    # A block larger than the carve-out still runs as the only one.
    assert occ.occupancy("9.0", 32, 16, 100_000, carveout=0).block_limits.shared_memory == 1


def test_unused_resources_do_not_limit():
    result = occ.occupancy("7.0", 64, barriers=0)
    assert result.block_limits[1:3] == (occ.UNLIMITED, occ.UNLIMITED)
    assert result.limiters == {"warps", "blocks"}


# --- properties ---

KERNELS = {
    "capability": st.sampled_from(CAPABILITIES),
    "threads": st.integers(1, 1024),
    "registers": st.integers(0, 255),
    "memory": st.integers(0, 240_000),
    "carveout": st.none() | st.integers(0, 100),
    "barriers": st.integers(0, 16),
}


@settings(max_examples=150, deadline=None)
@given(**KERNELS)
def test_resources_are_never_overcommitted(capability, threads, registers, memory, carveout, barriers):
    chip = occ.limits(capability)
    r = occ.occupancy(capability, threads, registers, memory, carveout=carveout, barriers=barriers)
    assert 0 <= r.active_blocks <= chip.max_blocks_per_sm
    assert r.active_warps == r.active_blocks * -(-threads // 32) <= r.max_warps
    assert 0 <= r.occupancy <= 1
    assert r.active_blocks * r.registers_per_block <= chip.registers_per_sm
    assert r.active_blocks * r.shared_memory_per_block <= chip.shared_memory_per_sm
    assert r.registers_per_block >= registers * threads
    assert r.shared_memory_per_block >= memory
    assert r.active_blocks == min(r.block_limits)
    assert r.limiters


@settings(max_examples=150, deadline=None)
@given(**KERNELS)
def test_occupancy_is_monotone_in_the_resources(capability, threads, registers, memory, carveout, barriers):
    def blocks(threads=threads, registers=registers, memory=memory, barriers=barriers):
        return occ.occupancy(capability, threads, registers, memory, carveout=carveout, barriers=barriers).active_blocks

    assert blocks(threads=min(threads + 32, 1024)) <= blocks()
    assert blocks(registers=min(registers + 1, 255)) <= blocks()
    assert blocks(memory=memory + 128) <= blocks()
    assert blocks(barriers=min(barriers + 1, 16)) <= blocks()
    assert blocks(threads=-(-threads // 32) * 32) == blocks()


@settings(max_examples=100, deadline=None)
@given(threads=st.integers(1, 1024), registers=st.integers(1, 255))
def test_register_limit_matches_brute_force_allocation(threads, registers):
    """Assign warps to the emptiest quarter of the register file until a block does not fit."""
    quarters, blocks = [16384] * 4, 0
    need = -(-registers // 8) * 8 * 32
    warps = -(-threads // 32)
    while True:
        trial = list(quarters)
        for _ in range(warps):
            trial[trial.index(max(trial))] -= need
        if min(trial) < 0:
            break
        quarters, blocks = trial, blocks + 1
    assert occ.occupancy("9.0", threads, registers).block_limits.registers == blocks


@settings(max_examples=60, deadline=None)
@given(**KERNELS, opt_in=st.booleans(), static=st.integers(0, 50_000))
def test_occupancy_of_scalars_and_arrays_agrees(
    capability, threads, registers, memory, carveout, barriers, opt_in, static
):
    options = {"static_shared_memory": static, "carveout": carveout, "opt_in": opt_in, "barriers": barriers}
    single = occ.occupancy(capability, threads, registers, memory, **options)
    many = occ.occupancy(capability, np.full((2, 3), threads), [registers] * 3, np.float64(memory), **options)
    assert many.active_blocks.shape == many.block_limits.barriers.shape == many.limiters.shape == (2, 3)
    assert (many.active_blocks == single.active_blocks).all()
    assert (many.occupancy == single.occupancy).all()
    assert all(limiters == single.limiters for limiters in many.limiters.flat)
    for name in FACTORS:
        assert (getattr(many.block_limits, name) == getattr(single.block_limits, name)).all()
    assert all(type(value) is int for value in (single.active_blocks, single.active_warps, *single.block_limits))
    assert type(single.occupancy) is float


def test_occupancy_accepts_numpy_scalars():
    plain = occ.occupancy("9.0", 256, 40, 1024)
    assert occ.occupancy(np.str_("9.0"), np.int64(256), np.float32(40), np.uint16(1024), opt_in=np.bool_(True)) == plain


def test_occupancy_options_broadcast():
    grid = occ.occupancy("9.0", 64, 16, 60_000, opt_in=np.array([[True], [False]]), carveout=[50, 80, 100])
    assert grid.active_blocks.tolist() == [[2, 3, 3], [0, 0, 0]]
    assert (occ.occupancy("9.0", 64, 16, 60_000, opt_in=[1, 0]).active_blocks == [3, 0]).all()
    assert occ.occupancy("8.0", 64, 16, barriers=[1, 2]).active_blocks.tolist() == [32, 32]
    assert occ.occupancy("9.0", np.empty(0, int)).active_blocks.shape == (0,)


# --- a whole sweep ---


def test_sweep_of_a_million_points_agrees_with_scalars():
    threads, registers, memory = np.arange(32, 1025, 32)[:25], np.arange(1, 201), np.arange(0, 200_000, 1000)
    grid = occ.sweep("8.9", threads, registers, memory, carveout=80)
    assert grid.active_blocks.shape == (25, 200, 200) and grid.active_blocks.size == 1_000_000
    random = np.random.default_rng(0)
    limiters = grid.limiters
    for i, j, k in random.integers(0, [25, 200, 200], (500, 3)):
        single = occ.occupancy("8.9", int(threads[i]), int(registers[j]), int(memory[k]), carveout=80)
        here = grid.active_blocks[i, j, k], grid.active_warps[i, j, k], limiters[i, j, k]
        assert here == (single.active_blocks, single.active_warps, single.limiters)


def test_launch_bounds_forbid_larger_blocks():
    """Measured on an H100: 60 of 60 launches above the bounds fail, although the driver's calculation gives blocks."""
    free, bound = (occ.occupancy("9.0", [256, 257, 1024], 32, launch_bounds=bounds) for bounds in (None, 256))
    assert free.active_blocks.tolist() == [8, 7, 2] and bound.active_blocks.tolist() == [8, 0, 0]
    assert bound.limited_by("warps").tolist() == [True, True, True] and bound.active_warps.tolist() == [64, 0, 0]
    assert occ.occupancy("9.0", 256, 32, launch_bounds=[128, 256]).active_blocks.tolist() == [0, 8]
    scalar = occ.occupancy("9.0", 512, 32, launch_bounds=256)
    assert scalar.active_blocks == 0 and type(scalar.active_blocks) is int and scalar.limiters == {"warps"}
    with pytest.raises(ValueError, match="launch_bounds must be at most 1024"):
        occ.occupancy("9.0", 256, launch_bounds=2048)
