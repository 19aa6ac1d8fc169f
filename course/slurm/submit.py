"""Giving jobs to a cluster, and reading back when they ran."""

import re
import time
from datetime import datetime
from math import ceil
from typing import NamedTuple


class Ran(NamedTuple):
    """When a job was submitted, started and ended, seconds from the first submission, on which nodes, and how it ended."""

    id: object
    submit: float
    start: float
    end: float
    nodes: str
    state: str


def replay(cluster, jobs, patience=None) -> list[Ran]:
    """Submit jobs at their times, wait until all have ended, and say when each ran.

    Parameters
    ----------
    cluster : Cluster
    jobs : iterable of chip2cluster.scheduling.Job
        Each sleeps for its ``runtime``; Slurm counts limits in whole minutes, and ``walltime`` is rounded up to one.
    patience : float, optional
        Seconds to wait for all to end; twice the sum of all limits where it is not given.

    Returns
    -------
    list of Ran
        In the order of submission.
    """
    listed = sorted(jobs, key=lambda job: job.submit)
    numbers, begin = {}, time.monotonic()
    for job in listed:
        time.sleep(max(0.0, begin + job.submit - time.monotonic()))
        numbers[_submit(cluster, job)] = job.id
    wait = patience or 2 * sum(60 * ceil(job.walltime / 60) for job in listed)
    deadline = time.monotonic() + wait
    while cluster.run("squeue", "-h", "-o", "%i").strip():
        if time.monotonic() > deadline:
            raise TimeoutError(f"after {wait:g} s jobs were still there:\n{cluster.run('squeue')}")
        time.sleep(0.25)
    records = {number: _record(cluster, number) for number in numbers}
    first = min(float(record["SubmitTime"]) for record in records.values())
    return [
        Ran(
            numbers[number], *(float(record[name]) - first for name in ("SubmitTime", "StartTime", "EndTime")),
            record["NodeList"], record["JobState"],
        )
        for number, record in records.items()
    ]  # fmt: skip


def _submit(cluster, job):
    said = cluster.run(
        "sbatch", "--parsable", f"--nodes={job.nodes}", f"--time={ceil(job.walltime / 60)}", f"--job-name=job-{job.id}",
        "--output=/dev/null", f"--wrap=exec sleep {job.runtime:g}",
    )  # fmt: skip
    return int(said.split(";")[0])


def _record(cluster, number):
    """The fields of ``scontrol show job``; times as seconds of this machine's clock."""
    fields = dict(re.findall(r"(\w+)=(\S*)", cluster.run("scontrol", "-o", "show", "job", str(number))))
    for name in ("SubmitTime", "StartTime", "EndTime"):
        fields[name] = datetime.fromisoformat(fields[name]).timestamp()
    return fields
