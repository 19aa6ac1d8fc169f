"""Exercise on the fewest tokens per GPU at which the backward pass hides the all-reduce."""

import numpy as np

from chip2cluster import utilization
from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.model import Exercise, Group, Mistake


def enough_tokens(ranks, busbw_gbytes, achieved_tflops, gradient_bytes):
    """Fewest and most tokens of one GPU at which its backward pass lasts as long as the all-reduce."""
    pairs = zip(achieved_tflops, reversed(list(busbw_gbytes)), strict=True)
    ends = [
        utilization.critical_tokens(ranks, rate * 1e12, bandwidth * 1e9, gradient_bytes=gradient_bytes)
        for rate, bandwidth in pairs
    ]
    return np.array(ends)


def _case(ranks, busbw, achieved, each):
    return {
        "ranks": ranks,
        "busbw_gbytes": np.array(busbw, dtype=float),
        "achieved_tflops": np.array(achieved, dtype=float),
        "gradient_bytes": each,
    }


def _pair(generator, low, high, width):
    least = generator.uniform(low, high)
    return [round(float(least)), round(float(least * generator.uniform(1.15, width)))]


def _runs(generator):
    # A case that can be done in the head comes first: it is the one that a student sees.
    drawn = [_case(2, [50, 100], [200, 400], 2)]
    for ranks, each in ((8, 4), (64, 2), (512, 2), (16, 4)):
        drawn.append(_case(ranks, _pair(generator, 30, 300, 1.6), _pair(generator, 250, 700, 1.5), each))
    return drawn


def _edges(generator):
    sure = _pair(generator, 250, 700, 1.5)[:1] * 2
    return [_case(1, [40, 50], [300, 400], 2), _case(3, [40, 40], sure, 4)]


def _ends(picks, factor=lambda p, g: (p - 1) / p * g / 2, scale=1e3):
    def wrong(ranks, busbw_gbytes, achieved_tflops, gradient_bytes):
        each = factor(ranks, gradient_bytes) * scale
        return np.array([each * achieved_tflops[rate] / busbw_gbytes[wire] for rate, wire in picks])

    return wrong


RIGHT = ((0, 1), (1, 0))  # which end of the rate and of the wire makes the least, and the most

ENOUGH = Exercise(
    id="collectives.enough_tokens",
    title="How many tokens hide it?",
    signature="enough_tokens(ranks, busbw_gbytes, achieved_tflops, gradient_bytes)",
    unit="tokens",
    points=4,
    reference=enough_tokens,
    shows=(enough_tokens, utilization.critical_tokens),
    groups=(
        Group("runs", 0.8, _runs),
        Group(
            "edges",
            0.2,
            _edges,
            advice="A single GPU sends nothing and needs no tokens. If both ends of a range are equal, so are the answers.",
        ),
    ),
    hints=(
        "Write both times for a model of N parameters, and set them equal. What happens to N?",
        "4 N B / rate = 2 (p − 1) / p · gradient_bytes · N / busbw. Solve for B; then ask which ends make it small.",
        "B = (p − 1) / p · gradient_bytes / 2 · rate / busbw. Fewest: the low rate with the high busbw; most: the other two.",
    ),
    solution="""
def enough_tokens(ranks, busbw_gbytes, achieved_tflops, gradient_bytes):
    each = 2 * (ranks - 1) / ranks * gradient_bytes / 4
    fewest = each * achieved_tflops[0] * 1e12 / (busbw_gbytes[1] * 1e9)
    most = each * achieved_tflops[1] * 1e12 / (busbw_gbytes[0] * 1e9)
    return [fewest, most]
""",
    explanation=(
        "Both times grow with the parameters, so these cancel: only the tokens between two exchanges count. Faster kernels "
        "need *more* tokens, because they leave less time to send. So the low end of one range goes with the high end of the other."
    ),
    meaning=lambda: (
        f"At 400 TFLOP/s a GPU needs {_told(50)} tokens a step with one NIC of 50 GB/s, and {_told(400)} if the eight NICs of "
        "its node work together, whatever the size of the model. So a sharded hierarchy lets you use a smaller batch."
    ),
    mistakes=(
        Mistake(
            "low with low",
            _ends(((0, 0), (1, 1))),
            "You paired the low rate with the low bus bandwidth. Fast kernels need more tokens, a fast network fewer: the "
            "fewest come from the low rate and the high bus bandwidth.",
        ),
        Mistake(
            "ends exchanged",
            _ends(RIGHT[::-1]),
            "Your two numbers are right but in the wrong order: fewest first.",
        ),
        Mistake(
            "the forward pass as well",
            _ends(RIGHT, lambda p, g: (p - 1) / p * g / 3),
            "You let all 6 FLOP hide the exchange. Gradients exist only in the backward pass: 4 FLOP for each parameter and token.",
        ),
        Mistake(
            "2 FLOP",
            _ends(RIGHT, lambda p, g: (p - 1) / p * g),
            "Twice too many. Either you counted 2 FLOP, which is the forward pass, instead of 4 for the backward pass; or you "
            "took 4 (p − 1) / p for the fraction that each rank sends.",
            v.FACTOR,
        ),
        Mistake(
            "half of the all-reduce",
            _ends(RIGHT, lambda p, g: (p - 1) / p * g / 4),
            "Half of it: a rank sends 2 (p − 1) / p of its gradient, because the sums must be distributed as well.",
            v.FACTOR,
        ),
        Mistake(
            "size over bus bandwidth",
            _ends(RIGHT, lambda p, g: g / 4),
            "You divided the gradient by the bus bandwidth. By equation (7.2) its time is 2 (p − 1) / p times that.",
        ),
        Mistake(
            "twice the gradient",
            _ends(RIGHT, lambda p, g: g / 2),
            "You sent twice the gradient. That is the limit for many ranks; it is 2 (p − 1) / p of it.",
        ),
        Mistake(
            "gradients of two bytes",
            _ends(RIGHT, lambda p, g: (p - 1) / p),
            "You took 2 bytes for every gradient. Each has gradient_bytes.",
        ),
        Mistake(
            "a number, not its bytes",
            _ends(RIGHT, lambda p, g: (p - 1) / p / 2),
            "You sent one byte for each gradient. Each has gradient_bytes.",
        ),
        Mistake(
            "middles",
            lambda ranks, busbw_gbytes, achieved_tflops, gradient_bytes: np.repeat(
                _ends(((0, 0),))(ranks, [np.mean(busbw_gbytes)], [np.mean(achieved_tflops)], gradient_bytes), 2
            ),
            "You used the middle of each range. Use both ends and return both answers.",
        ),
        Mistake(
            "of all GPUs",
            lambda ranks, **run: ranks * enough_tokens(ranks, **run),
            "That is the batch of all GPUs together. Return the tokens of one GPU.",
        ),
        Mistake(
            "TFLOP and GB",
            _ends(RIGHT, scale=1.0),
            "A thousandth of it: TFLOP/s are 1e12 FLOP/s, GB/s are 1e9 bytes/s.",
            v.UNIT,
        ),
        Mistake(
            "upside down",
            lambda ranks, busbw_gbytes, achieved_tflops, gradient_bytes: (
                1
                / np.where((found := enough_tokens(ranks, busbw_gbytes, achieved_tflops, gradient_bytes)) > 0, found, 1)
            ),
            "Your fraction is inverted: faster kernels need more tokens, a faster network fewer.",
        ),
    ),
)


def _told(gbytes):
    return f"{float(utilization.critical_tokens(64, 400e12, gbytes * 1e9)):,.0f}"
