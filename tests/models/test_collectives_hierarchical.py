"""All-reduce over two levels of network: the published exercise, and what sharding is worth."""

from math import inf, nan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chip2cluster import collectives
from tests.tables import every_row

sizes = st.floats(1, 1e12)
bandwidths = st.floats(1e6, 1e13)
FUNCTIONS = collectives.hierarchical_all_reduce_time, collectives.hierarchical_all_reduce_phases


def test_published_exercise_is_won_by_sharding():
    published = 14e9, 8, 64, 450e9 / 8, 50e9 / 8
    flat = collectives.ring_all_reduce_time(14e9, 512, 50e9 / 8)
    leader = collectives.hierarchical_all_reduce_time(*published, scheme="leader")
    sharded = collectives.hierarchical_all_reduce_time(*published)
    assert [round(seconds * 1e3, 2) for seconds in (flat, leader, sharded)] == [4471.25, 4845.56, 986.81]
    assert flat / sharded == pytest.approx(4.531, abs=5e-4)
    over_all_rails = collectives.ring_all_reduce_time(14e9, 512, 8 * 50e9 / 8)
    assert round(over_all_rails * 1e3, 2) == 558.91


def test_published_exercise_in_hardware_units():
    hardware = 14e9, 8, 64, 450e9, 50e9
    assert collectives.hierarchical_all_reduce_time(*hardware) == pytest.approx(0.12335069444)
    assert collectives.hierarchical_all_reduce_time(*hardware, scheme="leader") == pytest.approx(0.60569444444)
    assert collectives.ring_all_reduce_time(14e9, 512, 50e9) == pytest.approx(0.55890625)


@given(sizes, st.integers(1, 16), st.integers(1, 500), bandwidths, bandwidths)
def test_sharded_is_never_slower_than_leader(size, ranks_per_node, nodes, intra, inter):
    place = size, ranks_per_node, nodes, intra, inter
    sharded = collectives.hierarchical_all_reduce_time(*place)
    leader = collectives.hierarchical_all_reduce_time(*place, scheme="leader")
    assert sharded <= leader
    if ranks_per_node == 1:
        assert sharded == leader == pytest.approx(collectives.ring_all_reduce_time(size, nodes, inter))
    if nodes == 1:
        assert sharded == pytest.approx(collectives.ring_all_reduce_time(size, ranks_per_node, intra))


@given(sizes, st.integers(1, 16), st.integers(1, 500), bandwidths)
def test_sharded_at_one_speed_equals_a_flat_ring(size, ranks_per_node, nodes, bandwidth):
    """2 (g-1)/g + 2 (m-1)/(m g) is 2 (g m - 1) / (g m): the hierarchy sends no additional bytes."""
    sharded = collectives.hierarchical_all_reduce_time(size, ranks_per_node, nodes, bandwidth, bandwidth)
    flat = collectives.ring_all_reduce_time(size, ranks_per_node * nodes, bandwidth)
    assert sharded == pytest.approx(flat, rel=1e-9, abs=1e-300)


def test_phases_sum_to_the_total():
    phases = collectives.hierarchical_all_reduce_phases(14e9, 8, 64, 450e9, 50e9, intra_latency=1e-6)
    total = collectives.hierarchical_all_reduce_time(14e9, 8, 64, 450e9, 50e9, intra_latency=1e-6)
    assert phases.total == total == phases.intra_reduce + phases.inter_all_reduce + phases.intra_broadcast
    assert phases.inter_all_reduce > phases.intra_reduce + phases.intra_broadcast
    hops = collectives.hierarchical_all_reduce_time(0, [8, 8], 64, 1.0, 1.0, intra_latency=1.0, inter_latency=100.0)
    assert hops.tolist() == [2 * 7 + 200 * 63] * 2


def test_hierarchical_time_broadcasts_and_scales():
    seconds = collectives.hierarchical_all_reduce_time(1e9, 8, 64, 450e9, 50e9)
    assert type(seconds) is float
    grid = collectives.hierarchical_all_reduce_time(np.array([1e6, 1e9]), [[4], [8]], 64, 450e9, 50e9)
    assert grid.shape == (2, 2) and grid[1, 1] == pytest.approx(seconds)
    assert collectives.hierarchical_all_reduce_time(8e9, 8, 64, 450e9 * 8, 50e9 * 8) == pytest.approx(seconds)
    assert collectives.hierarchical_all_reduce_time(np.float32(1e9), np.int64(8), 64, 450e9, 50e9) == seconds


# Invalid arguments


@every_row("function", FUNCTIONS)
@every_row("bad", [True, "8", None, nan, inf, -1, -inf, [1, nan], ["a"], 1j])
def test_invalid_numbers_are_refused(function, bad):
    place = {
        "message_bytes": 1e9,
        "ranks_per_node": 8,
        "nodes": 64,
        "intra_bandwidth_one_way": 450e9,
        "inter_bandwidth_one_way_per_rank": 50e9,
        "intra_latency": 1e-6,
        "inter_latency": 1e-6,
    }
    for name in place:
        with pytest.raises((ValueError, TypeError), match=f"^{name} must"):
            function(**{**place, name: bad})
    for name in ("ranks_per_node", "nodes"):
        for count in (0, 2.5):
            with pytest.raises(ValueError, match=f"^{name} must"):
                function(**{**place, name: count})
    for name in ("intra_bandwidth_one_way", "inter_bandwidth_one_way_per_rank"):
        with pytest.raises(ValueError, match=f"^{name} must be greater than zero"):
            function(**{**place, name: 0})


@pytest.mark.parametrize("bad", ["flat", "", None, 3, ["leader"]])
def test_unknown_scheme_error_lists_the_schemes(bad):
    with pytest.raises((ValueError, TypeError), match="^scheme must.*'sharded', 'leader'"):
        collectives.hierarchical_all_reduce_time(1e9, 8, 64, 450e9, 50e9, scheme=bad)
