"""Task on latency and bandwidth of a link from two measurements."""

import numpy as np

from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.model import Exercise, Group, Mistake

from ..mutants import MUTANTS


def fit_link(small_bytes, small_seconds, large_bytes, large_seconds):
    """Latency in seconds and bandwidth in bytes/s of a link, from two timed messages."""
    bandwidth = (large_bytes - small_bytes) / (large_seconds - small_seconds)
    return np.array([small_seconds - small_bytes / bandwidth, bandwidth])


def _timings(generator):
    # A case that can be done in the head comes first: it is the one that a student sees.
    rows = [(10e3, 1e6, 1e-6, 10e9)]
    rows += zip(
        generator.uniform(2e4, 3e5, 5).round(), generator.uniform(1e6, 2e8, 5).round(),
        generator.uniform(0.5e-6, 20e-6, 5), generator.uniform(10e9, 450e9, 5), strict=True,
    )  # fmt: skip
    return [
        {
            "small_bytes": float(n), "small_seconds": float(a + n / b),
            "large_bytes": float(m), "large_seconds": float(a + m / b),
        }
        for n, m, a, b in rows
    ]  # fmt: skip


def _zero(generator):
    case = {"small_bytes": 0.0, "small_seconds": 4e-6, "large_bytes": 2e6, "large_seconds": 44e-6}
    return [case, {**case, "small_seconds": 2.7e-6}]


FIT = Exercise(
    id="lab.links.fit_link",
    title="A link from two measurements",
    signature="fit_link(small_bytes, small_seconds, large_bytes, large_seconds)",
    unit="[s, bytes/s]",
    graded=True,
    points=4,
    reference=fit_link,
    groups=(
        Group("timings", 0.8, _timings),
        Group("empty message", 0.2, _zero, advice="A message of 0 bytes takes only the latency."),
    ),
    hints=(
        "Two equations, two unknowns: time = latency + bytes / bandwidth, once for each message.",
        "Subtract one equation from the other: the latency cancels.",
        "The bandwidth is the difference of the bytes over the difference of the times. With it, either equation gives the latency.",
    ),
    explanation=(
        "The slope of time against bytes is one over the bandwidth, and the intercept is the latency. The rate of a single "
        "large message is too low, because its time contains the latency."
    ),
    mistakes=(
        Mistake(
            "large message as bandwidth",
            lambda small_bytes, small_seconds, large_bytes, large_seconds: np.array(
                [small_seconds - small_bytes * large_seconds / large_bytes, large_bytes / large_seconds]
            ),
            "You took the rate of the large message for the bandwidth. It contains the latency; use the differences.",
        ),
        Mistake(
            "small message as latency",
            lambda small_bytes, small_seconds, large_bytes, large_seconds: np.array(
                [small_seconds, (large_bytes - small_bytes) / (large_seconds - small_seconds)]
            ),
            "You took the time of the small message for the latency. Its bytes needed time as well: subtract that.",
        ),
        Mistake(
            "both messages taken as they are",
            lambda small_bytes, small_seconds, large_bytes, large_seconds: np.array(
                [small_seconds, large_bytes / large_seconds]
            ),
            "You took the small message for the latency and the large one for the bandwidth. Each contains some of both.",
        ),
        Mistake(
            "order swapped",
            lambda small_bytes, small_seconds, large_bytes, large_seconds: fit_link(
                small_bytes, small_seconds, large_bytes, large_seconds
            )[::-1],
            "Right, but in the other order: latency first, then bandwidth.",
            v.TYPE,
        ),
        Mistake(
            "slope",
            lambda small_bytes, small_seconds, large_bytes, large_seconds: np.array(
                [
                    fit_link(small_bytes, small_seconds, large_bytes, large_seconds)[0],
                    (large_seconds - small_seconds) / (large_bytes - small_bytes),
                ]
            ),
            "Your second number is in seconds per byte. Bandwidth is in bytes per second: take the reciprocal.",
        ),
    ),
    mutants=MUTANTS["lab.links.fit_link"],
)
