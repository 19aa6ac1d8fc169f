"""Verbs by their rules: what the InfiniBand specification promises a program on a reliable connection."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chip2cluster import links

SIZE = 64
SENDS = st.tuples(st.just("send"), st.binary(max_size=24))
RECEIVES = st.tuples(st.just("receive"), st.integers(0, 24))
WRITES = st.tuples(st.just("write"), st.binary(max_size=24), st.integers(0, SIZE))
READS = st.tuples(st.just("read"), st.integers(0, 24), st.integers(0, SIZE))
STEPS = st.lists(st.one_of(SENDS, RECEIVES, WRITES, READS), max_size=30)


def played(steps):
    near, far = links.connect()
    memory = bytearray(SIZE)
    key = far.register(memory)
    for kind, first, *rest in steps:
        if kind == "receive":
            far.post_receive(first)
        elif kind == "send":
            near.post_send(first)
        elif kind == "write":
            near.post_write(first, key, *rest)
        else:
            near.post_read(first, key, *rest)
    return near.poll(), far.poll(), memory


@given(STEPS)
def test_requests_complete_once_in_order_until_an_error(steps):
    near, far, _ = played(steps)
    assert all(isinstance(done, links.Completion) for done in [*near, *far])
    assert [done.operation for done in near] == [kind for kind, *_ in steps if kind != "receive"]
    ok = [done.status is links.Status.SUCCESS for done in near]
    assert ok == sorted(ok, reverse=True)
    errors = [done.status for done in near if done.status is not links.Status.SUCCESS]
    assert all(status is links.Status.FLUSHED for status in errors[1:])
    assert links.Status.FLUSHED not in errors[:1]
    assert len(far) <= sum(kind == "receive" for kind, *_ in steps)


@given(STEPS)
def test_sends_arrive_once_and_in_order(steps):
    near, far, _ = played(steps)
    sent = [step[1] for step in steps if step[0] == "send"]
    arrived = [done.data for done in far if done.status is links.Status.SUCCESS]
    delivered = sum(done.operation == "send" and done.status is links.Status.SUCCESS for done in near)
    assert arrived == sent[:delivered]


@given(st.lists(WRITES, max_size=20))
def test_rdma_writes_are_readable_without_completions(writes):
    near, far, memory = played(writes)
    expected = bytearray(SIZE)
    for done, (_, data, offset) in zip(near, writes, strict=True):
        if done.status is links.Status.SUCCESS:
            expected[offset : offset + len(data)] = data
    assert memory == expected and far == []


def test_fetch_add_counts_and_returns_the_old_value():
    near, far = links.connect()
    memory = bytearray(8)
    key = far.register(memory)
    for _ in range(300):
        near.post_fetch_add(1, key)
    assert [int.from_bytes(done.data, "little") for done in near.poll()] == list(range(300))
    assert int.from_bytes(memory, "little") == 300


def test_access_without_a_key_breaks_the_connection():
    near, far = links.connect()
    far.register(bytearray(b"secret  "))
    far.post_receive(8)
    near.post_read(8, key=77)
    assert [done.status for done in near.poll()] == [links.Status.NO_ACCESS]
    assert [done.status for done in far.poll()] == [links.Status.FLUSHED]


def test_too_long_message_is_reported_at_both_ends():
    near, far = links.connect()
    far.post_receive(3)
    near.post_send(b"four")
    near.post_send(b"then")
    assert [done.status for done in near.poll()] == [links.Status.TOO_LONG, links.Status.FLUSHED]
    assert [done.status for done in far.poll()] == [links.Status.TOO_SHORT]


def test_register_refuses_immutable_memory():
    near, _ = links.connect()
    assert isinstance(near, links.QueuePair)
    with pytest.raises(TypeError, match="bytearray"):
        near.register(b"fixed")


@given(st.integers(1, 40), st.integers(1, 12), st.integers(1, 12))
def test_connections_per_adapter_match_counted_pairs(nodes, processes, adapters):
    ends = [0] * adapters
    for process in range(processes):
        ends[process % adapters] += sum(other != 0 for other in range(nodes) for _ in range(processes))
    assert links.connections_per_adapter(nodes, processes, adapters) == max(ends)


@given(st.integers(1, 16), st.integers(1, 8), st.integers(1, 2000), st.integers(1, 10**8))
def test_largest_cluster_just_fits_the_cache(processes, adapters, state, cache):
    nodes = links.largest_cluster(processes, adapters, state, cache)
    assert links.connections_per_adapter(nodes, processes, adapters) * state <= cache
    assert links.connections_per_adapter(nodes + 1, processes, adapters) * state > cache


def test_datagram_service_has_one_queue_pair_per_process():
    assert links.connections_per_adapter([2, 1000], 8, service="UD").tolist() == [8, 8]
    with pytest.raises(ValueError, match="'RC', 'UD'"):
        links.connections_per_adapter(2, 2, service="TCP")
