"""Properties of an evaluation: sums, bounds, monotonicity, proportions and ports."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chip2cluster import capstone, parallelism, specs, topology
from tests.models.capstone_designs import SOME, runs


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


def test_chip_without_runs_takes_the_share_of_its_family():
    chips = {name: specs.accelerator(name) for name in ("H100 SXM", "B200", "GB300", "MI300X")}
    shares = {name: capstone.kernel_share(chip) for name, chip in chips.items()}
    assert shares["B200"].share == shares["GB300"].share == shares["H100 SXM"].share
    assert shares["B200"].spread > shares["H100 SXM"].spread and shares["B200"].ends[1] > shares["B200"].share
    assert shares["MI300X"].share == pytest.approx(
        shares["MI300X"].products, abs=5e-4
    )  # no run is faster than its products
