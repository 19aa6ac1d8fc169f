"""Captures of storage tests, and of the logs of training runs and servers."""

from __future__ import annotations

from statistics import median

from .tool import Context, Finding, Rows, Tool


def _fio(text: str, context: Context) -> Finding:
    from ... import measure

    rows = Rows("measure.read_fio", "storage")
    for number, result in enumerate(measure.read_fio(text)):
        says = f"{result.job + ', ' if result.job else ''}{result.direction}"
        rows.add(f"bytes_per_second_{number}", f"{says}: bandwidth", result.bytes_per_second, "B/s")
        rows.add(f"operations_per_second_{number}", f"{says}: IOPS", result.operations_per_second, "operations/s")
    return Finding(numbers=tuple(rows.numbers))


def _ior(text: str, context: Context) -> Finding:
    from ... import measure

    result = measure.read_ior(text)
    rows = Rows("measure.read_ior", "storage")
    rows.add("write_bytes_per_second", "best write", result.write_bytes_per_second, "B/s")
    rows.add("read_bytes_per_second", "best read", result.read_bytes_per_second, "B/s")
    remark = "A read right after the write of the same node may come from its memory: use -C or more data than memory."
    both = result.write_bytes_per_second and result.read_bytes_per_second
    return Finding(numbers=tuple(rows.numbers), remarks=(remark,) if both else ())


def _mdtest(text: str, context: Context) -> Finding:
    from ... import measure

    rows = Rows("measure.read_mdtest", "storage")
    for row in measure.read_mdtest(text):
        key = row.operation.lower().replace(" ", "_")
        rows.add(key, row.operation, row.mean, "operations/s", low=row.least, high=row.most)
    return Finding(numbers=tuple(rows.numbers))


def _getstripe(text: str, context: Context) -> Finding:
    from ... import storage

    rows = Rows("storage.read_getstripe", "storage")
    parts = storage.read_getstripe(text)
    for number, part in enumerate(parts):
        says = f"{part.path or 'file'}, from {part.start_bytes / 2**20:g} MiB"
        rows.add(f"stripe_count_{number}", f"{says}: stripe count", part.stripe_count, "OSTs")
        rows.add(f"stripe_size_{number}", f"{says}: stripe size", float(part.stripe_size), "B")
    return Finding(numbers=tuple(rows.numbers))


def _darshan(text: str, context: Context) -> Finding:
    from ... import measure

    found = measure.read_darshan(text)
    rows = Rows("measure.read_darshan", "storage")
    rows.add("seconds", "run time", found.run_time_seconds, "s")
    rows.add("ranks", "processes", found.processes, "ranks")
    rows.add("total_bytes", "bytes moved", None if found.total_bytes is None else float(found.total_bytes), "B")
    for name, rate in found.rates.items():
        rows.add(f"rate_{name}", f"rate, {name}", rate, "B/s")
    return Finding(numbers=tuple(rows.numbers), remarks=("measure.read_darshan has all counters.",))


def _training(text: str, context: Context) -> Finding:
    from ... import measure

    log = measure.read_training_log(text)
    rows = Rows("measure.read_training_log", "mfu")
    rows.add("program", "program", log.program)
    steps = len({step.step for step in log.steps})
    rows.add("steps", "logged steps", steps, "steps")
    for name, says, unit in (
        ("seconds", "time of a step, median", "s"),
        ("tokens_per_second", "tokens/s of a device, median", "tokens/s"),
        ("flop_per_second", "FLOP/s of a device by the program, median", "FLOP/s"),
        ("mfu", "MFU by the program, median", "share"),
    ):
        values = [value for step in log.steps if (value := getattr(step, name)) is not None and value >= 0]
        rows.add(name, says, median(values) if values else None, unit, **({"low": min(values), "high": max(values)} if len(values) > 1 else {}))  # fmt: skip
    seconds = [step.seconds for step in log.steps if step.seconds]
    slow = [step.step for step in log.steps if step.seconds and step.seconds > 2 * median(seconds)]
    remarks = ["FLOP/s and MFU are the program's own: `mfu --convention` compares conventions."]
    if steps < len(log.steps):
        remarks.append(f"{len(log.steps)} lines are about {steps} steps: several ranks log, or the run was restarted.")
    if slow:
        remarks.append(
            f"{len(slow)} steps took over twice the median, the first of them step {slow[0]}: checkpoints, data or a slow rank."
        )
    return Finding(numbers=tuple(rows.numbers), remarks=tuple(remarks))


def _benchmark(text: str, context: Context) -> Finding:
    from ... import measure

    result = measure.read_serving_benchmark(text)
    rows = Rows("measure.read_serving_benchmark", "serving")
    rows.add("requests", "successful requests", result.requests, "requests")
    rows.add("output_tokens_per_second", "output tokens/s", result.output_tokens_per_second, "tokens/s")
    rows.add("requests_per_second", "requests/s", result.requests_per_second, "requests/s")
    for name, short in (("ttft_seconds", "TTFT"), ("tpot_seconds", "TPOT"), ("itl_seconds", "ITL")):
        for statistic, value in getattr(result, name).items():
            rows.add(f"{name}_{statistic}", f"{short}, {statistic}", value, "s")
    return Finding(numbers=tuple(rows.numbers))


def _server(text: str, context: Context) -> Finding:
    from ... import measure

    log = measure.read_serving_log(text)
    rows = Rows("measure.read_serving_log", "serving")
    rows.add("program", "server", log.program)
    rows.add("cache_tokens", "tokens that fit into the KV cache", log.cache_tokens, "tokens")
    rows.add("cache_bytes", "KV cache of a device", log.cache_bytes, "B")
    rows.add("weight_bytes", "weights of a device", log.weight_bytes, "B")
    remarks = []
    if log.running:
        rows.add("running", "running requests, median", median(log.running), "requests")
        rows.add("waiting", "waiting requests, median", median(log.waiting), "requests")
        rows.add("cache_usage", "KV cache in use, most", max(log.cache_usage), "share")
        rows.add("generated_per_second", "output tokens/s, median", median(log.generated_per_second), "tokens/s")
        if median(log.waiting) and max(log.cache_usage) > 0.9:
            remarks.append("Requests wait and the KV cache is full: memory limits the batch.")
        elif median(log.waiting):
            remarks.append(
                "Requests wait while the KV cache has room: a cap of sequences or of batched tokens limits the batch."
            )
    return Finding(numbers=tuple(rows.numbers), remarks=tuple(remarks))


TOOLS = (
    Tool(name="fio", marks=r"IOPS=[\d.]+[kM]?, BW=|\bbw=[\d.]+[KMGT]?B/s, iops=|\"fio version\"", read=_fio, example="""\
   read: IOPS=2967, BW=11.7MiB/s (12.2MB/s)(174MiB/15017msec)
"""),
    Tool(name="IOR", marks=r"^.*Max (?:Write|Read)\s*:.*MiB/sec|MPI Coordinated Test of Parallel I/O", read=_ior, example="""\
Max Write: 25154.87 MiB/sec (26376.80 MB/sec)
Max Read:  22659.51 MiB/sec (23760.22 MB/sec)
"""),
    Tool(name="mdtest", marks=r"(?:File|Directory) creation\s*:?\s+\d", read=_mdtest, example="""\
SUMMARY rate: (of 3 iterations)
   File creation             :      21364.3        20718.9        21041.6          322.7
   File stat                 :      80412.9        79955.2        80184.0          228.8
"""),
    Tool(name="lfs getstripe", marks=r"lmm_stripe_count:", read=_getstripe, example="""\
/mnt/f
lmm_stripe_count:  2
lmm_stripe_size:   1048576
"""),
    Tool(name="darshan-parser", marks=r"^.*# darshan log version|\btotal_POSIX_", read=_darshan, example=""),
    Tool(name="training log", marks=r"elapsed time per iteration \(ms\)|\bstep:\s*\d+\s+loss:|\biter \d+: loss|completed step: \d+|reduced_train_loss|elapsed_time_per_iteration_ms", read=_training, example="""\
iter 1631: loss 4.0863, time 561.94ms, mfu 31.20%
iter 1632: loss 3.7441, time 563.15ms, mfu 31.18%
"""),
    Tool(name="serving benchmark", marks=r"Serving Benchmark Result", read=_benchmark, example="""\
============ Serving Benchmark Result ============
Successful requests:                     100
Benchmark duration (s):                  26.60
Request throughput (req/s):              3.76
Output token throughput (tok/s):         5638.98
Median TTFT (ms):                        150.88
Median TPOT (ms):                        14.72
==================================================
"""),
    Tool(name="vLLM or SGLang server", marks=r"KV [cC]ache|# (?:GPU|cuda) blocks: |[mM]odel weights took|max_total_num_tokens|Avg generation throughput|Decode batch|Load weight end", read=_server, example="""\
INFO 11-02 10:00:00 [kv_cache_utils.py:1287] GPU KV cache size: 367,404 tokens
INFO 11-02 10:00:10 [loggers.py:127] Avg prompt throughput: 300.0 tokens/s, Avg generation throughput: 2110.4 tokens/s, Running: 64 reqs, Waiting: 0 reqs, GPU KV cache usage: 41.0%, Prefix cache hit rate: 12.0%
"""),
)  # fmt: skip
