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
    title="How far can it go?",
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
            advice="One device sends nothing, so 1 is always allowed, and never less. Where both ends are equal, so are the answers.",
        ),
    ),
    hints=(
        "Write both times for one token and one layer. The tokens and the layers cancel when you divide one by the other. What is left?",
        "Messages: four all-reduces of 2 h bytes, 16 h (t − 1)/t bytes sent. Arithmetic: 6 FLOP for each of 12 h² weights, a t-th of it.",
        "Messages over arithmetic are 2 r (t − 1) / (9 h β). Let that be the share, solve for t, round down; then ask which ends are the worst.",
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
        "Both times grow with tokens and layers, so these cancel. Each rank sends nearly the same however many there are, while its "
        "arithmetic shrinks as 1/t: the ratio grows with t − 1. Width helps, since arithmetic grows with h² and messages with h. "
        "Faster chips on the same wires make it worse."
    ),
    meaning=lambda: (
        f"With kernels at 600 TFLOP/s, a bus bandwidth of 370 GB/s and a quarter of the arithmetic for messages, a width of 8,192 allows "
        f"{_told(8192):.0f} devices and 16,384 allows {_told(16384):.0f}. Eight lies between the two: it is so common not only because nodes have eight GPUs."
    ),
    mistakes=(
        Mistake(
            "low with low",
            _with(ends=((0, 0), (1, 1))),
            "You paired the low rate with the low bus bandwidth. The worst is a fast chip on a slow wire: it waits longest.",
        ),
        Mistake(
            "ends exchanged",
            _with(ends=((0, 1), (1, 0))),
            "Your ends are right and stand the wrong way round: the fewest devices first.",
        ),
        Mistake(
            "the forward pass alone",
            _with(scale=2 / 3),
            "Your limit is two thirds of what it is, before the 1. Either you counted the forward pass alone (two all-reduces beside 2 FLOP; all together "
            "four are beside 6), or only the 8 h² weights of the feed-forward block.",
        ),
        Mistake(
            "all messages, a third of the arithmetic",
            _with(scale=1 / 3),
            "Your limit is a third of what it is, before the 1. Either you put all four all-reduces beside 2 FLOP for each weight, where it is 6, or you "
            "counted only the 4 h² weights of attention, where a layer has 12 h².",
        ),
        Mistake(
            "twice the messages",
            _with(scale=0.5),
            "You have twice the messages. There are four all-reduces of 2 h bytes: two forward, two backward, two bytes for each number.",
        ),
        Mistake(
            "half of the messages",
            _with(scale=2.0),
            "You have half of the messages. There are four all-reduces, two forward and two backward; each makes a rank send 2 (t − 1)/t of its 2 h bytes.",
        ),
        Mistake(
            "twice the vector",
            _with(start=0.0),
            "You sent twice the vector however many ranks there are. It is 2 (t − 1)/t of it; that makes the 1 in t = 1 + ….",
        ),
        Mistake(
            "TFLOP and GB",
            _with(scale=1e3),
            "A TFLOP/s is 1e12 FLOP/s, and a GB/s is 1e9 bytes/s. You took them for the same prefix, so your limit is a thousand times as far.",
            UNIT,
        ),
        Mistake(
            "rounded up",
            _with(rounded=np.ceil),
            "You rounded up. A degree above the limit sends too long: round down.",
        ),
        Mistake(
            "rounded to nearest",
            _with(rounded=np.round),
            "You rounded to the nearest whole number. A degree above the limit sends too long: round down.",
        ),
        Mistake(
            "two ninths",
            _with(scale=4 / 81),
            "You turned the fraction over: to have t alone, what stands as 2/9 beside it goes to the other side as 9/2.",
        ),
        Mistake(
            "a power of two",
            _with(rounded=lambda value: 2.0 ** np.floor(np.log2(value))),
            "You went down to a power of two. Models with so many heads often ask for one; here any whole number counts.",
        ),
        Mistake(
            "not rounded",
            _with(rounded=lambda value: value),
            "You did not round. Devices are whole: round down.",
        ),
        Mistake(
            "share of the step",
            lambda h, share, **rest: largest_tensor(h, share / (1 - share), **rest),
            "You took the share of both together. It is the share of the arithmetic: messages ≤ share × arithmetic.",
        ),
        Mistake(
            "below one",
            _with(start=0.0, rounded=lambda value: np.floor(1 + value) if value >= 1 else 0.0),
            "You allow no device at all where the wire is slow. One device sends nothing: 1 is always allowed.",
            share=0.8,
        ),
    ),
)  # fmt: skip


def _told(h):
    return largest_tensor(h, 0.25, [600], [370])[0]
