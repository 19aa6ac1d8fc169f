"""Questions on measuring: about recorded runs, never about the reader's own machine."""

from chip2cluster import measure
from chip2cluster.predict.question import Question

_SIZE = 2**20


def _loaded(statistic):
    run = measure.recorded("mpi all-reduce, 2 ranks, loaded")
    return float(run.statistics[statistic][list(run.message_bytes).index(_SIZE)])


def _mean():
    return _loaded("mean") / _loaded("median")


def _why_mean(truth):
    return (
        f"Half of the repeats took at most {1e3 * _loaded('median'):.1f} ms. One in twenty took at least "
        f"{1e3 * _loaded('p95'):.0f} ms, because its process had lost its core to another program. A few of these make "
        f"the mean {truth:.0f} times the median, so the mean measures how busy the other programs were."
    )


def _places():
    ranks = measure.confidence_ranks(10_000)
    return (ranks.high - ranks.low) / 100


def _why_places(truth):
    return (
        f"{truth:.1f} %: a hundred times as many repeats give a tenth of the width. The number of times below the "
        "median is like the heads of coins: its spread grows with the square root of the number of coins."
    )


def _roofline():
    return measure.recorded_roofline("cpu roofline, quiet")


def _caches():
    run = _roofline()
    rates = dict(zip(run.working_set_bytes.tolist(), run.bandwidth.tolist(), strict=True))
    return rates[6_291_456] / rates[100_663_296]


def _why_caches(truth):
    return (
        f"The cache moves {truth:.1f} bytes in the time that memory needs for one. At 6.3 MB all three arrays stay in a "
        "cache of the chip, and each pass finds them there; at 100 MB each pass fetches everything again. The sums are "
        "the same, and so is the program."
    )


def _crossover():
    return (20e-6 - 2.3e-6) / (1 / 2.4e9 - 1 / 6.0e9) / 1e3


def _why_crossover(truth):
    return (
        f"Python's ring is 17.7 µs behind before the first byte moves, and gains 0.25 µs with each kB: {truth:.0f} kB. "
        "In the measurement they cross at 64 KiB by their best times, and between 128 and 256 KiB by their medians, "
        "because times are not two straight lines."
    )


def _graph():
    return measure.launched_time(3e-6, 5e-6, 1000) / measure.graph_time(3e-6, 5e-6, 1000)


def _why_graph(truth):
    return (
        "Launched one by one, a kernel begins every 5 µs, because the CPU is no faster: 5.0 ms. In a graph the GPU "
        f"goes from one to the next by itself, one every 3 µs: 3.0 ms. That is {truth:.2f} times as fast; kernels of 5 "
        "µs or more would have gained nothing."
    )


def _products():
    return 100 * measure.recorded_trace().fraction("matrix products")


def _why_products(truth):
    trace = measure.recorded_trace()
    return (
        f"{truth:.0f} %. Products run near the peak, so their many FLOPs take little time. Attention takes {100 * trace.fraction('attention'):.0f} %, "
        f"and half of the time goes to kernels that hardly compute: they convert, add, normalize and copy, and wait for memory."
    )


QUESTIONS = (
    Question(
        "measure.mean",
        "Two processes on two cores sum vectors of 1 MiB again and again, while three to five other programs "
        "compete for the cores. In one recorded run, without warm-up, how many times the median of its repeats is"
        " their mean?",
        "times", _mean, _why_mean,
    ),
    Question(
        "measure.places",
        "Of 100 sorted repeats, numbers 40 and 61 enclose the median (at 95 %), so 21 % of the repeats lie between "
        "them. You take 10,000 repeats. What percentage of these lie between the two that you need?",
        "%", _places, _why_places,
    ),
    Question(
        "measure.caches",
        "NumPy adds two arrays into a third on the recorded processor, whose caches hold tens of MB. First they "
        "take 6.3 MB together, then 100 MB. How many times as many bytes a second do the small ones move?",
        "times", _caches, _why_caches,
    ),
    Question(
        "measure.crossover",
        "Fitted to recorded runs of two ranks, the library's all-reduce has a latency of 2.3 µs and a bandwidth "
        "of 2.4 GB/s; a Python ring has 20 µs and 6.0 GB/s. From how many kB on is the ring faster?",
        "kB", _crossover, _why_crossover,
    ),
    Question(
        "measure.graph",
        "A step is a chain of 1,000 kernels of 3 µs on the GPU. The CPU needs 5 µs to launch one and doesn't wait"
        " for it. How many times as fast is the step if one graph launches all?",
        "times", _graph, _why_graph,
    ),
    Question(
        "measure.products",
        "One H100 trains a GPT of 355 million parameters in bf16, at an MFU of 30 %. Nine tenths of its FLOPs are in "
        "matrix products. What percentage of the time of all kernels do matrix products take?",
        "%", _products, _why_products,
    ),
)  # fmt: skip
