"""capstone.layout_by_rule and capstone.run_log."""

import re
from dataclasses import replace

import pytest

from chip2cluster import capstone
from chip2cluster.parallelism import Layout

SCENARIO = capstone.Scenario(model="Llama 3 70B", tokens=1e12, global_batch=1024)


def fits(layout, design, scenario=SCENARIO):
    """Whether a layout fits and divides the batch, by `evaluate`, independently of the decision tree."""
    return capstone.evaluate(replace(design, layout=layout), scenario, nearest=False).fits


@pytest.mark.parametrize(("chip", "nodes"), [("H100 SXM", 16), ("B200", 16), ("H100 SXM", 64), ("A100 SXM 40GB", 32)])
def test_layout_by_rule_takes_first_branch_that_fits(chip, nodes):
    design = capstone.Design(chip=chip, nodes=nodes, spares=None)
    found = capstone.layout_by_rule(design, SCENARIO)
    assert fits(found, design)
    ways = [(t, 1) for t in (1, 2, 4, 8)] + [(8, p) for p in range(2, 81)]
    before = ways[: ways.index((found.tensor, found.pipeline))]
    legal = [Layout(t, p, design.devices // (t * p)) for t, p in before if design.devices % (t * p) == 0]
    assert not any(fits(layout, design) for layout in legal)


def test_layout_by_rule_small_and_too_large_models():
    small = capstone.Scenario(model="Llama 2 7B", tokens=1e12, global_batch=1024)
    found = capstone.layout_by_rule(capstone.Design(chip="B200", nodes=8), small)
    assert (found.tensor, found.pipeline, found.data) == (1, 1, 64)
    assert capstone.layout_by_rule(capstone.Design(chip="H100 SXM", nodes=1), SCENARIO) is None


def test_run_log_has_one_line_per_interruption():
    rates = capstone.FailureRates(node_mtbf=30 * 86400, group_nodes=8, group_mtbf=60 * 86400)
    scenario = capstone.Scenario(model="Llama 3 8B", tokens=2e12, global_batch=512, failures=rates)
    run = capstone.play(capstone.Design(chip="H100 SXM", nodes=32, spares=4), scenario, 3)
    lines = capstone.run_log(run).splitlines()
    struck = [event for event in run.events if event.kind in ("node", "switch")]
    assert len(lines) == len(struck) > 5
    waited = sum(float(re.search(r"waited ([\d.]+) h", line)[1]) for line in lines)
    assert waited == pytest.approx(sum(day.waiting_seconds for day in run.days) / 3600, abs=0.01 * len(lines))
    days = [int(re.match(r"day (\d+)", line)[1]) for line in lines]
    assert days == sorted(days)
    first_half = capstone.run_log(run, 1, 5).splitlines()
    assert first_half == lines[: sum(day <= 5 for day in days)]


@pytest.mark.parametrize("wrong", [0, -1, float("nan"), "monday", True])
def test_run_log_rejects_invalid_days(wrong):
    scenario = capstone.Scenario(model="Llama 3 8B", tokens=1e12, global_batch=512)
    run = capstone.play(capstone.Design(chip="H100 SXM", nodes=16, spares=1), scenario, 3)
    with pytest.raises((ValueError, TypeError), match="first_day"):
        capstone.run_log(run, wrong)
