"""Flows on a hash and in-cast: against every hash counted one by one, a Monte Carlo, and conservation of bytes."""

import itertools
import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chip2cluster import topology
from tests.tables import every_row


@every_row("flows, uplinks", [(1, 1), (1, 5), (3, 2), (4, 4), (5, 3), (2, 7), (7, 1), (6, 4)])
def test_hash_probabilities_match_enumeration(flows, uplinks):
    fullest = Counter(max(Counter(hashes).values()) for hashes in itertools.product(range(uplinks), repeat=flows))
    counted = [fullest[k] / uplinks**flows for k in range(flows + 1)]
    assert topology.hash_probabilities(flows, uplinks) == pytest.approx(counted, abs=1e-12)


def test_hash_worst_load_of_eight_flows_on_eight_uplinks():
    # An even spread is 8! of 8^8 hashes, 0.24 %; the mean of the distribution, from multinomial counts, is 2.597.
    chances = topology.hash_probabilities(8, 8)
    assert chances[1] == pytest.approx(math.factorial(8) / 8**8)
    assert chances[8] == pytest.approx(8 / 8**8)
    assert topology.hash_worst_load(8, 8) == pytest.approx(2.597, abs=5e-4)


def by_partitions(flows, uplinks):
    """Mean load of the fullest uplink over all partitions of the flows, in integer arithmetic."""

    def partitions(left, most, parts):
        if parts == 0:
            if left == 0:
                yield ()
            return
        for first in range(min(left, most), -1, -1):
            for rest in partitions(left - first, first, parts - 1):
                yield (first, *rest)

    total = 0
    for loads in partitions(flows, flows, uplinks):
        ways = math.factorial(flows) // math.prod(map(math.factorial, loads))
        places = math.factorial(uplinks) // math.prod(math.factorial(n) for n in Counter(loads).values())
        total += loads[0] * ways * places
    return total / uplinks**flows


@pytest.mark.parametrize("flows, uplinks", [(8, 8), (16, 8), (12, 5), (5, 12), (30, 4)])
def test_hash_worst_load_matches_enumerated_partitions(flows, uplinks):
    assert topology.hash_worst_load(flows, uplinks) == pytest.approx(by_partitions(flows, uplinks), rel=1e-10)


@pytest.mark.parametrize("flows, uplinks", [(8, 8), (64, 16), (200, 32), (128, 8)])
def test_hash_worst_load_matches_monte_carlo(flows, uplinks):
    hashes = np.random.default_rng(8).integers(0, uplinks, (20_000, flows))
    fullest = (hashes[:, :, None] == np.arange(uplinks)).sum(1).max(1)
    error = fullest.std() / math.sqrt(len(fullest))
    assert topology.hash_worst_load(flows, uplinks) == pytest.approx(fullest.mean(), abs=5 * error)


@given(st.integers(1, 120), st.integers(1, 40))
def test_hash_worst_load_is_within_bounds(flows, uplinks):
    chances = topology.hash_probabilities(flows, uplinks)
    assert chances.shape == (flows + 1,) and chances.min() >= 0 and chances.sum() == pytest.approx(1)
    assert chances[: math.ceil(flows / uplinks)] == pytest.approx(0)
    worst = topology.hash_worst_load(flows, uplinks)
    assert max(1, flows / uplinks) - 1e-9 <= worst <= flows + 1e-9
    assert worst <= topology.hash_worst_load(flows + 1, uplinks) + 1e-9
    assert worst >= topology.hash_worst_load(flows, uplinks + 1) - 1e-9
    share = topology.hash_share(flows, uplinks)
    assert 0 < share <= 1 + 1e-9
    # More parts per flow fill the uplinks more evenly.
    assert topology.hash_share(flows, uplinks, queue_pairs=4) >= share - 1e-9


@pytest.mark.parametrize("others, uplinks, borders", [(0, 3, 2), (3, 2, 2), (2, 3, 3), (5, 3, 1)])
def test_hash_neighbours_match_enumeration(others, uplinks, borders):
    # The ring's flow is on uplink 0 in each rack.
    worst = [
        max(hashes[i * others : (i + 1) * others].count(0) for i in range(borders))
        for hashes in itertools.product(range(uplinks), repeat=others * borders)
    ]
    assert topology.hash_neighbours(others, uplinks, borders=borders) == pytest.approx(sum(worst) / len(worst))


def test_hash_neighbours_of_four_racks():
    thrown = np.random.default_rng(8).integers(0, 8, (50_000, 4, 24))
    beside = (thrown == 0).sum(2)
    assert topology.hash_neighbours(24, 8) == pytest.approx(24 / 8)
    error = beside.max(1).std() / math.sqrt(len(beside))
    assert topology.hash_neighbours(24, 8, borders=4) == pytest.approx(beside.max(1).mean(), abs=5 * error)


@given(st.integers(0, 200), st.integers(1, 40), st.integers(1, 20))
def test_hash_neighbours_are_within_bounds(others, uplinks, borders):
    mean = topology.hash_neighbours(others, uplinks, borders=borders)
    assert others / uplinks - 1e-9 <= mean <= others + 1e-9
    assert mean <= topology.hash_neighbours(others, uplinks, borders=borders + 1) + 1e-9
    assert topology.hash_neighbours(others, uplinks) == pytest.approx(others / uplinks)


def test_hash_times_scale_and_broadcast():
    times = topology.hash_time([0.0, 1e9, 2e9], 8, 8, 50e9)
    assert times == pytest.approx([0, 2.597e9 / 50e9, 5.194e9 / 50e9], rel=1e-3)
    for n in (1, 8, 24):
        spread, hashed = topology.spray_time(1e9, n, 8, 50e9), topology.hash_time(1e9, n, 8, 50e9)
        assert type(spread) is float and type(hashed) is float
        assert topology.hash_share(n, 8) == pytest.approx(spread / hashed)
    assert topology.spray_time(1e9, [1, 8, 24], 8, 50e9) == pytest.approx([0.02, 0.02, 0.06])
    assert topology.hash_time(1e9, 1, 8, 50e9, queue_pairs=4) == pytest.approx(0.02)  # its own link
    assert topology.hash_worst_load(np.array([[8], [16]]), [8, 4]).shape == (2, 2)
    assert topology.hash_neighbours([8, 16, 24], 8) == pytest.approx([1, 2, 3])
    assert type(topology.hash_neighbours(24, 8, borders=4)) is float
    assert topology.hash_worst_load(np.int64(8), 8.0) == topology.hash_worst_load(8, 8)


def test_incast_matches_a_packet_simulation():
    # In each step every one of k senders sends a packet and the receiver takes one packet.
    for senders, packets in ((1, 5), (2, 7), (8, 10)):
        queue = peak = turns = 0
        left = packets
        while left or queue:
            queue += senders * (left > 0)
            left -= left > 0
            queue -= 1
            turns += 1
            peak = max(peak, queue)
        assert turns == topology.incast_time(packets, senders, 1.0)
        assert peak == topology.incast_queue(packets, senders)
    assert topology.incast_fill_time(16e6, 1, 50e9) == math.inf
    fill = topology.incast_fill_time(16e6, 8, 50e9)
    # Messages whose last byte is sent at that time just fit.
    assert topology.incast_queue(fill * 50e9, 8) == pytest.approx(16e6)
    assert topology.incast_time([1e6, 2e6], [[1], [4]], 50e9).shape == (2, 2)


@every_row(
    "call, message",
    [
        (lambda: topology.hash_probabilities(0, 8), "flows must be at least 1, got 0"),
        (lambda: topology.hash_probabilities(8, [8, 9]), "uplinks must be a single whole number"),
        (lambda: topology.hash_worst_load(2.5, 8), "flows must be a whole number"),
        (lambda: topology.hash_worst_load(2000, 8), "must be at most 1,024, got 2,000"),
        (lambda: topology.hash_time(1e9, 8, 8, 50e9, queue_pairs=0), "queue_pairs must be at least 1"),
        (lambda: topology.hash_neighbours(-1, 8), "others must be zero or more|others must be at least 0"),
        (lambda: topology.hash_neighbours(2000, 8), "others must be at most 1,024, got 2000"),
        (lambda: topology.hash_neighbours(24, 8, borders=0), "borders must be at least 1"),
        (lambda: topology.spray_time(1e9, 8, 8, 0.0), "uplink_bandwidth_one_way must be greater than zero"),
        (lambda: topology.incast_time(-1.0, 8, 50e9), "message_bytes must be zero or more"),
        (lambda: topology.incast_queue(1.0, True), "senders must be a number, got the truth value True"),
    ],
)
def test_invalid_arguments_are_refused(call, message):
    with pytest.raises((ValueError, TypeError), match=message):
        call()
