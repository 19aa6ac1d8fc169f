"""LogGP against messages sent one by one, and against an adapter that was measured."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chip2cluster import links
from tests.tables import every_row

TIMES = st.integers(0, 50)  # whole ticks, so that the simulated messages meet exactly


def sent_one_by_one(messages, sending, latency, overhead, gap, window):
    """Simulate each message: its start, the end of its bytes, and the arrival of its reply."""
    ready = processor = adapter = wire = 0
    answered, done = [], 0
    for number in range(messages):
        granted = answered[number - window] if window and number >= window else 0
        start = max(processor, adapter, wire, granted, ready)
        processor, adapter, wire = start + overhead, start + gap, start + sending
        answered.append(start + sending + 2 * latency)
        done = start + 2 * overhead + sending + latency
    return done


@given(st.integers(1, 60), st.integers(1, 40), TIMES, TIMES, TIMES, st.none() | st.integers(1, 12))
def test_stream_time_matches_simulated_messages(messages, sending, latency, overhead, gap, window):
    ours = links.stream_time(messages, sending, 1.0, latency, overhead, gap, window=window)
    assert ours == pytest.approx(sent_one_by_one(messages, sending, latency, overhead, gap, window))


@given(st.integers(1, 40), TIMES, TIMES, TIMES)
def test_messages_in_flight_are_just_enough(sending, latency, overhead, gap):
    wire = {"message_bytes": sending, "bandwidth_one_way": 1.0, "latency": latency, "overhead": overhead, "gap": gap}
    enough = links.messages_in_flight(**wire)
    assert links.stream_time(500, **wire, window=enough) == pytest.approx(links.stream_time(500, **wire))
    if enough > 1:
        assert links.stream_time(500, **wire, window=enough - 1) > links.stream_time(500, **wire)


def test_loggp_time_is_alpha_beta_with_alpha_l_plus_2o():
    sizes = np.array([0.0, 8, 1e4, 1e9])
    ours = links.loggp_time(sizes, 12.5e9, 1.2e-6, 0.3e-6)
    assert ours == pytest.approx(links.transfer_time(sizes, 12.5e9, 1.2e-6 + 2 * 0.3e-6))
    assert links.stream_time(1, sizes, 12.5e9, 1.2e-6, 0.3e-6) == pytest.approx(ours)


# linux-rdma/perftest, pull request 98: a ConnectX-5 at 100 Gb/s; bytes, Gb/s with many messages in flight.
STREAMED = [(8, 0.51), (16, 1.03), (32, 2.06), (64, 4.12), (128, 7.4), (256, 16.52), (512, 32.29), (1024, 63.6),
            (2048, 90.22), (4096, 95.92), (8192, 96.42), (16384, 96.74), (32768, 95.29), (65536, 95.36), (131072, 95.45),
            (262144, 95.49), (524288, 95.39), (1048576, 95.39), (2097152, 95.5), (4194304, 95.42), (8388608, 95.41)]  # fmt: skip
# Seconds for 64 bytes in the same table, ib_send_lat: one way, since perftest's README says that its latency
# benchmarks measure the round trip and report half of it.
ONE_BY_ONE = 1.74e-6


@every_row(("size", "measured"), STREAMED)
def test_message_interval_matches_a_measured_nic(size, measured):
    """A gap of 124 ns, from the row of 64 bytes, and the link's rate: all other rows within 6 %, except 128 bytes."""
    interval = links.message_interval(size, 11.93e9, gap=124e-9)
    assert 8 * size / interval / 1e9 == pytest.approx(measured, rel=0.12 if size == 128 else 0.06)


def test_sum_of_gap_and_link_time_is_too_long_at_2_kib():
    """If both times are similar, the sum deviates most from the measurement."""
    measured = 8 * 2048 / 90.22e9
    assert (124e-9 + 2048 / 11.93e9) / measured == pytest.approx(1.63, abs=0.005)
    assert links.message_interval(2048, 11.93e9, gap=124e-9) / measured == pytest.approx(0.95, abs=0.01)


def test_messages_in_flight_of_a_measured_nic():
    gap = 64 * 8 / 4.12e9
    assert gap == pytest.approx(124e-9, rel=0.01)
    needed = links.messages_in_flight(64, 11.93e9, ONE_BY_ONE, gap=gap)
    assert needed - 1 < (64 / 11.93e9 + 2 * ONE_BY_ONE) / gap <= needed == 29


def test_loggp_of_arrays_and_scalars_agree():
    sizes = np.array([8.0, 4096, 1e6])
    for function in (links.message_interval, lambda n, b: links.messages_in_flight(n, b, 1e-6, gap=1e-7)):
        assert [function(float(n), 12e9) for n in sizes] == pytest.approx(list(function(sizes, 12e9)))
    assert type(links.messages_in_flight(64, 12e9, 1e-6)) is int
    assert type(links.stream_time(3, 64, 12e9, 1e-6, window=2)) is float
    windows = links.stream_time(100, 64, 12e9, 1e-6, window=np.array([1, 2, 4]))
    assert windows.shape == (3,) and (np.diff(windows) < 0).all()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: links.stream_time(0, 64, 1e9, 1e-6), "messages must be at least 1, got 0"),
        (lambda: links.stream_time(1, 64, 1e9, 1e-6, window=0), "window must be at least 1, got 0"),
        (lambda: links.loggp_time(64, 1e9, -1e-6, 0), "latency must be zero or more, got -1e-06"),
        (lambda: links.messages_in_flight(0, 1e9, 1e-6), "message_bytes, overhead and gap must not all be zero"),
        (lambda: links.message_interval(64, 0), "bandwidth_one_way must be greater than zero"),
    ],
)
def test_invalid_arguments_are_refused(call, message):
    with pytest.raises(ValueError, match=f"^{message}"):
        call()
