"""capstone.evaluate against its parts, identities, published runs and lower bounds."""

import json
import re
from dataclasses import replace
from math import inf, isnan
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chip2cluster import capstone, economics, parallelism, reliability, specs, transformer, units, utilization

DAY = 86400.0
LLAMA = parallelism.Layout(tensor=8, pipeline=16, data=128, chunks=7, zero_stage=2)
SCENARIO = capstone.Scenario(model="Llama 3.1 405B", tokens=15.6e12, global_batch=2048)
DESIGN = capstone.Design(chip="H100 SXM", nodes=2048, layout=LLAMA, spares=64)
SMALL = capstone.Scenario(model="Llama 3 8B", tokens=1e12, global_batch=512)


@pytest.fixture(scope="module")
def llama():
    return capstone.evaluate(DESIGN, SCENARIO)


def test_evaluate_reproduces_published_llama_3_405b(llama):
    assert llama.fits
    assert 0.36 <= llama.mfu <= 0.45  # published: 38 to 43 %
    assert llama.goodput > 0.90
    assert round(llama.mtbf / 3600, 2) == 3.09
    assert 54 * DAY / llama.mtbf == pytest.approx(419, rel=1e-9)


def test_step_terms_add_up_and_match_their_functions(llama):
    assert sum(term.seconds for term in llama.terms) == pytest.approx(llama.step_seconds, rel=1e-12)
    assert sum(term.seconds for term in llama.run_terms) == pytest.approx(llama.seconds, rel=1e-9)
    tiers = (
        parallelism.Tier("domain", 8, 370.8e9, 2e-6),
        parallelism.Tier("network", 16384, 50e9 * 4096 / 4122, 5e-6),
    )
    config, h100 = transformer.model("Llama 3.1 405B").config, specs.accelerator("H100 SXM")
    alone = parallelism.step_time(
        config, LLAMA, h100, tiers, sequence=8192, global_batch=2048, kernel_efficiency=llama.kernel_share.share
    )
    assert llama.step_seconds == pytest.approx(alone.seconds, rel=2e-3)
    assert llama.mfu == pytest.approx(alone.mfu, rel=2e-3)
    named = {term.name: term.seconds for term in llama.terms}
    assert named["arithmetic"] == pytest.approx(alone.model_arithmetic)
    assert named["pipeline bubble"] == pytest.approx(alone.pipeline_bubble, rel=2e-3)
    stages = parallelism.memory_by_stage(config, LLAMA, 8192, 16, dropout=False)
    assert llama.memory_bytes == pytest.approx(max(stage.total for stage in stages))


def test_every_term_names_a_public_function(llama):
    import chip2cluster

    for term in (*llama.terms, *llama.run_terms):
        package, name = term.function.split(".")
        assert callable(getattr(getattr(chip2cluster, package), name)), term


def test_time_energy_and_cost_match_their_functions(llama):
    steps = 15.6e12 / (2048 * 8192)
    assert llama.work_seconds == pytest.approx(steps * llama.step_seconds)
    flops = 15.6e12 * transformer.training_flops_per_token(SCENARIO.config, 8192, "megatron")
    at = utilization.training_time_at(flops, 16384, 989.4e12, llama.mfu)
    assert llama.work_seconds == pytest.approx(at, rel=1e-6)
    assert llama.seconds == pytest.approx(llama.work_seconds / llama.goodput)
    again = reliability.expected_time(
        llama.work_seconds, llama.checkpoint_interval, llama.checkpoint_seconds, llama.restart_seconds, llama.mtbf,
        persist_seconds=llama.persist_seconds,
    )  # fmt: skip
    assert llama.seconds == pytest.approx(again / (1 - llama.waiting_share))
    drawn = economics.device_energy(16384, llama.seconds, 0.8 * 700)
    assert llama.joules == pytest.approx(economics.facility_energy(economics.node_energy(drawn, 1.6), 1.2))
    assert llama.running_dollars == pytest.approx(llama.joules / 3.6e6 * 0.10)
    written_off = llama.capital_dollars * llama.seconds / (4 * 365 * DAY)
    assert llama.dollars == pytest.approx(llama.running_dollars + written_off)
    assert llama.kg_by_location == pytest.approx(llama.joules / 3.6e6 * 0.4)


def test_bill_is_electricity_and_share_of_depreciation(llama):
    written_off = llama.capital_dollars * llama.seconds / (4 * 365 * DAY)
    assert llama.bill["electricity"] == pytest.approx(llama.joules / 3.6e6 * 0.10)
    assert llama.bill["depreciation"] == pytest.approx(written_off)
    assert sum(llama.bill.values()) == pytest.approx(llama.dollars)


def test_copy_lies_on_devices_that_share_a_sequence(llama):
    assert llama.nodes_per_copy == 8 * 16 // 8  # Llama 3 405B: TP 8 by PP 16 on nodes of 8 GPUs
    placed = replace(LLAMA, chunks=1, zero_stage=3)
    assert capstone.evaluate(replace(DESIGN, layout=placed), SCENARIO).nodes_per_copy == 2048
    small = capstone.Design(chip="H100 SXM", nodes=2, layout=parallelism.Layout(data=16, zero_stage=1))
    assert capstone.evaluate(small, SMALL).nodes_per_copy == 1  # a copy smaller than a node
    with pytest.raises(ValueError, match="layout is not known"):
        capstone.evaluate(capstone.Design(chip="H100 SXM", nodes=1), SCENARIO).nodes_per_copy  # noqa: B018


def test_interval_contains_value_and_failures_widen_days(llama):
    for name in ("days", "mfu", "goodput", "dollars", "joules", "step_seconds"):
        low, high = llama.interval(name)
        assert low < getattr(llama, name) < high, name
    low, high = llama.interval("capital_dollars")
    assert low == high == llama.capital_dollars
    with pytest.raises(ValueError, match="days"):
        llama.interval("weeks")
    short = capstone.evaluate(DESIGN, replace(SCENARIO, tokens=1e11))
    spread = [high / low for low, high in (short.interval("seconds"), llama.interval("seconds"))]
    assert spread[0] > spread[1] > llama.kernel_share.spread**2 * 0.999  # random failures average out over a long run


@pytest.mark.parametrize(("interval", "spares"), [(None, 64), (7200.0, 64)])
def test_interval_matches_spread_of_simulated_runs(interval, spares):
    short = replace(SCENARIO, tokens=8e12)
    out = capstone.evaluate(replace(DESIGN, spares=spares, checkpoint_interval=interval), short)
    plan = reliability.RunPlan(
        out.work_seconds, out.checkpoint_interval, out.checkpoint_seconds, out.restart_seconds,
        node_mtbf=short.failures.node_mtbf, nodes=2048, spares=spares, repair_seconds=short.failures.repair_seconds,
        persist_seconds=out.persist_seconds,
    )  # fmt: skip
    seconds = reliability.simulate(plan, 1000, seed=5).seconds
    assert out.seconds == pytest.approx(seconds.mean(), rel=5e-3)
    low, high = np.percentile(seconds, [10, 90])
    certain = replace(out, kernel_share=replace(out.kernel_share, spread=1.0))
    mine = certain.interval("seconds")
    assert mine[1] / mine[0] - 1 == pytest.approx(high / low - 1, rel=0.25)


def test_missing_layout_becomes_the_fastest_that_fits():
    out = capstone.evaluate(capstone.Design(chip="H100 SXM", nodes=16, spares=1), SMALL)
    assert out.fits and out.layout.devices == 128
    chip, config = specs.accelerator("H100 SXM"), SMALL.config
    tiers = parallelism.Tier("domain", 8, 370.8e9, 2e-6), parallelism.Tier("network", 128, 49.68e9, 5e-6)
    others = parallelism.layouts(
        config, 128, 512, chip, tiers, sequence=8192, recomputes=("none", "selective", "full"), zero_stages=(1, 3),
        contexts=(1,), kernel_efficiency=out.kernel_share.share,
    )  # fmt: skip
    fastest = next(one.step_seconds for one in others if one.fits and one.layout.tensor <= 8)
    assert out.step_seconds <= fastest * 1.001


@pytest.mark.parametrize(
    ("layout", "rule"),
    [
        (parallelism.Layout(tensor=8, pipeline=16, data=64), "layout"),
        (parallelism.Layout(tensor=16, pipeline=1024, data=1), "layout"),
        (parallelism.Layout(tensor=8, pipeline=2, data=1024), "memory"),
        (parallelism.Layout(tensor=8, pipeline=16, data=128, chunks=7, recompute="none"), "memory"),
    ],
)
def test_infeasible_design_names_rule_and_nearest_design(layout, rule):
    out = capstone.evaluate(replace(DESIGN, layout=layout), SCENARIO)
    assert not out.fits and not out.meets
    assert out.problems[0].rule == rule and out.problems[0].says
    nearest = out.problems[0].nearest
    assert nearest.nodes == 2048
    assert capstone.evaluate(nearest, SCENARIO).fits
    assert capstone.evaluate(replace(DESIGN, layout=layout), SCENARIO, nearest=False).problems[0].nearest is None


def test_search_tries_dualpipe_with_expert_parallelism():
    scenario = capstone.Scenario(
        model="DeepSeek-V3", tokens=14.8e12, global_batch=15360, precision="fp8", sequence=4096, watts_per_chip=700.0
    )
    machine = capstone.Design(chip="H800", nodes=256)
    out = capstone.evaluate(machine, scenario, usual=False)
    assert out.fits and out.layout.schedule == "dualpipe" and out.layout.expert > 1
    for stages in (8, 16, 32):
        for expert in (8, 64):
            for schedule in (None, "dualpipe"):
                layout = parallelism.Layout(
                    pipeline=stages, data=2048 // stages, expert=expert, zero_stage=1, recompute="full", schedule=schedule
                )  # fmt: skip
                if not layout.problems(scenario.config, scenario.global_batch):
                    other = capstone.evaluate(replace(machine, layout=layout), scenario, nearest=False)
                    assert not other.fits or other.step_seconds >= out.step_seconds


@pytest.mark.parametrize("nodes", [1500, 513])
def test_uneven_machine_is_answered_with_valid_nodes(nodes):
    """The batch is given by the training run: the reader can change the nodes."""
    scenario = capstone.Scenario(model="Llama 3.1 405B", tokens=15.6e12, global_batch=2048, precision="fp8")
    machine = capstone.Design(chip="B200", nodes=nodes)
    (problem,) = capstone.evaluate(machine, scenario).problems
    assert "global_batch" not in problem.says
    able = [int(text.replace(",", "")) for text in re.search(r"; (.+) nodes can$", problem.says)[1].split(" or ")]
    assert all(abs(count / nodes - 1) < 0.35 for count in able)
    assert all(capstone.evaluate(replace(machine, nodes=count), scenario).fits for count in able)


def test_uneven_batch_is_answered_with_a_valid_batch():
    """One sequence a step divides over no machine of such nodes."""
    batch = 1
    scenario = capstone.Scenario(model="Llama 3 70B", tokens=1e12, global_batch=batch)
    machine = capstone.Design(chip="H100 SXM", nodes=125)
    (problem,) = capstone.evaluate(machine, scenario).problems
    named = int(re.search(r"global_batch=(\d+) can", problem.says)[1])
    assert capstone.evaluate(machine, replace(scenario, global_batch=named)).fits


def test_larger_machine_is_named_if_nothing_fits():
    out = capstone.evaluate(capstone.Design(chip="H100 SXM", nodes=4), SCENARIO)
    assert out.problems[0].rule == "memory" and isnan(out.days) and out.layout is None
    larger = out.problems[0].nearest
    assert larger.nodes > 4 and capstone.evaluate(larger, SCENARIO).fits


def test_precision_and_checkpoint_interval_problems():
    out = capstone.evaluate(capstone.Design(chip="A100 SXM 80GB", nodes=16), replace(SMALL, precision="fp8"))
    assert out.problems[0].rule == "precision" and "bf16" in out.problems[0].says
    assert capstone.evaluate(out.problems[0].nearest, replace(SMALL, precision="fp8")).fits
    slow = capstone.Design(chip="H100 SXM", nodes=16, storage_bytes_per_second=1e8, checkpoint_interval=60.0)
    out = capstone.evaluate(slow, SMALL)
    assert [one.rule for one in out.problems] == ["checkpoint"]
    assert capstone.evaluate(out.problems[0].nearest, SMALL).fits


def test_limits_become_constraints_with_margins():
    scenario = replace(SMALL, deadline_seconds=9 * DAY, capital_dollars=1e9, watts=1e6)
    out = capstone.evaluate(capstone.Design(chip="H100 SXM", nodes=16, spares=None), scenario)
    found = {one.name: one for one in out.constraints}
    assert set(found) == {"memory_bytes", "deadline_seconds", "capital_dollars", "watts"}
    assert not found["deadline_seconds"].met and found["deadline_seconds"].binds and not out.meets
    assert found["capital_dollars"].met and not found["capital_dollars"].binds
    late = found["deadline_seconds"]
    assert late.margin == pytest.approx((9 * DAY - out.seconds) / (9 * DAY))


def test_waiting_share_falls_with_spares():
    spent = [
        capstone.evaluate(capstone.Design(chip="H100 SXM", nodes=16, spares=spares), SMALL).seconds
        for spares in (0, 1, 2, 8, None)
    ]
    assert spent == sorted(spent, reverse=True) and spent[0] > spent[-1]


def test_design_and_scenario_errors_name_the_argument():
    for wrong in (
        {"nodes": 0},
        {"nodes": 1.5},
        {"oversubscription": 0.5},
        {"layout": "fast"},
        {"spares": -1},
        {"chip": 3},
    ):
        with pytest.raises((ValueError, TypeError), match="name" if "chip" in wrong else next(iter(wrong))):
            capstone.Design(**{"chip": "H100 SXM", "nodes": 16, **wrong})
    for wrong in ({"model": 3}, {"tokens": 0}, {"global_batch": 2.5}, {"precision": "bf17"}, {"pue": 0.9}, {"watts": -1},
                  {"dollars": float("nan")}, {"prices": 3}, {"kernel_share": 1.2}):  # fmt: skip
        with pytest.raises((ValueError, TypeError), match=next(iter(wrong))):
            capstone.Scenario(**{"model": "Llama 3 8B", "tokens": 1e12, "global_batch": 512, **wrong})
    with pytest.raises(ValueError, match="price"):
        capstone.evaluate(capstone.Design(chip="V100 SXM2", nodes=16), replace(SMALL, precision="fp16"))
    with pytest.raises(ValueError, match="watts_per_chip"):
        capstone.evaluate(capstone.Design(chip="TPU v4", nodes=16), SMALL)
    with pytest.raises(TypeError, match="design"):
        capstone.evaluate("H100", SMALL)


def test_custom_chip_needs_a_price():
    mine = specs.own("Mine", memory="96 GB", memory_bandwidth="4 TB/s", dense={"bf16": "500 TFLOP/s"}, power="500 W",
                     scale_up_one_way="300 GB/s")  # fmt: skip
    scenario = replace(SMALL, prices=capstone.Prices(chips={"Mine": 12e3}))
    out = capstone.evaluate(capstone.Design(chip=mine, nodes=16, spares=None), scenario)
    assert out.fits and out.kernel_share.spread > capstone.kernel_share(specs.accelerator("H100 SXM")).spread


def test_infinite_limit_is_no_limit():
    assert (
        SMALL.watts == inf
        and len(capstone.evaluate(capstone.Design(chip="H100 SXM", nodes=16), SMALL).constraints) == 1
    )


CHIPS = ("H100 SXM", "A100 SXM 40GB", "L40S", "MI300X", "TPU v4", "V100 SXM2")
PRICED = capstone.Prices(chips=dict.fromkeys(CHIPS, 1e4))


@settings(max_examples=25, deadline=None)
@given(st.data())
def test_any_design_has_outcome_and_nearest_can_run(data):
    def draw(*choices):
        return data.draw(st.sampled_from(choices))

    groups = draw({}, {"group_nodes": 5, "group_mtbf": 1e6})
    scenario = capstone.Scenario(
        model=draw("Llama 3 8B", "GPT-2 124M", "Mixtral 8x7B", "Megatron 175B"), tokens=draw(1e8, 1e13),
        global_batch=draw(1, 7, 100, 512), sequence=draw(1, 100, 2048, 32768), precision=draw("bf16", "fp8"),
        watts_per_chip=300.0, prices=PRICED,
        failures=capstone.FailureRates(node_mtbf=draw(1e4, 1e7), repair_seconds=draw(60.0, 1e6), **groups),
    )  # fmt: skip
    layout = draw(
        None, parallelism.Layout(), parallelism.Layout(tensor=8, data=4), parallelism.Layout(tensor=3, pipeline=5, chunks=2),
        parallelism.Layout(pipeline=2, data=2, schedule="dualpipe"), parallelism.Layout(data=8, expert=8, zero_stage=3),
    )  # fmt: skip
    design = capstone.Design(
        chip=draw(*CHIPS), nodes=draw(1, 3, 4, 32), chips_per_node=draw(1, 8), domain=draw(1, 8, 72), layout=layout,
        storage_bytes_per_second=draw(1e7, 1e11), checkpoint_interval=draw(None, 1.0, 1e7), asynchronous=draw(True, False),
        spares=draw(None, 0, 3), leaf_nodes=draw(None, 1, 32),
    )  # fmt: skip
    out = capstone.evaluate(design, scenario)
    for problem in out.problems:
        assert problem.says
        assert problem.nearest is None or capstone.evaluate(problem.nearest, scenario, nearest=False).fits
    if out.fits:
        assert 0 < out.mfu <= 1 and 0 < out.goodput <= 1
        for name in ("days", "dollars", "mfu", "joules"):
            low, high = out.interval(name)
            assert 0 < low <= getattr(out, name) <= high < inf


def test_limits_have_labels_and_try_out_prints_them(capsys):
    """The cell of chapter 16 names both prices and each limit in words."""
    page = json.loads((Path(__file__).resolve().parents[2] / "course/16_design.ipynb").read_text(encoding="utf-8"))
    source = next(text for cell in page["cells"] if "def try_out(" in (text := "".join(cell["source"])))
    scenario = capstone.Scenario(
        model="Llama 3 8B", tokens=1e12, global_batch=512, capital_dollars=1e9, dollars=1e9, watts=1e9,
        deadline_seconds=60 * 86400, kg_co2=1e9,
    )  # fmt: skip
    names = {"capstone": capstone, "units": units, "asked": scenario}
    exec(source, names)
    names["try_out"](chip="H100 SXM", nodes=16, spares=1)
    printed = capsys.readouterr().out
    assert re.match(
        r"[\d.]+ days \(\d+ to \d+\); the run costs [\d.]+ million dollars, the machine \d+ million; MFU", printed
    )
    for label in ("memory of a chip", "price of the machine", "cost of the run", "power", "deadline", "carbon"):
        assert re.search(rf"^ *{label}: +\d+% of the limit", printed, re.MULTILINE), printed
    assert "_" not in printed
