"""Flow control: what a queue does, against packets counted one by one and against the bounds."""

from collections import deque

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chip2cluster import links

RATE, TRIP = 50e9, 2e-6  # a port of 400 Gb/s, and what an order takes


def run(method, senders=8, buffer=1.5e6, threshold=0.8e6, duration=200e-6):
    return links.queue_run(method, senders, RATE, TRIP, buffer, threshold, duration)


def lost_packet_by_packet(senders, trip, room, pause_at, slots=600):
    """A port that sends one packet per slot; the pause takes effect ``trip`` slots later."""
    waiting, orders, paused, lost = 0, deque([False] * trip), False, 0
    for _ in range(slots):
        stopped = orders.popleft()
        waiting = max(0, waiting + (0 if stopped else senders) - 1)
        lost, waiting = lost + max(0, waiting - room), min(waiting, room)
        paused = waiting >= pause_at or (paused and waiting > pause_at // 2)
        orders.append(paused)
    return lost


@given(st.integers(2, 12), st.integers(1, 20))
def test_pause_headroom_matches_a_packet_simulation(senders, trip):
    """The queue grows by senders - 1 packets per slot, for the slots of the round trip minus the one that has begun."""
    headroom = links.pause_headroom(senders, 1.0, trip)
    room = 400
    assert lost_packet_by_packet(senders, trip, room, int(room - headroom)) == 0
    assert lost_packet_by_packet(senders, trip, room, int(room - headroom + 2 * senders)) > 0


@pytest.mark.parametrize("senders", [2, 3, 5, 8, 16])
def test_queue_run_loses_only_above_the_threshold(senders):
    room = 3e6
    threshold = links.pause_threshold(room, senders, RATE, TRIP)
    step = (senders - 1) * RATE * TRIP / 16  # what a step of the run adds
    assert run("pause", senders, room, threshold).lost_bytes == 0
    assert run("pause", senders, room, threshold + 1.5 * step).lost_bytes > 0


def test_queue_run_with_drop_loses_the_surplus():
    seconds = 200e-6
    surplus = 7 * RATE * seconds
    assert run("drop", duration=seconds).lost_bytes == pytest.approx(surplus - 1.5e6, rel=1e-9)


@given(st.integers(1, 16), st.floats(1e4, 3e6))
def test_queue_run_with_credits_loses_nothing(senders, room):
    one = links.queue_run("credits", senders, RATE, TRIP, room, room, 400e-6)
    assert one.lost_bytes == 0 and one.fullest_bytes <= room * (1 + 1e-12)
    assert one.busy_share * RATE == pytest.approx(links.credit_bandwidth(room, RATE, TRIP), rel=0.08)


@pytest.mark.parametrize("method", links.FLOW_CONTROLS)
def test_queue_run_of_one_sender_loses_nothing(method):
    alone = run(method, senders=1)
    assert alone.lost_bytes == 0 and alone.busy_share == pytest.approx(1)
    many = run(method)
    assert many.busy_share == pytest.approx(many.delivered_bytes / (RATE * 200e-6))
    assert len(many.seconds) == len(many.queue_bytes) and many.seconds[-1] == pytest.approx(200e-6)


def test_marked_queue_is_shorter_but_may_overflow():
    assert run("mark", senders=2, threshold=0.2e6).fullest_bytes < run("pause", senders=2).fullest_bytes
    assert run("mark", senders=16, threshold=0.8e6).lost_bytes > 0
    assert run("mark", senders=4, threshold=0.2e6).busy_share > 0.9


def test_late_resume_leaves_the_port_idle():
    """Sending resumes at half of the threshold; with less than a round trip's bytes in the queue the port runs empty."""
    assert run("pause", threshold=2.2 * RATE * TRIP).busy_share > 0.99
    assert run("pause", threshold=0.5 * RATE * TRIP).busy_share < 0.95


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: run("pfc"), "method must be one of 'drop', 'pause', 'mark', 'credits', got 'pfc'"),
        (lambda: run("pause", threshold=2e6), "threshold_bytes must be at most the buffer of 1500000.0 bytes, got 2000000.0"),
        (lambda: run("pause", duration=1.0), "duration must be at most 10,000 round trips"),
        (lambda: links.pause_threshold(1e5, 8, RATE, TRIP), "buffer_bytes must be at least the headroom of 7"),
        (lambda: links.pause_headroom(0, RATE, TRIP), "senders must be at least 1, got 0"),
    ],
)  # fmt: skip
def test_invalid_arguments_are_refused(call, message):
    with pytest.raises(ValueError, match=f"^{message}"):
        call()


def test_queue_run_refuses_arrays():
    with pytest.raises(TypeError, match="^senders must be a single whole number"):
        links.queue_run("pause", [2, 4], RATE, TRIP, 1e6, 5e5, 1e-4)
