"""simulate_nodes against the exact expectation, its own history, and the reproducibility of failures."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chip2cluster import reliability, scheduling
from chip2cluster.reliability import RunPlan, simulate, simulate_nodes
from chip2cluster.reliability.nodes import STATES, run_simulation
from tests.tables import every_row

DAY = 86400.0
BIG = {"interval": 1200, "checkpoint_seconds": 60, "restart_seconds": 600, "node_mtbf": 264 * DAY, "nodes": 2048}
WORKING, IDLE, BROKEN, LENT = range(len(STATES))
SMALL = RunPlan(
    20 * DAY, 7200, 60, 900, node_mtbf=20 * DAY, nodes=12, spares=3, repair_seconds=DAY, group_nodes=4, group_mtbf=30 * DAY
)  # fmt: skip


def all_seconds(plan, runs, jobs=()):
    all_runs = [run_simulation(plan, seed, jobs).all_stretches for seed in range(runs)]
    return np.array([sum(stretch.seconds for stretch in stretches) for stretches in all_runs]), all_runs


@pytest.mark.parametrize("change", [
    {}, {"persist_seconds": 900}, {"restart_seconds": 3600}, {"nodes": 64, "node_mtbf": 4 * DAY, "work_seconds": 2 * DAY},
    {"group_nodes": 32, "group_mtbf": 100 * DAY},
])  # fmt: skip
def test_mean_is_expected_time_with_unlimited_spares(change):
    plan = RunPlan(**({"work_seconds": 6 * DAY} | BIG | change))
    seconds, all_runs = all_seconds(plan, 400)
    times = plan.interval, plan.checkpoint_seconds, plan.restart_seconds, plan.mtbf
    expected = reliability.expected_time(plan.work_seconds, *times, persist_seconds=plan.persist_seconds)
    assert abs(seconds.mean() - expected) < 4 * seconds.std() / 20
    failures = np.mean([len(stretches) - 1 for stretches in all_runs])
    assert failures == pytest.approx(reliability.expected_failures(expected, plan.mtbf), rel=0.02)


@pytest.mark.parametrize("change", [
    {"spares": 10, "repair_seconds": DAY}, {"spares": 0, "repair_seconds": 5000, "work_seconds": 2 * DAY},
    {"spares": 40, "repair_seconds": DAY, "group_nodes": 32, "group_mtbf": 100 * DAY},
])  # fmt: skip
def test_simulate_nodes_agrees_with_simulate(change):
    plan = RunPlan(**({"work_seconds": 6 * DAY} | BIG | change))
    seconds, all_runs = all_seconds(plan, 400)
    other = simulate(plan, 2000, seed=1)
    assert abs(seconds.mean() - other.mean) < 4 * np.hypot(seconds.std() / 20, other.standard_error)
    waiting = np.array([sum(stretch.waiting for stretch in stretches) for stretches in all_runs])
    noise = np.hypot(waiting.std() / 20, other.waiting.std() / 2000**0.5)
    assert abs(waiting.mean() - other.waiting.mean()) < 4 * noise
    assert waiting.mean() > 1000


def breaks(run, kind="node breaks"):
    return [(change.time, change.nodes) for change in run.changes if change.kind == kind]


def test_nodes_and_switches_fail_at_their_rates():
    runs = [simulate_nodes(SMALL, seed) for seed in range(60)]
    running = sum(run.run.seconds - run.run.spent["wait"] for run in runs)
    for kind, units, mean in (("node breaks", 12, 20 * DAY), ("switch breaks", 4, 30 * DAY)):
        count, expected = sum(len(breaks(run, kind)) for run in runs), units * running / mean
        # A switch under repair does not fail, so the rest of the job fails slightly less often.
        assert 0.8 * expected - 4 * expected**0.5 < count < expected + 4 * expected**0.5


CALM = RunPlan(20 * DAY, 7200, 60, 900, node_mtbf=100 * DAY, nodes=12, spares=12, repair_seconds=DAY)


@every_row("change", [
    {"interval": 600}, {"restart_seconds": 60}, {"checkpoint_seconds": 1}, {"persist_seconds": 600},
    {"work_seconds": 40 * DAY}, {"spares": 30}, {"repair_seconds": 2 * DAY},
])  # fmt: skip
def test_same_seed_gives_same_failures_for_other_plans(change):
    fields = {name: getattr(CALM, name) for name in CALM.__dataclass_fields__} | change
    for seed in range(4):
        first, second = (breaks(simulate_nodes(plan, seed)) for plan in (CALM, RunPlan(**fields)))
        both = min(len(first), len(second))
        assert both > 0 and first[:both] == second[:both]


def test_larger_machine_keeps_failures_of_existing_nodes():
    larger = RunPlan(20 * DAY, 7200, 60, 900, node_mtbf=100 * DAY, nodes=24, spares=24, repair_seconds=DAY)
    until = CALM.unbroken_seconds
    first = [simulate_nodes(CALM, seed, until=until) for seed in range(20)]
    second = [simulate_nodes(larger, seed, until=until) for seed in range(20)]
    for ours, theirs in zip(map(breaks, first), map(breaks, second), strict=True):
        deaths = [{nodes: time for time, nodes in lines[::-1] if nodes[0] < 12} for lines in (ours, theirs)]
        assert deaths[0] == deaths[1]
    assert sum(map(len, map(breaks, second))) > 1.5 * sum(map(len, map(breaks, first)))


def test_longer_mtbf_scales_lifetimes():
    twice = RunPlan(40 * DAY, 7200, 60, 0, node_mtbf=200 * DAY, nodes=12, spares=12, repair_seconds=DAY)
    for seed in range(5):
        ours, theirs = breaks(simulate_nodes(CALM, seed)), breaks(simulate_nodes(twice, seed))
        both = min(len(ours), len(theirs))
        assert [nodes for _, nodes in ours[:both]] == [nodes for _, nodes in theirs[:both]]
        assert [time for time, _ in theirs[:both]] == pytest.approx([2 * time for time, _ in ours[:both]])


def broken_at(run, moment):
    """Return nodes that broke less than a repair time ago, alone or with their switch."""
    plan = run.plan
    return {
        node
        for change in run.changes
        if change.kind in ("node breaks", "switch breaks") and change.time <= moment < change.time + plan.repair_seconds
        for node in change.nodes
    }


def others(seed=0):
    return [
        scheduling.Job(number, number * 0.3 * DAY, 1 + (number + seed) % 4, DAY, 0.25 * DAY) for number in range(300)
    ]


@pytest.mark.parametrize("jobs", [(), others()], ids=["alone", "with others"])
@pytest.mark.parametrize("seed", range(4))
def test_states_match_history_and_running_job_has_its_nodes(seed, jobs):
    run = simulate_nodes(SMALL, seed, jobs)
    assert run.finished and run.nodes == 15
    for moment in np.random.default_rng(seed).uniform(0, run.seconds, 40):
        states = run.states_at(moment)
        assert set(np.flatnonzero(states == BROKEN).tolist()) == broken_at(run, moment)
        phase = next(phase for phase in run.run.phases if phase.start <= moment < phase.end)
        working = int((states == WORKING).sum())
        assert working < 12 if phase.kind == "wait" else working == 12
        assert phase.kind != "wait" or (states == IDLE).sum() == 0
        assert jobs or (states != LENT).all()


@pytest.mark.parametrize("seed", range(6))
def test_checkpointed_work_matches_simple_clock(seed):
    """Between interruptions each interval ends with a checkpoint; the last stretch completes the rest."""
    run = simulate_nodes(SMALL, seed, others(seed))
    goes_on = [change.time for change in run.changes if change.kind == "goes on"]
    struck = [failure.time for failure in run.run.failures]
    assert len(goes_on) == len(struck)
    saved = reliability.work_saved(struck[:1], struck[0], SMALL.interval, SMALL.checkpoint_seconds, 0)
    for start, end in zip(goes_on, struck[1:], strict=False):
        saved += max(0.0, (end - start - SMALL.restart_seconds) // SMALL.segment_seconds) * SMALL.interval
    rest = SMALL.work_seconds - saved
    last = goes_on[-1] + SMALL.restart_seconds + rest + np.ceil(rest / SMALL.interval) * SMALL.checkpoint_seconds
    assert run.seconds == pytest.approx(last)


@given(st.integers(0, 10**6), st.integers(0, 8), st.floats(0, 3 * DAY), st.integers(1, 12), st.floats(0, 1))
@settings(max_examples=60, deadline=None)
def test_times_add_up_to_the_clock(seed, spares, repair, group, late):
    plan = RunPlan(
        5 * DAY, 5000, 100, 900, node_mtbf=20 * DAY, nodes=12, spares=spares, repair_seconds=repair, group_nodes=group,
        group_mtbf=50 * DAY, persist_seconds=5100 * late,
    )  # fmt: skip
    run = simulate_nodes(plan, seed, others(seed))
    phases = run.run.phases
    assert phases[0].start == 0 and all(before.end == after.start for before, after in pairwise(phases))
    assert sum(run.run.spent.values()) == pytest.approx(run.run.seconds) == pytest.approx(run.played)
    middle = run.played / 2
    assert sum(run.spent(kind, middle) for kind in run.spans) == pytest.approx(middle)
    assert [failure.nodes for failure in run.failures] == [failure.nodes for failure in run.run.failures]
    if run.finished:
        for kind in ("wait", "restart", "lost"):
            assert run.spent(kind, run.played) == pytest.approx(run.run.spent[kind], abs=1e-3)
        assert run.run.spent["work"] == pytest.approx(5 * DAY) and run.seconds >= plan.unbroken_seconds * (1 - 1e-12)
    else:
        assert run.run.seconds == pytest.approx(5 * plan.unbroken_seconds) and run.seconds == np.inf
    assert all(before.time <= after.time for before, after in pairwise(run.changes))


ONE = RunPlan(DAY, 3600, 0, 600, node_mtbf=2 * DAY, nodes=1, spares=1, repair_seconds=10 * DAY)


def struck_once():
    """Find a seed in which node 0 breaks during the day, and no other node after it."""
    for seed in range(1000):
        run = simulate_nodes(ONE, seed)
        if [change.kind for change in run.changes] == ["node breaks", "takes over", "goes on"]:
            return seed, run
    raise AssertionError


def test_job_waits_for_lent_spare():
    seed, alone = struck_once()
    struck = alone.changes[0].time
    job = scheduling.Job("theirs", struck - 1000, 1, DAY, 5000)
    shared = simulate_nodes(ONE, seed, [job])
    assert [(change.kind, change.nodes) for change in shared.changes] == [
        ("lent", (1,)), ("node breaks", (0,)), ("waits", ()), ("given back", (1,)), ("takes over", (1,)), ("goes on", ()),
    ]  # fmt: skip
    assert shared.changes[0].job == "theirs"
    assert shared.seconds - alone.seconds == pytest.approx(4000) == pytest.approx(shared.run.spent["wait"])
    assert shared.states_at(struck - 500).tolist() == [WORKING, LENT]
    assert shared.states_at(struck + 500).tolist() == [BROKEN, LENT]
    assert shared.states_at(struck + 4500).tolist() == [BROKEN, WORKING]
    # A job larger than all spares never starts; one that arrives while the run waits is queued behind it.
    assert simulate_nodes(ONE, seed, [scheduling.Job(1, 0, 2, DAY, DAY)]).changes == alone.changes
    later = scheduling.Job("later", struck + 100, 1, DAY, 100)
    assert simulate_nodes(ONE, seed, [job, later]).run.phases == shared.run.phases


def test_endless_wait_is_aborted():
    plan = RunPlan(DAY, 3600, 0, 600, node_mtbf=DAY / 4, nodes=4, spares=0, repair_seconds=100 * DAY)
    run = simulate_nodes(plan, 1)
    assert not run.finished and run.seconds == np.inf and run.run.seconds == 5 * DAY
    assert run.run.phases[-1].kind == "wait"


def test_until_gives_prefix_of_the_whole_run():
    whole, first = simulate_nodes(SMALL, 2), simulate_nodes(SMALL, 2, until=5 * DAY)
    assert first.run.seconds == 5 * DAY and not first.finished
    assert first.played == 5 * DAY and first.run.phases[:-1] == whole.run.phases[: len(first.run.phases) - 1]
    assert first.changes == tuple(change for change in whole.changes if change.time <= 5 * DAY)
    assert simulate_nodes(SMALL, 2, until=80 * DAY).run == whole.run


def test_invalid_arguments_are_rejected():
    with pytest.raises(TypeError, match="plan must be a RunPlan"):
        simulate_nodes("plan", 1)
    for change, says in (
        ({"shape": 0.6}, "plan.shape must be 1"),
        ({"failures_during_restart": False}, "must be True"),
    ):
        with pytest.raises(ValueError, match=says):
            simulate_nodes(RunPlan(DAY, **BIG, **change), 1)
    with pytest.raises(ValueError, match="seed must be at least 0"):
        simulate_nodes(SMALL, -1)
    with pytest.raises(ValueError, match="until must be greater than zero"):
        simulate_nodes(SMALL, 1, until=0)
    with pytest.raises(TypeError, match="jobs must hold"):
        simulate_nodes(SMALL, 1, [(0, 1, 60)])
    with pytest.raises(ValueError, match="seconds must be zero or more"):
        simulate_nodes(SMALL, 1).states_at(-1)
    with pytest.raises(ValueError, match="kind must be one of 'wait'"):
        simulate_nodes(SMALL, 1).spent("work", 1)
    with pytest.raises(ValueError, match="moments must be zero or more"):
        simulate_nodes(SMALL, 1).spent("lost", -1)
