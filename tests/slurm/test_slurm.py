"""The simulator beside a real Slurm, started here: who passes whom, and when each job starts."""

import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import permutations
from pathlib import Path

import pytest

from chip2cluster.scheduling import Job, simulate
from course.slurm import Cluster, cluster, missing, submit
from tests.waiting import wait_until

RECORDED = Path(__file__).parents[1] / "models/data/scheduling/slurm_recorded.json"
needs_slurm = pytest.mark.skipif(bool(missing()), reason=f"NO SLURM TESTED: {missing()}")

# Three that end long before their limits, and one that fits the hole they leave: a minute of its limit is to spare. It
# ends well before the first, however late a busy machine starts it: else the fourth passes the second or not by chance.
JOBS = [Job(1, 0, 3, 180, 7), Job(2, 0, 4, 60, 2), Job(3, 0, 1, 120, 1), Job(4, 0, 2, 60, 1)]


@needs_slurm
def test_a_small_job_passes_a_large_one_as_in_the_simulator():
    with Cluster(4, "conservative") as real:
        ran = {one.id: one for one in submit.replay(real, JOBS, patience=50)}
        pids = [int(file.read_text()) for file in (real.root / "run").glob("*.pid")]
    assert len(pids) == 6 and not any(map(cluster._alive, pids)) and not real.root.exists()
    assert {one.state for one in ran.values()} == {"COMPLETED"}
    took = [replace(job, runtime=ran[job.id].end - ran[job.id].start) for job in JOBS]
    expected = simulate(took, 4, "conservative")
    for one, other in permutations(ran, 2):
        if expected.starts[other] >= expected.ends[one]:
            assert ran[other].start >= ran[one].end - 1, f"{other} began before {one} had ended"
    assert ran[3].start < ran[1].end and ran[3].start < ran[2].start
    zero = ran[1].start
    assert all(abs(ran[job.id].start - zero - expected.starts[job.id]) <= 8 for job in JOBS)


# What a real one makes of each kind of dependency: jobs 1 to 3 end well, badly, and well but later.
WAITING = [
    Job(1, 0, 1, 60, 2),
    Job(2, 0, 1, 60, 2, fails=True),
    Job(3, 0, 1, 60, 8, name="same"),
    Job(4, 0, 1, 60, 1, dependency="afterok:1"),
    Job(5, 0, 1, 60, 1, dependency="afterok:2"),
    Job(6, 0, 1, 60, 1, dependency="afternotok:2"),
    Job(7, 0, 1, 60, 1, dependency="afternotok:1"),
    Job(8, 0, 1, 60, 1, dependency="afterany:2:3"),
    Job(9, 0, 1, 60, 1, dependency="afterok:2?afterok:3"),
    Job(10, 0, 1, 60, 1, dependency="afterok:1,afternotok:2"),
    Job(11, 0, 1, 60, 1, name="same", dependency="singleton"),
    Job(12, 0, 1, 60, 1, dependency="after:3"),
]


@needs_slurm
@pytest.mark.prove
def test_dependencies_are_met_as_in_the_simulator():
    with Cluster(12, "conservative") as real:
        ran = {one.id: one for one in submit.replay(real, WAITING, patience=60)}
    expected = simulate(WAITING, 12, "conservative")
    assert set(expected.never) == {5, 7} == {name for name, one in ran.items() if one.state == "CANCELLED"}
    for name, start in expected.starts.items():
        assert abs(ran[name].start - ran[1].start - start) <= 4, (name, start, ran[name])
    assert {name: one.state for name, one in ran.items() if name in expected.starts} == {
        name: state for name, state in expected.states.items() if name in expected.starts
    }


def test_what_cannot_be_replayed_says_so():
    for job in (Job(1, 0, 1, 60, qos=1), Job("2_0", 0, 1, 60, array=2)):
        with pytest.raises(ValueError, match="none of an array and of no qos"):
            submit.replay(None, [job])


@needs_slurm
def test_what_cannot_start_says_why_and_leaves_nothing_behind(tmp_path, monkeypatch):
    monkeypatch.setitem(cluster.POLICIES, "easy", ("sched/backfill", ""))
    real = Cluster(1, "easy", folder=tmp_path, patience=6)
    with pytest.raises(RuntimeError, match="(?s)slurmctld did not start: .*SchedulerParameters="):
        real.__enter__()
    pids = [int(file.read_text()) for file in (tmp_path / "run").glob("*.pid")]
    assert not any(map(cluster._alive, pids))


def commands():
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            yield (folder / "cmdline").read_text()
        except OSError:
            continue


@needs_slurm
def test_ids_of_others_are_left_alone(tmp_path):
    """A file that a dead daemon left behind may name a process that is somebody's by now."""
    (tmp_path / "run").mkdir()
    with subprocess.Popen(["sleep", "60"]) as stranger:
        (tmp_path / "run/slurmd.n1.pid").write_text(str(stranger.pid))
        Cluster(1, folder=tmp_path).stop()
        assert stranger.poll() is None
        stranger.kill()
    with Cluster(1, folder=tmp_path), pytest.raises(RuntimeError, match="a cluster runs in .* already"):
        Cluster(1, folder=tmp_path).__enter__()


@needs_slurm
def test_a_cluster_that_stops_takes_its_jobs_along():
    with Cluster(1) as real:
        submit._submit(real, Job(1, 0, 1, 60, 51.25))
        wait_until(
            lambda: any("sleep\x0051.25" in command for command in commands()),
            seconds=60,
            what=lambda: f"the job runs\n{real.run('squeue')}",
        )
    assert not any("sleep\x0051.25" in command for command in commands())


@pytest.mark.parametrize(
    "wrong, message",
    [
        ({"nodes": 0}, "nodes must be a whole number from 1 to 64, got 0"),
        ({"nodes": 2.5}, "nodes must be a whole number"),
        ({"policy": "sjf"}, "policy must be one of fcfs, easy, conservative"),
    ],
)
def test_clusters_that_are_none(wrong, message):
    with pytest.raises(ValueError, match=message):
        Cluster(**wrong)


def test_without_slurm_the_command_names_the_packages(tmp_path):
    code = "import shutil; shutil.which = lambda *_, **__: None; from course.slurm.__main__ import main; main()"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=Path(__file__).parents[2])
    assert done.returncode == 1 and "apt-get install --no-install-recommends slurm-wlm munge" in done.stderr


def listed(case):
    return [Job(job["id"], 0, job["nodes"], 60 * job["limit_min"], job["asked_run_s"]) for job in case["jobs"]]


@pytest.mark.prove
@needs_slurm
def test_a_whole_list_minute_by_minute():
    """Nine jobs under three policies at once, eleven minutes: each starts in the minute that the simulator names."""
    cases = [case for case in json.loads(RECORDED.read_text(encoding="utf-8"))["cases"] if case["ideal_matches"]]

    def run(case):
        with Cluster(case["total_nodes"], case["policy"]) as real:
            return submit.replay(real, listed(case), patience=1000)

    with ThreadPoolExecutor(len(cases)) as pool:
        for case, ran in zip(cases, pool.map(run, cases), strict=True):
            minutes = [Job(job["id"], 0, job["nodes"], job["limit_min"]) for job in case["jobs"]]
            expected = simulate(minutes, case["total_nodes"], case["policy"]).starts
            zero = min(one.start for one in ran)
            late = {one.id: one.start - zero - 60 * expected[one.id] for one in ran}
            assert max(map(abs, late.values())) <= 25, f"{case['id']}: {late}"
