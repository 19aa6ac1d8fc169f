"""Tables of a step, of a run and of the bounds, and the sensitivity to each number."""

import pytest

from chip2cluster import capstone
from tests.models.capstone_designs import SCENARIO


def test_tables_match_their_results():
    out = capstone.evaluate(capstone.Design(chip="H100 SXM", nodes=16, spares=1), SCENARIO)
    step, run = capstone.step_table(out), capstone.run_table(out)
    assert step["time (s)"].sum() == pytest.approx(out.step_seconds, abs=0.005)
    assert step["share (%)"].sum() == pytest.approx(100, abs=0.5) and run["time (days)"].sum() == pytest.approx(
        out.days, abs=0.005
    )
    assert step.loc["arithmetic", "share (%)"] == pytest.approx(100 * out.mfu, abs=0.05)
    least = capstone.bounds_table(SCENARIO, ["H100 SXM"])
    assert least.loc["H100 SXM", "chips, at most"] == capstone.bounds(SCENARIO, "H100 SXM").most_chips
    assert capstone.bounds_table(capstone.Scenario(model="Llama 3 8B", tokens=1e12, global_batch=512)).shape[0] > 8
    moved = capstone.sensitivity_table(out.design, SCENARIO, "dollars")
    assert list(moved["factor"]) == sorted(moved["factor"], reverse=True) and (moved["factor"] > 1).all()
    with pytest.raises(TypeError, match="outcome"):
        capstone.step_table(3)


def test_sensitivity_varies_one_number_at_a_time():
    scenario = capstone.Scenario(model="Llama 3 70B", tokens=15e12, global_batch=2048)
    design = capstone.Design(chip="H100 SXM", nodes=256, spares=8)
    now = capstone.evaluate(design, scenario)
    for of in ("days", "dollars", "kg_by_location"):
        found = capstone.sensitivity(design, scenario, of)
        assert [one.factor for one in found] == sorted((one.factor for one in found), reverse=True)
        assert {one.name for one in found} == set(capstone.ranges(design, scenario))
        for one in found:
            low, high = sorted((one.at_low, one.at_high))
            assert low <= getattr(now, of) * (1 + 1e-9) and high >= getattr(now, of) * (1 - 1e-9), one.name
    (price,) = [
        one
        for one in capstone.sensitivity(design, scenario, given={"node_mtbf": (1e6, 1e7)})
        if one.name == "node_mtbf"
    ]
    assert (price.low, price.high, price.because) == (1e6, 1e7, "given")
    with pytest.raises(ValueError, match="given"):
        capstone.sensitivity(design, scenario, given={"weather": (1, 2)})
    with pytest.raises(ValueError, match="cannot"):
        capstone.sensitivity(capstone.Design(chip="H100 SXM", nodes=1), scenario)
