"""Exercise on the interval of the useful rate."""

from chip2cluster import roofline, specs, systolic
from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.input_generators import draw_until, tells_apart
from chip2cluster.exercise.model import Exercise, Group, Mistake

SIDES = (96, 128, 192, 256, 320)  # not all multiples of one another: the larger array may be the fuller one


def useful_range(m, n, k, sides, peaks, bandwidths):
    """Lowest and highest useful rate of a bf16 product, FLOP/s, when both roofs are ranges and the array has one of two sides."""
    flat, slope = _roofs(m, n, k, sides, peaks, bandwidths)
    return [min(roofs) for roofs in zip(flat, slope, strict=True)]


def _roofs(m, n, k, sides, peaks, bandwidths):
    """Each of the two roofs at its lowest and at its highest."""
    shares = _shares(m, n, k, sides)
    intensity = roofline.gemm(m, n, k).intensity
    return [peaks[0] * min(shares), peaks[1] * max(shares)], [rate * intensity for rate in bandwidths]


def _shares(m, n, k, sides):
    return [systolic.padded_utilization(m, n, k, side, side) for side in sides]


def _products(generator):
    # A case that can be done in the head comes first: 10 FLOP/byte; 9/16 of the small arrays are data, all of the large ones.
    # Low: 72 and 80 TFLOP/s, the cells hold. High: 200 and 150, memory holds.
    easy = {"m": 30, "n": 30, "k": 30, "sides": [20, 30], "peaks": [128e12, 200e12], "bandwidths": [8e12, 15e12]}
    return [easy, *(_product(generator, kind) for kind in generator.permutation(["cells", "memory", "both", "both"]))]


def _product(generator, kind):
    """A product that the cells hold throughout, or memory, or the one at one end and the other at the other."""
    stream = {"cells": (20_000, 60_000), "memory": (4, 40), "both": (100, 900)}[kind]

    def draw():
        peak, memory = 1e12 * int(generator.integers(150, 900)), 1e11 * int(generator.integers(8, 35))
        return {
            "m": int(generator.integers(*stream)), "n": int(generator.integers(300, 3000)),
            "k": int(generator.integers(300, 3000)),
            "sides": sorted(int(side) for side in generator.choice(SIDES, 2, replace=False)),
            "peaks": [peak, round(peak * (1 + 0.01 * int(generator.integers(5, 60))), -9)],
            "bandwidths": [memory, round(memory * (1 + 0.01 * int(generator.integers(5, 60))), -9)],
        }  # fmt: skip

    def fits(product):
        held = [_held(product, end) for end in (0, 1)]
        if kind == "memory":
            return held == [kind] * 2
        if kind == "cells":
            # Here the larger side is the better one, in the first case as well; elsewhere it may be the other way round.
            return held == [kind] * 2 and tells_apart(
                RANGE, product, "padding forgotten", "the larger side at the low end"
            )
        return held[0] != held[1] and tells_apart(RANGE, product, "one roof throughout", "both roofs lowered")

    return draw_until(fits, draw)


def _held(product, end):
    flat, slope = _roofs(**product)
    return "cells" if flat[end] < slope[end] else "memory"


def _of_roofs(number):
    return lambda **inputs: number(*_roofs(**inputs))


def _one_roof(flat, slope):
    return flat if flat[1] < slope[1] else slope


def _unpadded(m, n, k, sides, peaks, bandwidths):
    return useful_range(m, n, k, [1], peaks, bandwidths)


def _lowered(m, n, k, sides, peaks, bandwidths):
    shares = _shares(m, n, k, sides)
    low, high = _unpadded(m, n, k, sides, peaks, bandwidths)
    return [min(shares) * low, max(shares) * high]


def _at(low, high):
    """The side that ``low`` picks at the low end, and the one that ``high`` picks at the high end."""

    def wrong(m, n, k, sides, peaks, bandwidths):
        return [
            useful_range(
                m, n, k, [pick(sides, lambda side: systolic.padded_utilization(m, n, k, side, side))], peaks, bandwidths
            )[end]
            for end, pick in enumerate((low, high))
        ]

    return wrong


def _smaller(sides, share):
    return min(sides)


def _larger(sides, share):
    return max(sides)


def _worst(sides, share):
    return min(sides, key=share)


def _best(sides, share):
    return max(sides, key=share)


def _meaning():
    chip = specs.accelerator("A100 SXM 80GB")
    product, triad = roofline.measurements(chip, "matrix product", "bf16"), roofline.measurements(chip, "triad")
    measured = max(row.rate for row in product), min(row.rate for row in triad)
    printed = chip.peak_flops_dense("bf16"), chip.memory_bandwidth
    low, high = useful_range(160, 8192, 8192, [128], *zip(measured, printed, strict=True))
    return (
        f"An A100 prints {printed[0] / 1e12:.0f} TFLOP/s and {printed[1] / 1e12:.2f} TB/s; measured were {measured[0] / 1e12:.0f} "
        f"and {measured[1] / 1e12:.2f}. Between those roofs 160 rows through 8192 × 8192 weights get {low / 1e12:.0f} to "
        f"{high / 1e12:.0f} TFLOP/s, and memory is the bottleneck at the low end, the multipliers at the high end. Quote the interval."
    )


RANGE = Exercise(
    id="systolic.useful_range",
    title="Between which rates?",
    signature="useful_range(m, n, k, sides, peaks, bandwidths)",
    unit="FLOP/s",
    points=3,
    reference=useful_range,
    shows=(useful_range, systolic.useful_rate),
    groups=(Group("products", 1.0, _products),),
    hints=(
        "Raise one of the two roofs a little and keep the other: can the useful rate fall? And which side pads this product "
        "more: is it always the larger one?",
        "The rate rises with each roof or stays the same, so the lowest rate has both at their low ends. Compute the fraction of "
        "data in the cells for every side: 30 columns fill a side of 30, but not a side of 20.",
        "Lowest: min(peaks[0] × the smallest share, bandwidths[0] × intensity). Highest: the same with the higher ends and the "
        "largest share.",
    ),
    solution="""
import math


def useful_range(m, n, k, sides, peaks, bandwidths):
    shares = [k * n / (math.ceil(k / side) * math.ceil(n / side) * side**2) for side in sides]
    intensity = m * n * k / (m * k + k * n + m * n)
    lowest = min(peaks[0] * min(shares), bandwidths[0] * intensity)
    highest = min(peaks[1] * max(shares), bandwidths[1] * intensity)
    return [lowest, highest]
""",
    explanation=(
        "The useful rate rises with each roof or stays the same, so low goes with low and high with high. A larger side may raise "
        "or lower it, depending on how the product fills the tiles, so try every side. And the limiting roof may change "
        "between the two ends."
    ),
    meaning=_meaning,
    mistakes=(
        Mistake(
            "one roof throughout",
            _of_roofs(_one_roof),
            "You checked once which roof is lower, and took both ends from that roof. At the other end the other roof may be lower.",
        ),
        Mistake(
            "one roof throughout, from below",
            _of_roofs(lambda flat, slope: flat if flat[0] < slope[0] else slope),
            "You checked at the low ends which roof is lower, and took both ends from that roof. Check again at the high ends.",
        ),
        Mistake(
            "low with high",
            lambda m, n, k, sides, peaks, bandwidths: useful_range(m, n, k, sides, peaks, bandwidths[::-1]),
            "You paired the low end of one roof with the high end of the other. The rate grows with both, so low goes with low.",
        ),
        Mistake(
            "low with high, in order",
            lambda m, n, k, sides, peaks, bandwidths: sorted(useful_range(m, n, k, sides, peaks, bandwidths[::-1])),
            "You paired the low end of one roof with the high end of the other, and put the two rates in order. The rate grows "
            "with both roofs, so low goes with low.",
        ),
        Mistake(
            "high first",
            lambda m, n, k, sides, peaks, bandwidths: useful_range(m, n, k, sides, peaks, bandwidths)[::-1],
            "You returned the highest rate first. Lowest, then highest.",
        ),
        Mistake(
            "the larger side at the low end",
            _at(_larger, _smaller),
            "You assumed that the larger side is worse. If the product fills the larger tiles and not the smaller ones, the larger side is "
            "better: try both sides at each end.",
        ),
        Mistake(
            "the smaller side at the low end",
            _at(_smaller, _larger),
            "You took the smaller side at the low end and the larger one at the high end. Which of them pads more depends on "
            "n and k: try both sides at each end.",
        ),
        Mistake(
            "the first side alone",
            _at(_smaller, _smaller),
            "You used only the first side. The arrays may have the other one: try both.",
        ),
        Mistake(
            "the last side alone",
            _at(_larger, _larger),
            "You used only the last side. The arrays may have the other one: try both.",
        ),
        Mistake(
            "the worst side at both ends",
            _at(_worst, _worst),
            "You took the side that pads more at both ends. At the high end it may be the other one.",
        ),
        Mistake(
            "the best side at both ends",
            _at(_best, _best),
            "You took the side that pads less at both ends. At the low end it may be the other one.",
        ),
        Mistake(
            "padding forgotten",
            _unpadded,
            "You forgot the padding: cells with zeros do no useful work, at either end.",
        ),
        Mistake(
            "both roofs lowered",
            _lowered,
            "You lowered both roofs. The zeros are made on the chip: the memory roof stays.",
        ),
        Mistake(
            "memory forgotten",
            _of_roofs(lambda flat, slope: flat),
            "You forgot the memory roof. A short stream waits for bytes.",
        ),
        Mistake(
            "memory alone",
            _of_roofs(lambda flat, slope: slope),
            "That is the memory roof alone. A long stream is limited by the cells: take the lower of the two roofs at each end.",
        ),
        Mistake(
            "the middle",
            lambda m, n, k, sides, peaks, bandwidths: [
                useful_range(m, n, k, sides, [sum(peaks) / 2] * 2, [sum(bandwidths) / 2] * 2)[0]
            ] * 2,
            "You used the middle of each range. A middle hides the uncertainty: return both ends.",
        ),
        Mistake(
            "the ends of everything",
            _of_roofs(lambda flat, slope: [min(*flat, *slope), max(*flat, *slope)]),
            "You took the lowest and the highest of all four numbers. At each end, take the lower of the two roofs.",
            v.MISCONCEPTION,
        ),
    ),
)  # fmt: skip
