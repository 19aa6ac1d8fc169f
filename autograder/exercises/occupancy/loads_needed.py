"""How many loads must a thread have under way, when the latency is a range?"""

import math

import numpy as np

from chip2cluster import occupancy, specs

from ... import verdict as v
from ..model import Exercise, Group, Mistake, Mutant

_NAMES = ("shortest", "longest", "memory_bandwidth", "sms", "warps", "bytes_per_load")


def loads_needed(shortest, longest, memory_bandwidth, sms, warps, bytes_per_load):
    """Loads of a thread that are enough at the shortest latency, and those that are enough at the longest."""
    one_each = sms * warps * 32 * bytes_per_load
    under_way = occupancy.bytes_in_flight(np.array([shortest, longest]), memory_bandwidth)
    return np.ceil(under_way / one_each)


def _kernels(generator):
    rows = [(300e-9, 500e-9, 3.2e12, 100, 10, 4)]
    # The parts of a load that are left over: smaller and larger than a half by turns, and not the same at both ends.
    for sms, warps, size, part, other in (
        (132, 16, 4, 0.15, 0.6),
        (108, 24, 2, 0.6, 0.2),
        (148, 12, 8, 0.2, 0.65),
        (80, 40, 4, 0.65, 0.15),
    ):
        fewest = int(generator.integers(1, 6)) + generator.uniform(part, part + 0.2)
        surely = math.floor(fewest) + int(generator.integers(2, 6)) + generator.uniform(other, other + 0.2)
        bandwidth = float(round(generator.uniform(1e12, 8e12), -9))
        each = sms * warps * 32 * size
        rows.append((fewest * each / bandwidth, surely * each / bandwidth, bandwidth, sms, warps, size))
    return [dict(zip(_NAMES, row, strict=True)) for row in rows]


def _exact(generator):
    # Powers of two, so that the quotient is a whole number in whatever order it is worked out.
    loads = int(generator.integers(2, 7))
    bandwidth = float(loads * 2**21 * 128 * 32 * 16 * 4)
    return [dict(zip(_NAMES, (2.0**-21, 2.0**-20, bandwidth, 128, 16, 4), strict=True))]


def _by(each=lambda sms, warps, size: sms * warps * 32 * size, rounding=np.ceil, ends=lambda low, high: (low, high)):
    def wrong(shortest, longest, memory_bandwidth, sms, warps, bytes_per_load):
        latencies = np.array(ends(shortest, longest))
        return rounding(latencies * memory_bandwidth / each(sms, warps, bytes_per_load))

    return wrong


def _meaning():
    chip, readings = specs.accelerator("H100 SXM"), occupancy.latency_readings()
    low, high = readings[0].latency_seconds, readings[-1].latency_seconds
    fewest, surely = (int(loads) for loads in loads_needed(low, high, chip.memory_bandwidth, chip.compute_units, 32, 4))
    return (
        f"On an H100 at half occupancy, 32 warps, a thread with loads of 4 bytes needs {fewest} of them under way by the "
        f"shortest latency in the table and {surely} by the longest. Write the kernel for {surely}: a load too many costs little."
    )


LOADS_NEEDED = Exercise(
    id="occupancy.loads_needed",
    title="How many loads are enough, and how many surely?",
    signature="loads_needed(shortest, longest, memory_bandwidth, sms, warps, bytes_per_load)",
    unit="loads",
    points=4,
    reference=loads_needed,
    tolerance=1e-9,
    groups=(
        Group("kernels", 0.8, _kernels),
        Group(
            "edges", 0.2, _exact,
            advice="Where the bytes on their way fill whole loads exactly, no further one is needed.",
        ),
    ),
    hints=(
        "How many bytes must be on their way to one multiprocessor? You have two answers, one for each latency.",
        "Latency × bandwidth over sms. All warps with one load a thread have warps × 32 × bytes_per_load bytes on their way.",
        "Solve (4.4) for the loads: latency × bandwidth / (sms × warps × 32 × bytes_per_load), rounded up, for both ends.",
    ),
    solution="""
import math


def loads_needed(shortest, longest, memory_bandwidth, sms, warps, bytes_per_load):
    one_each = sms * warps * 32 * bytes_per_load
    return [math.ceil(latency * memory_bandwidth / one_each) for latency in (shortest, longest)]
""",
    explanation=(
        "Little's law, solved for what the kernel's author can choose. The answer is as sure as the latency, and the latency is "
        "a range; between the two numbers a kernel may be fast enough, from the second one on it is, on an idle memory."
    ),
    meaning=_meaning,
    mistakes=(
        Mistake(
            "the other order",
            _by(ends=lambda low, high: (high, low)),
            "Both numbers are right, in the other order: first the one for the shortest latency.",
        ),
        Mistake(
            "the middle",
            _by(ends=lambda low, high: ((low + high) / 2,) * 2),
            "You took the middle of the two latencies. That number is neither the fewest nor surely enough.",
        ),
        Mistake(
            "whole chip",
            _by(lambda sms, warps, size: warps * 32 * size),
            "You let one multiprocessor fetch for the whole chip. Divide by sms.",
        ),
        Mistake(
            "threads for warps",
            _by(lambda sms, warps, size: sms * warps * size),
            "You counted one thread a warp. A warp has 32 of them, and each has its own loads.",
        ),
        Mistake(
            "warps forgotten",
            _by(lambda sms, warps, size: sms * 32 * size),
            "These are the loads of all warps of a multiprocessor together. Divide by the warps that it holds.",
        ),
        Mistake(
            "warps instead of loads",
            lambda shortest, longest, memory_bandwidth, sms, warps, bytes_per_load: np.ceil(
                np.array([shortest, longest]) * memory_bandwidth / (sms * 32 * bytes_per_load)
            ) / warps,
            "You rounded to whole warps first. Only the loads come whole: round once, at the end.",
        ),
        Mistake(
            "rounded down",
            _by(rounding=np.floor),
            "You rounded down: with that many the memory would idle now and then. Round up.",
        ),
        Mistake("not rounded", _by(rounding=lambda loads: loads), "Loads come whole: round up."),
        Mistake(
            "rounded to the nearest",
            _by(rounding=np.round),
            "You rounded to the nearest. Round up, or the memory idles.",
        ),
        Mistake(
            "one too many",
            _by(rounding=lambda loads: np.floor(loads) + 1),
            "You always add one. Where the bytes on their way fill whole loads exactly, that is one too many: round up.",
            share=0.8,
        ),
        Mistake(
            "bits for bytes",
            _by(lambda sms, warps, size: sms * warps * 32 * size * 8),
            "Everything is in bytes already; you divided by 8.",
            v.UNIT,
        ),
    ),
    mutants=(
        Mutant(
            source="""
def loads_needed(a, b, w, s, n, size):
    return [1, 2]
""",
            verdict=v.REFUSED,
            says="whatever it is asked",
        ),
    ),
)  # fmt: skip
