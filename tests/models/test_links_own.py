"""A link of the reader's own, and where two methods take equally long."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chip2cluster import links
from tests.tables import every_row


def test_own_accepts_text_and_base_units():
    assert links.own("100 Gb/s", "20 µs") == links.own(12.5e9, 20e-6)
    assert links.own("12 GB/s", "1.5 ms", "lab").half_bandwidth_bytes == pytest.approx(18e6)


@every_row(
    ("rate", "latency", "name", "message"),
    [
        ("100", "20 µs", "x", "bandwidth_one_way"),
        ("100 GB", "20 µs", "x", "bandwidth_one_way"),
        ("100 Gb/s", "20 GB", "x", "latency"),
        (0, 1e-6, "x", "bandwidth_one_way must be greater than zero"),
        (1e9, -1e-6, "x", "latency must be greater than zero"),
        (1e9, 1e-6, "  ", "name must be a text that is not empty, got '  '"),
    ],
)
def test_own_refuses_invalid_arguments(rate, latency, name, message):
    with pytest.raises(ValueError, match=message):
        links.own(rate, latency, name)


@given(st.floats(1e-7, 1e-4), st.floats(1e8, 1e12), st.floats(1.01, 100), st.floats(1.01, 100))
def test_break_even_size_gives_equal_times(latency, rate, later, faster):
    size = links.break_even_size(latency, rate, later * latency, faster * rate)
    one = links.transfer_time(size, rate, latency)
    assert one == pytest.approx(links.transfer_time(size, faster * rate, later * latency))
    assert links.transfer_time(size / 2, rate, latency) < links.transfer_time(size / 2, faster * rate, later * latency)


def test_break_even_size_refuses_a_dominating_method():
    with pytest.raises(ValueError, match="^latency and bandwidth_one_way must both be smaller"):
        links.break_even_size(1e-6, 2e9, 2e-6, 1e9)
    with pytest.raises(ValueError, match="^latency and bandwidth_one_way must both be smaller"):
        links.break_even_size(np.array([1e-6, 3e-6]), 1e9, 2e-6, 2e9)
