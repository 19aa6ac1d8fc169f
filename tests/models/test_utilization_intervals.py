"""Intervals of products: brute force over all corners, and what knowing one input takes away."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chip2cluster.utilization import interval_shares, product_interval
from tests.tables import every_row

INPUT = st.tuples(st.floats(1e-3, 1e6), st.floats(1, 20), st.sampled_from([-2, -1, 0, 1, 2]))


@settings(deadline=None)
@given(st.lists(INPUT, min_size=1, max_size=5), st.floats(1e-3, 1e3))
def test_no_corner_lies_outside_and_two_lie_on_the_ends(inputs, factor):
    low, spread, powers = (np.array(column, float) for column in zip(*inputs, strict=True))
    high = low * spread
    values = [
        factor * np.prod([(high if up else low)[i] ** powers[i] for i, up in enumerate(corner)])
        for corner in itertools.product((False, True), repeat=len(inputs))
    ]
    assert product_interval(factor, low, high, powers) == pytest.approx((min(values), max(values)), rel=1e-9)


@settings(deadline=None)
@given(st.lists(INPUT, min_size=2, max_size=5))
def test_interval_share_is_what_a_measurement_removes(inputs):
    low, spread, powers = (np.array(column, float) for column in zip(*inputs, strict=True))
    high = low * spread
    ends = product_interval(1.0, low, high, powers)
    shares = interval_shares(low, high, powers)
    whole = np.log(ends[1] / ends[0])
    assert shares.sum() == pytest.approx(1 if whole > 1e-12 else 0, abs=1e-9) or whole < 1e-9
    for known in range(len(inputs)):
        narrower = high.copy()
        narrower[known] = low[known]
        left = product_interval(1.0, low, narrower, powers)
        assert np.log(left[1] / left[0]) == pytest.approx(whole * (1 - shares[known]), abs=1e-9)


def test_known_inputs_give_a_point():
    assert product_interval(2.0, [3.0, 4.0], [3.0, 4.0], [1, -1]) == (1.5, 1.5)
    assert interval_shares([3.0], [3.0], [1]).tolist() == [0]


@every_row(
    "arguments, error, says",
    [
        ((1, [1, 2], [2, 1], [1, 1]), ValueError, "high must not be below low"),
        ((1, [1, 2], [2, 3], [1]), ValueError, "one length"),
        ((1, [0, 2], [2, 3], [1, 1]), ValueError, "low must be greater than zero"),
        ((0, [1], [2], [1]), ValueError, "factor"),
        ((1, [1], [2], [float("nan")]), ValueError, "powers"),
        ((1, ["a"], [2], [1]), TypeError, "low"),
    ],
)
def test_bad_input_is_named(arguments, error, says):
    with pytest.raises(error, match=says):
        product_interval(*arguments)
