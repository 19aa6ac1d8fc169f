"""Little's law, warps that hide a latency, and wave quantization."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chip2cluster import occupancy as occ
from tests.tables import every_row

POSITIVE = st.floats(1e-6, 1e6)


# --- published numbers ---


@pytest.mark.parametrize(("cycles", "cores", "threads"), [(24, 8, 192), (18, 32, 576), (18, 48, 864)])
def test_warps_to_hide_matches_volkovs_table(cycles, cores, threads):
    """V. Volkov, GTC 2010: threads per multiprocessor on G80 to GT200, GF100 and GF104."""
    assert 32 * occ.warps_to_hide(cycles, warp_instructions_per_cycle=cores / 32) == threads


def test_warps_to_hide_matches_the_programming_guide():
    """CUDA programming guide: 4-cycle arithmetic on four schedulers needs 16 active warps."""
    assert occ.warps_to_hide(4) == 16


@pytest.mark.parametrize(("blocks", "slowdown"), [(148, 1.0), (152, 2.0), (296, 1.0), (50_000, 1.027)])
def test_waves_on_148_and_152_sms(blocks, slowdown):
    """S. Bekman, Machine Learning Engineering, performance chapter: 148 against 152 multiprocessors."""
    assert occ.waves(blocks, 148) / occ.waves(blocks, 152) == pytest.approx(slowdown, rel=1e-3)


# --- Little's law ---


@given(POSITIVE, POSITIVE, st.floats(0, 10))
def test_bandwidth_is_reached_at_latency_times_bandwidth(latency, bandwidth, share):
    needed = occ.bytes_in_flight(latency, bandwidth)
    reached = occ.bandwidth_from_concurrency(share * needed, latency, bandwidth)
    assert reached == pytest.approx(min(share, 1) * bandwidth)
    assert reached <= bandwidth


@given(st.floats(0, 100), st.floats(0, 10))
def test_queueing_bandwidth_satisfies_littles_law(load, queueing):
    """With rho of the peak reached, the bytes in flight are rho (1 + q rho / (1 - rho)) times latency x peak."""
    rho = occ.bandwidth_from_concurrency(load, 1.0, 1.0, queueing)
    assert 0 <= rho <= min(load, 1) * (1 + 1e-9)
    if queueing:
        assert rho * (1 - rho + queueing * rho) == pytest.approx(load * (1 - rho), rel=1e-6, abs=1e-6)


@given(st.floats(0, 100))
def test_queueing_of_one_is_m_m_1(load):
    assert occ.bandwidth_from_concurrency(load, 1.0, 1.0, 1.0) == pytest.approx(load / (1 + load))


@given(POSITIVE, POSITIVE, st.floats(1e-3, 1e3))
def test_bytes_in_flight_are_linear(latency, bandwidth, scale):
    scaled = pytest.approx(scale * occ.bytes_in_flight(latency, bandwidth))
    assert occ.bytes_in_flight(scale * latency, bandwidth) == scaled
    assert occ.bytes_in_flight(latency, scale * bandwidth) == scaled


def test_bytes_in_flight_match_a_simulation():
    """Keep k requests in flight, each of which takes 7 ticks; at most one leaves per tick."""
    latency, size = 7, 64
    for under_way in range(1, 15):
        free_at, door, done = [0] * under_way, 0, 0
        while door < 7000:
            start = min(free_at)
            door = max(start, door + 1)
            free_at[free_at.index(start)] = door + latency
            done += 1
        model = occ.bandwidth_from_concurrency(under_way * size, latency, size)
        assert done * size / door == pytest.approx(model, rel=0.01)


@given(
    st.floats(1e-7, 1e-5),
    st.floats(1e10, 1e13),
    st.integers(1, 200),
    st.sampled_from([2, 4, 8, 16]),
    st.integers(1, 16),
)
def test_warps_needed_are_just_enough(latency, bandwidth, units, size, loads):
    warps = occ.warps_needed(latency, bandwidth, units, size, loads_in_flight=loads)
    one_warp = units * 32 * size * loads
    needed = occ.bytes_in_flight(latency, bandwidth)
    assert warps * one_warp >= needed * (1 - 1e-9)
    assert warps == 1 or (warps - 1) * one_warp < needed


def test_rounding_errors_do_not_add_a_warp():
    """560 ns at 800 GB/s are 35 warps of 128 bytes on 100 multiprocessors, and 9.3 / 0.3 is 31."""
    assert 560e-9 * 800e9 / (100 * 128) > 35 and 9.3 / 0.3 > 31  # what floats make of it
    assert occ.warps_needed(560e-9, 800e9, compute_units=100, bytes_per_thread=4) == 35
    assert occ.warps_to_hide(9.3, 0.3, warp_instructions_per_cycle=1) == 31


# --- waves ---


@given(st.integers(1, 10**6), st.integers(1, 300), st.integers(1, 32))
def test_waves_match_brute_force(blocks, units, each):
    rounds = occ.waves(blocks, units, each)
    assert (rounds - 1) * units * each < blocks <= rounds * units * each
    efficiency = occ.wave_efficiency(blocks, units, each)
    assert 0 < efficiency <= 1
    assert (efficiency == 1) == (blocks % (units * each) == 0)
    assert occ.wave_efficiency(3 * units * each, units, each) == 1


def test_occupancy_feeds_waves():
    active = occ.occupancy("9.0", 256, 40).active_blocks
    assert occ.waves(132 * active + 1, 132, active) == 2


# --- arrays and types ---


def test_latency_functions_broadcast():
    floats = [
        occ.bytes_in_flight(np.float32(1e-6), 1e12),
        occ.bandwidth_from_concurrency(np.int64(1000), 1e-6, 1e12),
        occ.wave_efficiency(np.int64(100), 132),
    ]
    ints = [occ.warps_needed(1e-6, 1e12, np.int64(100), 4), occ.warps_to_hide(np.float32(4)), occ.waves(np.int64(9), 4)]
    assert {type(value) for value in floats} == {float} and {type(value) for value in ints} == {int}
    column, row = np.array([[1e-6], [2e-6]]), np.array([1e12, 2e12, 3e12])
    assert occ.bytes_in_flight(column, row).shape == (2, 3)
    assert occ.bandwidth_from_concurrency(1e6, column, row).shape == (2, 3)
    warps = occ.warps_needed(column, row, 100, 4)
    assert warps.dtype == np.int64
    assert warps.tolist() == [[occ.warps_needed(float(a), float(b), 100, 4) for b in row] for a in column.flat]
    assert occ.warps_to_hide([4, 8]).tolist() == [16, 32]
    assert occ.waves([[1], [200]], [100, 150]).tolist() == [[1, 1], [2, 2]]
    assert occ.wave_efficiency([50, 100], 100).tolist() == [0.5, 1.0]


# --- bad input ---

GOOD = {
    occ.bytes_in_flight: {"latency": 1e-6, "memory_bandwidth": 1e12},
    occ.bandwidth_from_concurrency: {"bytes_in_flight": 1e6, "latency": 1e-6, "memory_bandwidth": 1e12},
    occ.warps_needed: {
        "latency": 1e-6,
        "memory_bandwidth": 1e12,
        "compute_units": 100,
        "bytes_per_thread": 4,
        "loads_in_flight": 1,
        "warp_size": 32,
    },
    occ.warps_to_hide: {"latency_cycles": 4, "independent_instructions": 1, "warp_instructions_per_cycle": 4},
    occ.waves: {"blocks": 10, "compute_units": 10, "active_blocks": 1},
    occ.wave_efficiency: {"blocks": 10, "compute_units": 10, "active_blocks": 1},
}
COUNTS = {"compute_units", "loads_in_flight", "warp_size", "blocks", "active_blocks"}


@every_row(("function", "name"), [(f, name) for f, good in GOOD.items() for name in good])
def test_invalid_arguments_are_refused(function, name):
    wrong = [(True, TypeError), ("4", TypeError), (None, TypeError), (float("nan"), ValueError), (-1, ValueError)]
    wrong += [(0, ValueError)] if name != "bytes_in_flight" else []
    wrong += [(1.5, ValueError)] if name in COUNTS else []
    for value, error in wrong:
        with pytest.raises(error, match=f"^{name} must"):
            function(**GOOD[function] | {name: value})
