"""Tasks on paper about the machine: tiers, waits, and how busy an accelerator is."""

import math

from chip2cluster.exercise.machine_ranges import LINK_LATENCY, PEAK
from chip2cluster.exercise.paper_task import Number, PaperTask, Step

CORES = Number("", values=(8, 12, 16, 24, 32), whole=True)

TASKS = (
    PaperTask(
        exercise="machine.lost_work",
        title="Work lost to a wait",
        text="An accelerator with a peak of {peak_tflops} waits for one message of {message_bytes}. The link has a latency of "
        "{latency_us} and delivers {bandwidth_gbytes} in this direction; nothing else is computed during the wait. How many "
        "floating-point operations could the accelerator have done at its peak in that time?",
        given={
            "peak_tflops": PEAK,
            "message_bytes": Number("kB", 20, 900, per=1e3),
            "latency_us": LINK_LATENCY,
            "bandwidth_gbytes": Number("GB/s", values=(25, 50, 100, 450)),
        },
        unit="GFLOP",
        per=1e9,
        steps=(
            Step("bytes over bandwidth", 0.3, lambda x: x.message_bytes / x.bandwidth_gbytes / 1e3, "µs"),
            Step("add the latency", 0.3, lambda x: x.latency_us + x.message_bytes / x.bandwidth_gbytes / 1e3, "µs"),
            Step(
                "times the peak",
                0.4,
                lambda x: x.peak_tflops * (x.latency_us + x.message_bytes / x.bandwidth_gbytes / 1e3) / 1e3,
                "GFLOP",
            ),
        ),
    ),
    PaperTask(
        exercise="machine.largest_model",
        title="The largest model that fits",
        text="A tool reports {free_mib} of free accelerator memory. A model stores each parameter in {bytes_per_parameter}; "
        "everything else is left out. What is the largest number of parameters that fit, in billions (10⁹)?",
        given={
            "free_mib": Number("MiB", values=(40442, 81079, 97871, 143243, 182642, 196592)),
            "bytes_per_parameter": Number("bytes", values=(2, 4, 16, 18)),
        },
        unit="billion parameters",
        steps=(
            Step("MiB to bytes, times 1,048,576", 0.5, lambda x: x.free_mib * 2**20 / 1e9, "GB"),
            Step(
                "over the bytes of a parameter",
                0.5,
                lambda x: x.free_mib * 2**20 / x.bytes_per_parameter / 1e9,
                "billion parameters",
            ),
        ),
    ),
    PaperTask(
        exercise="machine.cores_needed",
        title="Cores for data preparation",
        text="A node trains on {gpus} GPUs. Each of them consumes {samples_per_second}, and a CPU core needs "
        "{milliseconds_per_sample} to prepare one sample. How many whole cores must prepare samples so that no GPU waits?",
        given={
            "samples_per_second": Number("samples/s", 150, 3000),
            "milliseconds_per_sample": Number("ms", 1.5, 12),
            "gpus": Number("", values=(4, 8), whole=True),
        },
        unit="cores",
        exact=True,
        steps=(
            Step("samples of all GPUs in a second", 0.3, lambda x: x.gpus * x.samples_per_second, "samples/s"),
            Step(
                "times the seconds of one sample",
                0.4,
                lambda x: x.gpus * x.samples_per_second * x.milliseconds_per_sample / 1e3,
                "cores",
            ),
            Step(
                "round up",
                0.3,
                lambda x: math.ceil(x.gpus * x.samples_per_second * x.milliseconds_per_sample / 1e3),
                "cores",
            ),
        ),
    ),
    PaperTask(
        exercise="machine.busy_between",
        title="How busy is the accelerator?",
        text="An accelerator computes a batch of {batch} samples in {compute_ms}. At the same time CPU cores prepare the next batch; "
        "storage is fast enough. The node has {cores} cores, of which other work takes between {taken_low} and {taken_high}. "
        "A sample needs between {core_low} and {core_high} of one core. Between which two shares of the time does the "
        "accelerator compute? A colleague claims that the data pipeline cannot be the cause of a measured share of 60 %: "
        "judge whether your interval supports that.",
        given={
            "batch": Number("", values=(256, 512, 768, 1024), whole=True),
            "compute_ms": Number("ms", 120, 600),
            "cores": CORES,
            "taken_low": Number("", values=(0, 1, 2), whole=True),
            "taken_high": Number("cores", values=(3, 4, 6), whole=True),
            "core_low": Number("ms", 3, 6),
            "core_high": Number("ms", 7, 12),
        },
        inputs=lambda x: {
            "batch": x.batch,
            "compute_ms": x.compute_ms,
            "cores": x.cores,
            "core_ms": [x.core_low, x.core_high],
            "taken": [x.taken_low, x.taken_high],
        },
        judges=True,
        judgement="The claim is supported only if the lower end exceeds 60 %.",
        unit="%",
        per=0.01,
        plausible=lambda x: 0.3 < x.compute_ms * (x.cores - x.taken[0]) / (x.batch * x.core_ms[0]) < 0.97,
        steps=(
            Step(
                "longest preparation: most time for a sample, most cores taken",
                0.3,
                lambda x: x.batch * x.core_ms[1] / (x.cores - x.taken[1]),
                "ms",
            ),
            Step(
                "shortest preparation: least time for a sample, fewest cores taken",
                0.3,
                lambda x: x.batch * x.core_ms[0] / (x.cores - x.taken[0]),
                "ms",
            ),
            Step(
                "compute time over the longer of the two times",
                0.4,
                lambda x: [
                    100 * min(1, x.compute_ms * (x.cores - taken) / (x.batch * ms))
                    for ms, taken in ((x.core_ms[1], x.taken[1]), (x.core_ms[0], x.taken[0]))
                ],
                "%",
            ),
        ),
    ),
)
