"""How many warps keep the memory busy, when neither its latency nor its bandwidth is one number?"""

import numpy as np

from chip2cluster import occupancy, roofline, specs
from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.model import Exercise, Group, Mistake

from ..mutants import MUTANTS

_NAMES = (
    "latency_low", "latency_high", "bandwidth_low", "bandwidth_high", "sms", "bytes_per_load", "loads_in_flight",
)  # fmt: skip


def warps_range(latency_low, latency_high, bandwidth_low, bandwidth_high, sms, bytes_per_load, loads_in_flight):
    """Fewest warps of a multiprocessor that may be enough, and fewest that surely are."""
    return occupancy.warps_needed(
        np.array([latency_low, latency_high]), np.array([bandwidth_low, bandwidth_high]), sms, bytes_per_load,
        loads_in_flight=loads_in_flight,
    )  # fmt: skip


def _kernels(generator):
    rows = [(300e-9, 500e-9, 2.4e12, 3.2e12, 100, 4, 2)]
    # The parts of a warp that are left over: smaller and larger than a half by turns, and not the same at both ends.
    for sms, size, loads, part, other in (
        (132, 4, 2, 0.15, 0.6), (108, 16, 1, 0.6, 0.2), (148, 8, 3, 0.2, 0.65), (80, 4, 4, 0.65, 0.15),
    ):  # fmt: skip
        fewest = int(generator.integers(8, 30)) + generator.uniform(part, part + 0.2)
        surely = int(fewest * generator.uniform(2.2, 3)) + generator.uniform(other, other + 0.2)
        low = round(generator.uniform(1e12, 5e12), -9)
        high = round(low * generator.uniform(1.2, 1.4), -9)
        each = sms * 32 * size * loads
        rows.append((fewest * each / low, surely * each / high, low, high, sms, size, loads))
    return [dict(zip(_NAMES, row, strict=True)) for row in rows]


def _exact(generator):
    # Powers of two, so that the quotient is a whole number in whatever order it is worked out.
    warps = int(generator.integers(12, 40))
    bandwidth = float(warps * 2**21 * 128 * 32 * 4 * 2)
    return [dict(zip(_NAMES, (2.0**-21, 2.0**-20, bandwidth, 2 * bandwidth, 128, 4, 2), strict=True))]


def _by(
    each=lambda sms, size, loads: sms * 32 * size * loads,
    rounding=np.ceil,
    ends=lambda a, b, c, d: (a * c, b * d),
):
    def wrong(latency_low, latency_high, bandwidth_low, bandwidth_high, sms, bytes_per_load, loads_in_flight):
        under_way = np.array(ends(latency_low, latency_high, bandwidth_low, bandwidth_high))
        return rounding(under_way / each(sms, bytes_per_load, loads_in_flight))

    return wrong


def _meaning():
    chip, readings = specs.accelerator("H100 SXM"), occupancy.latency_readings()
    low, high = readings[0].latency_seconds, readings[-1].latency_seconds
    bandwidths = roofline.measured_roofs("H100 SXM").memory_bandwidth, chip.memory_bandwidth
    fewest, surely = warps_range(low, high, *bandwidths, chip.compute_units, 4, 1)
    by_sheet, _ = warps_range(low, high, *bandwidths[1:], *bandwidths[1:], chip.compute_units, 4, 1)
    return (
        f"On an H100 with one load of 4 bytes a thread: {fewest} to {surely} warps, where 64 fit. (The page's {by_sheet} takes the "
        "shortest latency, too, but the bandwidth of the sheet; here its low end is what was measured.) "
        "Whether full occupancy is enough nobody can say from a data sheet; a kernel that needs half as many does not ask."
    )


WARPS_RANGE = Exercise(
    id="occupancy.warps_range",
    title="How many warps do you need, at best and at worst?",
    signature="warps_range(latency_low, latency_high, bandwidth_low, bandwidth_high, sms, bytes_per_load, loads_in_flight)",
    unit="warps",
    points=4,
    reference=warps_range,
    shows=(occupancy.warps_needed,),
    tolerance=1e-9,
    groups=(
        Group("kernels", 0.8, _kernels),
        Group(
            "edges", 0.2, _exact,
            advice="Where the bytes on their way fill whole warps exactly, no further one is needed.",
        ),
    ),
    hints=(
        "Bytes on their way are a product of two numbers, each a range. Which pair makes it smallest, which largest?",
        "Low with low, high with high: of a product both ends go together. (Of a quotient, as the ridge, they cross.)",
        "latency × bandwidth / (sms × 32 × bytes_per_load × loads_in_flight), rounded up, for both pairs.",
    ),
    solution="""
import math


def warps_range(latency_low, latency_high, bandwidth_low, bandwidth_high, sms, bytes_per_load, loads_in_flight):
    per_warp = sms * 32 * bytes_per_load * loads_in_flight
    fewest = math.ceil(latency_low * bandwidth_low / per_warp)
    return [fewest, math.ceil(latency_high * bandwidth_high / per_warp)]
""",
    explanation=(
        "Little's law: what is on its way = rate × time on the way. The answer is as sure as what goes in; between the two numbers "
        "a kernel may be fast enough, from the second one on it is, on an idle memory."
    ),
    meaning=_meaning,
    mistakes=(
        Mistake(
            "the other order",
            _by(ends=lambda a, b, c, d: (b * d, a * c)),
            "Both numbers are right, in the other order: first those that may be enough.",
        ),
        Mistake(
            "ends crossed",
            _by(ends=lambda a, b, c, d: (a * d, b * c)),
            "You put the low end of one with the high end of the other. That was right for a quotient; a product is smallest where both "
            "are.",
        ),
        Mistake(
            "the middle",
            _by(ends=lambda a, b, c, d: ((a + b) * (c + d) / 4,) * 2),
            "You took the middle of both ranges. That number is neither the fewest nor surely enough.",
        ),
        Mistake(
            "latency alone",
            _by(ends=lambda a, b, c, d: (a * d, b * d)),
            "You let only the latency vary and took the high bandwidth at both ends. A slower memory wants fewer bytes on their way.",
        ),
        Mistake(
            "bandwidth alone",
            _by(ends=lambda a, b, c, d: (b * c, b * d)),
            "You let only the bandwidth vary and took the high latency at both ends.",
        ),
        Mistake(
            "whole chip",
            _by(lambda sms, size, loads: 32 * size * loads),
            "This is for the whole chip. Divide by the multiprocessors.",
        ),
        Mistake(
            "threads",
            _by(lambda sms, size, loads: sms * size * loads),
            "These are threads. A warp has 32 of them.",
        ),
        Mistake(
            "loads in flight forgotten",
            _by(lambda sms, size, loads: sms * 32 * size),
            "You forgot that a thread has loads_in_flight loads on their way at once. They count like more warps.",
        ),
        Mistake(
            "rounded down",
            _by(rounding=np.floor),
            "You rounded down: with that many the memory would idle now and then. Round up.",
        ),
        Mistake(
            "fewest rounded down",
            lambda **inputs: [_by(rounding=np.floor)(**inputs)[0], warps_range(**inputs)[1]],
            "You rounded the first number down. The fewest that may be enough must be enough where both ranges are at their low end: "
            "round up.",
        ),
        Mistake("not rounded", _by(rounding=lambda warps: warps), "Warps come whole: round up."),
        Mistake(
            "rounded to the nearest",
            _by(rounding=np.round),
            "You rounded to the nearest. Round up, or the memory idles.",
        ),
        Mistake(
            "capped at 64",
            lambda **inputs: np.minimum(64, warps_range(**inputs)),
            "Don't cap the answer at 64. That it can be more than a multiprocessor holds is the point.",
        ),
        Mistake(
            "one too many",
            _by(rounding=lambda warps: np.floor(warps) + 1),
            "You always add one. Where the bytes on their way fill whole warps exactly, that is one too many: round up.",
            share=0.8,
        ),
        Mistake(
            "bits for bytes",
            _by(lambda sms, size, loads: sms * 32 * size * loads * 8),
            "Everything is in bytes already; you divided by 8.",
            v.UNIT,
        ),
    ),
    mutants=MUTANTS["occupancy.warps_range"],
)  # fmt: skip
