"""Columns of designs against single evaluations."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chip2cluster import capstone, specs
from tests.models.capstone_designs import NAMES, SCENARIO, SOME, all_outcomes, runs


@SOME
@given(number=st.integers(min_value=0))
def test_evaluate_many_matches_evaluate(number):
    found = all_outcomes()
    number %= len(found)
    one = capstone.evaluate(found.designs[number], SCENARIO, nearest=False)
    assert one.fits == found.fits[number] and one.meets == found.meets[number]
    for name in NAMES:
        assert getattr(one, name) == pytest.approx(getattr(found, name)[number], rel=1e-12), name
    margins = {constraint.name: constraint.margin for constraint in one.constraints}
    assert margins == pytest.approx({name: margin[number] for name, margin in found.margins.items()}, abs=1e-9)


@SOME
@given(runs())
def test_evaluate_many_matches_evaluate_for_random_designs(both):
    design, scenario = both
    one = capstone.evaluate(design, scenario, nearest=False)
    many = capstone.evaluate_many(capstone.designs_of([design, design]), scenario)
    assert one.fits == many.fits[0] == many.fits[1]
    for name in NAMES:
        assert getattr(one, name) == pytest.approx(getattr(many, name)[1], rel=1e-12, nan_ok=True), name
    assert many.designs[0] == design


def test_grid_errors_name_the_argument():
    with pytest.raises(ValueError, match="no combination"):
        capstone.grid(SCENARIO, chips=["H100 SXM"], nodes=[3], tensor=[5])
    with pytest.raises(TypeError, match="chips"):
        capstone.grid(SCENARIO, chips="H100 SXM")
    with pytest.raises(ValueError, match="oversubscription"):
        capstone.grid(SCENARIO, chips=["H100 SXM"], nodes=[2], oversubscriptions=[0.5])
    with pytest.raises(ValueError, match="layout"):
        capstone.designs_of([capstone.Design(chip="H100 SXM", nodes=2)])
    with pytest.raises(ValueError, match="axes"):
        capstone.frontier(all_outcomes(), ("weeks",))
    with pytest.raises(TypeError, match="axes"):
        capstone.frontier(all_outcomes(), "days")
    with pytest.raises(AttributeError, match="days"):
        _ = all_outcomes().weeks
    with pytest.raises(TypeError, match="outcomes"):
        capstone.frontier([1])
    assert all(specs.accelerator(one.name) for one in capstone.grid(SCENARIO, nodes=[8]).chips)


def test_precision_is_a_decision_of_a_design():
    """A design's precision overrides the scenario's, in one evaluation and in columns, and moves peak and kernels."""
    scenario = capstone.Scenario(model="Llama 3 70B", tokens=1e12, global_batch=1024)
    rows = capstone.grid(
        scenario, chips=["H100 SXM", "A100 SXM 80GB"], nodes=[32], pipeline=(1, 4), precisions=["bf16", "fp8", None]
    )
    found = capstone.evaluate_many(rows, scenario)
    for number in range(0, len(rows), 7):
        one = capstone.evaluate(rows[number], scenario, nearest=False)
        assert one.fits == found.fits[number]
        if one.fits:
            assert one.days == pytest.approx(found.days[number], rel=1e-12)
            wanted = capstone.evaluate(
                replace(rows[number], precision=None), replace(scenario, precision=rows[number].precision or "bf16")
            )
            assert one.days == wanted.days
    assert not any(
        found.fits[n] for n in range(len(rows)) if rows[n].chip.startswith("A100") and rows[n].precision == "fp8"
    )


def test_search_stays_among_usual_layouts_unless_told():
    scenario = capstone.Scenario(model="Llama 3.1 405B", tokens=15.6e12, global_batch=2048)
    machine = capstone.Design(chip="B200", nodes=1024)
    usual, free = (capstone.evaluate(machine, scenario, usual=usual) for usual in (True, False))
    assert usual.layout.tensor <= 8 and usual.layout.pipeline <= 16 and usual.layout.context == 1
    assert free.days < usual.days and free.layout.context > 1
    odd = capstone.evaluate(capstone.Design(chip="H100 SXM", nodes=1000), scenario)
    assert not odd.fits and "usual=False" in odd.problems[0].says  # 125 stages of one layer fit, and nobody builds them
