"""Tasks on paper about storage and failures: checkpoints, an interval of failure rates, a misprinted table."""

import math
from dataclasses import replace

import numpy as np

from chip2cluster.exercise.machine_ranges import MODEL
from chip2cluster.exercise.paper_task import Choice, Number, PaperTask, Step

CAUSES = ("GPU", "memory of a GPU", "network", "software", "host")


def _misprinted(x):
    counts = np.array([x.first, x.second, x.third, x.fourth, x.fifth], dtype=float)
    total = float(counts.sum())
    printed = np.round(100 * counts / total, 1)
    if x.kind == "count":
        counts[x.row] += x.off
    else:
        printed[x.row] = round(printed[x.row] + x.off / 2, 1)
    return {"counts": counts, "printed": printed, "total": total}


def _misprint_table(x):
    rows = "\n".join(
        f"| {number} | {cause} | {count:g} | {share:.1f} |"
        for number, (cause, count, share) in enumerate(zip(CAUSES, x.counts, x.printed, strict=True))
    )
    return {"total": f"{x.total:g}", "rows": f"| row | cause | interruptions | share (%) |\n|--:|---|--:|--:|\n{rows}"}


def _corrected(x):
    difference = x.total - x.counts.sum()
    if difference:
        row = int(np.argmin(np.abs(100 * (x.counts + difference) / x.total - x.printed)))
        return [row, float(x.counts[row] + difference), float(x.printed[row])]
    row = int(np.argmax(np.abs(100 * x.counts / x.total - x.printed)))
    return [row, float(x.counts[row]), round(100 * float(x.counts[row]) / x.total, 1)]


TASKS = (
    PaperTask(
        exercise="storage.save",
        title="An asynchronous checkpoint",
        text="A model of {parameters_billions} parameters is checkpointed from {nodes} nodes, each with an equal part; a checkpoint has 14 bytes for each "
        "parameter. A node copies its part at {copy_gbytes} into its memory, and only then sends it at up to {adapter_gbytes} to storage, which accepts "
        "{storage_gbytes} from all nodes together. The job stands still while the copy is made. Give two times: how long the job stands still, and how "
        "long after the start the checkpoint is safe.",
        given={
            "parameters_billions": replace(MODEL, per=1),
            "nodes": Number("", values=(8, 16, 32, 64, 128, 256), whole=True),
            "copy_gbytes": Number("GB/s", 40, 400),
            "adapter_gbytes": Number("GB/s", values=(12.5, 25, 50, 100)),
            "storage_gbytes": Number("GB/s", 40, 2000),
        },
        unit="s",
        plausible=lambda x: (
            0.15 < x.storage_gbytes / (x.nodes * x.adapter_gbytes) < 4
            and 0.1 < 14 * x.parameters_billions / x.nodes / x.copy_gbytes < 20
        ),
        steps=(
            Step("size of the checkpoint", 0.2, lambda x: 14 * x.parameters_billions, "GB"),
            Step(
                "copy: a node's part over its rate",
                0.3,
                lambda x: 14 * x.parameters_billions / x.nodes / x.copy_gbytes,
                "s",
            ),
            Step(
                "writing: all of it over the slower of storage and all nodes; both in a row",
                0.5,
                lambda x: [
                    14 * x.parameters_billions / x.nodes / x.copy_gbytes,
                    14 * x.parameters_billions / x.nodes / x.copy_gbytes
                    + 14 * x.parameters_billions / min(x.storage_gbytes, x.nodes * x.adapter_gbytes),
                ],
                "s",
            ),
        ),
    ),
    PaperTask(
        exercise="lab.storage.mtbf_range",
        title="How often does a job fail, and how sure is that?",
        text="On {gpus} GPUs, {count} failures were counted in {days}. A count is uncertain by about twice its square root in both directions. A job will "
        "use {job_gpus} such GPUs. Between which two mean times between failures will it run? A colleague plans with one failure in 24 hours: "
        "judge whether the count supports that.",
        given={
            "count": Number("", 20, 450, whole=True),
            "days": Number("days", values=(14, 28, 30, 54, 90)),
            "gpus": Number("", values=(1024, 2048, 4096, 8192, 16384), whole=True),
            "job_gpus": Number("", values=(512, 1024, 2048, 4096, 8192), whole=True),
        },
        judges=True,
        judgement="Supported only if 24 hours do not exceed the lower end; inside the interval it is open.",
        unit="hours",
        plausible=lambda x: x.job_gpus != x.gpus and 15e3 < 24 * x.days * x.gpus / x.count < 150e3,
        steps=(
            Step(
                "least and most failures: count ± twice its root",
                0.3,
                lambda x: [x.count - 2 * math.sqrt(x.count), x.count + 2 * math.sqrt(x.count)],
            ),
            Step("hours of the whole time", 0.2, lambda x: 24 * x.days, "hours"),
            Step(
                "hours over failures, times GPUs over the job's GPUs",
                0.5,
                lambda x: [
                    24 * x.days / (x.count + sign * 2 * math.sqrt(x.count)) * x.gpus / x.job_gpus for sign in (1, -1)
                ],
                "hours",
            ),
        ),
    ),
    PaperTask(
        exercise="lab.storage.find_slip",
        title="One misprint in a published table",
        text="A report on a training run counts {total} interruptions and prints them by cause:\n\n{rows}\n\nExactly one number of these rows is a misprint, an "
        "interruption count or a share. Give the row, its correct count, and its correct share in percent with one decimal.",
        given={
            "first": Number("", 120, 190, whole=True),
            "second": Number("", 60, 110, whole=True),
            "third": Number("", 30, 55, whole=True),
            "fourth": Number("", 14, 27, whole=True),
            "fifth": Number("", 5, 12, whole=True),
            "row": Number("", values=(0, 1, 2, 3, 4), whole=True),
            "off": Number("", values=(3, 4, 6, 7, 9), whole=True),
            "kind": Choice({"count": "", "share": ""}),
        },
        inputs=_misprinted,
        prints=_misprint_table,
        judges=True,
        unit="",
        steps=(
            Step("sum of the counts: is it the total?", 0.3, lambda x: x.counts.sum()),
            Step(
                "shares recomputed from the counts and the total",
                0.4,
                lambda x: [round(100 * float(count) / x.total, 1) for count in x.counts],
                "%",
            ),
            Step("the row that differs, corrected", 0.3, _corrected),
        ),
    ),
)
