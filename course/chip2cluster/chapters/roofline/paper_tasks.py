"""Tasks on paper about the roofline: ridge, decode rate, measured against possible."""

from dataclasses import replace

from chip2cluster.exercise.machine_ranges import MEMORY, MEMORY_BANDWIDTH, PEAK
from chip2cluster.exercise.paper_task import Number, PaperTask, Step

PEAK_FLOPS, BYTES_PER_SECOND = replace(PEAK, per=1e12), replace(MEMORY_BANDWIDTH, per=1e12)


def _one_machine(peak_flops, memory_bandwidth):
    """Return whether a chip can have this ridge; those of 2017 to 2025 have 110 to 400 FLOP/byte."""
    return 100 < peak_flops / memory_bandwidth < 420


TASKS = (
    PaperTask(
        exercise="roofline.ridge",
        title="The ridge point",
        text="A datasheet prints a peak of {sparse_tflops}, with 2:4 structured sparsity, and a memory bandwidth of "
        "{bandwidth_gbytes}. The program uses dense matrices. From which arithmetic intensity on is it bound by arithmetic "
        "and no longer by memory? Both rates are bounds.",
        given={"sparse_tflops": Number("TFLOP/s", 300, 4900), "bandwidth_gbytes": Number("GB/s", 1200, 8000)},
        unit="FLOP/byte",
        plausible=lambda x: _one_machine(x.sparse_tflops * 500, x.bandwidth_gbytes),
        steps=(
            Step("dense peak: half of the sparse one", 0.5, lambda x: x.sparse_tflops / 2, "TFLOP/s"),
            Step(
                "peak over bandwidth, in FLOP/s and bytes/s",
                0.5,
                lambda x: x.sparse_tflops / 2 * 1e3 / x.bandwidth_gbytes,
                "FLOP/byte",
            ),
        ),
    ),
    PaperTask(
        exercise="lab.roofline.shortest_time",
        title="The shortest time of a kernel",
        text="A kernel does {flops} of arithmetic and moves {bytes_moved} to and from memory; the two overlap perfectly. The "
        "chip has a dense peak of {peak_flops} and a memory bandwidth of {memory_bandwidth}. What is the shortest time in "
        "which the kernel can run? Judge which of the two limits it.",
        given={
            "flops": Number("GFLOP", 40, 4000, per=1e9),
            "bytes_moved": Number("GB", 0.2, 12, per=1e9),
            "peak_flops": PEAK_FLOPS,
            "memory_bandwidth": BYTES_PER_SECOND,
        },
        unit="ms",
        per=1e-3,
        judges=True,
        judgement="The longer of the two times names the limit: arithmetic or memory.",
        plausible=lambda x: (
            _one_machine(x.peak_flops, x.memory_bandwidth)
            and 0.2 < x.flops / x.peak_flops / (x.bytes_moved / x.memory_bandwidth) < 5
        ),
        steps=(
            Step("time of the arithmetic", 0.3, lambda x: 1e3 * x.flops / x.peak_flops, "ms"),
            Step("time of the memory traffic", 0.3, lambda x: 1e3 * x.bytes_moved / x.memory_bandwidth, "ms"),
            Step(
                "the longer of the two, since they overlap",
                0.4,
                lambda x: 1e3 * max(x.flops / x.peak_flops, x.bytes_moved / x.memory_bandwidth),
                "ms",
            ),
        ),
    ),
    PaperTask(
        exercise="roofline.decode_rate",
        title="Tokens per second for one user",
        text="A language model has {weights_gib} of weights. To generate one token for one user, all weights are read from "
        "memory once, at {bandwidth_gbytes}; caches are left out. How many tokens a second can one user get at most?",
        given={
            "weights_gib": Number("GiB", 12, 150),
            "bandwidth_gbytes": Number("GB/s", 1200, 8000),
        },
        unit="tokens/s",
        steps=(
            Step("GiB to GB, times 1.0737", 0.4, lambda x: x.weights_gib * 2**30 / 1e9, "GB"),
            Step(
                "bandwidth over the bytes of a token",
                0.6,
                lambda x: x.bandwidth_gbytes * 1e9 / (x.weights_gib * 2**30),
                "tokens/s",
            ),
        ),
    ),
    PaperTask(
        exercise="roofline.surely_bound",
        title="Is it surely memory-bound?",
        text="A kernel does {intensity} of arithmetic for each byte that it moves. The chip is known only roughly: its "
        "attainable peak lies between {peak_low} and {peak_high}, its attainable memory bandwidth between {bandwidth_low} and "
        "{bandwidth_high}. Is the kernel surely bound by memory, surely bound by compute, or undecided? Show the two ridges "
        "on which your answer rests.",
        given={
            "intensity": Number("FLOP", 80, 700),
            "peak_low": Number("TFLOP/s", 150, 1500, per=1e12),
            "peak_high": Number("TFLOP/s", 180, 2500, per=1e12),
            "bandwidth_low": Number("TB/s", 1, 6, per=1e12),
            "bandwidth_high": Number("TB/s", 1.2, 8, per=1e12),
        },
        judges=True,
        words=("memory", "compute", "undecided"),
        plausible=lambda x: (
            1.05 < x.peak_high / x.peak_low < 1.7
            and 1.05 < x.bandwidth_high / x.bandwidth_low < 1.7
            and _one_machine(x.peak_low, x.bandwidth_low)
            and 0.4 < x.intensity * x.bandwidth_low / x.peak_low < 2
        ),
        steps=(
            Step("lowest ridge: low peak, high bandwidth", 0.3, lambda x: x.peak_low / x.bandwidth_high, "FLOP/byte"),
            Step("highest ridge: high peak, low bandwidth", 0.3, lambda x: x.peak_high / x.bandwidth_low, "FLOP/byte"),
            Step(
                "below the lowest: memory; above the highest: compute; between: undecided",
                0.4,
                lambda x: (
                    "memory"
                    if x.intensity * x.bandwidth_high < x.peak_low
                    else "compute"
                    if x.intensity * x.bandwidth_low >= x.peak_high
                    else "undecided"
                ),
            ),
        ),
    ),
    PaperTask(
        exercise="lab.roofline.efficiency",
        title="Measured against possible",
        text="A profiler measures {measured_flops} in a kernel with an arithmetic intensity of {intensity}. The chip has a dense "
        "peak of {peak_flops} and a memory bandwidth of {memory_bandwidth}. What share of the rate that is possible at this "
        "intensity does the kernel reach? Judge whether the measurement can be right.",
        given={
            "measured_flops": Number("TFLOP/s", 20, 1400, per=1e12),
            "intensity": Number("FLOP/byte", 30, 900),
            "peak_flops": PEAK_FLOPS,
            "memory_bandwidth": BYTES_PER_SECOND,
        },
        unit="%",
        per=0.01,
        judges=True,
        judgement="More than 100 % cannot be right: the traffic, the intensity or a peak is wrong.",
        plausible=lambda x: (
            _one_machine(x.peak_flops, x.memory_bandwidth)
            and 0.25 < x.measured_flops / min(x.peak_flops, x.intensity * x.memory_bandwidth) < 1.25
        ),
        steps=(
            Step("memory roof at this intensity", 0.3, lambda x: x.intensity * x.memory_bandwidth / 1e12, "TFLOP/s"),
            Step(
                "possible: the lower of peak and memory roof",
                0.3,
                lambda x: min(x.peak_flops, x.intensity * x.memory_bandwidth) / 1e12,
                "TFLOP/s",
            ),
            Step(
                "measured over possible",
                0.4,
                lambda x: 100 * x.measured_flops / min(x.peak_flops, x.intensity * x.memory_bandwidth),
                "%",
            ),
        ),
    ),
    PaperTask(
        exercise="lab.roofline.largest_batch",
        title="Sequences that fit",
        text="An accelerator has {memory_gb} of memory. The weights of a model take {weights_gb}, and the key-value cache of each "
        "sequence {cache_gb}; nothing else needs memory. How many sequences fit at the same time?",
        given={"memory_gb": MEMORY, "weights_gb": Number("GB", 14, 140), "cache_gb": Number("GB", 0.3, 4)},
        unit="sequences",
        exact=True,
        plausible=lambda x: 3 * x.cache_gb < x.memory_gb - x.weights_gb,
        steps=(
            Step("memory left for caches", 0.5, lambda x: x.memory_gb - x.weights_gb, "GB"),
            Step(
                "over the cache of a sequence, rounded down",
                0.5,
                lambda x: (x.memory_gb - x.weights_gb) / x.cache_gb // 1,
                "sequences",
            ),
        ),
    ),
)
