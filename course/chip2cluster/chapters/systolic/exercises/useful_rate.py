"""Exercise on the useful rate, with padding and memory bandwidth."""

import math

from chip2cluster import specs, systolic
from chip2cluster.exercise.model import Exercise, Group, Mistake


def useful_rate(m, n, k, side, peak_flops, memory_bandwidth):
    """Highest rate of useful work of a bf16 product, in FLOP/s."""
    return systolic.useful_rate(m, n, k, side, side, peak_flops, memory_bandwidth)


def _products(generator):
    # A case that can be done in the head comes first: 3/4 of n and half of k are data, memory is out of the way.
    easy = {"m": 6000, "n": 1500, "k": 500, "side": 1000, "peak_flops": 400e12, "memory_bandwidth": 2e12}
    # The same in the other half: 10 FLOP/byte, and 3/4 of either side; memory is the roof.
    short = {"m": 30, "n": 30, "k": 30, "side": 40, "peak_flops": 400e12, "memory_bandwidth": 2e12}
    rows = []
    for m, side in ((60_000, 128), (40_000, 256), (8, 128), (24, 256)):
        n, k = (2 * int(size) + 1 for size in generator.integers((550, 350), (950, 500)))  # odd: no multiple of a side
        peak, bandwidth = 1e12 * int(generator.integers(200, 500)), 1e11 * int(generator.integers(12, 30))
        rows.append((m, n, k, side, peak, bandwidth))
    rows.append((50_000, 1900, 129, 128, 459e12, 6e12))
    names = ("m", "n", "k", "side", "peak_flops", "memory_bandwidth")
    return [easy, short, *(dict(zip(names, row, strict=True)) for row in rows)]


def _full(generator):
    return [
        {"m": 8192, "n": 8192, "k": 8192, "side": 128, "peak_flops": 275e12, "memory_bandwidth": 1.2e12},
        {"m": 1, "n": 8192, "k": 8192, "side": 128, "peak_flops": 275e12, "memory_bandwidth": 1.2e12},
    ]


def _rate(size=2, pad=True, memory=True, both=False, pad_m=False, wasted=False, ops=2):
    def wrong(m, n, k, side, peak_flops, memory_bandwidth):
        share = k * n / (math.ceil(k / side) * math.ceil(n / side) * side**2)
        if pad_m:
            share *= m / (math.ceil(m / side) * side)
        if wasted:
            share = 1 - share
        slope = memory_bandwidth * ops * m * n * k / (size * (m * k + k * n + m * n))
        if both:
            return share * min(peak_flops, slope)
        roof = peak_flops * share if pad else peak_flops
        return min(roof, slope) if memory else roof

    return wrong


def _meaning():
    chip = specs.accelerator("TPU v6e")
    roofs = chip.peak_flops_dense("bf16"), chip.memory_bandwidth
    few, many = (useful_rate(rows, 8192, 8192, 256, *roofs) / 1e12 for rows in (8, 8192))
    return (
        f"A TPU v6e may do {many:.0f} TFLOP/s on a square product of 8192, and at most {few:.0f} with 8 users: there "
        "memory is the bottleneck, so padding does not matter."
    )


USEFUL = Exercise(
    id="systolic.useful_rate",
    title="The useful rate",
    signature="useful_rate(m, n, k, side, peak_flops, memory_bandwidth)",
    unit="FLOP/s",
    points=4,
    reference=useful_rate,
    shows=(useful_rate, systolic.useful_rate),
    groups=(
        Group("products", 0.8, _products),
        Group(
            "edges", 0.2, _full, advice="A multiple of the side reaches the full peak, and one row waits for memory."
        ),
    ),
    hints=(
        "There are two roofs, as in the roofline chapter, and the lower one counts. Which of them does padding lower?",
        "Compute roof: peak × (1 − padding loss). Memory roof: bandwidth × intensity.",
        "The intensity in bf16 is m·n·k / (m·k + k·n + m·n); then take the minimum.",
    ),
    solution="""
import math


def useful_rate(m, n, k, side, peak_flops, memory_bandwidth):
    share = k * n / (math.ceil(k / side) * math.ceil(n / side) * side**2)
    intensity = m * n * k / (m * k + k * n + m * n)
    return min(peak_flops * share, memory_bandwidth * intensity)
""",
    explanation=(
        "Zeros are made on the chip, so they cost cells but no traffic. A decode step waits for memory, whatever its "
        "shape; a long stream over an awkward width waits for cells that multiply zeros."
    ),
    meaning=_meaning,
    mistakes=(
        Mistake("padding forgotten", _rate(pad=False), "You forgot the padding: cells with zeros do no useful work."),
        Mistake(
            "one tile too many",
            lambda m, n, k, side, peak_flops, memory_bandwidth: min(
                peak_flops * k * n / ((k // side + 1) * (n // side + 1) * side**2),
                memory_bandwidth * m * n * k / (m * k + k * n + m * n),
            ),
            "A multiple of the side got one tile too many. Use math.ceil, not // side + 1.",
            share=0.8,
        ),
        Mistake("memory forgotten", _rate(memory=False), "You forgot the memory roof. A short stream waits for bytes."),
        Mistake(
            "both roofs lowered",
            _rate(both=True),
            "You lowered both roofs. The zeros are made on the chip: the memory roof stays.",
        ),
        Mistake(
            "m padded",
            _rate(pad_m=True),
            "You padded m as well. The rows of A stream through; only B is cut into tiles.",
        ),
        Mistake(
            "padding kept",
            _rate(wasted=True),
            "You used the fraction of zeros. The useful cells are those that hold data: 1 minus that fraction.",
        ),
        Mistake(
            "traffic of the weights alone",
            lambda m, n, k, side, peak_flops, memory_bandwidth: min(
                peak_flops * k * n / (math.ceil(k / side) * math.ceil(n / side) * side**2), memory_bandwidth * m
            ),
            "You counted the bytes of the weights alone. A and C cross the memory interface as well.",
        ),
        Mistake("element size forgotten", _rate(size=1), "You forgot that an element has 2 bytes."),
        Mistake(
            "multiply-accumulates counted once",
            _rate(ops=1),
            "Your intensity is half of the right one: did you count a multiply-accumulate once, or take 4 bytes for an element? In bf16 it has 2.",
        ),
        Mistake(
            "memory alone",
            lambda m, n, k, side, peak_flops, memory_bandwidth: memory_bandwidth * m * n * k / (m * k + k * n + m * n),
            "That is the memory roof alone. A long stream is limited by the cells: take the lower of the two roofs.",
        ),
    ),
)
