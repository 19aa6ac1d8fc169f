"""Jobs that ask for GPUs of a node share nodes: placement by name, fragmentation, metrics and reasons."""

from random import Random

import pytest

from chip2cluster.scheduling import Job, policies, simulate

NAMED = [name for name in policies() if name != "conservative_compress" and not name.startswith("multifactor")]


def random_jobs(seed, gpus, shared=True):
    chance = Random(seed)
    jobs = []
    for number in range(14):
        nodes, walltime = chance.choice((1, 1, 1, 2, 3)), chance.choice((30, 60, 90, 200))
        part = chance.choice((1, 2, gpus // 2, gpus, None)) if shared else None
        runtime = chance.choice((walltime, walltime / 3))
        jobs.append(Job(number, chance.randrange(120), nodes, walltime, runtime, gpus=part))
    return jobs


def test_two_jobs_of_half_a_node_run_side_by_side():
    jobs = [Job(1, 0, 1, 60, gpus=4), Job(2, 0, 1, 60, gpus=4), Job(3, 0, 1, 60)]
    schedule = simulate(jobs, 1, "fcfs", reservations="named", gpus_per_node=8)
    assert schedule.starts == {1: 0, 2: 0, 3: 60}
    assert schedule.metrics().utilization == 1 and schedule.gpu_hours(8) == pytest.approx(16 * 60 / 3600)


def test_free_gpus_on_different_nodes_are_no_free_node():
    """Fragmentation: four GPUs are free, two on each node, and a job that needs three of one node waits."""
    jobs = [Job(1, 0, 1, 60, gpus=2), Job(2, 0, 1, 90, gpus=4), Job(3, 0, 1, 90, gpus=4), Job(4, 1, 1, 60, gpus=3)]
    schedule = simulate(jobs, 2, "conservative", reservations="named", gpus_per_node=6)
    assert schedule.node_lists[:3] == ((0,), (0,), (1,))
    schedule = simulate(jobs[1:], 2, "conservative", reservations="named", gpus_per_node=6)
    assert schedule.starts == {2: 0, 3: 0, 4: 90}
    assert schedule.why(4) == (
        "Job 4 needs 3 GPUs on each of 1 node, and 4 GPUs are free, but not on enough nodes; its reservation is at "
        "90 s (Resources)."
    )
    smaller = [*jobs[1:3], Job(4, 1, 1, 60, gpus=2)]
    assert simulate(smaller, 2, "conservative", reservations="named", gpus_per_node=6).starts[4] == 1


def test_backfill_takes_free_gpus_of_a_reserved_node():
    jobs = [Job(1, 0, 1, 100, gpus=6), Job(2, 1, 1, 100), Job(3, 2, 1, 50, gpus=2), Job(4, 3, 1, 200, gpus=2)]
    schedule = simulate(jobs, 1, "easy", reservations="named", gpus_per_node=8)
    assert schedule.starts == {1: 0, 3: 2, 2: 100, 4: 200}
    assert simulate(jobs, 1, "fcfs", reservations="named", gpus_per_node=8).starts == {1: 0, 2: 100, 3: 200, 4: 200}


@pytest.mark.parametrize("policy", NAMED)
@pytest.mark.parametrize("seed", range(12))
def test_no_node_ever_runs_more_gpus_than_it_has(policy, seed):
    jobs = random_jobs(seed, 8)
    schedule = simulate(jobs, 4, policy, reservations="named", gpus_per_node=8)
    by_id = {job.id: job for job in jobs}
    assert len(schedule.runs) == len(jobs)
    for moment in schedule.starts.values():
        used = [0] * 4
        for run, nodes in zip(schedule.runs, schedule.node_lists, strict=True):
            assert len(nodes) == by_id[run.job].nodes
            if run.start <= moment < run.end:
                for node in nodes:
                    used[node] += by_id[run.job].gpus or 8
        assert max(used) <= 8


@pytest.mark.parametrize("policy", NAMED)
@pytest.mark.parametrize("seed", range(6))
def test_whole_nodes_are_scheduled_as_without_gpus(policy, seed):
    jobs = random_jobs(seed, 8, shared=False)
    shared = simulate(jobs, 4, policy, reservations="named", gpus_per_node=8)
    alone = simulate(jobs, 4, policy, reservations="named")
    assert shared.starts == alone.starts and shared.metrics() == alone.metrics()
    assert {*zip(shared.runs, shared.node_lists, strict=True)} == {*zip(alone.runs, alone.node_lists, strict=True)}


@pytest.mark.parametrize("policy", NAMED)
def test_pending_jobs_name_their_reason(policy):
    jobs = random_jobs(3, 8)
    schedule = simulate(jobs, 4, policy, reservations="named", gpus_per_node=8)
    for job in jobs:
        if schedule.starts[job.id] > job.submit:
            assert schedule.why(job.id).endswith(("(Resources).", "(Priority)."))


@pytest.mark.parametrize(
    "job, options, words",
    [
        (Job(1, 0, 1, 60, gpus=2), {}, "give gpus_per_node and reservations='named'"),
        (Job(1, 0, 1, 60), {"gpus_per_node": 8}, "needs reservations='named'"),
        (Job(1, 0, 1, 60, gpus=9), {"gpus_per_node": 8, "reservations": "named"}, "sbatch refuses it"),
        (Job(1, 0, 1, 60), {"gpus_per_node": 0, "reservations": "named"}, "gpus_per_node"),
    ],
)
def test_gpus_that_cannot_be_scheduled_name_the_remedy(job, options, words):
    with pytest.raises(ValueError, match=words):
        simulate([job], 4, "fcfs", **options)
    with pytest.raises(ValueError, match="gpus"):
        Job(1, 0, 1, 60, gpus=0)


# --- limits of associations -----------------------------------------------------------------


def test_account_over_its_node_limit_waits():
    """GrpTRES=node=4 of an account holds the second job, of another user, as AssocGrpNodeLimit."""
    jobs = [Job(1, 0, 3, 60, user="ann", account="lab"), Job(2, 1, 2, 60, user="bob", account="lab"), Job(3, 2, 2, 60)]
    schedule = simulate(jobs, 8, "fcfs", node_limits={"lab": 4})
    assert schedule.starts == {1: 0, 2: 60, 3: 2}
    assert (
        schedule.why(2) == "Job 2 waits because the jobs of lab may hold 4 nodes, and they hold 3 (AssocGrpNodeLimit)."
    )


@pytest.mark.parametrize("policy", NAMED)
def test_users_never_run_more_jobs_than_their_limit(policy):
    for seed in range(8):
        jobs = [Job(job.id, job.submit, job.nodes, job.walltime, job.runtime, user="ab"[job.id % 2], gpus=job.gpus)
                for job in random_jobs(seed, 8)]  # fmt: skip
        schedule = simulate(jobs, 4, policy, reservations="named", gpus_per_node=8, job_limits={"a": 2})
        owner = {job.id: job.user for job in jobs}
        assert len(schedule.runs) == len(jobs)
        for moment in schedule.starts.values():
            assert sum(run.start <= moment < run.end and owner[run.job] == "a" for run in schedule.runs) <= 2


def test_job_over_the_limit_of_jobs_names_it():
    jobs = [Job(number, number, 1, 60, user="ann") for number in range(3)]
    schedule = simulate(jobs, 8, "conservative", job_limits={"ann": 2})
    assert schedule.starts == {0: 0, 1: 1, 2: 60}
    assert schedule.why(2) == "Job 2 waits because the jobs of ann may run 2 at once, and 2 run (AssocGrpJobsLimit)."
    with pytest.raises(ValueError, match="job_limits of 'ann'"):
        simulate(jobs, 8, "fcfs", job_limits={"ann": 0})
    with pytest.raises(ValueError, match="use 'conservative'"):
        simulate(jobs, 8, "conservative_compress", job_limits={"ann": 2})
