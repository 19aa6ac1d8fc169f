"""Messages in pieces over several hops: played hop by hop, and the best number by trying all."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chip2cluster import links


def played(message_bytes, pieces, bandwidth, latency, hops):
    """Time of the last piece on the last hop, if a hop takes a piece once it has arrived and the hop is free."""
    arrived = [0.0] * pieces
    for _ in range(hops):
        free, ends = 0.0, []
        for there in arrived:
            free = max(free, there) + latency + message_bytes / pieces / bandwidth
            ends.append(free)
        arrived = ends
    return arrived[-1]


@settings(deadline=None)
@given(st.floats(1, 1e9), st.integers(1, 40), st.floats(1e6, 1e12), st.floats(0, 1e-3), st.integers(1, 6))
def test_pipelined_time_matches_a_simulation(size, pieces, rate, wait, hops):
    ours = links.pipelined_time(size, pieces, rate, wait, hops)
    assert ours == pytest.approx(played(size, pieces, rate, wait, hops), rel=1e-9)


@settings(deadline=None)
@given(st.floats(1, 1e8), st.floats(1e9, 1e11), st.floats(1e-6, 1e-4), st.integers(1, 5))
def test_best_pieces_minimizes_the_time(size, rate, wait, hops):
    best = links.best_pieces(size, rate, wait, hops)
    least = min(played(size, pieces, rate, wait, hops) for pieces in range(1, 3 * best + 5))
    assert links.pipelined_time(size, best, rate, wait, hops) == pytest.approx(least, rel=1e-12)


def test_best_pieces_grows_with_the_root_of_the_message():
    assert links.best_pieces(1e9, 50e9, 1e-6, hops=1) == 1
    assert [links.best_pieces(n * 100e3, 50e9, 2e-6) for n in (4, 16, 64, 400)] == [2, 4, 8, 20]


@pytest.mark.parametrize(
    "wrong, error, says",
    [
        (lambda: links.pipelined_time(1e6, 0, 1e9, 1e-6), ValueError, "pieces"),
        (lambda: links.pipelined_time(1e6, 1.5, 1e9, 1e-6), (ValueError, TypeError), "pieces"),
        (lambda: links.pipelined_time(1e6, 2, 1e9, 1e-6, hops=0), ValueError, "hops"),
        (lambda: links.pipelined_time(-1, 2, 1e9, 1e-6), ValueError, "message_bytes"),
        (lambda: links.best_pieces(1e6, 1e9, 0), ValueError, "latency"),
    ],
)
def test_invalid_arguments_are_refused(wrong, error, says):
    with pytest.raises(error, match=says):
        wrong()
