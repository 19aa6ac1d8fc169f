"""Task on the number of gradient buckets with the least exposed time."""

from functools import lru_cache

import numpy as np

from chip2cluster import collectives
from chip2cluster.exercise.model import Exercise, Group, Mistake


# Some 40,000 steps of a clock a case: asked when the cases are drawn, and again when they are judged.
@lru_cache(maxsize=64)
def best_buckets(message_bytes, backward_seconds, ranks, bandwidth, latency, most):
    """Number of equal buckets, from 1 to ``most``, that leaves the least time exposed."""
    exposed = [
        collectives.bucketed_exposed_time(message_bytes, k, backward_seconds, ranks, bandwidth, latency)
        for k in range(1, most + 1)
    ]
    return 1 + int(np.argmin(exposed))


def _jobs(generator):
    # A case that can be done in the head comes first: it is the one that a student sees.
    easy = {
        "message_bytes": 8e9, "backward_seconds": 12.0, "ranks": 2, "bandwidth": 1e9, "latency": 0.5, "most": 8,
    }  # fmt: skip
    drawn = [easy]
    for ranks, load in ((8, 0.5), (64, 0.8), (16, 1.5), (32, 0.95), (512, 0.3)):
        bandwidth = round(float(generator.uniform(20e9, 400e9)), -9)
        size = round(float(generator.uniform(2e9, 20e9)), -8)
        carrying = 2 * (ranks - 1) / ranks * size / bandwidth
        backward = round(carrying / load, 4)
        # So much latency that some number of buckets between the ends is the best.
        wanted = float(generator.uniform(20, 150))
        in_a_row = (backward - carrying) / wanted if load < 1 else backward / wanted**2
        latency = float(f"{in_a_row / (2 * (ranks - 1)):.2g}")
        drawn.append(
            {
                "message_bytes": size, "backward_seconds": backward, "ranks": ranks, "bandwidth": bandwidth,
                "latency": latency, "most": 200,
            }
        )  # fmt: skip
    return drawn


def _edges(generator):
    return [
        {
            "message_bytes": 8e9, "backward_seconds": 0.4, "ranks": 8, "bandwidth": 100e9, "latency": 0.0, "most": 50,
        },
        {
            "message_bytes": 1e6, "backward_seconds": 1e-4, "ranks": 64, "bandwidth": 400e9, "latency": 1e-3, "most": 50,
        },
        # One bucket and two leave 9 s each, to the last bit; one is the smaller number.
        {
            "message_bytes": 8e9, "backward_seconds": 2.0, "ranks": 2, "bandwidth": 1e9, "latency": 0.5, "most": 2,
        },
    ]  # fmt: skip


def _least(exposed, choose=np.argmin):
    def wrong(message_bytes, backward_seconds, ranks, bandwidth, latency, most):
        k = np.arange(1, most + 1)
        steps = 2 * (ranks - 1)
        bytes_time = steps / ranks * message_bytes / bandwidth
        return 1 + int(choose(exposed(k, backward_seconds, steps * latency, bytes_time)))

    return wrong


BUCKETS = Exercise(
    id="lab.collectives.best_buckets",
    title="How many buckets?",
    signature="best_buckets(message_bytes, backward_seconds, ranks, bandwidth, latency, most)",
    unit="buckets",
    graded=True,
    points=5,
    reference=best_buckets,
    tolerance=1e-9,
    groups=(
        Group("jobs", 0.8, _jobs),
        Group(
            "edges",
            0.2,
            _edges,
            advice="Without latency more buckets are always better; if latency dominates, one is best. Try most itself, too.",
        ),
    ),
    hints=(
        "For one k: each bucket takes t = 2(p−1)·latency + 2(p−1)/p · (message / k) / bandwidth.",
        "Then the clock of chapter 7: now = max(now, j/k · backward) + t for j = 1 … k. What is left is now − backward.",
        "Write that as a function of k and try every k from 1 to most. min with a key takes the first of equal ones.",
    ),
    explanation=(
        "With few buckets the last one is sent mostly after the pass. With many, the latencies add up until the network falls "
        "behind and the buckets queue. The best number is in between and depends on the latency: measure before you tune."
    ),
    mistakes=(
        Mistake(
            "the largest of equal ones",
            _least(
                lambda k, backward, a, b: np.maximum(a + b / k, backward / k + k * a + b - backward),
                lambda left: len(left) - 1 - np.argmin(left[::-1]),
            ),
            "Of numbers of buckets that leave equal times you returned the largest. Return the smallest: keep a new one only "
            "if it is better, < and not <=.",
            share=0.8,
        ),
        Mistake(
            "more is always better",
            lambda message_bytes, backward_seconds, ranks, bandwidth, latency, most: float(most),
            "In your function more buckets are always better. That leaves out the latency, 2(p−1) of them for each bucket, "
            "or the queue in which buckets wait while earlier ones are sent.",
        ),
        Mistake(
            "one always wins",
            lambda message_bytes, backward_seconds, ranks, bandwidth, latency, most: 1.0,
            "In your function one bucket always wins. Don't add up all all-reduces or subtract the whole pass from them, send "
            "message_bytes / k with each bucket, and let bucket j of 1 … k be ready at j/k, not one earlier.",
        ),
        Mistake(
            "one latency a bucket",
            lambda message_bytes, backward_seconds, ranks, bandwidth, latency, most: _least(
                lambda k, backward, a, b: np.maximum(latency + b / k, backward / k + k * latency + b - backward)
            )(message_bytes, backward_seconds, ranks, bandwidth, latency, most),
            "You counted one latency per bucket. Each bucket is a whole ring all-reduce of 2(p−1) steps.",
            coincides="more is always better",
        ),
        Mistake(
            "the most exposed",
            _least(lambda k, backward, a, b: np.maximum(a + b / k, backward / k + k * a + b - backward), np.argmax),
            "You returned the worst number of buckets.",
        ),
        Mistake(
            "one less",
            lambda **inputs: best_buckets(**inputs) - 1.0,
            "One too few: position 0 of your list belongs to one bucket.",
        ),
        Mistake(
            "ready at the start",
            _least(lambda k, backward, a, b: np.maximum(a + b / k, k * a + b - backward)),
            "Your network starts to send at the beginning of the pass. The first bucket is ready only at 1/k of it.",
        ),
        Mistake(
            "whole messages",
            _least(lambda k, backward, a, b: np.maximum(a + b, backward / k + k * (a + b) - backward)),
            "You sent the whole message with each bucket. A bucket has message_bytes / k.",
            coincides="one always wins",
        ),
    ),
)
