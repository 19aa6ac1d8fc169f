"""Fair share in a simulated queue against a recording of Slurm 22.05.8, to the unit."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chip2cluster import scheduling
from chip2cluster.scheduling import Fairshare, Job, Preemption, Share, Weights, fair_tree, simulate
from tests.tables import every_row

# Seconds since the blocker began, as `sacct` has them; 42 s of these had gone when `sprio` and `sshare` were first asked.
ASKED = 42
TREE = Share(
    "root",
    children=[
        Share("operator"),
        Share("ml", 60, children=[Share("alice"), Share("bob"), Share("root")]),
        Share("vision", 40, children=[Share("carol")]),
    ],
)
JOBS = [
    Job(1, 0, 4, 180, 151, "alice", qos=0.2),
    Job(3, 2, 2, 120, 20, "bob", qos=0.2),
    Job(4, 2, 1, 120, 20, "carol", qos=0.2),
    Job(6, 2, 4, 120, 20, "carol"),
    Job(2, 192, 1, 120, 20, "alice", qos=0.2),  # on the real machine, jobs that shared a node blocked it until then
]
RULE = {"half_life": 3600, "period": 60, "first": 17, "cpus_per_node": 8}
WEIGHTS = Weights(age=1000, fairshare=10000, job_size=1000, qos=2000, age_max=600)


@pytest.fixture(scope="module")
def replayed():
    return simulate(
        JOBS, 4, "multifactor_conservative", WEIGHTS, fairshare=Fairshare(TREE, **RULE, charge_final_interval=False)
    )


def test_starts_match_recording(replayed):
    assert replayed.starts == {1: 0, 3: 171, 4: 171, 6: 151, 2: 192}


def test_usage_matches_sshare(replayed):
    """All samples over seven minutes, truncated: 542, 2433, 4303, then 4294 and its decay."""
    seen = set()
    for one in scheduling.recorded_shares():
        if one.user in ("alice", "bob", "carol"):
            counted = replayed.usage_at(one.time_s + ASKED)
            assert int(counted.usage[one.user]) == one.raw_usage
            assert counted.factors[one.user] == pytest.approx(one.fairshare, abs=1e-6)
            seen.add(one.raw_usage)
    assert len(seen) == 9


def test_priorities_match_sprio(replayed):
    """All samples of whole-node jobs; the partition adds 1,000 to each."""
    compared = 0
    for one in scheduling.recorded_priorities():
        if one.job in (3, 4, 6):
            assert replayed.priorities_at(one.time_s + ASKED)[one.job] + 1000 == one.priority
            compared += 1
    assert compared > 30


def test_final_interval_is_charged_on_request():
    jobs, shares = [Job(1, 5, 4, 60, 20, "bob")], Share("root", children=[Share("bob"), Share("ann")])
    paid, free = (
        simulate(
            jobs, 4, "multifactor_easy", WEIGHTS, fairshare=Fairshare(shares, None, 60, charge_final_interval=charged)
        )
        for charged in (True, False)
    )
    assert paid.usage_at(60).usage == {"bob": 80, "ann": 0} and free.usage_at(60).usage["bob"] == 0
    assert paid.usage_at(59).usage["bob"] == 0 and paid.usage_at(1e6).usage["bob"] == 80
    assert paid.usage_at(60).factors == {"ann": 1.0, "bob": 0.5}


def test_usage_decays_while_idle():
    shares = Share("root", children=[Share("ann", usage=1000), Share("bob")])
    rule = Fairshare(shares, half_life=3600, period=60)
    schedule = simulate([Job(1, 7200, 1, 60, user="bob")], 1, "multifactor_easy", WEIGHTS, fairshare=rule)
    assert schedule.usage_at(3600).usage["ann"] == pytest.approx(500, rel=3e-4)
    assert schedule.usage_at(7200).usage["ann"] == pytest.approx(250, rel=3e-4)


def test_priority_calculation_changes_the_order():
    """Ann's large job is first until the calculation at 60 s; then Ben's small one is, and it fits."""
    jobs = [Job(1, 0, 3, 600, user="ann"), Job(2, 1, 4, 60, user="ann"), Job(3, 2, 1, 900, user="ben")]
    shares = Share("root", children=[Share("ann"), Share("ben", usage=1)])
    weights = Weights(fairshare=1000)
    assert simulate(jobs, 4, "multifactor_easy", weights).starts[3] == 660
    schedule = simulate(jobs, 4, "multifactor_easy", weights, fairshare=Fairshare(shares, period=60))
    assert schedule.starts == {1: 0, 2: 960, 3: 60}
    assert schedule.why(3, 59).endswith("(Priority).") and schedule.why(3, 60) == "Job 3 has been running since 60 s."


USERS = ("a", "b", "c")


@st.composite
def queues(draw):
    jobs = []
    for number in range(draw(st.integers(1, 10))):
        wall = draw(st.integers(1, 12))
        jobs.append(
            Job(
                number, draw(st.integers(0, 30)), draw(st.integers(1, 4)), wall, draw(st.integers(0, wall)),
                draw(st.sampled_from(USERS)), qos=draw(st.sampled_from([0, 1])),
            )
        )  # fmt: skip
    return jobs


def flat(**usage):
    return Share("root", children=[Share(name, usage=usage.get(name, 0)) for name in USERS])


@given(jobs=queues(), period=st.sampled_from([0.3, 1, 7, 100]), preempts=st.booleans())
def test_usage_without_decay_equals_node_seconds(jobs, period, preempts):
    preemption = Preemption(requeue_delay=3) if preempts else None
    rule = Fairshare(flat(), None, period, cpus_per_node=8)
    schedule = simulate(jobs, 4, "multifactor_easy", WEIGHTS, fairshare=rule, preemption=preemption)
    end = max(schedule.ends.values())
    usage = schedule.usage_at(end + period).usage
    for name in USERS:
        held = sum((run.end - run.start) * run.nodes for run in schedule.runs if jobs[run.job].user == name)
        assert usage[name] == pytest.approx(8 * held)
    times = [page.time for page in schedule.usage_samples]
    assert times == sorted(set(times))
    for page in schedule.usage_samples:
        assert page.factors == fair_tree(flat(**page.usage))


@given(jobs=queues(), period=st.sampled_from([0.3, 1, 7]))
def test_one_user_keeps_factor_one(jobs, period):
    mine = [Job(job.id, job.submit, job.nodes, job.walltime, job.runtime, "a", qos=job.qos) for job in jobs]
    weights, alone = Weights(job_size=10, qos=5), Share("root", children=[Share("a")])
    for policy in ("multifactor_strict", "multifactor_easy", "multifactor_conservative"):
        with_shares = simulate(mine, 4, policy, weights, fairshare=Fairshare(alone, period=period))
        assert with_shares.starts == simulate(mine, 4, policy, weights).starts


@given(jobs=queues(), time=st.fractions(0, 60).map(float))
def test_why_is_defined_and_fitting_head_never_waits(jobs, time):
    """Between two passes the order of the last pass holds."""
    weights = Weights(age=1000, age_max=20, job_size=500, fairshare=700)
    for rule in (None, Fairshare(flat(), 50, 7)):
        schedule = simulate(jobs, 4, "multifactor_easy", weights, fairshare=rule)
        snapshot = schedule.snapshot_at(time)
        for job in jobs:
            if "(Resources)" in schedule.why(job.id, time):
                assert job.nodes > snapshot.free
        assert set(schedule.priorities_at(time)) == {jobs[number].id for number in snapshot.queue}


@every_row(
    "wrong, message",
    [
        ({"half_life": 1}, "half_life must be more than a second"),
        ({"half_life": -5}, "half_life must be greater than zero"),
        ({"period": 0}, "period must be greater than zero"),
        ({"first": -1}, "first must be zero or more"),
        ({"cpus_per_node": 0}, "cpus_per_node must be greater than zero"),
        ({"tree": Share("root", children=[])}, "at least one user"),
    ],
)
def test_fairshare_errors(wrong, message):
    with pytest.raises(ValueError, match=message):
        Fairshare(**({"tree": TREE} | wrong))


def test_argument_errors():
    rule = Fairshare(TREE)
    with pytest.raises(TypeError, match="charge_final_interval must be True or False"):
        Fairshare(TREE, charge_final_interval=1)
    with pytest.raises(TypeError, match="tree must be"):
        Fairshare("root")
    with pytest.raises(TypeError, match="fairshare must be a scheduling.Fairshare or None"):
        simulate(JOBS, 4, "multifactor_easy", WEIGHTS, fairshare=TREE)
    with pytest.raises(ValueError, match="use one of the multifactor policies"):
        simulate(JOBS, 4, "easy", fairshare=rule)
    with pytest.raises(ValueError, match="job 1 must belong to a user of the fair-share tree, .*; got 'dan'"):
        simulate([Job(1, 0, 1, 60, user="dan")], 4, "multifactor_easy", WEIGHTS, fairshare=rule)
    with pytest.raises(ValueError, match="policy 'easy' does not use priorities"):
        simulate(JOBS, 4, "easy").priorities_at(0)
    with pytest.raises(ValueError, match="usage is recorded only if"):
        simulate(JOBS, 4, "easy").usage_at(0)
