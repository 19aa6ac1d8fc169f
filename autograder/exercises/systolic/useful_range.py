"""Between which rates."""

from chip2cluster import roofline, specs, systolic

from ... import verdict as v
from ..draws import draw_until, tells_apart
from ..model import Exercise, Group, Mistake


def useful_range(m, n, k, side, peaks, bandwidths):
    """Lowest and highest useful rate of a bf16 product, FLOP/s, when both roofs are known as ranges."""
    return [systolic.useful_rate(m, n, k, side, side, *roofs) for roofs in zip(peaks, bandwidths, strict=True)]


def _products(generator):
    # A case that can be done in the head comes first: 10 FLOP/byte, 3/4 of either side.
    # Low: 90 and 80 TFLOP/s, memory holds. High: 225/2 and 120, the cells hold.
    easy = {"m": 30, "n": 30, "k": 30, "side": 40, "peaks": [160e12, 200e12], "bandwidths": [8e12, 12e12]}
    return [easy, *(_product(generator, kind) for kind in generator.permutation(["cells", "memory", "both", "both"]))]


def _product(generator, kind):
    """A product that the cells hold throughout, or memory, or the one at one end and the other at the other."""
    stream = {"cells": (20_000, 60_000), "memory": (4, 40), "both": (100, 900)}[kind]

    def draw():
        peak, memory = 1e12 * int(generator.integers(150, 900)), 1e11 * int(generator.integers(8, 35))
        return {
            "m": int(generator.integers(*stream)), "n": int(generator.integers(600, 3000)),
            "k": int(generator.integers(600, 3000)), "side": int(generator.choice((128, 256))),
            "peaks": [peak, round(peak * (1 + 0.01 * int(generator.integers(5, 60))), -9)],
            "bandwidths": [memory, round(memory * (1 + 0.01 * int(generator.integers(5, 60))), -9)],
        }  # fmt: skip

    def fits(product):
        held = [_held(product, end) for end in (0, 1)]
        if kind != "both":
            return held == [kind] * 2 and tells_apart(RANGE, product, "padding forgotten") == (kind == "cells")
        return held[0] != held[1] and tells_apart(RANGE, product, "one roof throughout", "both roofs lowered")

    return draw_until(fits, draw)


def _held(product, end):
    flat, slope = _roofs(**product)
    return "cells" if flat[end] < slope[end] else "memory"


def _roofs(m, n, k, side, peaks, bandwidths):
    share = systolic.padded_utilization(m, n, k, side, side)
    intensity = roofline.gemm(m, n, k).intensity
    return [peak * share for peak in peaks], [rate * intensity for rate in bandwidths]


def _of_roofs(number):
    return lambda **inputs: number(*_roofs(**inputs))


def _one_roof(flat, slope):
    return flat if flat[1] < slope[1] else slope


def _unpadded(m, n, k, side, peaks, bandwidths):
    return useful_range(m, n, k, 1, peaks, bandwidths)


def _lowered(m, n, k, side, peaks, bandwidths):
    share = systolic.padded_utilization(m, n, k, side, side)
    return [share * rate for rate in _unpadded(m, n, k, side, peaks, bandwidths)]


def _meaning():
    chip = specs.accelerator("A100 SXM 80GB")
    product, triad = roofline.measurements(chip, "matrix product", "bf16"), roofline.measurements(chip, "triad")
    measured = max(row.rate for row in product), min(row.rate for row in triad)
    printed = chip.peak_flops_dense("bf16"), chip.memory_bandwidth
    low, high = useful_range(160, 8192, 8192, 128, *zip(measured, printed, strict=True))
    return (
        f"An A100 prints {printed[0] / 1e12:.0f} TFLOP/s and {printed[1] / 1e12:.2f} TB/s; measured were {measured[0] / 1e12:.0f} "
        f"and {measured[1] / 1e12:.2f}. Between those roofs 160 rows through 8192 × 8192 weights get {low / 1e12:.0f} to "
        f"{high / 1e12:.0f} TFLOP/s, and the memory holds at the low end, the multipliers at the high one. Quote the interval."
    )


RANGE = Exercise(
    id="systolic.useful_range",
    title="Between which rates?",
    signature="useful_range(m, n, k, side, peaks, bandwidths)",
    unit="FLOP/s",
    points=3,
    reference=useful_range,
    shows=(useful_range, systolic.useful_rate),
    groups=(Group("products", 1.0, _products),),
    hints=(
        "Raise one of the two roofs a little and leave the other: can the useful rate fall?",
        "It can't: it grows with both roofs, or stays. So the lowest rate has both roofs at their lowest ends.",
        "Your useful_rate of the lower peak and the lower bandwidth, then of the higher ones. Which roof holds may change between.",
    ),
    solution="""
import math


def useful_range(m, n, k, side, peaks, bandwidths):
    share = k * n / (math.ceil(k / side) * math.ceil(n / side) * side**2)
    intensity = m * n * k / (m * k + k * n + m * n)
    return [min(peak * share, rate * intensity) for peak, rate in zip(peaks, bandwidths)]
""",
    explanation=(
        "The useful rate grows with both roofs or stays, so low goes with low and high with high. But the roof that holds may "
        "change on the way: then neither the spread of the peak nor that of the memory is the spread of your answer."
    ),
    meaning=_meaning,
    mistakes=(
        Mistake(
            "one roof throughout",
            _of_roofs(_one_roof),
            "You asked once which roof holds, and took both ends from that one. At the other end the other roof may be the lower.",
        ),
        Mistake(
            "one roof throughout, from below",
            _of_roofs(lambda flat, slope: flat if flat[0] < slope[0] else slope),
            "You asked at the lower ends which roof holds, and took both ends from that one. At the upper ends ask again.",
        ),
        Mistake(
            "low with high",
            lambda m, n, k, side, peaks, bandwidths: useful_range(m, n, k, side, peaks, bandwidths[::-1]),
            "You paired the low end of one roof with the high end of the other. The rate grows with both, so low goes with low.",
        ),
        Mistake(
            "low with high, in order",
            lambda m, n, k, side, peaks, bandwidths: sorted(useful_range(m, n, k, side, peaks, bandwidths[::-1])),
            "You paired the low end of one roof with the high end of the other, and put the two rates in order. The rate grows "
            "with both roofs, so low goes with low.",
        ),
        Mistake(
            "high first",
            lambda m, n, k, side, peaks, bandwidths: useful_range(m, n, k, side, peaks[::-1], bandwidths[::-1]),
            "You returned the highest rate first. Lowest, then highest.",
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
            "That is the memory roof alone. A long stream is held by the cells: take the lower of the two at each end.",
        ),
        Mistake(
            "the middle",
            lambda m, n, k, side, peaks, bandwidths: [
                useful_range(m, n, k, side, [sum(peaks) / 2] * 2, [sum(bandwidths) / 2] * 2)[0]
            ] * 2,
            "You worked with the middle of each range. A middle hides what is not known: return both ends.",
        ),
        Mistake(
            "the ends of everything",
            _of_roofs(lambda flat, slope: [min(*flat, *slope), max(*flat, *slope)]),
            "You took the lowest and the highest of all four numbers. At each end the lower of the two roofs holds.",
            v.MISCONCEPTION,
        ),
    ),
)  # fmt: skip
