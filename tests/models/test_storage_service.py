"""Metadata, locks, replicas, caches and rates: exact counts on small cases, published figures, and bounds."""

from itertools import combinations, pairwise, product
from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chip2cluster import storage
from chip2cluster.storage import StripeLayout, lock_traffic, segmented_writes, strided_writes
from tests.tables import every_row

MIB = 2**20
POLICIES = ("cancel", "split", "exact")


# --- metadata ---------------------------------------------------------------------------------
@given(st.floats(1e6, 1e15), st.floats(1e3, 1e9), st.floats(1e6, 1e12), st.floats(1.0, 1e6))
def test_dataset_time_is_the_longer_of_metadata_and_bytes(size, each, bandwidth, rate):
    time = storage.dataset_time(size, each, bandwidth, rate)
    assert time == pytest.approx(max(size / bandwidth, 3 * size / each / rate))
    edge = storage.smallest_file(bandwidth, rate)
    assert storage.dataset_time(size, edge, bandwidth, rate) == pytest.approx(size / bandwidth)
    assert storage.dataset_time(size, edge / 2, bandwidth, rate) == pytest.approx(2 * size / bandwidth)


def test_listing_requests_count_objects():
    assert storage.metadata_time(10**6, 20_000, operations_per_file=2, servers=4) == 25.0
    assert storage.listing_requests([10, 20], 4).tolist() == [50, 100]


# --- locks -----------------------------------------------------------------------------------
@pytest.mark.parametrize("policy", POLICIES)
def test_single_writer_requests_one_lock(policy):
    found = lock_traffic(strided_writes(1, 500, 1000), policy=policy)
    assert found.revocations == 0
    assert found.requests == (1 if policy != "exact" else found.requests) and found.writes == 500


@pytest.mark.parametrize("policy", POLICIES)
def test_one_object_per_writer_avoids_revocations(policy):
    """Records as long as a stripe and as many stripes as writers give one writer per object, a rule of many sites."""
    found = lock_traffic(strided_writes(8, 50, MIB), StripeLayout(MIB, 8), policy=policy)
    assert found.revocations == 0


def test_greedy_grants_cause_false_conflicts():
    """Eight writers on four objects: no byte is shared, and still each write conflicts with a lock."""
    writes, layout = [*strided_writes(8, 50, MIB)], StripeLayout(MIB, 4)
    assert lock_traffic(writes, layout, policy="cancel").revocations == 400 - 4
    assert lock_traffic(writes, layout, policy="exact").revocations == 0
    assert lock_traffic(writes, layout, policy="exact").requests == 400


def test_segmented_writers_keep_tokens_after_one_round():
    """Schmuck and Haskin 2002: the first writer gets the whole file, and gives up the part behind the second's offset."""
    for writers in (2, 5):
        found = lock_traffic(segmented_writes(writers, 100, MIB), granularity=MIB, policy="split")
        assert found.revocations <= 2 * (writers - 1) and found.requests <= 3 * writers
    assert lock_traffic(segmented_writes(2, 100, MIB), granularity=MIB, policy="cancel").revocations == 199


@given(st.integers(1, 60), st.integers(1, 64))
def test_writers_in_one_block_exchange_its_token(writes_each, record):
    inside = 2 * writes_each * record
    found = storage.token_ping_pong(writes_each, record, inside)
    assert found.revocations == 2 * writes_each - 1 and found.requests == 2 * writes_each


operations = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 60), st.integers(1, 20)), max_size=40)


@given(operations, st.sampled_from(POLICIES), st.integers(1, 8))
def test_no_byte_is_ever_locked_twice(writes, policy, unit):
    """Remaining locks are disjoint, the last writer holds one, and the counts agree."""
    from chip2cluster.storage._lock_table import LockTable

    locks, requests, revocations = LockTable(policy), 0, 0
    for writer, offset, length in writes:
        needed = offset // unit * unit, -(-(offset + length) // unit) * unit
        asked, called = locks.write(writer, *needed)
        requests, revocations = requests + asked, revocations + called
        assert called == 0 or asked == 1
        assert any(lock.start <= needed[0] and needed[1] <= lock.end for lock in locks.locks if lock.writer == writer)
        assert all(lock.start < lock.end for lock in locks.locks)
        assert all(one.end <= other.start for one, other in pairwise(locks.locks))
    found = lock_traffic(writes, granularity=unit, policy=policy)
    assert (found.writes, found.requests, found.revocations) == (len(writes), requests, revocations)


@given(operations, st.sampled_from(POLICIES))
@settings(max_examples=400)
def test_lock_table_matches_map_of_bytes(writes, policy):
    """Brute force: the writer of each byte, and a number for each lock. Grants extend to bytes that no other writer holds."""
    end_of_file = 100  # stands for infinity: beyond all writes of this test
    owner, last, asked, called = [None] * end_of_file, {}, 0, 0
    for number, (writer, offset, length) in enumerate(writes):
        needed = range(offset, offset + length)
        here = {owner[byte] for byte in needed}
        if len(here) == 1 and None not in here and next(iter(here))[0] == writer:
            last[writer] = needed.stop
            continue
        asked += 1
        others = {lock for lock in here - {None} if lock[0] != writer}
        called += len(others)
        for lock in others:
            kept = (
                range(0)
                if policy != "split"
                else range(needed.start)
                if last[lock[0]] <= offset
                else range(needed.stop, 100)
            )
            owner = [None if one == lock and byte not in kept else one for byte, one in enumerate(owner)]
        granted, mine = set(needed), {lock for lock in here - {None} if lock[0] == writer}
        if policy != "exact":
            for step, byte in ((-1, offset - 1), (1, needed.stop)):
                while 0 <= byte < end_of_file and (owner[byte] is None or owner[byte][0] == writer):
                    granted.add(byte)
                    byte += step
        for byte in range(end_of_file):
            if byte in granted or owner[byte] in mine:
                owner[byte] = (writer, number)
        last[writer] = needed.stop
    found = lock_traffic(writes, granularity=1, policy=policy)
    assert (found.requests, found.revocations) == (asked, called)


@pytest.mark.parametrize("policy", POLICIES)
def test_lock_traffic_takes_many_writes(policy):
    """Twenty thousand locks on one object: exact ones stay disjoint, greedy ones change hands."""
    found = lock_traffic(strided_writes(64, 300, 2**16), policy=policy)
    assert found.requests == 19_200 and found.revocations == (0 if policy == "exact" else 19_199)


@given(operations)
def test_exact_grants_revoke_only_overlapping_locks(writes):
    """By brute force over bytes: with exact grants a lock is revoked if another writer has written the byte."""
    found = lock_traffic(writes, granularity=1, policy="exact")
    owner, shared = {}, False
    for writer, offset, length in writes:
        for byte in range(offset, offset + length):
            shared |= owner.get(byte, writer) != writer
            owner[byte] = writer
    assert (found.revocations > 0) == shared


def test_waiting_for_locks_takes_a_round_trip_and_a_flush():
    assert storage.lock_time(10, 1e-3, 1e6, 1e9) == pytest.approx(10 * 2e-3)
    assert storage.LockTraffic(0, 0, 0).revocations_per_write == 0.0


# --- replicas ----------------------------------------------------------------------------------
@every_row("nodes, failed, replicas", [(5, 2, 2), (6, 3, 2), (6, 3, 3), (6, 4, 3), (4, 1, 2), (4, 4, 3)])
def test_loss_probability_matches_enumeration(nodes, failed, replicas):
    gone = set(range(failed))
    groups = list(combinations(range(nodes), replicas))
    for blocks in (1, 2, 3):
        lost = sum(any(gone >= set(group) for group in placed) for placed in product(groups, repeat=blocks))
        found = storage.loss_chance(nodes, failed, blocks, replicas)
        assert found == pytest.approx(lost / len(groups) ** blocks)


def test_a_power_cut_loses_data_for_certain():
    """Cidon et al. 2013: 1 % of 5,000 nodes lost, random placement: 99.99 %."""
    assert storage.loss_chance(5000, 50, 5000 * 10_000 // 3) > 0.9999
    assert storage.loss_chance(5000, 2, 10**9) == 0.0
    assert storage.loss_chance(3, 3, 1) == 1.0 and storage.loss_chance(3, 3, 0) == 0.0
    assert storage.loss_chance(10**4, 100, 1) == pytest.approx(comb(100, 3) / comb(10**4, 3), rel=1e-12)


@given(st.integers(1, 4), st.floats(1e3, 1e5), st.floats(1e2, 1e5))
def test_mean_time_to_loss_solves_the_chain(replicas, mean, repair):
    rates = np.zeros((replicas, replicas))
    for missing in range(replicas):
        falls, rises = (replicas - missing) / mean, missing / repair
        rates[missing, missing] = falls + rises
        if missing + 1 < replicas:
            rates[missing, missing + 1] = -falls
        if missing:
            rates[missing, missing - 1] = -rises
    solved = np.linalg.solve(rates * mean, np.ones(replicas))[0] * mean
    found = storage.mean_time_to_loss(replicas, mean, repair)
    assert found == pytest.approx(solved, rel=1e-4)
    if replicas == 2:
        assert found == pytest.approx((3 * mean * repair + mean**2) / (2 * repair))
    assert storage.mean_time_to_loss(replicas, mean, repair, blocks=10) == pytest.approx(found / 10)


# --- caches -----------------------------------------------------------------------------------
@pytest.mark.parametrize("exponent, slots", [(0.0, 50), (0.7, 50), (1.0, 20), (1.0, 200), (1.4, 100)])
def test_hit_rates_are_those_of_a_simulated_cache(exponent, slots):
    popularity = storage.zipf_popularity(500, exponent)
    drawn = np.random.default_rng(3).choice(500, size=60_000, p=popularity).tolist()
    warm = storage.lru_hits(drawn[:20_000], slots)
    measured = (storage.lru_hits(drawn, slots) - warm) / 40_000
    assert storage.lru_hit_rate(popularity, slots) == pytest.approx(measured, abs=0.012)


@given(st.lists(st.integers(0, 9), max_size=80), st.integers(0, 11))
def test_lru_hits_match_reuse_distance(requests, slots):
    """Mattson 1970: a request hits if fewer other objects than the capacity were requested since its last use."""
    hits = 0
    for place, name in enumerate(requests):
        before = [other for other in range(place) if requests[other] == name]
        hits += bool(before) and len(set(requests[before[-1] + 1 : place])) < slots
    assert storage.lru_hits(requests, slots) == hits


def test_hit_rates_at_the_ends():
    popularity = storage.zipf_popularity(10)
    assert storage.lru_hit_rate(popularity, 0) == 0.0 and storage.lru_hit_rate(popularity, 10) == 1.0
    assert storage.lru_hit_rate(storage.zipf_popularity(1000, 0), 250) == pytest.approx(0.25, abs=1e-9)
    rates = [storage.lru_hit_rate(popularity, slots) for slots in range(11)]
    assert rates == sorted(rates)


@given(st.floats(0, 1), st.floats(1e6, 1e12), st.floats(1e6, 1e12))
def test_mixed_rates_lie_between_their_parts(share, one, other):
    rate = storage.cached_rate(share, one, other)
    assert min(one, other) * (1 - 1e-9) <= rate <= max(one, other) * (1 + 1e-9)
    slow = storage.mixed_rate(share, 4096, 100, one)
    assert slow <= one * (1 + 1e-9)
    assert 1 / slow == pytest.approx(share / 409_600 + 1 / one)


def test_request_cost_counts_cache_misses():
    """A million requests at 0.40 dollars for a million, and 0.09 dollars per GB of egress."""
    assert storage.request_cost(10**6, 0.4e-6) == pytest.approx(0.4)
    assert storage.request_cost(10**6, 0.4e-6, hit_rate=0.75) == pytest.approx(0.1)
    cost = storage.request_cost(10**6, 0.0, bytes_per_request=1e6, dollars_per_byte=0.09e-9)
    assert cost == pytest.approx(90.0)


# --- bad input -----------------------------------------------------------------------------
RATES = {"dataset_bytes": 1e9, "file_bytes": 1e6, "storage_bandwidth": 1e9, "operations_per_second": 1e4}
MIX = {"random_share": 0.5, "request_bytes": 4096, "random_reads_per_second": 100, "sequential_bandwidth": 1e8}
COST = {"requests": 1, "dollars_per_request": 1.0}


@every_row("function, good, name, value", [
    (storage.metadata_time, {"files": 1, "operations_per_second": 1}, "files", -1),
    (storage.metadata_time, {"files": 1, "operations_per_second": 1}, "operations_per_second", 0),
    (storage.metadata_time, {"files": 1, "operations_per_second": 1}, "operations_per_file", 0),
    (storage.metadata_time, {"files": 1, "operations_per_second": 1}, "servers", 0),
    (storage.listing_requests, {"files": 1, "stripe_count": 1}, "files", 0.5),
    (storage.listing_requests, {"files": 1, "stripe_count": 1}, "stripe_count", 0),
    *((storage.dataset_time, RATES, name, 0) for name in (*RATES, "operations_per_file")),
    *((storage.smallest_file, {"storage_bandwidth": 1, "operations_per_second": 1}, name, 0)
      for name in ("storage_bandwidth", "operations_per_second", "operations_per_file")),
    *((function, {"writers": 2, "writes_each": 2, "write_bytes": 2}, name, 0)
      for function in (strided_writes, segmented_writes) for name in ("writers", "writes_each", "write_bytes")),
    (lock_traffic, {"writes": []}, "granularity", 0),
    (lock_traffic, {"writes": []}, "policy", "greedy"),
    (lock_traffic, {}, "writes", [(0, 1)]),
    (lock_traffic, {}, "writes", [3]),
    *((storage.token_ping_pong, {"writes_each": 2, "record_bytes": 2, "block_bytes": 2}, name, 0)
      for name in ("writes_each", "record_bytes", "block_bytes")),
    *((storage.lock_time, {"revocations": 1, "round_trip_seconds": 1, "flushed_bytes": 1, "bandwidth_one_way": 1}, name, -1)
      for name in ("revocations", "round_trip_seconds", "flushed_bytes", "bandwidth_one_way")),
    *((storage.loss_chance, {"nodes": 5, "failed": 2, "blocks": 3}, name, -1)
      for name in ("nodes", "failed", "blocks", "replicas")),
    (storage.loss_chance, {"nodes": 5, "failed": 2, "blocks": 3}, "failed", 6),
    (storage.loss_chance, {"nodes": 5, "failed": 2, "blocks": 3}, "replicas", 6),
    *((storage.mean_time_to_loss, {"replicas": 3, "node_mtbf": 1e6, "repair_seconds": 1}, name, 0)
      for name in ("replicas", "node_mtbf", "repair_seconds", "blocks")),
    (storage.zipf_popularity, {"objects": 3}, "objects", 0),
    (storage.zipf_popularity, {"objects": 3}, "exponent", -1),
    (storage.lru_hits, {"requests": []}, "slots", -1),
    (storage.lru_hit_rate, {"slots": 1}, "popularity", [0.5, 0.6]),
    (storage.lru_hit_rate, {"popularity": [0.5, 0.5]}, "slots", -1),
    *((storage.cached_rate, {"hit_rate": 0.5, "cache_bandwidth": 1, "store_bandwidth": 1}, name, -1)
      for name in ("hit_rate", "cache_bandwidth", "store_bandwidth")),
    (storage.cached_rate, {"cache_bandwidth": 1, "store_bandwidth": 1}, "hit_rate", 1.5),
    *((storage.request_cost, COST, name, -1)
      for name in (*COST, "hit_rate", "bytes_per_request", "dollars_per_byte")),
    *((storage.mixed_rate, MIX, name, -1) for name in MIX),
    (storage.mixed_rate, MIX, "random_share", 1.1),
])  # fmt: skip
def test_bad_arguments_are_named(function, good, name, value):
    with pytest.raises(ValueError, match=f"^{name}"):
        function(**(good | {name: value}))


def test_writes_without_bytes_and_other_layouts_are_refused():
    with pytest.raises(ValueError, match="length must be at least 1"):
        lock_traffic([(0, 0, 0)])
    with pytest.raises(TypeError, match="layout must be a StripeLayout or None"):
        lock_traffic([], layout=4)
    with pytest.raises(TypeError, match="nodes must be a single whole number"):
        storage.loss_chance([5, 6], 1, 1)
