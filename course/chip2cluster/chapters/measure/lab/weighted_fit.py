"""Task on latency and bandwidth with the same relative weight for every message size."""

import numpy as np

from chip2cluster import collectives
from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.model import Exercise, Group, Mistake


def fit_line(sizes, seconds):
    """Latency and bandwidth, seconds and bytes/s, that make the relative errors smallest."""
    fit = collectives.fit_alpha_beta(sizes, seconds, 2, weighting="relative")
    return [fit.collective_latency, fit.algorithm_bandwidth]


def weighted(sizes, seconds, power=2.0):
    """The same with other weights: one over the times to a power."""
    size, times = np.asarray(sizes, float), np.asarray(seconds, float)
    weight = times**-power / np.sum(times**-power)
    mean_size, mean_time = weight @ size, weight @ times
    slope = weight @ ((size - mean_size) * (times - mean_time)) / (weight @ (size - mean_size) ** 2)
    return [float(mean_time - slope * mean_size), float(1 / slope) if slope else float("inf")]


def _noisy(generator, count):
    alpha, beta = 10 ** generator.uniform(-6, -4.5), 10 ** generator.uniform(9, 11)
    sizes = np.sort(8.0 * 2 ** generator.choice(22, count, replace=False))
    sizes[-1] = 2.0**26  # so that the bytes of one message weigh more than α
    times = (alpha + sizes / beta) * generator.uniform(0.85, 1.15, count)
    return {"sizes": sizes, "seconds": np.array([float(f"{time:.4g}") for time in times])}


def _runs(generator):
    # Two microseconds and a microsecond for each 1,000 bytes: it is the one that a student sees.
    easy = {"sizes": np.array([1000.0, 2000, 4000]), "seconds": 1e-6 * np.array([3.0, 4, 6])}
    return [easy, *(_noisy(generator, count) for count in (5, 8, 12, 16))]


def _edges(generator):
    case = _noisy(generator, 9)
    order = generator.permutation(9)
    two = {"sizes": np.array([8.0, 2.0**20]), "seconds": np.array([2e-6, 2.02e-4])}
    return [{name: row[order] for name, row in case.items()}, two]


FIT_LINE = Exercise(
    id="lab.measure.fit_line",
    title="Fit one line",
    signature="fit_line(sizes, seconds)",
    unit="[s, bytes/s]",
    graded=True,
    points=5,
    tolerance=2e-3,
    allowed=("chip2cluster.specs", "chip2cluster.units"),
    reference=fit_line,
    groups=(
        Group("runs", 0.8, _runs),
        Group("edges", 0.2, _edges, advice="Sizes come in any order, and two of them are enough."),
    ),
    hints=(
        "The error to minimize is (α + n / β − t) / t: divided by the measured time, a small message weighs as much as a large one.",
        "Divide the whole equation by t: 1 = α · (1 / t) + (1 / β) · (n / t). That is an ordinary least-squares problem with two "
        "unknowns.",
        "np.linalg.lstsq takes a matrix with a column for each unknown, and ones on the right. The second unknown is one over the bandwidth.",
    ),
    explanation="In seconds, one long message outweighs a hundred short ones, and α is whatever is left over. In percent each size counts the same.",
    mistakes=(
        Mistake("errors in seconds", lambda sizes, seconds: weighted(sizes, seconds, 0.0), "You minimized the squares of errors in seconds, so the longest message decides alone. Minimize the relative errors."),
        Mistake("weights 1 / √t", lambda sizes, seconds: weighted(sizes, seconds, 1.0), "You divided the squares by t. Divide the errors by t, then square them."),
        Mistake("weights 1 / t²", lambda sizes, seconds: weighted(sizes, seconds, 4.0), "Your weights are one over t² before squaring. np.polyfit squares them itself: give it 1 / t."),
        Mistake("smallest and largest only", lambda sizes, seconds: _two(sizes, seconds), "You drew the line through the smallest and the largest message. All of them count."),
        Mistake("first time as α", lambda sizes, seconds: [float(seconds[np.argmin(sizes)]), float(np.max(sizes)
                / seconds[np.argmax(sizes)])], "You took the time of the smallest message as α, and the rate of the largest as β. Fit both to all sizes."),
        Mistake("slope", lambda sizes, seconds: [fit_line(sizes, seconds)[0], 1 / fit_line(sizes, seconds)[1]], "Your second number is seconds per byte. β is bytes a second: invert it.", v.UNIT),
        Mistake("β first", lambda sizes, seconds: fit_line(sizes, seconds)[::-1], "The numbers are right, but in the wrong order: α first, then β.",
                v.TYPE),
        Mistake("logarithms", lambda sizes, seconds: _powers(sizes, seconds), "You fitted a power law, a line through the logarithms. Here the time is α + n / β."),
    ),
)  # fmt: skip


def _two(sizes, seconds):
    first, last = int(np.argmin(sizes)), int(np.argmax(sizes))
    return weighted([sizes[first], sizes[last]], [seconds[first], seconds[last]], 0.0)


def _powers(sizes, seconds):
    slope, start = np.polyfit(np.log(sizes), np.log(seconds), 1)
    return [float(np.exp(start)), float(1 / slope)]
