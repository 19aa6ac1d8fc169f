"""simulate and simulate_run against a reference simulation and the exact expectation."""

import json
from itertools import pairwise
from math import gamma
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chip2cluster import reliability
from chip2cluster.reliability import RunPlan, expected_time, simulate, simulate_run
from tests.tables import every_row

TRUTH = json.loads((Path(__file__).parent / "data/checkpoints.json").read_text(encoding="utf-8"))
DAY = 86400.0
BIG = {"interval": 1200, "checkpoint_seconds": 60, "restart_seconds": 600, "node_mtbf": 264 * DAY, "nodes": 2048}


def each(part):
    return pytest.mark.parametrize("case", TRUTH[part], ids=lambda case: case["id"])


@each("simulated")
def test_means_match_reference_simulation_and_expectation(case):
    during = case["failures_during_restart"]
    times = (case["work_s"], case["interval_s"], case["checkpoint_s"], case["restart_s"], case["mtbf_s"])
    runs = simulate(RunPlan(*times, failures_during_restart=during), 8000, seed=11)
    both = np.hypot(runs.standard_error, case["standard_error_s"])
    assert abs(runs.mean - case["mean_s"]) < 4 * both
    exact = expected_time(*times, failures_during_restart=during)
    assert exact == pytest.approx(case["expected_s"], rel=1e-9)
    assert abs(runs.mean - exact) < 4 * runs.standard_error


@each("weibull")
def test_weibull_means_match_reference_simulation(case):
    runs = simulate(RunPlan(36000, case["interval_s"], 60, 300, 7200, shape=case["shape"]), 8000, seed=12)
    assert abs(runs.mean - case["mean_s"]) < 4 * np.hypot(runs.standard_error, case["standard_error_s"])


def test_asynchronous_checkpoints_match_expectation():
    times = (36000, 900, 20, 300, 3600)
    runs = simulate(RunPlan(*times, persist_seconds=600), 8000, seed=13)
    assert abs(runs.mean - expected_time(*times, persist_seconds=600)) < 4 * runs.standard_error
    spent = reliability.time_breakdown(*times, persist_seconds=600)
    assert runs.lost.mean() == pytest.approx(spent.lost, rel=0.02)
    assert runs.restarts.mean() == pytest.approx(spent.restarts, rel=0.03)
    assert runs.failures.mean() == pytest.approx(spent.total / 3600, rel=0.03)


def by_hand(plan, seed):
    """Simulate one run with a simple loop over the clock and the same random numbers."""
    drawn = np.random.default_rng(seed)
    scale = plan.mtbf / gamma(1 + 1 / plan.shape)
    now, work, total, away = 0.0, 0.0, 0, []
    while True:
        gap = scale * (drawn.weibull(plan.shape) if plan.shape != 1 else drawn.exponential())
        clock = plan.restart_seconds if total else 0.0
        if plan.failures_during_restart and clock > gap:
            now += gap
        else:
            limit = gap if plan.failures_during_restart else gap + clock
            home, pending = work, []
            while True:
                part = min(plan.interval, plan.work_seconds - home)
                if part <= 1e-9 * plan.work_seconds:
                    break
                home += part
                clock += part + plan.checkpoint_seconds
                pending.append((clock + plan.persist_seconds, home))
            if pending[-1][0] <= limit:
                return now + pending[-1][0], total
            work = max([saved for safe, saved in pending if safe <= limit], default=work)
            now += limit
        total += 1
        count = 1
        if plan.group_nodes:
            count = plan.group_nodes if drawn.random() < plan.group_share else 1
        if plan.spares is not None:
            away = sorted([*away, *[now + plan.repair_seconds] * count])
            if len(away) > plan.spares:
                now = max(now, away[-plan.spares - 1])
            away = [back for back in away if back > now]


PLANS = {
    "plain": RunPlan(5 * DAY, **BIG),
    "crowds": RunPlan(5 * DAY, **BIG, shape=0.6),
    "restarts are safe": RunPlan(5 * DAY, **BIG, failures_during_restart=False),
    "a last short interval": RunPlan(5 * DAY + 777, **BIG, persist_seconds=500),
    "two spares": RunPlan(5 * DAY, **BIG, spares=2, repair_seconds=DAY / 4),
    "no spares": RunPlan(2 * DAY, **BIG, spares=0, repair_seconds=5000),
    "racks": RunPlan(5 * DAY, **BIG, spares=40, repair_seconds=DAY, group_nodes=32, group_mtbf=300 * DAY),
    "racks larger than the spares": RunPlan(
        2 * DAY, **BIG, spares=5, repair_seconds=3000, group_nodes=32, group_mtbf=100 * DAY, shape=1.4
    ),
}


@pytest.mark.parametrize("name", PLANS)
@pytest.mark.parametrize("seed", range(4))
def test_simulate_matches_simple_loop_over_one_run(name, seed):
    plan = PLANS[name]
    run = simulate_run(plan, seed)
    seconds, failures = by_hand(plan, seed)
    assert run.seconds == pytest.approx(seconds, rel=1e-9) and len(run.failures) == failures
    many = simulate(plan, 1, seed)
    assert many.seconds[0] == pytest.approx(seconds, rel=1e-9) and many.failures[0] == failures
    for kind, total in (("lost", many.lost[0]), ("restart", many.restarts[0]), ("wait", many.waiting[0])):
        assert run.spent[kind] == pytest.approx(total, rel=1e-9, abs=1e-6)


@given(
    st.floats(100, 20000), st.floats(50, 5000), st.floats(0, 500), st.floats(0, 500), st.floats(2000, 1e5),
    st.sampled_from([0.6, 1.0, 1.7]), st.floats(0, 1), st.one_of(st.none(), st.integers(0, 6)), st.integers(0, 10**6),
)  # fmt: skip
@settings(max_examples=60, deadline=None)
def test_times_add_up_to_the_clock(work, interval, dump, restart, mtbf, shape, late, spares, seed):
    interval = min(interval, mtbf / 3)  # keeps the run short
    plan = RunPlan(
        work, interval, dump, restart, 8 * mtbf, 8, shape=shape, persist_seconds=late * (interval + dump), spares=spares,
        repair_seconds=3000.0, group_nodes=4, group_mtbf=20 * mtbf,
    )  # fmt: skip
    run = simulate_run(plan, seed)
    assert run.phases[0].start == 0 and all(before.end == after.start for before, after in pairwise(run.phases))
    assert all(phase.end > phase.start for phase in run.phases)
    assert sum(run.spent.values()) == pytest.approx(run.seconds)
    assert run.spent["work"] == pytest.approx(work)
    assert run.spent["checkpoint"] == pytest.approx(plan.segments * dump + plan.persist_seconds, abs=1e-6)
    assert run.seconds >= plan.unbroken_seconds * (1 - 1e-12)
    assert all(failure.nodes in (1, 4) for failure in run.failures)
    assert run.work_done(run.seconds) == pytest.approx(work)
    assert (np.diff(run.work_done(np.linspace(0, run.seconds, 50))) >= -1e-9).all()
    # A failure ends work, a checkpoint or a restart, never a wait.
    ends = {phase.end: phase.kind for phase in run.phases if phase.kind in ("lost", "restart")}
    kept = {phase.end for phase in run.phases}
    assert all(failure.time in ends or failure.time in kept for failure in run.failures)


def test_more_spares_and_faster_repairs_never_hurt():
    """With one seed and a constant failure rate the draws are equal, so each run is at most as long."""
    plans = [RunPlan(5 * DAY, **BIG, spares=spares, repair_seconds=DAY) for spares in (1, 4, 16, None)]
    seconds = [simulate(plan, 50, seed=5).seconds.sum() for plan in plans]
    assert all(longer >= shorter for longer, shorter in pairwise(seconds))
    faster = RunPlan(5 * DAY, **BIG, spares=1, repair_seconds=DAY / 10)
    assert simulate(faster, 50, seed=5).seconds.sum() <= seconds[0]
    assert seconds[-1] == pytest.approx(simulate(RunPlan(5 * DAY, **BIG), 50, seed=5).seconds.sum())


def test_seeds_reproduce_and_runs_differ():
    plan = RunPlan(2 * DAY, **BIG)
    one, same, other = simulate(plan, 20, 1), simulate(plan, 20, 1), simulate(plan, 20, 2)
    assert (one.seconds == same.seconds).all() and (one.seconds != other.seconds).any()
    assert len(set(one.seconds)) == 20 and (one.goodput < 1).all()
    assert simulate(plan, 1, 1).standard_error == np.inf


def test_many_spares_do_not_exhaust_memory():
    """Runs are simulated in batches, which does not change results while spares never run out."""
    plan = RunPlan(DAY, **BIG, spares=5000, repair_seconds=DAY)
    assert simulate(plan, 2000, 3).waiting.max() == 0


@pytest.mark.prove
@each("simulated")
def test_mean_is_within_three_standard_errors(case):
    times = (case["work_s"], case["interval_s"], case["checkpoint_s"], case["restart_s"], case["mtbf_s"])
    plan = RunPlan(*times, failures_during_restart=case["failures_during_restart"])
    z = []
    for seed in range(20):
        runs = simulate(plan, 20_000, seed)
        z.append((runs.mean - case["expected_s"]) / runs.standard_error)
    assert abs(np.mean(z)) < 3 / 20**0.5 and max(map(abs, z)) < 4.5


# --- what is refused --------------------------------------------------------------------------
PLAIN = {"work_seconds": 3e5, "interval": 900, "checkpoint_seconds": 60, "restart_seconds": 60, "node_mtbf": 7200}


@every_row("change, says", [
    ({"work_seconds": 0}, "work_seconds must be greater than zero"),
    ({"interval": -1}, "interval must be greater than zero"),
    ({"checkpoint_seconds": -1}, "checkpoint_seconds must be zero or more"),
    ({"restart_seconds": -1}, "restart_seconds must be zero or more"),
    ({"node_mtbf": -7200}, "node_mtbf must be greater than zero"),
    ({"nodes": 1.5}, "nodes must be a whole number"),
    ({"shape": 0}, "shape must be greater than zero"),
    ({"shape": 0.001}, "shape must be at least 0.05, got 0.001"),
    ({"persist_seconds": 961}, "persist_seconds must be at most"),
    ({"persist_seconds": -1}, "persist_seconds must be zero or more"),
    ({"spares": -1}, "spares must be at least 0"),
    ({"repair_seconds": -1}, "repair_seconds must be zero or more"),
    ({"group_nodes": 4}, "group_nodes and group_mtbf go together, got 4 and None"),
    ({"group_nodes": 2, "group_mtbf": 1e6}, "group_nodes must be at most the 1 nodes, got 2"),
    ({"nodes": 4, "group_nodes": 2, "group_mtbf": 0}, "group_mtbf must be greater than zero"),
    ({"nodes": 4, "group_nodes": 0, "group_mtbf": 1}, "group_nodes must be at least 1"),
])  # fmt: skip
def test_plan_errors_name_the_argument(change, says):
    with pytest.raises(ValueError, match=f"^{says}"):
        RunPlan(**(PLAIN | change))


def test_wrong_types_are_rejected():
    for change in ({"interval": [900, 1800]}, {"failures_during_restart": 1}, {"nodes": True}):
        with pytest.raises(TypeError, match=next(iter(change))):
            RunPlan(**(PLAIN | change))
    plan = RunPlan(**PLAIN)
    for call in (simulate, lambda plan, seed: simulate(plan, 10, seed), simulate_run):
        with pytest.raises(TypeError, match="plan must be a RunPlan"):
            call(plan=PLAIN, **({"runs": 1, "seed": 1} if call is simulate else {"seed": 1}))
    with pytest.raises(ValueError, match="runs must be at least 1"):
        simulate(plan, 0, 1)
    with pytest.raises(ValueError, match="seconds must be zero or more"):
        simulate_run(plan, 1).work_done(-1)
    with pytest.raises(ValueError, match="seed must be at least 0"):
        simulate_run(plan, -1)


def test_short_run_with_long_interval_ends():
    """The remaining work counts, not a whole interval."""
    assert simulate_run(RunPlan(100, 1e6, 1, 1, node_mtbf=200), seed=1).seconds >= 101


def test_endless_plan_is_rejected():
    with pytest.raises(ValueError, match="hardly ever end: more than 100,000 failures.*61020 s.*every 3600 s"):
        simulate(RunPlan(1e6, 60900, 60, 60, node_mtbf=3600), 10, seed=1)
    with pytest.raises(ValueError, match="hardly ever end"):  # regular failures leave no long gaps
        simulate_run(RunPlan(18e3, 4143, 0, 0, node_mtbf=1800, shape=4, persist_seconds=4143), seed=1)


def test_until_gives_prefix_of_the_whole_run():
    plan = RunPlan(10 * 86400, 1200, 60, 600, node_mtbf=11124)
    whole, first = simulate_run(plan, 5), simulate_run(plan, 5, until=86400)
    assert first.seconds == 86400 and first.failures == tuple(one for one in whole.failures if one.time < 86400)
    assert first.phases[:-1] == whole.phases[: len(first.phases) - 1]
    assert first.spent["work"] == pytest.approx(float(whole.work_done(86400)))
    assert simulate_run(plan, 5, until=1e9).phases == whole.phases
    with pytest.raises(ValueError, match="until must be greater than zero"):
        simulate_run(plan, 5, until=0)


def test_endless_plan_can_be_simulated_with_until():
    hopeless = RunPlan(1e6, 43200, 60, 600, node_mtbf=600)
    with pytest.raises(ValueError, match="hardly ever end"):
        simulate_run(hopeless, 1)
    run = simulate_run(hopeless, 1, until=86400)
    assert run.goodput == 0 and sum(run.spent.values()) == pytest.approx(86400)


@every_row("seed", range(6))
def test_work_saved_matches_simulated_run(seed):
    plan = RunPlan(1e6, 1200, 60, 600, node_mtbf=5000)
    run = simulate_run(plan, seed, until=86400)
    saved = reliability.work_saved([one.time for one in run.failures], 86400, 1200, 60, 600)
    # The run also has work that is checkpointed after the day: at most one interval and its checkpoint.
    assert 0 <= run.spent["work"] - saved <= 1200
    assert reliability.work_saved([], 86400, 1200, 60, 600) == 68 * 1200


def test_failure_during_restart_restarts_it():
    saved = lambda *failures: reliability.work_saved(failures, 100, 10, 0, 20)
    assert (saved(), saved(50), saved(50, 60), saved(50, 60, 60), saved(99.5)) == (100, 80, 70, 70, 90)
    with pytest.raises(ValueError, match="failures must be in order"):
        saved(60, 50)
    with pytest.raises(ValueError, match="interval must be greater than zero"):
        reliability.work_saved([], 10, 0, 1, 1)


def test_silent_goodput_agrees_with_a_simulation():
    """Work is drawn interval by interval, with errors at a constant rate."""
    generator, interval, test, mean = np.random.default_rng(7), 6.0, 0.5, 20.0
    errors = generator.exponential(mean, 200_000)  # hours of work from the last clean point to the next error
    seconds = (interval + test) * errors.size
    whole = np.where(errors > interval, interval, 0).sum() / seconds
    located = np.minimum(errors, interval).sum() / seconds
    for found, measured in ((False, whole), (True, located)):
        law = reliability.silent_goodput(interval * 3600, test * 3600, mean * 3600, located=found)
        assert abs(law / measured - 1) < 0.005


def test_silent_goodput_is_best_at_youngs_interval():
    """For rare errors whose time is known the loss has Young's form, with the test in place of the checkpoint."""
    test, mean = 60.0, 90 * 86400.0
    around = reliability.young_interval(test, mean) * np.geomspace(0.5, 2, 2001)
    best = around[np.argmax(reliability.silent_goodput(around, test, mean, located=True))]
    assert abs(best / reliability.young_interval(test, mean) - 1) < 0.01


@pytest.mark.parametrize("run", [(0, 1, 1), (1, -1, 1), (1, 1, 0)])
def test_silent_goodput_rejects_invalid_times(run):
    with pytest.raises(ValueError, match="must"):
        reliability.silent_goodput(*run, located=True)


@given(st.floats(0.3, 0.99), st.floats(1.0, 600.0), st.floats(600.0, 1e5))
def test_longest_restart_gives_requested_goodput(share, dump, mean):
    restart = reliability.longest_restart(share, dump, mean)
    best = reliability.goodput(reliability.optimal_interval(dump, mean), dump, restart, mean)
    assert best == pytest.approx(share) if restart else best <= share * (1 + 1e-9)


@pytest.mark.parametrize("share", [0, 1, -0.1, 1.5])
def test_longest_restart_rejects_invalid_goodput(share):
    with pytest.raises(ValueError, match="goodput must be"):
        reliability.longest_restart(share, 1, 1)


@pytest.mark.parametrize(("spares", "repair"), [(0, 0.5), (1, 1.0), (4, 2.0)])
def test_waiting_share_is_erlang_b_loss(spares, repair):
    plan = reliability.RunPlan(
        400 * 86400, 3600, 1, 60, node_mtbf=100 * 86400, nodes=128, spares=spares, repair_seconds=repair * 86400
    )
    runs = reliability.simulate(plan, 60, seed=3)
    seen = float((runs.waiting / runs.seconds).mean())
    share = reliability.waiting_share(128, spares, 100 * 86400, repair * 86400)
    assert seen == pytest.approx(share, rel=0.05)


def test_waiting_share_broadcasts_and_has_limits():
    many = reliability.waiting_share([1, 128, 2048], 3, 1e7, 1e5)
    assert many.shape == (3,) and (np.diff(many) > 0).all()
    assert many[1] == pytest.approx(reliability.waiting_share(128, 3, 1e7, 1e5), rel=1e-12)
    assert reliability.waiting_share(100, 0, 1e6, 1e4) == pytest.approx(0.5)  # equal time in repair and at work
    with pytest.raises(ValueError, match="spares"):
        reliability.waiting_share(100, -1, 1e6, 1e4)
