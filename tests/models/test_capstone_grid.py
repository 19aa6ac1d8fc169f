"""Columns of designs against single evaluations, and the frontier against pairwise comparison."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from chip2cluster import capstone, parallelism, specs, topology, transformer

DAY = 86400.0
CHIPS = ("H100 SXM", "B200", "A100 SXM 80GB")
SCENARIO = capstone.Scenario(
    model="Llama 3 8B", tokens=1e12, global_batch=512, capital_dollars=12e6, watts=600e3, deadline_seconds=60 * DAY
)
NAMES = ("days", "dollars", "mfu", "goodput", "joules", "kg_by_location", "watts", "memory_bytes", "capital_dollars",
         "running_dollars", "step_seconds", "work_seconds", "mtbf", "checkpoint_interval")  # fmt: skip
SOME = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@cache
def _all():
    designs = capstone.grid(
        SCENARIO, chips=CHIPS, nodes=[1, 2, 8, 16, 64], nics=[25e9, 50e9], storages=[2e9, 100e9], spares=[0, 2, None],
        asynchronous=[True, False], zero_stages=[1, 3], oversubscriptions=[1, 4], leaf_nodes=[None, 4],
        checkpoint_intervals=[None, 300.0], tensor=[1, 8], pipeline=[1, 2],
    )  # fmt: skip
    return capstone.evaluate_many(designs, SCENARIO)


@SOME
@given(number=st.integers(min_value=0))
def test_evaluate_many_matches_evaluate(number):
    found = _all()
    number %= len(found)
    one = capstone.evaluate(found.designs[number], SCENARIO, nearest=False)
    assert one.fits == found.fits[number] and one.meets == found.meets[number]
    for name in NAMES:
        assert getattr(one, name) == pytest.approx(getattr(found, name)[number], rel=1e-12), name
    margins = {constraint.name: constraint.margin for constraint in one.constraints}
    assert margins == pytest.approx({name: margin[number] for name, margin in found.margins.items()}, abs=1e-9)


CONFIGS = ("Llama 3 8B", "GPT-3 175B", "Mixtral 8x7B", "Llama 2 13B")


@st.composite
def runs(draw):
    """A design with a valid layout, and a scenario."""
    name = draw(st.sampled_from(CONFIGS))
    config = transformer.model(name).config
    tensor, pipeline = draw(st.sampled_from((1, 2, 4, 8))), draw(st.sampled_from((1, 2, 4)))
    data, micro = draw(st.sampled_from((1, 2, 8, 32))), draw(st.sampled_from((1, 2)))
    batch = data * micro * pipeline * draw(st.sampled_from((1, 2, 6)))
    nodes = -(-tensor * pipeline * data // 8)
    each = tensor * pipeline * data // nodes
    expert = draw(st.sampled_from((1, 2))) if config.experts and data > 1 else 1
    layout = parallelism.Layout(
        tensor, pipeline, data, 1, expert, 1, draw(st.sampled_from((0, 1, 2, 3))), micro_batch=micro,
        recompute=draw(st.sampled_from(("none", "selective", "full"))),
    )  # fmt: skip
    failures = capstone.FailureRates(
        node_mtbf=draw(st.floats(1e5, 1e8)), repair_seconds=draw(st.floats(1e3, 1e6)), restart_seconds=draw(st.floats(10, 3600)),
        **draw(st.sampled_from(({}, {"group_nodes": 2, "group_mtbf": 1e7}))),
    )  # fmt: skip
    scenario = capstone.Scenario(
        model=name, tokens=draw(st.floats(1e9, 1e13)), global_batch=batch, failures=failures, sequence=2048,
        domain_share=draw(st.floats(0.3, 1)), network_share=draw(st.floats(0.3, 1)), storage_share=draw(st.floats(0.3, 1)),
    )  # fmt: skip
    design = capstone.Design(
        chip=draw(st.sampled_from(CHIPS)), nodes=nodes, chips_per_node=each, domain=draw(st.sampled_from((4, 8, 16))),
        nic_bytes_per_second_one_way=draw(st.floats(1e9, 1e11)), oversubscription=draw(st.floats(1, 8)),
        leaf_nodes=draw(st.sampled_from((None, 4))), storage_bytes_per_second=draw(st.floats(1e9, 1e12)), layout=layout,
        asynchronous=draw(st.booleans()), spares=draw(st.sampled_from((0, 1, 4, None))),
    )  # fmt: skip
    return design, scenario


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


@SOME
@given(runs())
def test_terms_add_up_and_bounds_hold(both):
    design, scenario = both
    out = capstone.evaluate(design, scenario, nearest=False)
    if not out.terms:
        return
    assert sum(term.seconds for term in out.terms) == pytest.approx(out.step_seconds, rel=1e-12)
    assert all(term.seconds >= 0 for term in out.terms)
    if out.run_terms:
        assert sum(term.seconds for term in out.run_terms) == pytest.approx(out.seconds, rel=1e-6)
    least = capstone.bounds(scenario, design.chip, chips_per_node=design.chips_per_node)
    assert out.dollars >= least.dollars_at_least and out.kg_by_location >= least.kg_at_least
    if out.fits:
        assert design.devices >= least.chips_for_memory
    held_to = (
        replace(scenario, capital_dollars=out.capital_dollars, watts=out.watts, deadline_seconds=out.seconds)
        if out.run_terms
        else None
    )
    if held_to:
        least = capstone.bounds(held_to, design.chip, chips_per_node=design.chips_per_node)
        assert least.fewest_chips <= design.devices or not out.fits
        assert least.most_chips >= design.devices and out.days >= least.days_at_least


@SOME
@given(runs(), st.floats(1.01, 10))
def test_more_failures_and_slower_parts_never_help(both, factor):
    design, scenario = both
    now = capstone.evaluate(design, scenario, nearest=False)
    if not now.terms:
        return
    rates = scenario.failures
    worse = (
        replace(scenario, failures=replace(rates, node_mtbf=rates.node_mtbf / factor)),
        replace(scenario, failures=replace(rates, restart_seconds=rates.restart_seconds * factor)),
        replace(scenario, failures=replace(rates, repair_seconds=rates.repair_seconds * factor)),
        replace(scenario, tokens=scenario.tokens * factor),
        replace(scenario, network_share=scenario.network_share / factor),
        replace(scenario, domain_share=scenario.domain_share / factor),
    )  # fmt: skip
    seen = {term.name for term in now.terms if term.seconds}
    if not {"pipeline messages", "data messages"} <= seen:  # if both are exposed, slow kernels hides both
        worse = *worse, replace(scenario, kernel_share=now.kernel_share.share / factor)
    for one in worse:
        assert capstone.evaluate(design, one, nearest=False).seconds >= now.seconds * (1 - 1e-9)
    thin = replace(design, oversubscription=design.oversubscription * factor)
    assert capstone.evaluate(thin, scenario, nearest=False).step_seconds >= now.step_seconds * (1 - 1e-9)
    leaves = replace(thin, leaf_nodes=design.nodes)  # all nodes on one leaf: no traffic above it
    wide = replace(design, oversubscription=1.0, leaf_nodes=None)
    flat = [capstone.evaluate(one, scenario, nearest=False).step_seconds for one in (leaves, wide)]
    assert flat[0] == pytest.approx(flat[1], rel=1e-9)


@SOME
@given(runs(), st.floats(0.1, 10))
def test_proportional_quantities_scale(both, factor):
    design, scenario = both
    now = capstone.evaluate(design, scenario, nearest=False)
    if not now.run_terms:
        return
    expensive = replace(scenario, prices=capstone.Prices(per_kwh=0.10 * factor), grams_per_kwh=400 * factor)
    other = capstone.evaluate(design, expensive, nearest=False)
    assert other.running_dollars == pytest.approx(now.running_dollars * factor)
    assert other.kg_by_location == pytest.approx(now.kg_by_location * factor)
    assert other.seconds == now.seconds and other.joules == now.joules
    assert now.running_dollars == pytest.approx(now.joules / 3.6e6 * 0.10)
    long = capstone.evaluate(design, replace(scenario, tokens=scenario.tokens * factor), nearest=False)
    assert long.work_seconds == pytest.approx(now.work_seconds * factor)
    assert long.step_seconds == now.step_seconds and long.watts == now.watts


def test_doubled_replicas_and_batch_keep_arithmetic_time():
    steps = []
    for copies in (16, 32, 64, 128):
        layout = parallelism.Layout(tensor=8, data=copies, zero_stage=1)
        scenario = capstone.Scenario(model="Llama 3 70B", tokens=1e12, global_batch=16 * copies)
        out = capstone.evaluate(capstone.Design(chip="B200", nodes=copies, layout=layout), scenario)
        steps.append({term.name: term.seconds for term in out.terms})
    for name in ("arithmetic", "recomputation", "slow kernels", "pipeline bubble", "tensor messages"):
        assert {step[name] for step in steps} == {steps[0][name]}, name
    assert [step["data messages"] for step in steps] == sorted(step["data messages"] for step in steps)


def _outcomes(points):
    """Outcomes with given days and dollars."""
    found = _all()
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
    found = _all()
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
    assert capstone.binding(_all()).limit is None
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


def test_switch_ports_match_fat_trees():
    scenario = capstone.Scenario(model="Llama 3 8B", tokens=1e12, global_batch=512, prices=capstone.Prices(
        chips={"H100 SXM": 1e-9}, node=0, port=1.0, port_per_byte_per_second=0, storage_per_byte=0, storage_per_byte_per_second=0))  # fmt: skip
    tree = topology.fat_tree(4)
    hosts = set(tree.terminal_nodes)
    ports = sum(degree for node, degree in tree.graph.degree() if node not in hosts)
    assert ports / len(hosts) == 5  # three levels: five switch ports per NIC
    cost = {}
    for nodes in (1, 8, 64, 512):
        layout = (
            parallelism.Layout(data=8 * nodes, zero_stage=1)
            if nodes <= 64
            else parallelism.Layout(tensor=8, data=nodes, zero_stage=1)
        )
        out = capstone.evaluate(capstone.Design(chip="H100 SXM", nodes=nodes, layout=layout), scenario)
        cost[nodes] = round(out.capital_dollars / (8 * nodes), 3)
    assert cost == {1: 0, 8: 1, 64: 3, 512: 5}


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
        capstone.frontier(_all(), ("weeks",))
    with pytest.raises(TypeError, match="axes"):
        capstone.frontier(_all(), "days")
    with pytest.raises(AttributeError, match="days"):
        _ = _all().weeks
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


def test_chip_without_runs_takes_the_share_of_its_family():
    chips = {name: specs.accelerator(name) for name in ("H100 SXM", "B200", "GB300", "MI300X")}
    shares = {name: capstone.kernel_share(chip) for name, chip in chips.items()}
    assert shares["B200"].share == shares["GB300"].share == shares["H100 SXM"].share
    assert shares["B200"].spread > shares["H100 SXM"].spread and shares["B200"].ends[1] > shares["B200"].share
    assert shares["MI300X"].share == pytest.approx(
        shares["MI300X"].products, abs=5e-4
    )  # no run is faster than its products
