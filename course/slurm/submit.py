"""Giving jobs to a cluster, and reading back when they ran."""

import re
import time
from datetime import datetime
from math import ceil, nan
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
        Dependencies, names and jobs that fail are handed on; one whose dependency can never be met is cancelled.
    patience : float, optional
        Seconds to wait for all to end; twice the sum of all limits where it is not given.

    Returns
    -------
    list of Ran
        Runs in the order of submission; nan is the start of a job that never started.

    Raises
    ------
    ValueError
        For tasks of arrays, and jobs of a qos: there is no accounting that would know one.
    """
    listed = sorted(jobs, key=lambda job: job.submit)
    for job in listed:
        if job.array is not None or job.qos:
            raise ValueError(f"jobs must be none of an array and of no qos to be replayed, got {job!r}")
    numbers, begin = {}, time.monotonic()
    for job in listed:
        time.sleep(max(0.0, begin + job.submit - time.monotonic()))
        numbers[_submit(cluster, job, {str(name): number for number, name in numbers.items()})] = job.id
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


def _submit(cluster, job, before=()):
    """Hand a job to ``sbatch``; ``before`` has Slurm's numbers of jobs that it may wait for."""
    options = [f"--nodes={job.nodes}", f"--time={ceil(job.walltime / 60)}", f"--job-name={job.name or f'job-{job.id}'}"]
    if job.walltime_min is not None:
        options.append(f"--time-min={ceil(job.walltime_min / 60)}")
    if job.dependency:
        waits = re.sub(r"(?<=:)[^:,?]+", lambda name: str(before[name[0]]), job.dependency)
        options += [f"--dependency={waits}", "--kill-on-invalid-dep=yes"]
    work = f"sleep {job.runtime!r}; exit 1" if job.fails else f"exec sleep {job.runtime!r}"
    return int(cluster.run("sbatch", "--parsable", *options, "--output=/dev/null", f"--wrap={work}").split(";")[0])


def _record(cluster, number):
    """The fields of ``scontrol show job``; times as seconds of this machine's clock."""
    fields = dict(re.findall(r"(\w+)=(\S*)", cluster.run("scontrol", "-o", "show", "job", str(number))))
    for name in ("SubmitTime", "StartTime", "EndTime"):
        known = fields[name] != "Unknown"
        fields[name] = datetime.fromisoformat(fields[name]).timestamp() if known else nan
    return fields
