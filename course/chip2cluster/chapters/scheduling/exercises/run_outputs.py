"""Output of sacct and logs of all ranks for each way that a run ends; evidence for `post_mortem`."""

import json
from functools import lru_cache
from typing import Any

import numpy as np

CAUSES = ("host memory", "device memory", "limit", "preempted", "data", "slow rank", "nothing")
STATES = {"host memory": "OUT_OF_MEMORY", "limit": "TIMEOUT", "preempted": "PREEMPTED", "device memory": "FAILED"}
CODES = {
    "COMPLETED": "0:0", "TIMEOUT": "0:0", "PREEMPTED": "0:0", "FAILED": "1:0", "OUT_OF_MEMORY": "0:125", "CANCELLED": "0:15",
}  # fmt: skip
SAMPLES = 5  # minutes that each rank has written down
GIB = 2**20  # KiB, as sacct prints memory


def folder(cause, generator, *, ranks=0, tease="", states=(), data=(), reduce=(), oom=(), wild=()):
    """The arguments of a run with this ``cause``, whose other numbers look like those of ``tease``.

    Parameters
    ----------
    cause, tease : str
        Members of `CAUSES`.
    generator : numpy.random.Generator
    ranks : int
        Four or eight if not given.
    states : tuple of str, optional
        States of the job and of its step, as sacct prints them, where they are not those of the cause.
    data, reduce : sequence of float, optional
        Fractions for each rank: the part of a step that it waits for data, and that it spends in the all-reduce.
    oom : tuple of int, optional
        A rank, and the minute in which it lacked device memory.
    wild : tuple, optional
        A minute with a step eight times as long, and "cold", for all wait for data, or the rank that "saves" meanwhile.
    """
    ranks = ranks or len(data) or len(reduce) or int(generator.choice([4, 8]))
    number = int(generator.integers(20_000, 90_000))
    # The kernel takes a process of the step; the job as a whole is then called FAILED.
    job, step = states or ("FAILED" if cause == "host memory" else _state(cause), _state(cause))
    hours = int(generator.integers(2, 12))
    minutes, seconds = int(generator.integers(60)), int(generator.integers(60))
    # A job is ended at its limit, and half a minute later at the latest.
    ran = f"{hours:02d}:00:{seconds // 2:02d}" if job == "TIMEOUT" else f"{hours:02d}:{minutes:02d}:{seconds:02d}"
    limit = f"{hours:02d}:00:00" if job == "TIMEOUT" else f"{hours + int(generator.integers(1, 6)):02d}:00:00"
    asked = int(generator.choice([64, 128, 256]))
    most = asked * (0.97 if "host memory" in (cause, tease) else float(generator.uniform(0.2, 0.6)))
    batch = {"TIMEOUT": "CANCELLED", "PREEMPTED": "CANCELLED", "OUT_OF_MEMORY": "FAILED"}.get(job, job)
    step = "CANCELLED" if (job, step) == ("TIMEOUT", "TIMEOUT") else step
    lines = [
        "JobID|JobName|State|Elapsed|Timelimit|ReqMem|MaxRSS|ExitCode",
        f"{number}|train|{job}|{ran}|{limit}|{asked}G||{CODES[job]}",
        f"{number}.batch|batch|{batch}|{ran}|||{int(generator.integers(5, 40))}M|{CODES[batch]}",
        f"{number}.0|python|{step}|{ran}|||{int(most * GIB)}K|{CODES[step]}",
    ]
    length = float(generator.uniform(0.8, 4))
    shares = _shares(cause, tease, generator, ranks)
    data, reduce = (given or drawn for given, drawn in zip((data, reduce), shares, strict=True))
    if "device memory" in (cause, tease) and not oom:
        oom = int(generator.integers(ranks)), SAMPLES - 1
    return {"sacct": "\n".join(lines) + "\n", "ranks": _logs(generator, number, length, data, reduce, oom, wild)}


def _state(cause):
    return STATES.get(cause, "COMPLETED")


def _shares(cause, tease, generator, ranks):
    """Of each rank, the shares of a step that go into waiting for data and into the all-reduce."""
    wait = float(generator.uniform(0.6, 0.85) if "data" in (cause, tease) else generator.uniform(0.02, 0.3))
    reduce = float(generator.uniform(0.12, 0.3)) * (1 - wait)
    slow = int(generator.integers(ranks)) if "slow rank" in (cause, tease) else -1
    # The slow one is the only one that never waits for the others.
    other = 1.9 if slow >= 0 else 1.0
    return (wait,) * ranks, tuple(reduce * (0.12 if rank == slow else other) for rank in range(ranks))


def _logs(generator, number, length, data, reduce, oom, wild):
    wobbles = (1 + 0.05 * generator.uniform(-1, 1, SAMPLES)).tolist()  # a step is as long for all
    logs = []
    for rank, (wait, share) in enumerate(zip(data, reduce, strict=True)):
        lines = []
        for minute, wobble in enumerate(wobbles):
            step, waits, shares = length * wobble, wait, share * wobble
            if minute in wild[:1]:
                _, what = wild
                step *= 8
                waits, shares = (0.94, 0.02) if what == "cold" else (wait / 8, 0.01 if rank == what else 0.9)
            values = {
                "step_time_sec": step,
                "data_time_sec": step * waits,
                "allreduce_time_pct": 100 * shares,
                "gpu_memory_used_mb": float(generator.uniform(60e3, 79e3)),
                "cuda_oom_count": 1.0 if (rank, minute) == tuple(oom) else 0.0,
            }
            lines += [
                json.dumps(
                    {"job_id": str(number), "rank": rank, "minute": minute, "metric": name, "value": round(value, 4)}
                )
                for name, value in values.items()
            ]
        logs.append("\n".join(lines) + "\n")
    return logs


@lru_cache(maxsize=512)  # every mistake reads the logs of a case again, a number at a time
def table(log):
    """Values of each metric in the log of a rank, in order."""
    rows: dict[str, list[Any]] = {}
    for line in log.splitlines():
        row = json.loads(line)
        rows.setdefault(row["metric"], []).append(row["value"])
    return {name: np.array(values) for name, values in rows.items()}
