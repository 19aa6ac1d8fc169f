"""Parser of logs in the Standard Workload Format (SWF) of the Parallel Workloads Archive."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from math import isfinite
from pathlib import Path

from .._validate import choice, flag
from .jobs import Job

DATA = Path(__file__).resolve().parent.parent / "data"
TRACES = {"SDSC SP2 sample": "sdsc_sp2_sample.swf"}
FIELDS = (
    "job", "submit", "wait", "run_time", "allocated_processors", "average_cpu_time", "used_memory",
    "requested_processors", "requested_time", "requested_memory", "status", "user", "group", "executable",
    "queue", "partition", "preceding_job", "think_time",
)  # fmt: skip


@dataclass(frozen=True)
class Trace:
    """Parsed workload log.

    Attributes
    ----------
    jobs : tuple of Job
        Jobs of the log.
    nodes : int or None
        Size of the machine; None if the header does not state it.
    header : mapping of str to str
        Header fields by name, including the copyright.
    left_out : mapping of int to str
        Jobs that cannot be replayed, with the reason.
    """

    jobs: tuple[Job, ...] = field(repr=False)
    nodes: int | None
    header: Mapping[str, str] = field(repr=False)
    left_out: Mapping[int, str] = field(repr=False)


def read_swf(text: str, *, shift: bool = False) -> Trace:
    r"""Parse a log in the Standard Workload Format (SWF).

    Parameters
    ----------
    text : str
        Content of the file.
    shift : bool
        Whether to shift the first submission to 0 s.

    Returns
    -------
    Trace
        Jobs with one node per processor; the size is the larger of requested and
        allocated processors. If the log has no requested time, the walltime is the run time.

    Raises
    ------
    ValueError
        A line does not have 18 numbers (the message has its number), or there are no jobs.

    Notes
    -----
    -1 means *unknown*. Jobs without a run time or a size (cancelled ones) are left out. The walltime of a job
    that ran longer than requested is its run time. Ignores memory, queues, partitions and think times. Source: Chapin
    et al., *Benchmarks and standards for the evaluation of parallel job schedulers*, 1999;
    the archive's definition, version 2.2.

    Examples
    --------
    >>> read_swf("; MaxProcs: 128\n1 0 5 100 8 -1 -1 8 3600 -1 1 3 -1 -1 -1 -1 -1 -1\n").jobs[0].walltime
    3600.0
    """
    shift = flag("shift", shift)
    if not isinstance(text, str):
        raise TypeError(f"text must be the content of a log file as a string, got {type(text).__name__}")
    header: dict[str, str] = {}
    jobs, left_out, last = [], {}, ""
    for place, line in enumerate(text.splitlines(), 1):
        line = line.strip()
        if line.startswith(";"):
            last = _note(line[1:], header, last)
        elif line:
            values = _numbers(line, place)
            if reason := _unusable(values):
                left_out[int(values["job"])] = reason
            else:
                jobs.append(_job(values))
    if not jobs:
        raise ValueError("text must hold at least one job that ran, on a line that does not start with ';'")
    if shift:
        first = min(job.submit for job in jobs)
        jobs = [Job(job.id, job.submit - first, job.nodes, job.walltime, job.runtime, job.user) for job in jobs]
    size = header.get("MaxProcs") or header.get("MaxNodes")
    return Trace(tuple(jobs), int(size) if size and size.isdigit() else None, header, left_out)


@cache
def trace(name: str = "SDSC SP2 sample") -> Trace:
    """Look up a workload log that is included in the package.

    Parameters
    ----------
    name : str
        Name of the log; "SDSC SP2 sample" has 1,000 consecutive jobs of an IBM SP2 with 128 nodes, spring 1998.

    Returns
    -------
    Trace
        Parsed log.

    Notes
    -----
    Copyright 2000 The Regents of the University of California; free to use for educational,
    research and non-profit purposes with the notice that its header carries. Acknowledge
    Victor Hazlewood and the Parallel Workloads Archive.

    Examples
    --------
    >>> log = trace()
    >>> len(log.jobs), log.nodes, log.header["Acknowledge"]
    (1000, 128, 'Victor Hazlewood')
    """
    return read_swf(trace_text(name))


def trace_text(name: str = "SDSC SP2 sample") -> str:
    """Return the text of an included workload log.

    Parameters
    ----------
    name : str
        Name of the log, same as in `trace`.

    Returns
    -------
    str
        Content of the file in SWF.

    Notes
    -----
    Same licence as `trace`.

    Examples
    --------
    >>> trace_text().splitlines()[1]
    '; Computer: IBM SP2'
    """
    return (DATA / TRACES[choice("name", name, TRACES)]).read_text(encoding="utf-8")


def _note(line: str, header: dict[str, str], last: str) -> str:
    """Store a header line; one without a name continues the previous line."""
    name, colon, value = line.strip().partition(":")
    if colon and not line.startswith("   ") and len(name) < 25:
        header[name] = f"{header[name]}\n{value.strip()}" if name in header else value.strip()
        return name
    if last and line.strip():
        header[last] += "\n" + line.strip()
    return last


def _numbers(line: str, place: int) -> dict[str, float]:
    parts = line.split()
    if len(parts) != len(FIELDS):
        raise ValueError(f"line {place} must have 18 numbers, got {len(parts)}: {line[:60]!r}")
    try:
        values = dict(zip(FIELDS, map(float, parts), strict=True))
    except ValueError:
        values = {}
    if not values or not all(map(isfinite, values.values())):
        raise ValueError(f"line {place} must have only finite numbers, got {line[:60]!r}")
    return values


def _unusable(values: dict[str, float]) -> str:
    if values["run_time"] <= 0:
        return f"run time {values['run_time']:g}"
    if max(values["requested_processors"], values["allocated_processors"]) <= 0:
        return "no processors"
    return "submitted before the log began" if values["submit"] < 0 else ""


def _job(values: dict[str, float]) -> Job:
    ran, requested = values["run_time"], values["requested_time"]
    return Job(
        int(values["job"]), values["submit"], int(max(values["requested_processors"], values["allocated_processors"])),
        max(requested, ran), ran, user=f"user {values['user']:g}",
    )  # fmt: skip
