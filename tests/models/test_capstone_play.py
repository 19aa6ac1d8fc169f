"""Simulated runs of a design: expectation, Llama 3 interruptions, reproducible failures, bad week."""

from dataclasses import replace
from functools import cache
from itertools import pairwise

import numpy as np
import pytest

from chip2cluster import capstone, reliability, scheduling
from chip2cluster.capstone import Design, FailureRates, Scenario, bad_week, evaluate, play, play_many, run_plan

DAY = 86400.0
SCENARIO = Scenario(
    model="Llama 3 8B", tokens=1e12, global_batch=512,
    failures=FailureRates(node_mtbf=20 * DAY, group_nodes=4, group_mtbf=30 * DAY, restart_seconds=1800),
)  # fmt: skip
DESIGN = Design(chip="H100 SXM", nodes=16, spares=6)


@cache
def large():
    """Return 54 days on the machine of Llama 3 405B, with the rates of three other machines and its own."""
    scenario = Scenario(model="Llama 3.1 405B", tokens=1e12, global_batch=2048)
    out = evaluate(Design(chip="H100 SXM", nodes=2048, spares=64), scenario)
    return out.design, replace(scenario, tokens=54 * DAY / out.work_seconds * scenario.tokens)


@pytest.mark.parametrize("spares", [16, 64, None])
def test_mean_of_many_runs_matches_expectation(spares):
    design, scenario = large()
    runs = play_many(replace(design, spares=spares), scenario, 60)
    assert (
        abs(runs.seconds.mean() - runs.outcome.seconds) < 4 * runs.seconds.std() / 60**0.5 + 1e-3 * runs.outcome.seconds
    )
    assert runs.failures.mean() == pytest.approx(runs.outcome.failures, rel=0.02)


@pytest.mark.parametrize("spares, apart", [(8, 0.05), (16, 0.03), (32, 0.03), (48, 0.03), (64, 0.03), (128, 0.01)])
def test_expectation_includes_spares_lost_to_switches(spares, apart):
    design, scenario = large()
    failures = FailureRates(node_mtbf=288 * DAY, group_nodes=32, group_mtbf=500 * DAY)
    runs = play_many(replace(design, spares=spares), replace(scenario, failures=failures), 40)
    assert runs.outcome.seconds == pytest.approx(runs.seconds.mean(), rel=apart)


def test_llama_3_interruptions_match_observed_rates():
    """419 unexpected interruptions in 54 days on 2,048 nodes; "over 90 % effective training time"."""
    design, scenario = large()
    counts = {}
    for rate in reliability.observed_rates():
        failures = FailureRates(node_mtbf=1 / rate.failures_per_node_second)
        runs = play_many(design, replace(scenario, failures=failures), 20)
        counts[rate.name] = np.mean(runs.failures * 54 * DAY / runs.seconds)
    own = counts.pop("Llama 3 405B, H100")
    assert min(counts.values()) < 419 < max(counts.values())
    assert own == pytest.approx(419, abs=4 * (419 / 20) ** 0.5)
    goodput = play_many(design, scenario, 20).goodput
    assert (goodput > 0.9).all() and (goodput < 0.99).all()


@pytest.mark.parametrize("seed", range(3))
def test_same_seed_gives_same_failures_for_other_designs(seed):
    """With another interval, storage or number of spares the same nodes fail at the same times."""
    scarce = replace(SCENARIO, failures=replace(SCENARIO.failures, group_mtbf=300 * DAY))
    first = play(replace(DESIGN, spares=12), scarce, seed)
    struck = [(event.time, event.kind, event.nodes) for event in first.events if event.kind in ("node", "switch")]
    for change in ({"checkpoint_interval": 3 * 3600.0}, {"asynchronous": False}, {"spares": 20}):
        other = play(replace(first.outcome.design, **change), scarce, seed)
        again = [(event.time, event.kind, event.nodes) for event in other.events if event.kind in ("node", "switch")]
        both = min(len(struck), len(again))
        same = [line for line in again[:both] if line[1] == "node"]
        assert both > 4 and same == [line for line in struck[:both] if line[1] == "node"]
    assert play(first.outcome.design, scarce, seed).events == first.events
    assert play(first.outcome.design, scarce, seed + 100).events != first.events


@pytest.mark.parametrize("seed", range(4))
def test_days_add_up_to_the_run(seed):
    run = play(DESIGN, SCENARIO, seed)
    spent, days = run.nodes_run.run.spent, run.days
    phases = run.nodes_run.run
    for moment in (0.3 * DAY, 4.5 * DAY, run.seconds):  # within an interval and the loss of one failure
        exact = phases.work_done(moment) / phases.plan.work_seconds
        assert run.tokens_at(moment) / 1e12 == pytest.approx(exact, abs=phases.plan.interval / phases.plan.work_seconds)
    assert run.finished and len(days) == int(np.ceil(run.seconds / DAY))
    assert [day.day for day in days] == list(range(1, len(days) + 1))
    assert days[-1].tokens == pytest.approx(1e12)
    assert all(before.tokens <= after.tokens for before, after in pairwise(days))
    assert sum(day.failures for day in days) == run.failures
    for name, kind in (("lost_seconds", "lost"), ("restart_seconds", "restart"), ("waiting_seconds", "wait")):
        assert sum(getattr(day, name) for day in days) == pytest.approx(spent[kind], abs=1e-3)
    for day in days:
        assert 0 <= day.nodes_down + day.spares_left + day.lent <= 22
        assert day.lost_seconds + day.restart_seconds + day.waiting_seconds <= DAY + 1e-3
    # Lost work of the events adds up to that of the timeline.
    assert sum(event.seconds for event in run.events if event.kind in ("node", "switch")) == pytest.approx(
        spent["lost"]
    )
    assert sum(event.seconds for event in run.events if event.kind == "waits for nodes") == pytest.approx(spent["wait"])


def test_play_many_matches_play_of_each_seed():
    runs = play_many(DESIGN, SCENARIO, 12, seed=5)
    for place, seed in enumerate(runs.seeds.tolist()):
        one = play(DESIGN, SCENARIO, seed)
        assert runs.seconds[place] == pytest.approx(one.seconds) and runs.failures[place] == one.failures
        for name, kind in (("lost_seconds", "lost"), ("restart_seconds", "restart"), ("waiting_seconds", "wait")):
            assert getattr(runs, name)[place] == pytest.approx(one.nodes_run.run.spent[kind], abs=1e-3)
        assert runs.goodput[place] == pytest.approx(one.goodput)
    assert runs.seeds.tolist() == list(range(5, 17))
    assert play(DESIGN, SCENARIO, runs.seed_at(90)).seconds == pytest.approx(runs.percentile("seconds", 90))


def test_percentiles_are_runs_and_set_constraints():
    out = evaluate(DESIGN, SCENARIO)
    limits = replace(SCENARIO, deadline_seconds=out.seconds, dollars=out.dollars * 10, watts=1e9)
    runs = play_many(DESIGN, limits, 50)
    values = [runs.percentile("days", percent) for percent in (2, 10, 50, 90, 100)]
    assert values == sorted(values) and values[0] == runs.days.min() and values[-1] == runs.days.max()
    assert (runs.days <= values[3]).mean() >= 0.9 and (runs.days < values[3]).mean() < 0.9
    by_name = {limit.name: limit for limit in runs.constraints(90)}
    assert not by_name["deadline_seconds"].met and by_name["dollars"].met and by_name["watts"].met
    assert by_name["deadline_seconds"].value == pytest.approx(runs.percentile("seconds", 90))
    assert by_name["dollars"].value == pytest.approx(runs.percentile("dollars", 90))
    assert by_name["watts"].value == out.watts
    with pytest.raises(ValueError, match="name must be one of"):
        runs.percentile("weeks", 90)
    for percent in (0, 101):
        with pytest.raises(ValueError, match="percent must be"):
            runs.percentile("days", percent)


def test_lent_spares_delay_the_run():
    jobs = scheduling.generate(400, 8, 0.8, seed=2, median_runtime=4 * 3600)
    alone, shared = (play_many(DESIGN, SCENARIO, 30, jobs=known) for known in ((), jobs))
    assert shared.waiting_seconds.mean() > alone.waiting_seconds.mean()
    kinds = {event.kind for event in play(DESIGN, SCENARIO, 1, jobs=jobs).events}
    assert {"other users' job", "other users are done"} <= kinds
    assert any(day.lent for day in play(DESIGN, SCENARIO, 1, jobs=jobs).days)


def test_bad_week_has_switch_failure_and_little_progress():
    seed = bad_week(DESIGN, SCENARIO, 60)
    run = play(DESIGN, SCENARIO, seed)
    switches = [event for event in run.events if event.kind == "switch" and len(event.nodes) > 1]
    assert switches

    def worst(run):
        weeks = np.arange(0, max(run.seconds - 7 * DAY, DAY), DAY / 4)
        return np.min(run.tokens_at(weeks + 7 * DAY) - run.tokens_at(weeks))

    typical = play(DESIGN, SCENARIO, play_many(DESIGN, SCENARIO, 60).seed_at(50))
    assert worst(run) < 0.95 * worst(typical)
    with pytest.raises(ValueError, match="scenario.failures must have group_nodes"):
        bad_week(DESIGN, replace(SCENARIO, failures=FailureRates()))
    calm = replace(SCENARIO, failures=FailureRates(group_nodes=4, group_mtbf=1e6 * DAY))
    with pytest.raises(ValueError, match="no switch broke under the job in 2 runs"):
        bad_week(DESIGN, calm, 2)


def test_endless_run_is_inf_and_stopped_run_unfinished():
    never = replace(DESIGN, spares=0)
    broken = replace(SCENARIO, failures=FailureRates(node_mtbf=5 * DAY, repair_seconds=400 * DAY))
    runs = play_many(never, broken, 5)
    assert (runs.seconds == np.inf).all() and runs.percentile("days", 50) == np.inf and (runs.goodput == 0).all()
    cut = play(DESIGN, SCENARIO, 1, until=3 * DAY)
    assert not cut.finished and cut.seconds == np.inf and len(cut.days) == 3
    assert cut.days[1] == play(DESIGN, SCENARIO, 1).days[1]


def test_switch_group_is_limited_to_the_job():
    plan = run_plan(evaluate(DESIGN, replace(SCENARIO, failures=FailureRates(group_nodes=64, group_mtbf=9 * DAY))))
    assert plan.group_nodes == 16 and plan.spares == 6


def test_play_rejects_infeasible_designs():
    small = Design(chip="H100 SXM", nodes=1)
    scenario = Scenario(model="Llama 3.1 405B", tokens=1e12, global_batch=512)
    with pytest.raises(ValueError, match="design cannot run: no layout"):
        play(small, scenario, 1)
    with pytest.raises(TypeError, match=r"outcome must be a capstone\.Outcome"):
        run_plan(small)
    with pytest.raises(TypeError, match="design must be"):
        play("H100", scenario, 1)
    with pytest.raises(ValueError, match="runs must be at least 1"):
        play_many(DESIGN, SCENARIO, 0)
    with pytest.raises(ValueError, match="seed must be at least 0"):
        play(DESIGN, SCENARIO, -1)
    assert capstone.Event(0.0, "node").nodes == ()
