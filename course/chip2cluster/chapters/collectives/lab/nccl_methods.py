"""Task on the method (algorithm and protocol) that NCCL takes for each message size."""

import numpy as np

from chip2cluster.collectives import NcclCurve
from chip2cluster.exercise.model import Exercise, Group, Mistake

from ..mutants import MUTANTS


def methods_taken(message_bytes, latencies, bandwidths):
    """For each message the number of the method whose estimate is lowest."""
    rates = np.broadcast_to(bandwidths, (len(latencies), len(message_bytes)))
    times = [
        [NcclCurve("", "", latency, rate).seconds(size, 0) for size, rate in zip(message_bytes, row, strict=True)]
        for latency, row in zip(latencies, rates, strict=True)
    ]
    return np.argmin(times, axis=0)


def _libraries(generator):
    # A case that can be done in the head comes first: it is the one that a student sees.
    easy = {
        "message_bytes": np.array([0.0, 1e6, 4e6]),
        "latencies": np.array([3e-3, 1e-3, 2e-3]),
        "bandwidths": np.array([[4e9, 4e9, 4e9], [1e9, 1e9, 0.5e9], [2e9, 0.5e9, 4e9]]),
    }
    drawn = [easy]
    for methods, rows in ((3, 6), (4, 5), (5, 9), (3, 8), (6, 10)):
        latencies = np.sort(generator.uniform(15e-6, 120e-6, methods))
        rates = np.sort(generator.uniform(10e9, 90e9, methods))[:, None] * generator.uniform(0.5, 1.0, (methods, rows))
        order = generator.permutation(methods)
        size = np.round(10 ** generator.uniform(4.5, 7.5, rows))
        drawn.append({"message_bytes": size, "latencies": latencies[order], "bandwidths": rates[order]})
    return drawn


def _edges(generator):
    return [
        # Two methods in a tie: the first of them.
        {
            "message_bytes": np.array([1e6, 2e6]),
            "latencies": np.array([5e-4, 2e-4, 2e-4]),
            "bandwidths": np.array([[1e9, 8e9], [2e9, 2e9], [2e9, 2e9]]),
        },
        # As many methods as messages, and one alone.
        {
            "message_bytes": np.array([1e5, 1e7]),
            "latencies": np.array([2e-5, 6e-5]),
            "bandwidths": np.array([[2e10, 2e10], [9e10, 9e10]]),
        },
        {
            "message_bytes": np.array([1e5, 1e7]), "latencies": np.array([2e-5]),
            "bandwidths": np.array([[2e10, 2e10]]),
        },
    ]  # fmt: skip


def _by(times, choose=np.argmin, axis=0):
    return lambda message_bytes, latencies, bandwidths: choose(
        times(message_bytes, latencies[:, None], bandwidths), axis=axis
    )


METHODS = Exercise(
    id="lab.collectives.methods_taken",
    title="A library chooses",
    signature="methods_taken(message_bytes, latencies, bandwidths)",
    unit="",
    graded=True,
    points=4,
    reference=methods_taken,
    groups=(
        Group("libraries", 0.8, _libraries),
        Group(
            "edges",
            0.2,
            _edges,
            advice="If two times are equal, the first method is taken. And there may be one method only.",
        ),
    ),
    hints=(
        "First all times at once, a row for each method and a column for each message.",
        "latencies[:, None] makes a column of the latencies, so that they go with the rows.",
        "There is one latency for each method, but one time for each method and message: give the latencies a second axis, add, and take the minimum along the right axis.",
    ),
    explanation=(
        "A benchmark shows the lowest of several lines. It bends where the library changes from one method to the next, and no "
        "single latency and bandwidth describe it."
    ),
    mistakes=(
        Mistake(
            "the slowest",
            _by(lambda n, a, b: a + n / b, np.argmax),
            "You took the slowest method of each message. np.argmin gives the place of the smallest.",
        ),
        Mistake(
            "the best message of each method",
            _by(lambda n, a, b: a + n / b, axis=1),
            "You have one answer for each method. Rows are methods: look for the smallest along them, axis=0.",
        ),
        Mistake(
            "bytes alone",
            _by(lambda n, a, b: 0 * a + n / b),
            "You compared only the bytes. For small messages the latency decides: add it.",
        ),
        Mistake(
            "latency alone",
            _by(lambda n, a, b: a + 0 * n / b),
            "You compared only the latencies, so one method wins everywhere. Add n / bandwidth.",
        ),
        Mistake(
            "times bandwidth",
            _by(lambda n, a, b: a + n * b),
            "You multiplied by the bandwidth. Bytes over bytes a second are seconds.",
        ),
        Mistake(
            "fourteen starts",
            _by(lambda n, a, b: 14 * a + n / b),
            "You multiplied the latencies by 14. Each already covers all steps of the all-reduce.",
        ),
        Mistake(
            "as if it were bus bandwidth",
            _by(lambda n, a, b: a + 1.75 * n / b),
            "You multiplied the bytes by 1.75. The bandwidths are already in bytes of message per second: divide n by them.",
        ),
        Mistake(
            "one bandwidth a method",
            _by(lambda n, a, b: a + n / b[:, :1]),
            "You used each method's bandwidth for the first message for all messages. bandwidths[m, r] belongs to message r.",
        ),
        Mistake(
            "counted from one",
            _by(lambda n, a, b: a + n / b, lambda times, axis: np.argmin(times, axis=axis) + 1),
            "You counted the methods from 1. Count from 0, as Python does.",
        ),
        Mistake(
            "the times",
            _by(lambda n, a, b: a + n / b, np.min),
            "You returned the smallest times. Return the index of the method: np.argmin instead of np.min.",
        ),
        Mistake(
            "the last of equals",
            _by(
                lambda n, a, b: a + n / b,
                lambda times, axis: len(times) - 1 - np.argmin(times[::-1], axis=axis),
            ),
            "If times are equal, you took the last method. Return the first, as np.argmin does.",
            share=0.8,
        ),
    ),
    mutants=MUTANTS["lab.collectives.methods_taken"],
)
