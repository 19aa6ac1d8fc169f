"""Banks, asynchronous copies, clusters, tensor memory, workgroups, and measured curves."""

from math import gcd
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chip2cluster import occupancy as occ
from chip2cluster import specs
from tests.tables import every_row

HERE = Path(__file__).parent / "data"

# --- banks ---


@given(st.integers(0, 200), st.integers(0, 100))
def test_bank_passes_of_strides_are_the_common_divisor(stride, start):
    """The rule of the programming guide: strides without a common divisor with 32 have no conflict, nor has a broadcast."""
    words = start + stride * np.arange(32)
    assert occ.bank_passes(words) == (gcd(stride, 32) if stride else 1)


@given(st.lists(st.integers(0, 300), min_size=1, max_size=32))
def test_bank_passes_match_brute_force(words):
    left, passes = set(words), 0
    while left:  # each pass, a bank gives one word
        left -= {next(word for word in sorted(left) if word % 32 == bank) for bank in {word % 32 for word in left}}
        passes += 1
    assert occ.bank_passes(words) == occ.bank_passes(np.array(words)) == passes


def test_bank_passes_of_a_padded_column():
    """A column of a 32 x 32 tile, and of a tile padded by one word per row."""
    rows = np.arange(32)
    assert occ.bank_passes([32 * rows, 33 * rows]).tolist() == [32, 1]


@pytest.mark.parametrize(
    ("words", "error", "message"),
    [
        ([], ValueError, "words must hold 1 to 32 threads"),
        (range(33), ValueError, "words must hold 1 to 32 threads"),
        ([0.5], ValueError, "words must hold whole numbers"),
        ([-1], ValueError, "words must be at least 0"),
        ("abc", TypeError, "words must be"),
    ],
)
def test_bank_passes_refuses_invalid_words(words, error, message):
    with pytest.raises(error, match=message):
        occ.bank_passes(words if isinstance(words, str) else list(words))


# --- asynchronous copies ---


@given(
    st.floats(1e-7, 1e-5),
    st.floats(1e10, 1e13),
    st.integers(1, 200),
    st.sampled_from([1024, 4096, 16384, 32768]),
    st.integers(1, 8),
    st.integers(0, 2),
)
def test_stages_needed_are_just_enough(latency, bandwidth, units, tile, blocks, in_use):
    needed = occ.bytes_in_flight(latency, bandwidth) / units
    stages = occ.stages_needed(latency, bandwidth, units, tile, active_blocks=blocks, tiles_in_use=in_use)
    under_way = occ.copy_bytes_in_flight([stages, max(stages - 1, 1)], tile, active_blocks=blocks, tiles_in_use=in_use)
    assert under_way[0] >= needed * (1 - 1e-9)
    assert stages == in_use + 1 or under_way[1] < needed


def test_stages_needed_equal_warps_needed():
    """With a tile of one warp's load and no tile in use, as many stages as warps are needed."""
    h100 = 421e-9, 3.35e12, 132
    assert occ.stages_needed(*h100, 32 * 4, tiles_in_use=0) == occ.warps_needed(*h100, 4) == 84


def test_stages_needed_are_at_least_two():
    assert occ.stages_needed(1e-9, 1e9, 1, 1e6) == 2
    assert occ.copy_bytes_in_flight(1, 1e6) == 0 and occ.copy_bytes_in_flight(3, 1e6, tiles_in_use=0) == 3e6


@every_row(
    ("arguments", "error", "message"),
    [
        ({"latency": 0}, ValueError, "latency must be greater than zero"),
        ({"memory_bandwidth": float("nan")}, ValueError, "memory_bandwidth must be finite"),
        ({"compute_units": 0}, ValueError, "compute_units must be at least 1"),
        ({"tile_bytes": -1}, ValueError, "tile_bytes must be greater than zero"),
        ({"active_blocks": 1.5}, ValueError, "active_blocks must be a whole number"),
        ({"tiles_in_use": -1}, ValueError, "tiles_in_use must be at least 0"),
    ],
)
def test_stages_needed_refuses_invalid_arguments(arguments, error, message):
    good = {"latency": 1e-6, "memory_bandwidth": 1e12, "compute_units": 100, "tile_bytes": 4096}
    with pytest.raises(error, match=message):
        occ.stages_needed(**good | arguments)


# --- clusters and tensor memory ---


@given(st.integers(1, 16), st.integers(0, 32), st.lists(st.integers(1, 20), min_size=1, max_size=9))
def test_active_clusters_match_brute_force(size, active, groups):
    placed = 0
    for group in groups:
        free = group * min(active, 8)
        while group >= size and free >= size:
            free, placed = free - size, placed + 1
    assert occ.active_clusters(size, active, groups) == placed


def test_active_clusters_equal_the_driver_of_two_cards():
    """cuOccupancyMaxActiveClusters for 7,700 kernels and sizes, alike on an H100 and an H200; `kernels` counts equal rows."""
    rows = np.loadtxt(HERE / "gpu/clusters.csv", delimiter=",", skiprows=1, dtype=int)
    blocks, size, clusters, kernels = rows.T
    assert kernels.sum() == 7700 and {1, 2, 3, 16} <= set(size) and blocks.max() == 32
    assert (occ.active_clusters(size, blocks, occ.MEASURED_GROUPS) == clusters).all()
    without_limit = sum((group >= size) * (group * blocks // size) for group in occ.MEASURED_GROUPS)
    assert kernels[without_limit == clusters].sum() == 7348  # what the rule of 8 blocks adds


def test_measured_groups_are_those_of_132_sms():
    assert sum(occ.MEASURED_GROUPS) == 132 == occ.active_clusters(1, 1, occ.MEASURED_GROUPS)
    assert occ.active_clusters(16, 1, occ.MEASURED_GROUPS) == 7


def test_active_clusters_refuses_invalid_arguments():
    with pytest.raises(ValueError, match="blocks_per_cluster must be at most 16, got 17"):
        occ.active_clusters(17, 1, [16])
    with pytest.raises(ValueError, match="multiprocessors_by_group must name at least one group"):
        occ.active_clusters(2, 1, [])


def test_tensor_memory_is_as_large_as_the_registers():
    """PTX ISA: 128 lanes x 512 columns of 4 bytes; a block gets a power of two of columns, at least 32."""
    assert 4 * occ.limits("10.0").registers_per_sm == 128 * 512 * 4
    columns = np.arange(1, 513)
    blocks = occ.tensor_memory_blocks("10.0", columns)
    assert (blocks * columns <= 512).all() and set(blocks.tolist()) == {1, 2, 4, 8, 16}
    assert type(occ.tensor_memory_blocks("10.3", 64)) is int
    with pytest.raises(ValueError, match="compute_capability must be one of '10.0', '10.3', '11.0' to have"):
        occ.tensor_memory_blocks("9.0", 64)
    with pytest.raises(TypeError, match="compute_capability must be one of"):
        occ.tensor_memory_blocks(10.0, 64)


# --- AMD workgroups ---


@given(
    st.sampled_from(["MI100", "MI250X", "MI300X", "MI355X"]),
    st.integers(1, 1024),
    st.integers(0, 256),
    st.integers(0, 256),
    st.integers(0, 65536),
)
def test_cdna_workgroups_just_fit(target, size, vector, accumulation, lds):
    chip, kernel = occ.cdna_limits(target), (target, size, vector, accumulation, lds)
    groups, alone, waves = occ.cdna_workgroups(*kernel), occ.cdna_wave_limits(*kernel), -(-size // 64)
    places = 4 * min(alone.slots, alone.vector_registers)

    def fits(count):
        barriers = waves == 1 or count <= chip.max_workgroups_with_barrier
        return count * waves <= places and count * lds <= chip.lds_per_cu and barriers

    assert fits(groups) and not fits(groups + 1)
    assert -(-groups * waves // 4) <= occ.cdna_occupancy(*kernel)


def test_cdna_workgroups_is_zero_if_a_kernel_cannot_start():
    """1,024 work-items need 4 wavefronts on each SIMD; with 200 registers it holds 2."""
    assert occ.cdna_occupancy("MI300X", 1024, 200) == 2 and occ.cdna_workgroups("MI300X", 1024, 200) == 0
    assert occ.cdna_table("MI300X", [128, 136], workgroup_size=1024).values.tolist() == [[4], [0]]
    assert type(occ.cdna_workgroups("MI300X", 64)) is int
    with pytest.raises(ValueError, match="workgroup_size must be at most 1024"):
        occ.cdna_workgroups("MI300X", 2048)


# --- measurements ---


def test_latency_readings_match_the_tools():
    """MT4G's sample results and gpu-latency: 834.5 cycles at 1980 MHz, 655.3 at 1755."""
    by_tool = {(one.gpu, one.tool): one.latency_seconds for one in occ.latency_readings()}
    assert by_tool["H100 SXM", "MT4G, mean"] == pytest.approx(421.5e-9, abs=0.1e-9)
    assert by_tool["H100 PCIe", "gpu-latency"] == pytest.approx(373.4e-9, abs=0.1e-9)
    warps = [occ.warps_needed(latency, 3.35e12, 132, 4) for latency in by_tool.values()]
    assert (min(warps), max(warps)) == (63, 87)


@pytest.mark.parametrize("gpu", occ.curves())
def test_curves_obey_littles_law(gpu):
    for kernel in occ.curves()[gpu]:
        found = occ.curve(gpu, kernel)
        assert found.occupancy[0] < 0.04 and found.occupancy[-1] == pytest.approx(1)
        assert (found.bandwidth < found.sheet_bandwidth).all()
        # The bytes are in flight for at least the latency of the idle memory; a store does not wait for it.
        assert (found.seconds_under_way > (0.15e-6 if kernel == "store" else 0.25e-6)).all()
        if kernel in ("store", "read"):  # few threads: nobody is in anybody's way, and bandwidth grows as they do
            first = found.seconds_under_way[found.occupancy < 0.1]
            assert np.ptp(first) < 0.25 * first.max()


def test_curve_matches_the_printed_rows():
    """gpu-stream, gh200.txt and h100_pcie.txt: at 50 and at 100 % of the threads."""
    assert occ.curve("GH200", "store").bandwidth[-1] == 3942e9
    half = occ.curve("GH200", "read")
    assert half.bandwidth[half.threads == 135168].tolist() == [1715e9]
    assert occ.curve("H100 PCIe", "triad").bandwidth[-1] == 1832e9
    assert "gpu-stream" in half.source.citation


def test_curve_at_full_occupancy_is_below_the_peak():
    """With 8 bytes per thread, full occupancy reaches only two thirds of the GH200's bandwidth."""
    read = occ.curve("GH200", "read")
    assert read.bandwidth[-1] / read.sheet_bandwidth < 0.7 < 0.98 < occ.curve("GH200", "store").bandwidth[-1] / 4e12


def test_unmeasured_curve_error_lists_the_curves():
    with pytest.raises(ValueError, match="gpu must be one of 'V100', .*got 'B200'"):
        occ.curve("B200")
    with pytest.raises(ValueError, match="kernel must be one of 'store', 'read', 'scale', 'triad', got 'copy'"):
        occ.curve("GH200", "copy")


# --- AMD: one chip or many devices ---


def test_partition_of_an_mi300x_matches_amd():
    """instinct.docs.amd.com: CPX makes 8 devices of 38 compute units, NPS4 four domains of 48 GB."""
    part = occ.partition("MI300X", "CPX", "NPS4")
    assert (part.devices, part.compute_units, part.memory_domains, part.memory_bytes) == (8, 38, 4, 48e9)
    assert [occ.partition("MI300A", mode).devices for mode in ("SPX", "TPX", "CPX")] == [1, 3, 6]
    for chip in ("MI300A", "MI300X", "MI325X", "MI350X", "MI355X"):
        whole, parts = occ.partition(chip), occ.partition(chip, "CPX")
        assert parts.devices * parts.compute_units == whole.compute_units


def test_partition_into_eight_needs_eight_times_the_waves():
    table = occ.partition_table("MI300X", 305)
    assert table["waves"].to_dict() == {"SPX": 2, "DPX": 3, "QPX": 5, "CPX": 9}
    assert table.loc["SPX", "slots at work (%)"] == 50.2 < table.loc["CPX", "slots at work (%)"]
    assert list(occ.partition_table("MI300A", 100).index) == ["SPX", "DPX", "TPX", "CPX"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("H100",), "chip must be one of 'MI300A', .*got 'H100'"),
        (("MI300X", "TPX"), "compute_mode of an MI300X with 8 compute dies must be one of 'SPX', 'DPX', 'QPX', 'CPX'"),
        (("MI300X", "MPX"), "compute_mode must be one of 'SPX'"),
        (("MI300X", "SPX", "NPS4"), "memory_mode of 1 device must be one of 'NPS1', got 'NPS4'"),
        (("MI300X", "CPX", "NPS8"), "memory_mode must be one of 'NPS1', 'NPS2', 'NPS4'"),
    ],
)
def test_partition_refuses_modes_that_do_not_divide(arguments, message):
    with pytest.raises(ValueError, match=message):
        occ.partition(*arguments)
    if len(arguments) == 1:
        with pytest.raises(ValueError, match=message):
            occ.partition_table(arguments[0], 100)


def test_partition_refuses_unknown_compute_units(monkeypatch):
    open_count = specs.own("Mine", dense={"bf16": 1e15}, memory=192e9, memory_bandwidth=5e12)
    monkeypatch.setattr(specs, "accelerator", lambda _: open_count)
    with pytest.raises(ValueError, match="compute_units of MI300X is not known"):
        occ.partition("MI300X")


@pytest.mark.parametrize(
    ("target", "unit", "lds"), [("gfx90a", 512, 65536), ("gfx942", 512, 65536), ("gfx950", 1280, 163840)]
)
def test_cdna_lds_is_allocated_in_units(target, unit, lds):
    """LLVM's AMDGPU back end: 128 dwords, 320 with 160 KiB; three workgroups of a third of the LDS do not fit."""
    third = lds // 3
    assert third % unit and occ.cdna_workgroups(target, 256, 0, 0, third) == 2
    assert occ.cdna_workgroups(target, 256, 0, 0, third // unit * unit) == 3
