"""Exercise on a post-mortem: what ended or slowed a run, from its accounting and logs."""

from functools import partial

import numpy as np

from chip2cluster import measure
from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.model import Exercise, Group, Mistake

from ..mutants import MUTANTS
from .run_outputs import CAUSES, SAMPLES, folder, table

SHOWN = 14  # seed of the folder that the page shows
ORDER = ("host memory", "device memory", "limit", "preempted", "data", "slow rank")


def post_mortem(sacct, ranks):
    """The first cause, in the order of the page, that the evidence fits."""
    return _first(sacct, ranks)


def _first(sacct, ranks, order=ORDER, rest="nothing", **other):
    rows, logs = measure.read_sacct(sacct), [table(log) for log in ranks]
    rules = _RULES | other
    return next((cause for cause in order if rules[cause](rows, logs)), rest)


def _waits(rows, logs, of_rank=np.median, of_all=np.median):
    data, step = (np.array([of_rank(log[name]) for log in logs]) for name in ("data_time_sec", "step_time_sec"))
    return of_all(data) > 0.5 * of_all(step)


def _slow(rows, logs, of_rank=np.median, of_all=np.median):
    share = np.array([of_rank(log["allreduce_time_pct"]) for log in logs])
    return share.min() < 0.5 * of_all(share)


def _summed(**how):
    """The rules with another way to make one number of many."""
    return _like(data=partial(_waits, **how), slow_rank=partial(_slow, **how))


def _one_minute(minute):
    pick = lambda values: values[minute]
    oom = lambda rows, logs: any(pick(log["cuda_oom_count"]) > 0 for log in logs)
    return _like(device_memory=oom, data=partial(_waits, of_rank=pick), slow_rank=partial(_slow, of_rank=pick))


def _unless_ended_badly(sacct, ranks):
    found = _first(sacct, ranks)
    failed = measure.read_sacct(sacct)[0]["state"] == "FAILED"
    return "nothing" if failed and found in ("data", "slow rank") else found


_RULES = {
    "host memory": lambda rows, logs: any(row["state"] == "OUT_OF_MEMORY" for row in rows),
    "device memory": lambda rows, logs: any(log["cuda_oom_count"].max() > 0 for log in logs),
    "limit": lambda rows, logs: rows[0]["state"] == "TIMEOUT",
    "preempted": lambda rows, logs: rows[0]["state"] == "PREEMPTED",
    "data": _waits,
    "slow rank": _slow,
}


def _like(order=ORDER, rest="nothing", **other):
    return lambda sacct, ranks: _first(sacct, ranks, order, rest, **{k.replace("_", " "): r for k, r in other.items()})


def _digest(sacct, ranks):
    """What the page's table asks of each rank, a line each: more than a screen of log in a few numbers."""
    says = 'medians over the minutes; in full: _.case.inputs["ranks"]'
    return {"ranks": "\n".join([says, *(_line(rank, table(log)) for rank, log in enumerate(ranks))])}


def _line(rank, log):
    step, data, share = (np.median(log[name]) for name in ("step_time_sec", "data_time_sec", "allreduce_time_pct"))
    counts = " ".join(f"{count:.0f}" for count in log["cuda_oom_count"])
    return f"rank {rank}: step {step:.2f} s, data {data:.2f} s, all-reduce {share:.1f} %, cuda_oom_count {counts}"


def _runs(generator):
    # The folder that the page shows comes first: a student has it before their eyes.
    first = folder("slow rank", np.random.default_rng(SHOWN), ranks=4)
    more = [
        *(folder(cause, generator) for cause in CAUSES),
        folder("host memory", generator, tease="device memory"),
        folder("nothing", generator, tease="host memory"),
        folder("limit", generator, tease="data"),
        folder("preempted", generator, tease="slow rank"),
        folder("data", generator, ranks=16),
        folder("slow rank", generator, ranks=16),
        *_two_endings(generator),
        *_wild_minutes(generator),
        *_near_a_half(generator),
    ]
    return [first, *(more[place] for place in generator.permutation(len(more)))]


def _two_endings(generator):
    """Runs in whose evidence two rows of the page's table are near."""
    return [
        folder("device memory", generator, tease="data", oom=(0, 1)),
        # A script may hide the error of its step; then Slurm knows of none.
        folder("device memory", generator, ranks=4, oom=(int(generator.integers(1, 4)), 0), states=("COMPLETED",) * 2),
        folder("device memory", generator, ranks=4, oom=(3, SAMPLES - 1), states=("TIMEOUT", "CANCELLED")),
        folder("device memory", generator, ranks=4, oom=(2, 2), states=("PREEMPTED", "CANCELLED")),
        folder("host memory", generator, states=("OUT_OF_MEMORY", "CANCELLED")),
        folder("host memory", generator, states=("TIMEOUT", "OUT_OF_MEMORY")),
        folder("host memory", generator, states=("PREEMPTED", "OUT_OF_MEMORY")),
        folder("nothing", generator, states=("COMPLETED", "TIMEOUT")),
    ]


def _wild_minutes(generator):
    """Calm runs with one minute unlike the others: the first reads cold data, in the last one rank saves."""
    return [
        folder("nothing", generator, ranks=4, wild=(0, "cold")),
        folder("nothing", generator, ranks=4, wild=(SAMPLES - 1, int(generator.integers(4)))),
        folder("nothing", generator, ranks=4, wild=(2, "cold")),
    ]


def _near_a_half(generator):
    """Runs a little on either side of one half, and ranks that differ."""
    mixed = lambda *shares: tuple(float(share) for share in generator.permutation(shares))
    late = int(generator.integers(4))
    one = lambda mine, others: tuple(mine if rank == late else others for rank in range(4))
    little, much = (float(generator.uniform(*ends)) for ends in ((0.47, 0.49), (0.51, 0.53)))
    return [
        folder("nothing", generator, data=(little,) * 4, reduce=(0.1,) * 4),
        folder("data", generator, data=(much,) * 4, reduce=(0.1,) * 4),
        folder("slow rank", generator, data=(0.1,) * 4, reduce=one(0.22 * little, 0.22)),
        folder("nothing", generator, data=(0.1,) * 4, reduce=mixed(0.108, 0.18, 0.24, 0.26)),
        # One rank waits for its data, and the others for that rank.
        folder("slow rank", generator, data=one(0.9, 0.4), reduce=one(0.03, 0.5)),
        folder("slow rank", generator, data=(0.9, 0.4, 0.4, 0.4), reduce=(0.03, 0.5, 0.5, 0.5)),
        # Failed runs were slow before they failed.
        folder("data", generator, states=("FAILED", "FAILED")),
        folder("slow rank", generator, states=("FAILED", "FAILED")),
    ]


def _few(generator):
    return [folder("slow rank", generator, ranks=4), folder("data", generator, ranks=4, tease="slow rank")]


POST_MORTEM = Exercise(
    id="scheduling.post_mortem",
    title="What happened to this run?",
    signature="post_mortem(sacct, ranks)",
    unit="",
    points=5,
    reference=post_mortem,
    shows=(post_mortem, measure.read_sacct),
    digest=_digest,
    allowed=("chip2cluster.specs", "chip2cluster.units", "chip2cluster.measure"),
    groups=(
        Group("runs", 0.8, _runs),
        Group(
            "few ranks",
            0.2,
            _few,
            v.VALUE,
            advice="Go down the table in order, with four ranks as with sixteen: data comes before the slow rank.",
        ),
    ),
    hints=(
        "Go down the table in the notebook, and stop at the first row that fits. Which rows need sacct, and which need the logs of the ranks?",
        "The first line of sacct is the job, the others are its steps. All ranks end a step together, so the rank that waits least is the late one.",
        "Read each line of a rank with json.loads; take the median of a metric for each rank, then the median over ranks. One rank whose all-reduce "
        "takes less than half of that median is the slow one.",
    ),
    solution="""
import json
from statistics import median

from chip2cluster import measure


def post_mortem(sacct, ranks):
    jobs = measure.read_sacct(sacct)
    logs = []
    for text in ranks:
        metrics = {}
        for line in text.splitlines():
            row = json.loads(line)
            metrics.setdefault(row["metric"], []).append(row["value"])
        logs.append(metrics)
    if any(row["state"] == "OUT_OF_MEMORY" for row in jobs):
        return "host memory"
    if any(max(log["cuda_oom_count"]) > 0 for log in logs):
        return "device memory"
    if jobs[0]["state"] == "TIMEOUT":
        return "limit"
    if jobs[0]["state"] == "PREEMPTED":
        return "preempted"
    step = median(median(log["step_time_sec"]) for log in logs)
    data = median(median(log["data_time_sec"]) for log in logs)
    if data > step / 2:
        return "data"
    share = [median(log["allreduce_time_pct"]) for log in logs]
    if min(share) < median(share) / 2:
        return "slow rank"
    return "nothing"
""",
    explanation=(
        "sacct knows how a job ended, and only the job knows what it was doing: you need both. In synchronous training all ranks show the same "
        "step time, so you find the straggler because it never waits."
    ),
    meaning=lambda: (
        f"Two files are enough to tell {len(ORDER)} causes apart: most runs show why they died, if they wrote a log. One line per metric and minute is enough; "
        "a thousand ranks that write every second would overload the file system."
    ),
    mistakes=(
        Mistake(
            "the job's line alone",
            _like(host_memory=lambda rows, logs: rows[0]["state"] == "OUT_OF_MEMORY"),
            "You looked for OUT_OF_MEMORY only in the line of the job. It may be in the line of the step whose process was killed.",
        ),
        Mistake(
            "the steps' lines alone",
            _like(host_memory=lambda rows, logs: any(row["state"] == "OUT_OF_MEMORY" for row in rows[1:])),
            "You looked for OUT_OF_MEMORY only in the lines of the steps. It may be only in the line of the job.",
        ),
        Mistake(
            "a limit in any line",
            _like(limit=lambda rows, logs: any(row["state"] == "TIMEOUT" for row in rows)),
            "You looked for TIMEOUT in all lines. A step may have its own limit, and its job may still complete.",
        ),
        Mistake(
            "memory by its size",
            _like(
                host_memory=lambda rows, logs: any(
                    (row["maxrss"] or 0) > 0.9 * (rows[0]["reqmem"] or 1e30) for row in rows
                )
            ),
            "You return host memory because much of it was used. A run may use all that it asked for; OUT_OF_MEMORY says that it needed more.",
        ),
        Mistake(
            "GPUs that are full",
            _like(device_memory=lambda rows, logs: any(log["gpu_memory_used_mb"].max() > 70e3 for log in logs)),
            "You return device memory because it is nearly full. Frameworks keep memory that they once allocated; cuda_oom_count says that it was not enough.",
        ),
        Mistake(
            "rank 0 alone",
            _like(device_memory=lambda rows, logs: logs[0]["cuda_oom_count"].max() > 0),
            "You read only the log of rank 0. Distributed runs fail on one rank, and rarely on the first.",
        ),
        Mistake(
            "any that failed",
            _like(device_memory=lambda rows, logs: rows[0]["state"] == "FAILED"),
            "You took FAILED for a lack of device memory. A script may hide that its step failed, and a job may fail for other reasons: use the ranks' cuda_oom_count.",
        ),
        Mistake(
            "the late one waits most",
            _like(
                slow_rank=lambda rows, logs: (lambda s: s.max() > 2 * np.median(s))(
                    np.array([np.median(log["allreduce_time_pct"]) for log in logs])
                )
            ),
            "You missed the straggler. Its steps take no longer than those of the other ranks, and its all-reduce isn't the longest: the others wait for it there, so it is the rank with the shortest.",
        ),
        Mistake(
            "the first minute",
            _summed(of_rank=lambda values: values[0]),
            "You judged how fast a run was by its first minute. It may read cold data there: take the median of each rank over its minutes.",
        ),
        Mistake(
            "the last minute",
            _summed(of_rank=lambda values: values[-1]),
            "You judged how fast a run was by its last minute. One rank may write a checkpoint there: take the median of each rank over its minutes.",
        ),
        Mistake(
            "the mean of the minutes",
            _summed(of_rank=np.mean),
            "You took the mean over the minutes of a rank. One long minute, from cold data or a checkpoint, moves it: take the median.",
        ),
        Mistake(
            "the mean of the ranks",
            _summed(of_all=np.mean),
            "You took the mean over the ranks. One outlier moves it: take the median.",
        ),
        Mistake(
            "data of any rank",
            _like(
                data=lambda rows, logs: any(
                    np.median(log["data_time_sec"]) > 0.5 * np.median(log["step_time_sec"]) for log in logs
                )
            ),
            "You return data as soon as one rank waits for its data. Then the others wait for that rank, in the all-reduce: take the median of the ranks.",
        ),
        Mistake(
            "the last count",
            _like(device_memory=lambda rows, logs: any(log["cuda_oom_count"][-1] > 0 for log in logs)),
            "You read the last cuda_oom_count of each rank. It counts minute by minute: an error may have been caught in an earlier one.",
        ),
        Mistake(
            "the first count",
            _like(device_memory=lambda rows, logs: any(log["cuda_oom_count"][0] > 0 for log in logs)),
            "You read the first cuda_oom_count of each rank. It counts minute by minute: an error may come in a later one.",
        ),
        Mistake(
            "the limit before memory",
            _like(order=("limit", "preempted", "host memory", "device memory", "data", "slow rank")),
            "You checked the limit or the preemption before memory. A run may run out of memory first and hang until Slurm ends it. Go down the table in order.",
        ),
        Mistake(
            "the limit before device memory",
            _like(order=("host memory", "limit", "preempted", "device memory", "data", "slow rank")),
            "You checked the limit or the preemption before device memory. A run may run out of memory first and hang until Slurm ends it. Go down the table in order.",
        ),
        Mistake(
            "device memory first",
            _like(order=("device memory", "host memory", "limit", "preempted", "data", "slow rank")),
            "You checked device memory before host memory. Go down the table in order.",
        ),
        Mistake(
            "the slow rank first",
            _like(order=("host memory", "device memory", "limit", "preempted", "slow rank", "data")),
            "You checked the slow rank before the data. One rank may wait less although all ranks get their data late: go down the table in order.",
            share=0.8,
        ),
        Mistake(
            "one minute alone, the first",
            _one_minute(0),
            "You read only the first minute of each rank. Take the median over its minutes, and look for cuda_oom_count in all of them.",
        ),
        Mistake(
            "one minute alone, the last",
            _one_minute(-1),
            "You read only the last minute of each rank. Take the median over its minutes, and look for cuda_oom_count in all of them.",
        ),
        Mistake(
            "means",
            _summed(of_rank=np.mean, of_all=np.mean),
            "You took means, over the minutes and over the ranks. One outlier moves them: take medians.",
        ),
        Mistake(
            "only ended well",
            _unless_ended_badly,
            "You judged how fast a run was only if it COMPLETED. One that failed may have been slow as well.",
        ),
        Mistake(
            "data unseen",
            _like(order=tuple(cause for cause in ORDER if cause != "data")),
            "You missed the runs that wait for their data: more than half of the step.",
        ),
        Mistake(
            "slow before ended",
            _like(order=("data", "slow rank", "host memory", "device memory", "limit", "preempted")),
            "You checked how fast a run was before you checked how it ended. Go down the table in order.",
        ),
        Mistake(
            "preempted is a limit",
            _like(limit=lambda rows, logs: rows[0]["state"] in ("TIMEOUT", "PREEMPTED")),
            "You took a preemption for the time limit. Slurm has a separate state for each.",
        ),
    ),
    mutants=MUTANTS["scheduling.post_mortem"],
)
