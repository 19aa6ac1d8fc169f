"""Task on the lower bound of an all-to-all's time from several cuts: the narrowest counts."""

import numpy as np

from chip2cluster import topology
from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.model import Exercise, Group, Mistake

from ..mutants import MUTANTS


def all_to_all(message_bytes, devices, inside, bandwidths):
    """Longest of the times that an all-to-all needs through several cuts."""
    return float(np.max(topology.cut_time(message_bytes, devices, inside, bandwidths)))


def _case(size, devices, inside, bandwidths):
    return {
        "message_bytes": size,
        "devices": devices,
        "inside": np.array(inside, dtype=float),
        "bandwidths": np.array(bandwidths, dtype=float),
    }


def _middle(generator):
    """Machines that are narrowest in the middle: tori, rings, plain trees."""
    # A case that can be done in the head comes first: it is the one that a student sees.
    cases = [_case(4e9, 8, [1, 4], [8e9, 4e9])]
    for devices, links in ((64, 32), (256, 32), (16, 2)):
        size, rate = round(float(generator.uniform(0.1e9, 4e9)), -6), float(generator.choice([50e9, 100e9]))
        # Three quarters of a torus or a ring hang on as many links as its half does.
        inside = [1, devices // 2, 3 * devices // 4]
        cases.append(_case(size, devices, inside, [4 * rate, links * rate, links * rate]))
    return cases


def _anywhere(generator):
    """Machines that are narrowest around a node, a leaf or a single device."""
    rate = float(generator.choice([25e9, 50e9, 100e9]))
    size = round(float(generator.uniform(0.2e9, 4e9)), -6)
    return [
        _case(size, 64, [1, 8, 32], [10 * rate, 8 * rate, 32 * rate]),
        _case(size, 72, [1, 36], [900e9, 36 * 900e9]),
        _case(1e9, 96, [48, 24, 1], [12 * rate, 4 * rate, rate]),
    ]


def _wrong(pick=np.max, share=lambda h, n: h * (n - h) / n):
    def wrong(message_bytes, devices, inside, bandwidths):
        return float(pick(share(inside, devices) * message_bytes / bandwidths))

    return wrong


def _one_cut(choose):
    def wrong(message_bytes, devices, inside, bandwidths):
        cut = choose(devices, inside, bandwidths)
        return float(inside[cut] * (devices - inside[cut]) / devices * message_bytes / bandwidths[cut])

    return wrong


ALL_CUTS = Exercise(
    id="lab.bisection.all_to_all",
    title="The slowest of the cuts",
    signature="all_to_all(message_bytes, devices, inside, bandwidths)",
    unit="s",
    graded=True,
    points=4,
    reference=all_to_all,
    groups=(
        Group("narrow in the middle", 0.5, _middle),
        Group(
            "narrow elsewhere",
            0.5,
            _anywhere,
            v.VALUE,
            advice="The slowest cut may run around a node, a leaf or a single device.",
        ),
    ),
    hints=(
        "How many bytes have to leave a side with h of the p devices?",
        "Each of the h sends (p − h)/p of its buffer: h (p − h) / p buffers.",
        "Divide by the bandwidths, cut by cut, and take the longest time: (...).max().",
    ),
    explanation=(
        "All cuts are crossed at the same time, so the slowest one is a lower bound on the whole, and the best that cuts can "
        "give. The bisection is only one of them."
    ),
    mistakes=(
        Mistake(
            "the fastest cut",
            _wrong(pick=np.min),
            "You took the shortest time. Every cut has to be crossed, so the longest one decides.",
        ),
        Mistake(
            "added",
            _wrong(pick=np.sum),
            "You added the times. The cuts are crossed at the same time: the longest one decides.",
        ),
        Mistake(
            "all that is inside",
            _wrong(share=lambda h, n: h * 1.0),
            "You sent all of the buffers across. What devices on one side have for each other stays there.",
        ),
        Mistake(
            "both directions",
            _wrong(share=lambda h, n: 2 * h * (n - h) / n),
            "You added both directions. Links carry them at the same time, and the bandwidth is for one.",
        ),
        Mistake(
            "one device's traffic",
            _wrong(share=lambda h, n: (n - h) / n),
            "You counted one sender. All devices on that side send across.",
        ),
        Mistake(
            "always halves",
            _wrong(share=lambda h, n: n / 4 + 0 * h),
            "You treated every cut as the one through the middle. With h devices inside, h (p − h) / p buffers cross.",
        ),
        Mistake(
            "the middle alone",
            _one_cut(lambda n, h, b: int(np.argmin(np.abs(h - n / 2)))),
            "You looked at the cut through the middle alone. Another one may be slower for the traffic it has to carry.",
            share=0.5,
        ),
        Mistake(
            "the most devices inside",
            _one_cut(lambda n, h, b: int(np.argmax(h))),
            "You looked at the cut with the most devices inside. With more than half inside, fewer remain to send to: compare "
            "times.",
        ),
        Mistake(
            "least bandwidth",
            _one_cut(lambda n, h, b: int(np.argmin(b))),
            "You chose the cut with the least bandwidth. It may also have the least to carry: compare times.",
        ),
        Mistake(
            "whole buffer for each pair",
            _wrong(share=lambda h, n: h * (n - h) * 1.0),
            "You sent the whole buffer to each device across. Each of them gets one part of n.",
        ),
    ),
    mutants=MUTANTS["lab.bisection.all_to_all"],
)
