"""Attention of one token, against loops over plain numbers and what must hold for any cache."""

import math

import numpy as np
import pytest

from chip2cluster import roofline


def by_hand(query, keys, values):
    """The result, and the multiplications and additions that it took besides the softmax."""
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


def test_it_is_what_loops_give_and_takes_the_work_that_is_counted(cache):
    result, work = by_hand(*cache)
    assert roofline.attend(*cache).result == pytest.approx(result)
    assert work == roofline.attention_decode(7, heads=1, head_dim=5).flops


def test_shares_add_up_and_the_order_of_the_cache_does_not_matter(cache):
    query, keys, values = cache
    done, turned = roofline.attend(query, keys, values), roofline.attend(query, keys[::-1], values[::-1])
    assert done.shares.sum() == pytest.approx(1) and (done.shares > 0).all()
    assert turned.result == pytest.approx(done.result)


def test_a_query_that_prefers_nobody_gets_the_mean_and_a_huge_one_the_best(cache):
    query, keys, values = cache
    assert roofline.attend(0 * query, keys, values).result == pytest.approx(values.mean(axis=0))
    best = np.argmax(keys @ query)
    assert roofline.attend(1e6 * query, keys, values).result == pytest.approx(values[best])


@pytest.mark.parametrize("query, keys, values, says", [
    ([1, 0], [[1, 2, 3]], [[1, 2, 3]], "one shape"), ([1, 0], [[1, 2]], [[1, 2], [3, 4]], "one shape"),
    ([], np.zeros((0, 0)), np.zeros((0, 0)), "one shape"), ([1, math.nan], [[1, 2]], [[1, 2]], "finite"),
])  # fmt: skip
def test_other_shapes_are_refused(query, keys, values, says):
    with pytest.raises(ValueError, match=says):
        roofline.attend(query, keys, values)
