"""What a run leaves behind: the print of sacct and a log of each rank, made for each way to end."""

import json

import numpy as np

CAUSES = ("host memory", "device memory", "limit", "preempted", "data", "slow rank", "nothing")
STATES = {"host memory": "OUT_OF_MEMORY", "limit": "TIMEOUT", "preempted": "PREEMPTED", "device memory": "FAILED"}
SAMPLES = 3
GIB = 2**20  # KiB, as sacct prints memory


def folder(cause, generator, *, ranks=0, tease="", swallowed=False):
    """The arguments of a run with this ``cause``, whose other numbers look like those of ``tease``.

    A script may have ``swallowed`` the error of its step; then Slurm knows of none.
    """
    ranks = ranks or int(generator.choice([4, 8]))
    number = int(generator.integers(20_000, 90_000))
    state = "COMPLETED" if swallowed else STATES.get(cause, "COMPLETED")
    hours = int(generator.integers(2, 12))
    ran = f"{hours:02d}:{int(generator.integers(60)):02d}:{int(generator.integers(60)):02d}"
    limit = f"{hours:02d}:00:00" if cause == "limit" else f"{hours + int(generator.integers(1, 6)):02d}:00:00"
    asked = int(generator.choice([64, 128, 256]))
    most = asked * (0.97 if "host memory" in (cause, tease) else float(generator.uniform(0.2, 0.6)))
    # The kernel takes a process of the step; the job as a whole is then called FAILED.
    job_state = "FAILED" if cause == "host memory" else state
    codes = {"COMPLETED": "0:0", "TIMEOUT": "0:0", "PREEMPTED": "0:0", "FAILED": "1:0", "OUT_OF_MEMORY": "0:125"}
    batch = {"TIMEOUT": "CANCELLED", "PREEMPTED": "CANCELLED", "OUT_OF_MEMORY": "FAILED"}.get(state, state)
    lines = [
        "JobID|JobName|State|Elapsed|Timelimit|ReqMem|MaxRSS|ExitCode",
        f"{number}|train|{job_state}|{ran}|{limit}|{asked}G||{codes[job_state]}",
        f"{number}.batch|batch|{batch}|{ran}|||{int(generator.integers(5, 40))}M|{codes.get(batch, '0:15')}",
        f"{number}.0|python|{state if state != 'TIMEOUT' else 'CANCELLED'}|{ran}|||{int(most * GIB)}K|{codes[state]}",
    ]
    return {"sacct": "\n".join(lines) + "\n", "ranks": _logs(cause, tease, generator, ranks, number)}


def _logs(cause, tease, generator, ranks, number):
    step = float(generator.uniform(0.8, 4))
    wait = float(generator.uniform(0.55, 0.85) if "data" in (cause, tease) else generator.uniform(0.02, 0.3))
    reduce = float(generator.uniform(0.12, 0.3)) * (1 - wait)
    slow = int(generator.integers(ranks)) if "slow rank" in (cause, tease) else -1
    broken = int(generator.integers(ranks)) if "device memory" in (cause, tease) else -1
    wobbles = 1 + 0.05 * generator.uniform(-1, 1, SAMPLES)  # a step is as long for all
    logs = []
    for rank in range(ranks):
        # All ranks step together; the slow one is the only one that never waits for the others.
        share = reduce * (0.12 if rank == slow else 1.9 if slow >= 0 else 1.0)
        lines = []
        for sample, wobble in enumerate(wobbles.tolist()):
            values = {
                "step_time_sec": step * wobble,
                "data_time_sec": step * wobble * wait,
                "allreduce_time_pct": 100 * share * wobble,
                "gpu_memory_used_mb": float(generator.uniform(60e3, 79e3)),
                "cuda_oom_count": 1.0 if rank == broken and sample == SAMPLES - 1 else 0.0,
            }
            lines += [
                json.dumps(
                    {"job_id": str(number), "rank": rank, "minute": sample, "metric": name, "value": round(value, 4)}
                )
                for name, value in values.items()
            ]
        logs.append("\n".join(lines) + "\n")
    return logs


def table(log):
    """Values of each metric in the log of a rank, in order."""
    rows = {}
    for line in log.splitlines():
        row = json.loads(line)
        rows.setdefault(row["metric"], []).append(row["value"])
    return {name: np.array(values) for name, values in rows.items()}
