"""Exercise on the fraction of time in which an accelerator computes."""

import math

from chip2cluster import specs
from chip2cluster._validate import known
from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.model import Exercise, Group, Mistake

from ..mutants import MUTANTS


def _times(batch, compute_ms, cores, core_ms, sample_kbytes, storage_gbytes):
    """Milliseconds a batch: to compute it, to prepare it, to read it."""
    return compute_ms, batch * core_ms / cores, batch * sample_kbytes * 1e3 / (storage_gbytes * 1e9) * 1e3


def busy(batch, compute_ms, cores, core_ms, sample_kbytes, storage_gbytes):
    """Share of the time in which an accelerator computes while batches are read, prepared and used side by side."""
    times = _times(batch, compute_ms, cores, core_ms, sample_kbytes, storage_gbytes)
    return compute_ms / max(times)


def _loaders(generator):
    # A case that can be done in the head comes first: it is the one that a student sees.
    easy = {"batch": 200, "compute_ms": 100, "cores": 4, "core_ms": 4, "sample_kbytes": 100, "storage_gbytes": 1.0}
    # How long preparing and reading take, in computing times: each of the three is the slowest somewhere.
    shapes = ((2.6, 0.7), (0.6, 1.9), (1.7, 1.3), (0.5, 0.7), (1.2, 3.1), (3.3, 0.4))
    drawn = []
    for prepare, read in shapes:
        batch, compute = int(generator.integers(64, 600)), round(float(generator.uniform(40, 400)), 1)
        cores, size = int(generator.integers(3, 20)), round(float(generator.uniform(20, 900)), 1)
        stretch = generator.uniform(0.9, 1.1, 2)
        drawn.append(
            {
                "batch": batch,
                "compute_ms": compute,
                "cores": cores,
                "core_ms": round(float(prepare * stretch[0] * compute * cores / batch), 4),
                "sample_kbytes": size,
                "storage_gbytes": round(float(batch * size * 1e-3 / (read * stretch[1] * compute)), 5),
            }
        )
    # Few samples of much work, as of video: here one sample alone keeps the cores longer than a batch is computed.
    rate = round(float(generator.uniform(2.1, 3.4)), 2)
    video = {"batch": int(generator.integers(3, 7)), "compute_ms": 150.0, "cores": 8, "core_ms": round(1200 * rate, 1),
             "sample_kbytes": 900.0, "storage_gbytes": 2.0}  # fmt: skip
    return [easy, *drawn, video]


def _ends(generator):
    fed = {"batch": 32, "compute_ms": 250, "cores": 16, "core_ms": 1, "sample_kbytes": 2, "storage_gbytes": 5.0}
    return [fed, {**fed, "compute_ms": 2}, {**fed, "core_ms": 0.01}]


def _wrong(share):
    return lambda batch, compute_ms, cores, core_ms, sample_kbytes, storage_gbytes: share(
        *_times(batch, compute_ms, cores, core_ms, sample_kbytes, storage_gbytes)
    )


def _meaning():
    # The images of the page: 2,500 a second on each of eight GPUs, 6 ms of a core each, all cores of the node.
    batch, rate = 500, 2500
    cores = 2 * known("compute_units", specs.accelerator("Xeon 8480+").compute_units)
    share = busy(batch, 1e3 * batch / rate, cores / 8, 6.0, 117.0, 5.0)
    return (
        f"A DGX H100 has {cores} cores, {cores // 8} for each GPU. With images of 6 ms its GPUs compute {share:.0%} of "
        f"the time if they could do {rate:,} a second: a chip twice as fast would compute {share / 2:.0%}, and training "
        "would take as long."
    )


BUSY = Exercise(
    id="machine.busy",
    title="How busy is the accelerator?",
    signature="busy(batch, compute_ms, cores, core_ms, sample_kbytes, storage_gbytes)",
    unit="",
    points=4,
    reference=busy,
    groups=(
        Group("loaders", 0.85, _loaders),
        Group("ends", 0.15, _ends, advice="Consider an accelerator that never waits: its share is 1, never more."),
    ),
    hints=(
        "Work out three times for one batch, in the same unit: to compute it, to prepare it, to read it.",
        "The three run side by side, so a new batch comes out as often as the slowest of them allows.",
        "compute_ms / max(compute_ms, batch * core_ms / cores, batch * sample_kbytes / storage_gbytes / 1000)",
    ),
    solution="""
def busy(batch, compute_ms, cores, core_ms, sample_kbytes, storage_gbytes):
    prepare_ms = batch * core_ms / cores
    read_ms = batch * sample_kbytes * 1e3 / (storage_gbytes * 1e9) * 1e3
    return compute_ms / max(compute_ms, prepare_ms, read_ms)
""",
    explanation=(
        "A pipeline is as fast as its slowest stage. A faster accelerator shortens only compute_ms: if it already waits for data, the batches come no sooner, and its share drops."
    ),
    meaning=_meaning,
    mistakes=(
        Mistake(
            "one after the other",
            _wrong(lambda compute, prepare, read: compute / (compute + prepare + read)),
            "You added the three times. They run side by side, on different batches, so the slowest one decides.",
        ),
        Mistake(
            "loading, then computing",
            _wrong(lambda compute, prepare, read: compute / (compute + max(prepare, read))),
            "You let computing wait for loading in every batch. While one batch is computed, later ones are being loaded: "
            "take the slowest of the three.",
        ),
        Mistake(
            "reading, then preparing",
            _wrong(lambda compute, prepare, read: compute / max(compute, prepare + read)),
            "You added reading and preparing. They work on different batches at the same time.",
        ),
        Mistake(
            "preparing, then computing",
            _wrong(lambda compute, prepare, read: compute / (compute + prepare)),
            "Two mistakes: computing and preparing run side by side, so the slower one decides; and storage was left out.",
        ),
        Mistake(
            "preparing alone",
            _wrong(lambda compute, prepare, read: compute / prepare),
            "You compared only with preparing. Any of the three can be the slowest: computing, preparing or reading.",
        ),
        Mistake(
            "storage forgotten",
            _wrong(lambda compute, prepare, read: compute / max(compute, prepare)),
            "Storage changes nothing in your answer. Did you leave it out, read one sample instead of a batch, or mix "
            "seconds and milliseconds? In some cases it is the slowest of the three.",
        ),
        Mistake(
            "cores forgotten",
            _wrong(lambda compute, prepare, read: compute / max(compute, read)),
            "You left out the cores. In some of the cases they are the slowest of the three.",
        ),
        Mistake(
            "batch forgotten in preparing",
            lambda batch, compute_ms, cores, core_ms, sample_kbytes, storage_gbytes: (
                compute_ms / max(compute_ms, core_ms / cores, batch * sample_kbytes / storage_gbytes / 1e3)
            ),
            "You prepared one sample, not a batch: multiply core_ms by `batch`.",
        ),
        Mistake(
            "one core",
            lambda batch, compute_ms, cores, core_ms, sample_kbytes, storage_gbytes: busy(
                batch, compute_ms, 1, core_ms, sample_kbytes, storage_gbytes
            ),
            "You let one core prepare the whole batch. It is shared among all of them: divide by `cores`.",
        ),
        Mistake(
            "whole rounds",
            lambda batch, compute_ms, cores, core_ms, sample_kbytes, storage_gbytes: busy(
                math.ceil(batch / cores) * cores,
                compute_ms,
                cores,
                core_ms,
                sample_kbytes * batch / (math.ceil(batch / cores) * cores),
                storage_gbytes,
            ),
            "You let the cores wait for each other at the end of a batch. They go on with the next one at once: "
            "batch * core_ms / cores, without rounding.",
        ),
        Mistake(
            "cores multiplied",
            lambda batch, compute_ms, cores, core_ms, sample_kbytes, storage_gbytes: busy(
                batch, compute_ms, 1 / cores, core_ms, sample_kbytes, storage_gbytes
            ),
            "You multiplied by the cores. They share the batch, so more cores finish it sooner: divide.",
        ),
        Mistake(
            "microseconds for milliseconds",
            _wrong(lambda compute, prepare, read: compute / max(compute, prepare, read * 1e3)),
            "kB over GB/s are microseconds: 1e3 bytes over 1e9 bytes/s are 1e-6 s. Divide by 1000 to get milliseconds.",
            v.UNIT,
        ),
        Mistake(
            "bits",
            _wrong(lambda compute, prepare, read: compute / max(compute, prepare, read * 8)),
            "You counted reading in bits. Samples and storage are both in bytes.",
            v.UNIT,
        ),
        Mistake(
            "one sample",
            lambda batch, compute_ms, cores, core_ms, sample_kbytes, storage_gbytes: busy(
                1, compute_ms, cores, core_ms, sample_kbytes, storage_gbytes
            ),
            "You prepared and read one sample. compute_ms is for a whole batch of them.",
        ),
        Mistake(
            "more than always",
            _wrong(lambda compute, prepare, read: compute / max(prepare, read)),
            "Your share exceeds 1 if loading is faster than computing. Then the accelerator is the slowest stage: cap the share at 1.",
        ),
        Mistake(
            "the share of waiting",
            _wrong(lambda compute, prepare, read: 1 - compute / max(compute, prepare, read)),
            "You returned the share of the time in which the accelerator waits. Return the rest.",
        ),
        Mistake(
            "the time of a batch",
            _wrong(lambda compute, prepare, read: max(compute, prepare, read)),
            "You returned the milliseconds between two batches. What share of them does the accelerator compute?",
            v.UNIT,
        ),
        Mistake(
            "KiB",
            _wrong(lambda compute, prepare, read: compute / max(compute, prepare, read * 1.024)),
            "You took 1024 bytes for a kB. 1 kB is 1000 bytes; 1024 would be a KiB.",
            v.UNIT,
        ),
    ),
    mutants=MUTANTS["machine.busy"],
)
