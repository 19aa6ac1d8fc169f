"""Attention of one token, against loops over numbers and invariants of any cache."""

import math

import numpy as np
import pytest

from chip2cluster import roofline


def by_hand(query, keys, values):
    """Return the result and the number of multiplications and additions besides the softmax."""
    work, scores = 0, []
    for key in keys:
        score = 0.0
        for asked, offered in zip(query, key, strict=True):
            score, work = score + asked * offered, work + 2
        scores.append(score)
    total = sum(math.exp(score) for score in scores)
    result = [0.0] * len(query)
    for score, value in zip(scores, values, strict=True):
        for place, number in enumerate(value):
            result[place], work = result[place] + math.exp(score) / total * number, work + 2
    return result, work


@pytest.fixture
def cache():
    generator = np.random.default_rng(34)
    return generator.normal(size=5), generator.normal(size=(7, 5)), generator.normal(size=(7, 5))


def test_attend_matches_loops_and_counted_flops(cache):
    result, work = by_hand(*cache)
    assert roofline.attend(*cache).result == pytest.approx(result)
    assert work == roofline.attention_decode(7, heads=1, head_dim=5).flops


def test_attend_shares_sum_to_one_in_any_order(cache):
    query, keys, values = cache
    done, turned = roofline.attend(query, keys, values), roofline.attend(query, keys[::-1], values[::-1])
    assert done.shares.sum() == pytest.approx(1) and (done.shares > 0).all()
    assert turned.result == pytest.approx(done.result)


def test_attend_tends_to_mean_and_to_best_value(cache):
    query, keys, values = cache
    assert roofline.attend(0 * query, keys, values).result == pytest.approx(values.mean(axis=0))
    best = np.argmax(keys @ query)
    assert roofline.attend(1e6 * query, keys, values).result == pytest.approx(values[best])


@pytest.mark.parametrize("query, keys, values, says", [
    ([1, 0], [[1, 2, 3]], [[1, 2, 3]], "one shape"), ([1, 0], [[1, 2]], [[1, 2], [3, 4]], "one shape"),
    ([], np.zeros((0, 0)), np.zeros((0, 0)), "one shape"), ([1, math.nan], [[1, 2]], [[1, 2]], "finite"),
])  # fmt: skip
def test_attend_refuses_other_shapes(query, keys, values, says):
    with pytest.raises(ValueError, match=says):
        roofline.attend(query, keys, values)
