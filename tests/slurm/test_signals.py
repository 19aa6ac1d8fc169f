"""What becomes of a signal that a batch script traps: with ``srun`` in the foreground, and with ``srun … & wait``."""

import re

import pytest

from course.slurm import Cluster, missing
from tests.waiting import wait_until

pytestmark = pytest.mark.skipif(bool(missing()), reason=f"NO SLURM TESTED: {missing()}")

HEAD = """#!/bin/bash
date +%s > started
trap 'date +%s > trapped; scontrol requeue "$SLURM_JOB_ID"; exit 0' {trapped}
"""
# The step writes a file first: once it is there, the shell waits for srun.
STEP = "srun sh -c 'touch step; exec sleep {seconds}'"
FOREGROUND = f"{STEP}\ndate +%s > over\n"
WAITED = f"{STEP} &\nwait\n"


def submit(real, folder, body, seconds, *options, trapped="USR1"):
    folder.mkdir()
    (folder / "job.sh").write_text((HEAD + body).format(seconds=seconds, trapped=trapped))
    told = real.run(
        "sbatch", "--parsable", "--requeue", f"--chdir={folder}", "--output=log", *options, folder / "job.sh"
    )
    return told.strip()


def wait_for(file, seconds):
    wait_until(file.exists, seconds=seconds, what=f"{file} exists")


def seconds_to_trap(folder):
    return int((folder / "trapped").read_text()) - int((folder / "started").read_text())


def restarts(real, job):
    return int(re.search(r"Restarts=(\d+)", real.run("scontrol", "-o", "show", "job", job))[1])


def test_a_trap_waits_for_the_foreground_and_not_for_wait(tmp_path):
    """The signal is sent by hand, so that nobody waits for a limit; the recipe that is mended brings the job back."""
    with Cluster(2) as real:
        # The signal comes long before the waited step is over, and before the step in the foreground is.
        jobs = {}
        for name, body, seconds in (("waited", WAITED, 600), ("foreground", FOREGROUND, 8)):
            jobs[name] = submit(real, tmp_path / name, body, seconds, "--time=15")
            wait_for(tmp_path / name / "step", 60)
        for job in jobs.values():
            real.run("scancel", "--batch", "--signal=USR1", job)
        for name in jobs:
            wait_for(tmp_path / name / "trapped", 60)
        wait_until(lambda: restarts(real, jobs["waited"]) == 1, seconds=60, what="the job is requeued")
    assert seconds_to_trap(tmp_path / "foreground") >= 7  # when the step was over
    assert seconds_to_trap(tmp_path / "waited") < 600


PREEMPTION = """PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
PartitionName=low Nodes=n1 OverSubscribe=EXCLUSIVE PriorityTier=1 GraceTime=6
PartitionName=high Nodes=n1 OverSubscribe=EXCLUSIVE PriorityTier=2
"""
RANK = """srun sh -c 'trap "[ -e rank ] || date +%s > rank" TERM; touch step; for i in $(seq {seconds}); do sleep 1; done' &
wait
"""


def test_preemption_signals_the_ranks_before_the_script(tmp_path):
    """The script gets TERM only when the grace time is over, so its trap comes too late to use it."""
    with Cluster(1, settings=PREEMPTION) as real:
        folder = tmp_path / "low"
        submit(real, folder, RANK, 600, "--partition=low", "--time=15", trapped="TERM")
        wait_for(folder / "step", 60)
        real.run("sbatch", "--partition=high", "--time=1", "--output=/dev/null", "--wrap", "true")
        wait_for(folder / "trapped", 60)
    assert int((folder / "trapped").read_text()) - int((folder / "rank").read_text()) >= 5


@pytest.mark.prove
def test_the_signal_before_the_limit_is_heard_only_by_who_waits(tmp_path):
    """``--signal=B:USR1@60`` and a limit of two minutes: one trap runs a minute before it, one when it is too late.

    At the limit TERM comes to the shell too: one that traps USR1 alone ends of it, and its trap mostly never runs.
    """
    jobs = {"foreground": (FOREGROUND, "USR1 TERM"), "deaf": (FOREGROUND, "USR1"), "waited": (WAITED, "USR1")}
    with Cluster(3) as real:
        ids = {
            name: submit(real, tmp_path / name, body, 600, "--time=2", "--signal=B:USR1@60", trapped=trapped)
            for name, (body, trapped) in jobs.items()
        }
        for name in ("waited", "foreground"):
            wait_for(tmp_path / name / "trapped", 260)
        wait_until(
            lambda: ids["deaf"] not in real.run("squeue", "-h", "-t", "R,CG", "-o", "%i").split(),
            seconds=60,
            what="the job that traps USR1 alone ends",
        )
    assert seconds_to_trap(tmp_path / "foreground") >= 115
    assert seconds_to_trap(tmp_path / "waited") <= 65
    if (tmp_path / "deaf/trapped").exists():  # the shell saw its command end before TERM came
        assert seconds_to_trap(tmp_path / "deaf") >= 115
    assert not any((tmp_path / name / "over").exists() for name in jobs)
