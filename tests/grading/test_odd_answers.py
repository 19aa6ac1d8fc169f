"""Any return value ends in a verdict without errors, warnings or points for a wrong answer."""

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from autograder.checking.judge import grade_outcomes
from autograder.checking.outcome import value_outcome
from autograder.exercises import exercises
from chip2cluster.exercise.answers import MOST_AXES, MOST_ITEMS, UnusableAnswer, UnusableReason, normalize

SEED = 3
EXERCISES = [one.personal(one.given(SEED)) for one in exercises().values()]
EXTREME = [np.inf, -np.inf, np.nan, 1.7e308, -1.7e308, 5e-324, -0.0, 0.0, 2.0**64 - 1, 1 + 1e-9, True]
DTYPES = st.sampled_from([np.float64, np.float16, np.longdouble, np.uint64, np.int8, np.bool_, np.complex64])
DTYPES |= st.sampled_from([np.dtype("U3"), np.dtype("S3"), np.dtype("M8[s]"), np.dtype(object)])
odd = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(st.characters(exclude_categories=()), max_size=5)
    | st.sampled_from(
        [*EXTREME, 10**400, np.uint64(2**64 - 1), np.float16(6e4), np.str_("a"), np.bool_(True), 1j, b"x"]
    )
    | arrays.arrays(DTYPES, arrays.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=3), fill=st.nothing())
    | st.just(np.zeros((1,) * 33))
    | st.just(np.broadcast_to(1.0, (10**6, 10**6))),
    lambda inner: st.lists(inner, max_size=3) | st.tuples(inner, inner) | st.dictionaries(st.text(), inner, max_size=2),
    max_leaves=6,
)


def _judge(one, answers):
    cases = one.cases(SEED)
    outcomes = [value_outcome(answers[number % len(answers)]) for number in range(len(cases))]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for hidden in (True, False):
            verdict = grade_outcomes(one, cases, outcomes, hidden=hidden)
            assert verdict.message and repr(verdict) and verdict._repr_html_()
    return verdict


@given(st.sampled_from(EXERCISES), st.lists(odd, min_size=1, max_size=3))
def test_judge_gives_any_answer_a_verdict(one, answers):
    _judge(one, answers)


@given(
    st.sampled_from(EXERCISES),
    st.sampled_from(EXTREME),
    st.sampled_from(["all", "each", "times", "one", "turned", "flat"]),
)
def test_judge_gives_a_changed_answer_a_verdict(one, extreme, way):
    def spoilt(answer, number):
        if isinstance(answer, (str, list, bool)):
            return answer * 2 if isinstance(answer, list) else extreme
        array = np.array(answer, dtype=float)
        with np.errstate(all="ignore"):
            if way == "all":
                return np.full_like(array, extreme)
            if way == "each":
                return np.full_like(array, extreme) / (number + 1)
            if way == "times":
                return array * extreme
        if way == "one":
            array.flat[:1] = extreme
            return array
        return array.T if way == "turned" else np.ravel(array)

    _judge(one, [spoilt(one.expected(case), number) for number, case in enumerate(one.cases(SEED))])


def _nested(value, depth):
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize(
    "value",
    [
        "x" * (MOST_ITEMS + 1),
        ["x" * 99] * (MOST_ITEMS // 99),
        [1.0] * (MOST_ITEMS + 1),
        np.zeros(MOST_ITEMS + 1, np.int8),
        np.broadcast_to(1.0, (10**6, 10**6)),
        np.array(["x"]).repeat(MOST_ITEMS),
        [np.zeros(9)] * (MOST_ITEMS // 9 + 1),
        np.zeros((1,) * (MOST_AXES + 1)),
        [np.zeros((1,) * 64)] * 2,
        [np.zeros((1,) * MOST_AXES)] * 2,
        _nested(1.0, MOST_AXES + 1),
        _nested(1.0, 5000),
    ],
    ids=lambda value: f"{type(value).__name__}",
)
def test_oversized_answer_is_reported(value):
    with pytest.raises(UnusableAnswer) as problem:
        normalize(value)
    assert problem.value.reason is UnusableReason.TOO_MANY
    assert "more than an answer can hold" in value_outcome(value).text


def test_answer_at_the_size_limit_is_accepted():
    assert (
        normalize(np.zeros((64, MOST_ITEMS // 64), np.uint8)).size == normalize([0.0] * MOST_ITEMS).size == MOST_ITEMS
    )
    assert normalize(_nested(1.0, MOST_AXES)).ndim == MOST_AXES
    assert len(normalize("x" * (MOST_ITEMS - 1))) == MOST_ITEMS - 1


@pytest.mark.parametrize("one", EXERCISES, ids=lambda one: one.id)
def test_references_stay_far_below_the_size_limit(one):
    for case in one.cases(SEED):
        answer = normalize(one.expected(case))
        if isinstance(answer, str):  # a plan is a few lines of text
            assert len(answer) < MOST_ITEMS / 40
        else:
            assert (len(answer) if isinstance(answer, list) else np.size(answer)) < MOST_ITEMS / 100
