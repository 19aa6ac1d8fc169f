"""Exercise on the interval of tensor-parallel sizes above which it doesn't pay."""

import numpy as np

from chip2cluster import collectives
from chip2cluster.exercise.model import Exercise, Group, Mistake
from chip2cluster.exercise.verdict_codes import UNIT


def largest_tensor(h, share, achieved_tflops, busbw_gbytes):
    """Largest tensor-parallel degree at which messages take at most this share of the arithmetic: at worst, and at best."""
    found = []
    for rate, bus in zip(reversed(list(achieved_tflops)), busbw_gbytes, strict=True):
        # One token of one layer on two ranks: four all-reduces of h numbers beside six FLOP for each of 12 h² weights.
        messages = 4 * collectives.ring_all_reduce_time(2 * h, 2, bus * 1e9)
        arithmetic = 6 * 12 * h**2 / 2 / (rate * 1e12)
        found.append(np.floor(1 + share * arithmetic / messages))  # both grow with t alike, but for the t − 1
    return np.array(found)


def _case(h, share, achieved, busbw):
    return {
        "h": h,
        "share": share,
        "achieved_tflops": np.array(achieved, float),
        "busbw_gbytes": np.array(busbw, float),
    }


def _pair(generator, low, high, width):
    least = float(generator.uniform(low, high))
    return [round(least), round(least * float(generator.uniform(1.15, width)))]


def _limits(case):
    """1 + share × 9 h β / 2 r before it is rounded down, for both ends."""
    pairs = zip(case["achieved_tflops"][::-1], case["busbw_gbytes"], strict=True)
    return [1 + case["share"] * 4.5 * case["h"] * bus / rate / 1e3 for rate, bus in pairs]


def _runs(generator):
    # A case that can be done in the head comes first: it is the one that a student sees.
    drawn = [_case(4000, 0.5, [450, 900], [450, 900])]
    while len(drawn) < 6:
        case = _case(int(generator.integers(8, 40)) * 512, round(float(generator.uniform(0.2, 0.6)), 2),
                     _pair(generator, 300, 700, 1.5), _pair(generator, 250, 800, 1.6))  # fmt: skip
        if all(0.02 < limit % 1 < 0.98 for limit in _limits(case)):
            drawn.append(case)
    return drawn


def _edges(generator):
    # A wire so slow that two ranks are too many.
    return [_case(4096, 0.1, [500, 600], [4, 5]), _case(16384, 0.2, [400, 400], [35, 35])]


def _with(ends=((1, 0), (0, 1)), scale=1.0, start=1.0, rounded=np.floor):
    """Return the bounds of the size with other ends of the rate and the link: start + scale × share × 9 h β / 2 r."""

    def wrong(h, share, achieved_tflops, busbw_gbytes):
        return np.array([
            rounded(start + scale * share * 4.5 * h * busbw_gbytes[wire] / achieved_tflops[rate] / 1e3) for rate, wire in ends
        ])  # fmt: skip

    return wrong


LARGEST = Exercise(
    id="parallelism.largest_tensor",
    title="How large can the tensor-parallel degree be?",
    signature="largest_tensor(h, share, achieved_tflops, busbw_gbytes)",
    unit="devices",
    points=4,
    reference=largest_tensor,
    shows=(largest_tensor, collectives.ring_all_reduce_time),
    groups=(
        Group("runs", 0.8, _runs),
        Group(
            "edges",
            0.2,
            _edges,
            advice="A single device sends nothing, so return 1 at least. If both ends of the ranges are equal, both answers are equal too.",
        ),
    ),
    hints=(
        "Write both times for one token and one layer. Tokens and layers cancel when you divide one by the other. What is left?",
        "Messages: four all-reduces of 2 h bytes, so each rank sends 16 h (t − 1)/t bytes. Arithmetic: 6 FLOP for each of 12 h² weights, divided by t.",
        "Messages over arithmetic is 2 r (t − 1) / (9 h β). Set it equal to share, solve for t, and round down; then decide which ends of the ranges are the worst case.",
    ),
    solution="""
import math


def largest_tensor(h, share, achieved_tflops, busbw_gbytes):
    def largest(rate, bus):
        return math.floor(1 + share * 72 * h * bus * 1e9 / (16 * rate * 1e12))

    worst = largest(achieved_tflops[1], busbw_gbytes[0])
    best = largest(achieved_tflops[0], busbw_gbytes[1])
    return [worst, best]
""",
    explanation=(
        "Both times grow with tokens and layers, so these cancel. Each rank sends nearly the same number of bytes "
        "whatever t is, while its arithmetic shrinks as 1/t, so the ratio grows with t − 1. A larger width helps, "
        "because arithmetic grows with h² and messages with h. Faster chips on the same links make it worse."
    ),
    meaning=lambda: (
        "With kernels at 600 TFLOP/s, a bus bandwidth of 370 GB/s and messages that take a quarter of the arithmetic's "
        f"time, a width of 8,192 allows {_told(8192):.0f} devices and 16,384 allows {_told(16384):.0f}. Eight is "
        "between the two, so eight GPUs to a node is not the only reason why t = 8 is common."
    ),
    mistakes=(
        Mistake(
            "low paired with low",
            _with(ends=((0, 0), (1, 1))),
            "You paired the low rate with the low bus bandwidth. The worst case is a fast chip on a slow link, because it waits for the largest fraction of its time.",
        ),
        Mistake(
            "ends swapped",
            _with(ends=((0, 1), (1, 0))),
            "Your two values are right, but in the wrong order: the fewest devices come first.",
        ),
        Mistake(
            "forward pass only",
            _with(scale=2 / 3),
            "Your limit, before you add 1, is two thirds of the right one. Either you counted only the forward pass on "
            "one side (two all-reduces go with 2 FLOP a weight, all four go with 6), or you counted only the 8 h² "
            "weights of the feed-forward block.",
        ),
        Mistake(
            "all messages, one third of the arithmetic",
            _with(scale=1 / 3),
            "Your limit, before you add 1, is a third of the right one. Either you compared all four all-reduces with "
            "2 FLOP a weight instead of 6, or you counted only the 4 h² weights of attention instead of the 12 h² of "
            "the layer.",
        ),
        Mistake(
            "twice the messages",
            _with(scale=0.5),
            "You counted twice the messages. There are four all-reduces of 2 h bytes: two forward and two backward, with two bytes a number.",
        ),
        Mistake(
            "half of the messages",
            _with(scale=2.0),
            "You counted half of the messages. There are four all-reduces, two forward and two backward; in each, a rank sends 2 (t − 1)/t of the 2 h bytes.",
        ),
        Mistake(
            "twice the vector",
            _with(start=0.0),
            "You let each rank send twice the vector, whatever t is. A rank sends 2 (t − 1)/t of it, which is where the 1 in t = 1 + … comes from.",
        ),
        Mistake(
            "TFLOP and GB confused",
            _with(scale=1e3),
            "A TFLOP/s is 1e12 FLOP/s, and a GB/s is 1e9 bytes/s. You used the same prefix for both, so your limit is a thousand times too high.",
            UNIT,
        ),
        Mistake(
            "rounded up",
            _with(rounded=np.ceil),
            "You rounded up. Above the limit messages take too long: round down.",
        ),
        Mistake(
            "rounded to the nearest",
            _with(rounded=np.round),
            "You rounded to the nearest whole number. Above the limit messages take too long: round down.",
        ),
        Mistake(
            "fraction inverted",
            _with(scale=4 / 81),
            "You inverted the fraction: to solve for t, the factor 2/9 moves to the other side and becomes 9/2.",
        ),
        Mistake(
            "a power of two",
            _with(rounded=lambda value: 2.0 ** np.floor(np.log2(value))),
            "You rounded down to a power of two. Models often need one because of their number of heads; here any whole number is allowed.",
        ),
        Mistake(
            "not rounded",
            _with(rounded=lambda value: value),
            "You did not round. Devices are whole: round down.",
        ),
        Mistake(
            "fraction of the step",
            lambda h, share, **rest: largest_tensor(h, share / (1 - share), **rest),
            "You used messages as a fraction of the whole step. share is a fraction of the arithmetic: messages ≤ share × arithmetic.",
        ),
        Mistake(
            "below one",
            _with(start=0.0, rounded=lambda value: np.floor(1 + value) if value >= 1 else 0.0),
            "You return less than one device when the link is slow. One device sends nothing, so 1 is always allowed.",
            share=0.8,
        ),
    ),
)  # fmt: skip


def _told(h):
    return largest_tensor(h, 0.25, [600], [370])[0]
