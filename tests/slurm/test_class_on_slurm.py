"""A class graded the way a department with a cluster would: workers are jobs of a real Slurm, by dask-jobqueue."""

import sys

import pytest

from course.slurm import Cluster, missing
from tests.grading.course import LAB, ROOT, Course

pytestmark = [
    pytest.mark.prove,
    pytest.mark.skipif(bool(missing()), reason=f"NO SLURM TESTED: {missing()}"),
]


def test_a_small_class_is_graded_by_jobs_as_it_is_here(tmp_path, monkeypatch):
    """Reference answers, the released lab, and half of each; in the real sandbox, on two nodes."""
    jobqueue = pytest.importorskip("dask_jobqueue")
    from autograder.grading.runs.pipeline import grade_lab

    monkeypatch.setenv("CHIP2CLUSTER_SECRET", "for the tests")
    monkeypatch.setenv("JUPYTER_CONFIG_DIR", str(tmp_path / "jupyter"))
    folder = tmp_path / "course"
    folder.mkdir()
    course = Course(folder)
    right = course.answers()
    course.submit("ann", right)
    course.submit("ben", {})
    course.submit("eve", dict(list(right.items())[: len(right) // 2]))
    with Cluster(2, folder=tmp_path / "slurm") as slurm:
        monkeypatch.setenv("SLURM_CONF", slurm.environment["SLURM_CONF"])
        with jobqueue.SLURMCluster(
            cores=1, processes=1, memory="900MB", walltime="00:10:00", python=sys.executable,
            job_script_prologue=[f"export PYTHONPATH={ROOT}", f"cd {ROOT}"], log_directory=str(tmp_path / "logs"),
            local_directory=str(tmp_path / "workers"), interface="lo", scheduler_options={"dashboard_address": ":0"},
        ) as workers:  # fmt: skip
            workers.scale(jobs=2)
            there = grade_lab(course.root, LAB, scheduler=workers.scheduler_address)
            jobs = slurm.run("squeue", "-h", "-t", "RUNNING", "-o", "%j %N").split("\n")
    assert sum("dask-worker" in job for job in jobs) == 2
    assert there.graded == 3 and not there.failures
    scores = {name: sum(one["score"] for one in row["exercises"].values()) for name, row in there.rows.items()}
    assert scores["ann"] > scores["eve"] > scores["ben"] == 0
    here = grade_lab(course.root, LAB, regrade=True, jobs=1)
    assert {name: row["exercises"] for name, row in here.rows.items()} == {
        name: row["exercises"] for name, row in there.rows.items()
    }
