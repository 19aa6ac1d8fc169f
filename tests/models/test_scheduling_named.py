"""Reservations of named nodes, jobs larger than the machine, and comments that look like options."""

import random
import subprocess
import sys

import pytest

from chip2cluster import scheduling
from chip2cluster.scheduling import Job, simulate

POLICIES = ["fcfs", "sjf", "easy", "conservative"]


def random_jobs(seed, early):
    draw = random.Random(seed)
    nodes = draw.choice([6, 8, 16])
    jobs = []
    for number in range(1, 13):
        limit = 60 * draw.randint(1, 6)
        run = draw.uniform(0.3, 1) * limit if early else limit - 4
        jobs.append(Job(number, draw.choice([0, draw.randint(0, 600)]), draw.randint(1, nodes), limit, run))
    return jobs, nodes


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("delay", [0, 1])
def test_named_runs_never_share_a_node(policy, delay):
    for seed in range(25):
        jobs, nodes = random_jobs(seed, early=seed % 2)
        schedule = simulate(jobs, nodes, policy, backfill_delay=delay, reservations="named")
        assert len(schedule.runs) == len(jobs)
        runs = list(zip(schedule.runs, schedule.node_lists, strict=True))
        for place, (run, names) in enumerate(runs):
            assert len(set(names)) == run.nodes and set(names) <= set(range(nodes))
            for other, more in runs[place + 1 :]:
                assert not set(names) & set(more) or other.start >= run.end or run.start >= other.end


@pytest.mark.parametrize("policy", ["fcfs", "sjf"])
def test_names_change_nothing_without_backfill(policy):
    for seed in range(20):
        jobs, nodes = random_jobs(seed, early=True)
        assert simulate(jobs, nodes, policy, reservations="named").starts == simulate(jobs, nodes, policy).starts


def test_names_move_starts_of_some_random_lists():
    """Fragmentation in time: enough nodes are free, but not the promised ones."""
    moved = 0
    for seed in range(100):
        jobs, nodes = random_jobs(seed, early=seed % 2)
        starts = [simulate(jobs, nodes, "easy", backfill_delay=1, reservations=r).starts for r in ("named", "counted")]
        moved += any(abs(starts[0][one] - starts[1][one]) > 10 for one in starts[0])
    assert 4 <= moved <= 40


def test_spare_node_that_is_busy_delays_a_named_start():
    """At 150 min nodes 0 and 1 are free, both promised to job 3 from 180 min on; the spare node 3 is busy."""
    jobs = [Job(1, 0, 2, 9000), Job(2, 0, 2, 10800), Job(3, 0, 3, 1800), Job(4, 1800, 1, 7200)]
    counted, named = (simulate(jobs, 4, "easy", reservations=kind) for kind in ("counted", "named"))
    assert counted.starts == {1: 0, 2: 0, 3: 10800, 4: 9000}
    assert named.starts == {1: 0, 2: 0, 3: 10800, 4: 10800}
    assert named.reservations_at(9001)[0].node_list == (0, 1, 2)


def test_free_nodes_outside_a_named_promise_have_two_bounds():
    """Of f free nodes at least f - n and at most min(f, e) are not among the n nodes promised to the head."""
    draw = random.Random(1)
    for _ in range(500):
        at_shadow_time = set(range(draw.randint(1, 12)))  # free then; those that are free now are among them
        free = {node for node in at_shadow_time if draw.random() < 0.5}
        head = draw.randint(1, len(at_shadow_time))
        promised = set(draw.sample(sorted(at_shadow_time), head))
        spare = len(at_shadow_time) - head
        assert max(0, len(free) - head) <= len(free - promised) <= min(len(free), spare)


def test_head_keeps_its_named_reservation():
    """Job 3 fits nodes 2 and 3 by count, but job 2 is promised the lowest four nodes, 0 to 3."""
    jobs = [Job(1, 0, 2, 60), Job(4, 0, 2, 100), Job(2, 1, 4, 60), Job(3, 2, 2, 200)]
    schedule = simulate(jobs, 6, "easy", reservations="named")
    reserved = schedule.reservations_at(3)
    assert [(one.job, one.start, one.node_list) for one in reserved] == [(2, 60, (0, 1, 4, 5))]
    assert schedule.starts[2] == 60 and schedule.starts[3] == 100
    assert simulate(jobs, 6, "easy").starts[3] == 100
    promised = {run.job: names for run, names in zip(schedule.runs, schedule.node_lists, strict=True)}
    assert promised[2] == (0, 1, 4, 5)


def test_named_reservations_refuse_counted_guarantees():
    with pytest.raises(ValueError, match="reservations='counted'"):
        simulate([Job(1, 0, 1, 60)], 4, "conservative_compress", reservations="named")
    with pytest.raises(ValueError, match="'counted', 'named'"):
        simulate([Job(1, 0, 1, 60)], 4, "easy", reservations="nodes")


@pytest.mark.parametrize("policy", POLICIES)
def test_job_larger_than_the_machine_waits(policy):
    """Recorded on Slurm: accepted, PENDING, reason PartitionNodeLimit, and no job behind it is held up."""
    schedule = simulate([Job(1, 0, 5, 60), Job(2, 0, 4, 60)], 4, policy)
    assert schedule.never == {1: None} and schedule.starts == {2: 0}
    assert schedule.why(1).endswith("it needs 5 nodes, and the machine has 4 (PartitionNodeLimit).")
    assert schedule.states == {2: "COMPLETED", 1: "PENDING"}
    with pytest.raises(ValueError, match="job 1 requests 5 nodes, but the machine has 4"):
        simulate([Job(1, 0, 5, 60)], 4, policy, strict=True)


@pytest.mark.parametrize("policy", ["fcfs", "easy", "conservative"])
@pytest.mark.parametrize("reservations", ["counted", "named"])
def test_users_never_exceed_their_node_limit(policy, reservations):
    for seed in range(20):
        jobs, nodes = random_jobs(seed, early=True)
        jobs = [Job(job.id, job.submit, job.nodes, job.walltime, job.runtime, user="ab"[job.id % 2]) for job in jobs]
        limit = max(job.nodes for job in jobs if job.user == "a")
        schedule = simulate(jobs, nodes, policy, reservations=reservations, node_limits={"a": limit})
        assert len(schedule.runs) == len(jobs)
        owner = {job.id: job.user for job in jobs}
        for time in schedule.starts.values():
            running = [run for run in schedule.runs if run.start <= time < run.end and owner[run.job] == "a"]
            assert sum(run.nodes for run in running) <= limit


def test_job_over_its_limit_names_the_reason_and_blocks_nobody():
    """Slurm: PENDING, AssocGrpNodeLimit, and jobs of other users overtake it even without backfill."""
    jobs = [Job(1, 0, 3, 60, user="ann"), Job(2, 1, 2, 60, user="ann"), Job(3, 2, 2, 60, user="bob")]
    schedule = simulate(jobs, 8, "fcfs", node_limits={"ann": 4})
    assert schedule.starts == {1: 0, 2: 60, 3: 2}
    assert (
        schedule.why(2) == "Job 2 waits because the jobs of ann may hold 4 nodes, and they hold 3 (AssocGrpNodeLimit)."
    )
    assert simulate(jobs, 8, "fcfs").starts == {1: 0, 2: 1, 3: 2}
    with pytest.raises(ValueError, match="node_limits of 'ann'"):
        simulate(jobs, 8, "fcfs", node_limits={"ann": 0})


@pytest.mark.parametrize("line", ["# SBATCH --time=1:00:00", " #SBATCH --time=1:00:00", "#\tSBATCH -t 10"])
def test_linter_names_options_in_comments(line):
    found = scheduling.lint_script(f"#!/bin/bash\n{line}\n#SBATCH -N 2 -n 16\nsrun ./a.out\n")
    assert [(one.line, one.rule) for one in found if one.line == 2] == [(2, "commented option")]
    assert "#SBATCH, without a space" in str(found)


def test_linter_accepts_plain_comments():
    text = "#!/bin/bash\n##SBATCH --time=1\n#SBATCH --time=1:00:00\n# our SBATCH options\nsrun ./a.out\n"
    assert not [one for one in scheduling.lint_script(text) if one.rule == "commented option"]


@pytest.mark.parametrize("package", ["scheduling", "serving"])
def test_import_does_not_load_networkx(package):
    code = f"import sys; from chip2cluster import {package}; print('networkx' in sys.modules)"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120)
    assert out.stdout.strip() == "False"
