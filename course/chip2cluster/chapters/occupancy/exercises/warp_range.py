"""Exercise on the interval of warps that keep the memory busy, from intervals of latency and bandwidth."""

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
        f"With one load of 4 bytes a thread, an H100 needs {fewest} to {surely} warps, and 64 fit. (The {by_sheet} in the text also uses "
        "the shortest latency, but the datasheet's bandwidth; here the low end is the measured bandwidth.) "
        "A datasheet cannot tell you whether full occupancy is enough; for a kernel that needs half as many warps it does not matter."
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
            advice="If whole warps are exactly enough for the bytes in flight, no further warp is needed.",
        ),
    ),
    hints=(
        "The bytes in flight are a product of two numbers, and each is a range. Which pair makes the product smallest, which largest?",
        "Combine low with low and high with high, because it is a product. (For a quotient such as the ridge you combine low with high.)",
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
        "Little's law: number in flight = rate × time in flight. The answer is only as certain as the inputs. Between the two numbers "
        "a kernel may have enough warps; from the second number on it certainly does, on an idle memory."
    ),
    meaning=_meaning,
    mistakes=(
        Mistake(
            "the other order",
            _by(ends=lambda a, b, c, d: (b * d, a * c)),
            "Both numbers are right, but in the wrong order: return the best case first.",
        ),
        Mistake(
            "ends crossed",
            _by(ends=lambda a, b, c, d: (a * d, b * c)),
            "You combined the low end of one range with the high end of the other. That is right for a quotient, but a product is smallest "
            "if both factors are.",
        ),
        Mistake(
            "the middle",
            _by(ends=lambda a, b, c, d: ((a + b) * (c + d) / 4,) * 2),
            "You took the middle of both ranges. That number is neither the best case nor certainly enough.",
        ),
        Mistake(
            "latency alone",
            _by(ends=lambda a, b, c, d: (a * d, b * d)),
            "You let only the latency vary and used the high bandwidth at both ends. A slower memory needs fewer bytes in flight.",
        ),
        Mistake(
            "bandwidth alone",
            _by(ends=lambda a, b, c, d: (b * c, b * d)),
            "You let only the bandwidth vary and used the high latency at both ends.",
        ),
        Mistake(
            "whole chip",
            _by(lambda sms, size, loads: 32 * size * loads),
            "You returned the warps of the whole chip. Divide by the multiprocessors.",
        ),
        Mistake(
            "threads",
            _by(lambda sms, size, loads: sms * size * loads),
            "You returned threads. A warp has 32 threads.",
        ),
        Mistake(
            "loads in flight forgotten",
            _by(lambda sms, size, loads: sms * 32 * size),
            "You forgot that a thread has loads_in_flight loads in flight at once. They count like more warps.",
        ),
        Mistake(
            "rounded down",
            _by(rounding=np.floor),
            "You rounded down: with so few warps the memory would be idle at times. Round up.",
        ),
        Mistake(
            "fewest rounded down",
            lambda **inputs: [_by(rounding=np.floor)(**inputs)[0], warps_range(**inputs)[1]],
            "You rounded the first number down. It must be enough if both ranges are at their low end: "
            "round up.",
        ),
        Mistake("not rounded", _by(rounding=lambda warps: warps), "Return whole warps: round up."),
        Mistake(
            "rounded to the nearest",
            _by(rounding=np.round),
            "You rounded to the nearest. Round up, or the memory is idle at times.",
        ),
        Mistake(
            "capped at 64",
            lambda **inputs: np.minimum(64, warps_range(**inputs)),
            "Don't cap the answer at 64. It can be more than a multiprocessor holds, and that is what you want to know.",
        ),
        Mistake(
            "one too many",
            _by(rounding=lambda warps: np.floor(warps) + 1),
            "You always add one. If whole warps are exactly enough for the bytes in flight, that is one too many: round up.",
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
