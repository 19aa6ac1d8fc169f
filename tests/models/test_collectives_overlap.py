"""Buckets behind a backward pass, against a clock that ticks through them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chip2cluster import collectives
from chip2cluster.collectives import bucketed_exposed_time, exposed_time


def by_clock(ready, durations):
    now = 0.0
    for start, duration in zip(ready, durations, strict=True):
        now = max(now, start) + duration
    return now - ready[-1]


@given(st.lists(st.tuples(st.floats(0, 10), st.floats(0, 10)), min_size=1, max_size=9))
def test_exposed_time_matches_an_event_simulation(pieces):
    gaps, durations = np.array(pieces).T
    ready = np.cumsum(gaps)
    assert exposed_time(ready, durations) == pytest.approx(by_clock(ready, durations), abs=1e-9)


def test_equal_buckets_match_the_two_limits():
    """Either all but the last bucket hide, or the network is busy from the first bucket on."""
    for buckets in (1, 2, 7, 64, 1000):
        for compute in (0.0, 0.01, 0.05, 0.4):
            each = collectives.ring_all_reduce_time(14e9 / buckets, 8, 450e9, 2e-6)
            two_limits = max(each, compute / buckets + buckets * each - compute)
            assert bucketed_exposed_time(14e9, buckets, compute, 8, 450e9, 2e-6) == pytest.approx(two_limits)


def test_one_bucket_hides_nothing_and_one_rank_costs_nothing():
    assert bucketed_exposed_time(14e9, 1, 9.0, 8, 450e9) == pytest.approx(0.05444444)
    assert bucketed_exposed_time(14e9, 5, 9.0, 1, 450e9) == 0


@pytest.mark.parametrize(
    "ready, durations, message",
    [
        ([1, 2], [1], "one length"),
        ([], [], "at least 1"),
        ([2, 1], [1, 1], "in ascending order"),
        ([1, -1], [1, 1], "zero or more"),
    ],
)
def test_invalid_buckets_are_refused(ready, durations, message):
    with pytest.raises(ValueError, match=message):
        exposed_time(ready, durations)


def test_table_lists_usable_algorithms_and_agrees_with_time():
    table = collectives.table("all_reduce", 1e6, 8, 450e9, 2e-6)
    assert set(table.index) == set(collectives.algorithms("all_reduce"))
    assert table["time (ms)"].is_monotonic_increasing
    for name, seconds in table["time (ms)"].items():
        assert seconds == pytest.approx(1e3 * collectives.time("all_reduce", name, 1e6, 8, 450e9, 2e-6))
    assert "halving_doubling" not in collectives.table("all_reduce", 1e6, 12, 450e9).index
    with pytest.raises(ValueError, match="must be one of 'all_reduce'"):
        collectives.table("all_reduse", 1e6, 12, 450e9)
