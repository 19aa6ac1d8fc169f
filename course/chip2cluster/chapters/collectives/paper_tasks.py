"""Tasks on paper about collectives: ring, bus bandwidth, what must overlap."""

from chip2cluster.exercise.machine_ranges import LINK, LINK_LATENCY
from chip2cluster.exercise.paper_task import Choice, Number, PaperTask, Step

RANKS = Number("", values=(4, 8, 16, 32, 64, 128), whole=True)

TASKS = (
    PaperTask(
        exercise="collectives.ring_time",
        title="The time of a ring all-reduce",
        text="{ranks} GPUs all-reduce an array of {message_bytes} by the ring algorithm. Each sends to its neighbor at {link_gbits} with a latency of "
        "{latency_us} for each of the steps; additions cost nothing. How long does it take?",
        given={
            "message_bytes": Number("MB", 4, 2000, per=1e6),
            "ranks": RANKS,
            "link_gbits": LINK,
            "latency_us": LINK_LATENCY,
        },
        unit="ms",
        per=1e-3,
        steps=(
            Step("steps: twice the ranks less one", 0.3, lambda x: 2 * (x.ranks - 1), "steps"),
            Step(
                "time of one chunk on the link",
                0.3,
                lambda x: x.message_bytes / x.ranks / (x.link_gbits * 1e9 / 8) * 1e6,
                "µs",
            ),
            Step(
                "steps times (latency and chunk)",
                0.4,
                lambda x: (
                    2
                    * (x.ranks - 1)
                    * (x.latency_us / 1e3 + x.message_bytes / x.ranks / (x.link_gbits * 1e9 / 8) * 1e3)
                ),
                "ms",
            ),
        ),
    ),
    PaperTask(
        exercise="collectives.bus_bandwidth",
        title="Bus bandwidth of a measurement",
        text="A benchmark runs {collective} of an array of {message_bytes} over {ranks} GPUs in {seconds}. Which bus bandwidth does it print, in the "
        "convention of nccl-tests?",
        given={
            "collective": Choice(
                {"all_reduce": "an all-reduce", "all_gather": "an all-gather", "reduce_scatter": "a reduce-scatter"}
            ),
            "message_bytes": Number("GB", 0.5, 16, per=1e9),
            "seconds": Number("ms", 3, 200, per=1e-3),
            "ranks": RANKS,
        },
        unit="GB/s",
        per=1e9,
        plausible=lambda x: 15e9 < x.message_bytes / x.seconds < 400e9,
        steps=(
            Step("algorithm bandwidth: size over time", 0.4, lambda x: x.message_bytes / x.seconds / 1e9, "GB/s"),
            Step(
                "times (n − 1)/n, twice for an all-reduce",
                0.6,
                lambda x: (
                    x.message_bytes / x.seconds / 1e9 * (x.ranks - 1) / x.ranks * (1 + (x.collective == "all_reduce"))
                ),
                "GB/s",
            ),
        ),
    ),
    PaperTask(
        exercise="collectives.enough_tokens",
        title="How many tokens hide an all-reduce?",
        text="{ranks} GPUs train by data parallelism. The gradients, {gradient_bytes} for each parameter, are all-reduced during the backward pass, "
        "which does 4 FLOP for each parameter and token. A bus bandwidth between {busbw_low} and {busbw_high} is expected, and each "
        "GPU reaches between {tflops_low} and {tflops_high}. Between which two numbers lies the smallest number of tokens for each GPU "
        "and step whose backward pass takes as long as the all-reduce? A colleague calls 8,000 tokens safe: is that so?",
        given={
            "ranks": RANKS,
            "gradient_bytes": Number("bytes", values=(2, 4), whole=True),
            "busbw_low": Number("GB/s", 20, 150),
            "busbw_high": Number("GB/s", 30, 380),
            "tflops_low": Number("TFLOP/s", 180, 450),
            "tflops_high": Number("TFLOP/s", 250, 700),
        },
        inputs=lambda x: {
            "ranks": x.ranks,
            "busbw_gbytes": [x.busbw_low, x.busbw_high],
            "achieved_tflops": [x.tflops_low, x.tflops_high],
            "gradient_bytes": x.gradient_bytes,
        },
        judges=True,
        judgement="Safe only if 8,000 exceeds the upper end; between the ends it is open.",
        unit="tokens",
        plausible=lambda x: (
            1.1 < x.busbw_gbytes[1] / x.busbw_gbytes[0] < 2.5
            and 1.1 < x.achieved_tflops[1] / x.achieved_tflops[0] < 1.8
        ),
        steps=(
            Step(
                "bytes on the link for a parameter: 2 (n − 1)/n times its gradient",
                0.4,
                lambda x: 2 * (x.ranks - 1) / x.ranks * x.gradient_bytes,
                "bytes",
            ),
            Step(
                "time of these bytes over the time of 4 FLOP: fast link with slow GPU, then slow link with fast GPU",
                0.6,
                lambda x: [
                    2 * (x.ranks - 1) / x.ranks * x.gradient_bytes / busbw * tflops * 1e3 / 4
                    for busbw, tflops in (
                        (x.busbw_gbytes[1], x.achieved_tflops[0]),
                        (x.busbw_gbytes[0], x.achieved_tflops[1]),
                    )
                ],
                "tokens",
            ),
        ),
    ),
)
