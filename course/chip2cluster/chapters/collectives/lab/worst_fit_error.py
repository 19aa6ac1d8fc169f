"""Task on the largest relative error of an alpha-beta fit."""

import numpy as np

from chip2cluster import collectives
from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.model import Exercise, Group, Mistake


def worst_error(message_bytes, seconds, ranks, latency, bandwidth):
    """Largest relative error of the ring model against measured times."""
    return float(np.max(_relative(message_bytes, seconds, ranks, latency, bandwidth)))


def _predicted(message_bytes, ranks, latency, bandwidth):
    return collectives.ring_all_reduce_time(message_bytes, ranks, bandwidth, latency)


def _relative(message_bytes, seconds, ranks, latency, bandwidth):
    return np.abs(seconds - _predicted(message_bytes, ranks, latency, bandwidth)) / seconds


def _runs(generator):
    # A case that can be done in the head comes first: it is the one that a student sees.
    easy = {
        "message_bytes": np.array([1e6, 2e6]),
        "seconds": np.array([3e-3, 5e-3]),
        "ranks": 2,
        "latency": 1e-3,
        "bandwidth": 1e9,
    }
    # The row that is off by the most seconds is not the one that is off by the largest share.
    late = easy | {"message_bytes": np.array([1e6, 9e6]), "seconds": np.array([5e-3, 14e-3])}
    drawn = [easy, late]
    for ranks, rows in ((8, 6), (4, 5), (16, 7), (12, 6)):
        size = 2.0 ** (2 * np.arange(rows) + int(generator.integers(10, 14)))
        latency, bandwidth = float(generator.uniform(1e-6, 9e-6)), float(generator.uniform(20e9, 400e9))
        off = generator.uniform(0.9, 1.1, rows)
        off[int(generator.integers(rows))] *= 0.6  # the model is too slow here
        off[int(generator.integers(rows))] *= 1.3
        seconds = _predicted(size, ranks, latency, bandwidth) * off
        drawn.append(
            {"message_bytes": size, "seconds": seconds, "ranks": ranks, "latency": latency, "bandwidth": bandwidth}
        )
    return drawn


def _edges(generator):
    return [
        {
            "message_bytes": np.array([0.0]), "seconds": np.array([40e-6]), "ranks": 8, "latency": 2e-6,
            "bandwidth": 50e9,
        },
        {
            "message_bytes": np.array([1e6, 1e6]), "seconds": np.array([50e-6, 60e-6]), "ranks": 1, "latency": 2e-6,
            "bandwidth": 50e9,
        },
    ]  # fmt: skip


def _of(make):
    def wrong(message_bytes, seconds, ranks, latency, bandwidth):
        return float(make(seconds, _predicted(message_bytes, ranks, latency, bandwidth)))

    return wrong


WORST = Exercise(
    id="lab.collectives.worst_error",
    title="How far to trust it",
    signature="worst_error(message_bytes, seconds, ranks, latency, bandwidth)",
    unit="",
    graded=True,
    points=3,
    reference=worst_error,
    groups=(
        Group("runs", 0.8, _runs),
        Group(
            "edges",
            0.2,
            _edges,
            advice="With a single rank the model takes no time, so the relative error is 1.",
        ),
    ),
    hints=(
        "First the model's times for all sizes, as an array.",
        "np.abs(seconds − model) / seconds gives the errors of all rows.",
        "np.max of that. Without the abs, a model that is too slow would count as good.",
    ),
    explanation="A fit always gives two numbers. Only its residuals say whether two numbers were enough.",
    mistakes=(
        Mistake(
            "one message",
            lambda message_bytes, seconds, ranks, latency, bandwidth: float(
                np.max(np.abs(seconds - latency - message_bytes / bandwidth) / seconds)
            ),
            "Your model is one message, latency plus size over bandwidth. The ring has 2(p−1) steps with a chunk each.",
        ),
        Mistake(
            "over the model",
            _of(lambda measured, model: np.max(np.abs(measured - model) / np.where(model == 0, np.inf, model))),
            "You divided by the model's time. Divide by what was measured.",
        ),
        Mistake(
            "only where the model is too fast",
            _of(lambda measured, model: np.max((measured - model) / measured)),
            "You left out the absolute value, so a model that is too slow counts as good. Use np.abs.",
        ),
        Mistake(
            "only where the model is too slow",
            _of(lambda measured, model: np.max((model - measured) / measured)),
            "You left out the absolute value, so a model that is too fast counts as good. Use np.abs.",
        ),
        Mistake(
            "the mean error",
            _of(lambda measured, model: np.mean(np.abs(measured - model) / measured)),
            "That is the mean error. Return the largest one: that is where the model misleads you.",
        ),
        Mistake(
            "the root mean square",
            _of(lambda measured, model: np.sqrt(np.mean(((measured - model) / measured) ** 2))),
            "That is the root mean square. Return the largest error.",
        ),
        Mistake(
            "seconds",
            _of(lambda measured, model: np.max(np.abs(measured - model))),
            "That is an error in seconds. Divide each by the measured time: a small message can have a larger relative error.",
            v.UNIT,
        ),
        Mistake(
            "the error of the last row",
            _of(lambda measured, model: np.abs(measured - model)[-1] / measured[-1]),
            "That is the error of the last row. Take the largest of all rows.",
        ),
        Mistake(
            "the row with the largest difference",
            _of(
                lambda measured, model: np.max(np.abs(measured - model)) / measured[np.argmax(np.abs(measured - model))]
            ),
            "You took the row that is off by the most seconds. Divide first, then take the largest.",
        ),
        Mistake(
            "over the slowest row",
            _of(lambda measured, model: np.max(np.abs(measured - model)) / np.max(measured)),
            "You divided by the longest of all times. Divide each error by the time of its own row.",
        ),
    ),
)
