"""Task on latency and bandwidth fitted to measured all-reduce times."""

import numpy as np

from chip2cluster import collectives
from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.model import Exercise, Group, Mistake

from ..mutants import MUTANTS


def fit_alpha_beta(message_bytes, seconds, ranks):
    """Latency of a step and one-way bandwidth of a link that fit measured ring all-reduces best."""
    fit = collectives.fit_alpha_beta(message_bytes, seconds, ranks)
    return [fit.latency, fit.bandwidth_one_way]


def _runs(generator):
    # A case that can be done in the head comes first: it is the one that a student sees.
    easy = {"message_bytes": np.array([1e6, 2e6, 3e6]), "seconds": np.array([3e-3, 4e-3, 5e-3]), "ranks": 2}
    drawn = [easy]
    for ranks, rows in ((8, 8), (4, 6), (64, 9), (12, 7)):
        size = 2.0 ** (np.arange(rows) + int(generator.integers(16, 20)))
        latency, bandwidth = generator.uniform(1e-6, 9e-6), generator.uniform(20e9, 400e9)
        exact = collectives.ring_all_reduce_time(size, ranks, bandwidth, latency)
        drawn.append({"message_bytes": size, "seconds": exact * generator.uniform(0.97, 1.06, rows), "ranks": ranks})
    return drawn


def _other_orders(generator):
    return [
        {"message_bytes": np.array([4e6, 1e6, 2e6]), "seconds": np.array([210e-6, 90e-6, 120e-6]), "ranks": 6},
        {"message_bytes": np.array([1e6, 9e6]), "seconds": np.array([80e-6, 400e-6]), "ranks": 3},
    ]


def _line(message_bytes, seconds):
    slope, start = np.polyfit(message_bytes, seconds, 1)
    return start, slope


def _from_line(make):
    return lambda message_bytes, seconds, ranks: make(*_line(message_bytes, seconds), ranks)


def _ends(message_bytes, seconds, ranks):
    slope = (seconds[-1] - seconds[0]) / (message_bytes[-1] - message_bytes[0])
    start, hops = seconds[0] - slope * message_bytes[0], 2 * (ranks - 1)
    return [start / hops, hops / ranks / slope]


def _relative(message_bytes, seconds, ranks):
    slope, start = np.polyfit(message_bytes, seconds, 1, w=1 / seconds)
    hops = 2 * (ranks - 1)
    return [start / hops, hops / ranks / slope]


def _through_smallest_and_largest(message_bytes, seconds, ranks):
    hops, last = 2 * (ranks - 1), np.argmax(message_bytes)
    first = np.argmin(message_bytes)
    return [seconds[first] / hops, hops / ranks * message_bytes[last] / seconds[last]]


FIT = Exercise(
    id="lab.collectives.fit_alpha_beta",
    title="Two numbers for a network",
    signature="fit_alpha_beta(message_bytes, seconds, ranks)",
    unit="(s, bytes/s)",
    graded=True,
    points=5,
    reference=fit_alpha_beta,
    groups=(
        Group("runs", 0.8, _runs),
        Group(
            "edges", 0.2, _other_orders, advice="The rows may come in any order, and two rows are enough for a line."
        ),
    ),
    hints=(
        "In the size, the model is a straight line. np.polyfit(message_bytes, seconds, 1) fits one: slope, start.",
        "Compare: start = 2(p−1) · latency, and slope = 2(p−1)/p / bandwidth.",
        "So undo both: divide the intercept by the number of steps; the slope is 1 / bandwidth times the bytes that a rank sends per byte of message.",
    ),
    explanation=(
        "A line has two numbers, and the model says what they mean: the intercept is the sum of all latencies, and one over the slope "
        "is the algorithm bandwidth. The residuals show what the two numbers can't describe."
    ),
    mistakes=(
        Mistake(
            "slope for start",
            _from_line(lambda start, slope, n: [slope / (2 * (n - 1)), 2 * (n - 1) / n / start]),
            "You swapped what np.polyfit gives: the slope comes first, then the start.",
        ),
        Mistake(
            "sizes over times",
            lambda message_bytes, seconds, ranks: (
                lambda start, slope: [start / (2 * (ranks - 1)), 2 * (ranks - 1) / ranks / slope]
            )(*_line(seconds, message_bytes)),
            "You fitted the sizes as a function of the times. It is the other way around: np.polyfit(message_bytes, seconds, 1).",
        ),
        Mistake(
            "the line itself",
            _from_line(lambda start, slope, n: [start, slope]),
            "You returned the line: its start and its slope. Turn the start into the latency of one of 2(p−1) steps, and "
            "the slope, in seconds per byte, into a bandwidth.",
        ),
        Mistake(
            "slope and start",
            _from_line(lambda start, slope, n: [slope, start]),
            "You returned what np.polyfit gives, the slope first. Turn both into a latency and a bandwidth.",
        ),
        Mistake(
            "latency of the whole collective",
            _from_line(lambda start, slope, n: [start, 2 * (n - 1) / n / slope]),
            "Your latency is that of the whole all-reduce. It consists of 2(p−1) steps; return the latency of one step.",
        ),
        Mistake(
            "algorithm bandwidth",
            _from_line(lambda start, slope, n: [start / (2 * (n - 1)), 1 / slope]),
            "Your bandwidth is the algorithm's, one over the slope. The link carries 2(p−1)/p times the message.",
        ),
        Mistake(
            "line and algorithm bandwidth",
            _from_line(lambda start, slope, n: [start, 1 / slope]),
            "These are start and one over slope: the latency of the whole all-reduce and the algorithm bandwidth. The model "
            "has 2(p−1) latencies, and a link carries 2(p−1)/p times the message.",
        ),
        Mistake(
            "bandwidth upside down",
            _from_line(lambda start, slope, n: [start / (2 * (n - 1)), slope * n / (2 * (n - 1))]),
            "Your second number is seconds per byte. The bandwidth is one over it.",
        ),
        Mistake(
            "half the steps",
            _from_line(lambda start, slope, n: [start / (n - 1), (n - 1) / n / slope]),
            "You fitted half of an all-reduce: p − 1 steps. There are 2(p−1).",
            v.FACTOR,
        ),
        Mistake(
            "in the other order",
            _from_line(lambda start, slope, n: [2 * (n - 1) / n / slope, start / (2 * (n - 1))]),
            "The latency comes first, then the bandwidth.",
        ),
        Mistake(
            "n steps",
            _from_line(lambda start, slope, n: [start / n, 2 * (n - 1) / n / slope]),
            "You divided the start by n. A ring all-reduce has 2(p−1) steps.",
        ),
        Mistake(
            "first and last row",
            _ends,
            "You drew the line through the first and the last row. Least squares uses all of them: np.polyfit.",
        ),
        Mistake(
            "rows weighted",
            _relative,
            "You weighted the rows by one over their time, which is a fit of the relative errors. That is a good idea for "
            "such data, but here use the unweighted fit: every second counts the same.",
        ),
        Mistake(
            "smallest and largest message",
            _through_smallest_and_largest,
            "You took the latency from the smallest message and the bandwidth from the largest. Each has a part of the "
            "other in it; fit a line through all rows.",
        ),
    ),
    mutants=MUTANTS["lab.collectives.fit_alpha_beta"],
)
