"""Exercise on latency and bandwidth fitted to ping-pong times."""

import numpy as np

from chip2cluster import collectives, measure
from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.input_generators import draw_until
from chip2cluster.exercise.model import Exercise, Group, Mistake


def fit(message_bytes, seconds):
    """Latency and bandwidth with the smallest squares of the relative errors."""
    found = collectives.fit_alpha_beta(message_bytes, seconds, 2, weighting="relative")
    return [found.collective_latency, found.algorithm_bandwidth]


def _draw(generator):
    size = 8.0 * 8 ** np.arange(int(generator.integers(6, 9)))
    drawn = draw_until(
        # Else nothing but the scatter may be left of the bandwidth.
        lambda drawn: size[-1] / drawn["rate"] > 2 * drawn["latency"],
        lambda: {"latency": 10 ** generator.uniform(-6, -4), "rate": 10 ** generator.uniform(9, 11)},
    )
    latency, rate = drawn.values()
    return {
        "message_bytes": size,
        "seconds": (latency + size / rate) * generator.uniform(0.85, 1.2, len(size)),
    }


def _runs(generator):
    # A case that can be done in the head comes first: it is the one that a student sees.
    return [
        {"message_bytes": np.array([1000.0, 2000.0]), "seconds": np.array([3e-6, 4e-6])},
        *(_draw(generator) for _ in range(4)),
    ]


def _weighted(power):
    """A straight line where a point counts by its time to this power."""

    def wrong(message_bytes, seconds):
        size, time = np.asarray(message_bytes), np.asarray(seconds)
        slope, start = np.polyfit(size, time, 1, w=time**power)
        return [float(start), float(1 / slope)]

    return wrong


def _ends(message_bytes, seconds):
    slope = (seconds[-1] - seconds[0]) / (message_bytes[-1] - message_bytes[0])
    return [float(seconds[0] - slope * message_bytes[0]), float(1 / slope)]


FIT = Exercise(
    id="measure.fit",
    title="Fit a latency and a bandwidth",
    signature="fit(message_bytes, seconds)",
    unit="",
    points=4,
    reference=fit,
    shows=(collectives.fit_alpha_beta,),
    groups=(Group("runs", 1.0, _runs, v.VALUE),),
    hints=(
        "A straight line through times of 1 µs and of 10 ms: which has the larger errors? Make all of them count the same.",
        "Divide the equation by the measured time: α / t + (n / t) / β should be 1. The difference is the relative error.",
        "np.polyfit(message_bytes, seconds, 1, w=1 / seconds) gives slope and intercept; the weights multiply the errors before they "
        "are squared. Return the intercept, and 1 / slope.",
    ),
    solution="""
import numpy as np


def fit(message_bytes, seconds):
    slope, start = np.polyfit(message_bytes, seconds, 1, w=1 / np.asarray(seconds))
    return [start, 1 / slope]
""",
    explanation=(
        "Plain least squares fits mostly the largest message: 10 % of its 10 ms are a thousand times the whole time of a short "
        "message. The latency is then whatever remains, often below zero. With relative errors every size counts."
    ),
    meaning=lambda: (
        f"The recorded ping-pong in one line: {1e6 * _recorded('relative').collective_latency:.1f} µs; by plain least squares "
        f"{1e6 * _recorded('absolute').collective_latency:.0f} µs, for a message that takes "
        f"{1e6 * float(measure.recorded('mpi ping-pong, 2 ranks, quiet').seconds[0]):.1f} µs in all. If the library changes its "
        "protocol at some size, fit both sides separately."
    ),
    mistakes=(
        Mistake(
            "plain least squares",
            _weighted(0),
            "You minimized errors in seconds, so the largest message decides. Minimize relative errors: each size counts the same.",
        ),
        Mistake(
            "weights twice",
            _weighted(-2),
            "Your weights are 1 / t². polyfit multiplies the errors by the weights before it squares them: 1 / t is enough.",
        ),
        Mistake(
            "the root of the weights",
            _weighted(-0.5),
            "Your weights are the root of 1 / t. polyfit multiplies the errors by the weights before it squares them: give it 1 / t.",
        ),
        Mistake(
            "first and last point only",
            _ends,
            "You drew a line through the first and the last point. The points between them count, too.",
        ),
        Mistake(
            "shortest and longest message",
            lambda message_bytes, seconds: [float(seconds[0]), float(message_bytes[-1] / seconds[-1])],
            "You took the time of the shortest message and the rate of the longest one. The first includes bytes, the second a latency; and two points are not a fit.",
        ),
        Mistake(
            "seconds per byte",
            lambda message_bytes, seconds: [fit(message_bytes, seconds)[0], 1 / fit(message_bytes, seconds)[1]],
            "Your second number is the slope, seconds per byte. The bandwidth is one over it.",
        ),
        Mistake(
            "order swapped",
            lambda message_bytes, seconds: fit(message_bytes, seconds)[::-1],
            "You returned the bandwidth first. Latency, then bandwidth.",
        ),
        Mistake(
            "half a round trip twice",
            lambda message_bytes, seconds: [fit(message_bytes, seconds)[0] / 2, fit(message_bytes, seconds)[1] * 2],
            "You halved the times. They are half of a round trip already.",
        ),
    ),
)


def _recorded(weighting):
    run = measure.recorded("mpi ping-pong, 2 ranks, quiet")
    return collectives.fit_alpha_beta(run.message_bytes, run.seconds, 2, weighting=weighting)
