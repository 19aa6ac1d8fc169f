"""The frontier against pairwise comparison, the best design, and the limit that binds."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chip2cluster import capstone
from tests.models.capstone_designs import CHIPS, DAY, SCENARIO, SOME, all_outcomes


def _outcomes(points):
    """Outcomes with given days and dollars."""
    found = all_outcomes()
    many = len(points)
    numbers = {name: np.ones(many) for name in found.numbers}
    numbers |= {"seconds": points[:, 0] * DAY, "dollars": points[:, 1], "mfu": points[:, 2]}
    yes = np.ones(many, dtype=bool)
    columns = {name: column[:many] for name, column in found.designs.columns.items()}
    return replace(found, designs=replace(found.designs, columns=columns), fits=yes, meets=yes, numbers=numbers)


def _beats(one, other, more):
    as_good = all((a >= b) if up else (a <= b) for a, b, up in zip(one, other, more, strict=True))
    return as_good and tuple(one) != tuple(other)


@SOME
@given(
    st.lists(st.tuples(st.integers(1, 12), st.integers(1, 12), st.integers(1, 4)), min_size=1, max_size=40),
    st.sampled_from((("days", "dollars"), ("dollars",), ("days", "mfu"), ("days", "dollars", "mfu"))),
)
def test_frontier_matches_pairwise_comparison(rows, axes):
    points = np.array(rows, dtype=float)
    found = _outcomes(points)
    values = np.column_stack([getattr(found, name) for name in axes])
    more = [name == "mfu" for name in axes]
    expected = {i for i, one in enumerate(values) if not any(_beats(other, one, more) for other in values)}
    front = capstone.frontier(found, axes)
    assert set(front.tolist()) == expected
    away = capstone.distance(found, found, axes)
    assert all((step <= 1e-12) == (not _strictly(values, i, more)) for i, step in enumerate(away))
    for number, step in enumerate(away):  # improved by that much, no design is better on all axes; by less, one is
        nearly = _better(values[number], (1 + step) * (1 + 1e-9) - 1, more)
        assert not any(_all_better(other, nearly, more) for other in values)
        if step > 1e-9:
            less = _better(values[number], step * 0.999, more)
            assert any(_all_better(other, less, more) for other in values)


def _better(point, step, more):
    return [value * (1 + step) if up else value / (1 + step) for value, up in zip(point, more, strict=True)]


def _all_better(one, other, more):
    return all((a > b) if up else (a < b) for a, b, up in zip(one, other, more, strict=True))


def _strictly(values, number, more):
    return any(_all_better(other, values[number], more) for other in values)


def test_frontier_has_cheap_slow_and_expensive_fast_designs():
    found = all_outcomes()
    front = capstone.frontier(found)
    assert found.meets[front].all()
    assert found.days[front].min() == found.days[found.meets].min()
    assert found.dollars[front].min() == found.dollars[found.meets].min()
    assert (np.diff(found.days[front]) >= 0).all() and (np.diff(found.dollars[front]) <= 0).all()
    for number in (front[0], front[-1]):
        assert capstone.distance(found.outcome(number), found) == 0.0
    expensive = int(np.where(found.meets, found.dollars, -1).argmax())
    assert capstone.distance(found.outcome(expensive), found) > 0.1


def test_best_meets_all_limits():
    out = capstone.best(SCENARIO, chips=CHIPS, nodes=[4, 8, 16])
    found = capstone.evaluate_many(capstone.grid(SCENARIO, chips=CHIPS, nodes=[4, 8, 16]), SCENARIO)
    assert out.meets and out.days == pytest.approx(found.days[found.meets].min(), rel=1e-12)
    assert capstone.best(SCENARIO, "mfu", chips=CHIPS, nodes=[4, 8, 16]).mfu == pytest.approx(
        found.mfu[found.meets].max()
    )


def test_binding_names_limit_and_violation():
    tight = replace(SCENARIO, deadline_seconds=2 * DAY, watts=100e3)
    with pytest.raises(capstone.NoDesign, match="the power|the deadline"):
        capstone.best(tight, chips=["H100 SXM"], nodes=[4, 8, 16, 32])
    found = capstone.evaluate_many(capstone.grid(tight, chips=["H100 SXM"], nodes=[4, 8, 16, 32]), tight)
    why = capstone.binding(found)
    assert why.limit in ("watts", "deadline_seconds") and why.by > 0
    broken = capstone.evaluate(why.nearest, tight)
    assert max(-one.margin for one in broken.constraints) == pytest.approx(why.by)
    for limit, by in why.alone.items():  # relaxed by that much, a design is feasible; by a little less, none
        if np.isfinite(by):
            for slack, meets in ((1.001, True), (0.999, False)):
                eased = replace(tight, **{limit: getattr(tight, limit) * (1 + by * slack)})
                assert capstone.evaluate_many(found.designs, eased).meets.any() == meets
    assert capstone.binding(all_outcomes()).limit is None
    assert capstone.binding(tight, chips=["H100 SXM"], nodes=[4, 8, 16, 32]) == why
    with pytest.raises(TypeError, match="choices"):
        capstone.binding(found, nodes=[4])
    large = capstone.Scenario(model="Llama 3.1 405B", tokens=1e12, global_batch=512)
    none = capstone.binding(capstone.evaluate_many(capstone.grid(large, chips=["H100 SXM"], nodes=[1, 2]), large))
    assert none.limit == "memory_bytes" and "memory" in none.says and none.nearest is not None


def test_bounds_rule_out_chips():
    large = capstone.Scenario(model="Llama 3.1 405B", tokens=15e12, global_batch=2048, watts=100e3)
    least = capstone.bounds(large, "H100 SXM")
    assert least.chips_for_memory == -(-16 * 405853388800 // (81559 * 2**20)) and "the power" in least.rules_out
    late = capstone.bounds(replace(large, watts=1e7, deadline_seconds=DAY), "H100 SXM")
    assert "deadline" in late.rules_out
    assert capstone.bounds(replace(large, watts=float("inf"), dollars=1.0), "H100 SXM").rules_out
    assert capstone.bounds(replace(large, watts=float("inf")), "H100 SXM").rules_out == ""
