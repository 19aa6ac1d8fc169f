"""Task on the rate of a layer on a chip with personal numbers."""

import math

from chip2cluster import systolic
from chip2cluster.exercise.model import Exercise, Group, Mistake


def _chip(generator):
    """Side, peak and bandwidth in round numbers; the ridge lies between 100 and 300 FLOP/byte."""
    bandwidth = 0.5e12 * int(generator.integers(2, 9))
    return {
        "side": int(generator.choice((96, 160, 192, 224))),
        "peak_flops": bandwidth * 20 * int(generator.integers(5, 16)),
        "memory_bandwidth": bandwidth,
    }


def own_rate(m, n, k, side, peak_flops, memory_bandwidth):
    """Highest rate of useful work of a bf16 product on a given chip, in FLOP/s."""
    return systolic.useful_rate(m, n, k, side, side, peak_flops, memory_bandwidth)


def _products(generator):
    rows = [(8, 4000, 4000)]
    rows += [
        (int(m), int(n), int(k)) for m, n, k in generator.integers((20_000, 700, 350), (90_000, 1300, 800), (3, 3))
    ]
    rows += [(int(m), 6007, 3001) for m in generator.integers(2, 60, 2)]
    rows.append((100_000, 5000, 5003))
    return [dict(zip(("m", "n", "k"), row, strict=True)) for row in rows]


def _full(generator):
    multiple = math.lcm(96, 160, 192, 224)
    return [{"m": 8192, "n": multiple, "k": multiple}, {"m": 1, "n": multiple, "k": multiple}]


def _rate(share=lambda k, n, side: k * n / (math.ceil(k / side) * math.ceil(n / side) * side**2), size=2, memory=True,
          both=False, chip=None):  # fmt: skip
    def wrong(m, n, k, side, peak_flops, memory_bandwidth):
        side, peak, bandwidth = chip or (side, peak_flops, memory_bandwidth)
        useful, slope = share(k, n, side), 2 * bandwidth * m * n * k / (size * (m * k + k * n + m * n))
        if both:
            return useful * min(peak, slope)
        return min(useful * peak, slope) if memory else useful * peak

    return wrong


OWN_CHIP = Exercise(
    id="lab.systolic.own_chip",
    title="Your own chip",
    signature="own_rate(m, n, k)",
    unit="FLOP/s",
    graded=True,
    points=4,
    constants=_chip,
    allowed=("chip2cluster.specs", "chip2cluster.units", "autograder.student.given"),
    reference=own_rate,
    groups=(
        Group("products", 0.8, _products),
        Group(
            "edges", 0.2, _full, advice="A multiple of the side reaches the full peak, and one row waits for memory."
        ),
    ),
    hints=(
        'Your numbers are in the cell above: chip["side"], chip["peak_flops"], chip["memory_bandwidth"].',
        "Compute roof: peak × useful fraction of the cells. Memory roof: bandwidth × m·n·k / (m·k + k·n + m·n).",
        "The useful fraction is k·n over the padded area: both sizes rounded up to multiples of the side.",
    ),
    explanation=(
        "Which roof is lower depends on your chip: a large side loses to padding at widths that suit a small "
        "one, and with a high ridge more products are memory-bound."
    ),
    mistakes=(
        Mistake(
            "another chip's numbers",
            _rate(chip=(128, 275e12, 1.2e12)),
            "Those are the numbers of a TPU v4. Use the numbers that given() shows you.",
        ),
        Mistake("padding forgotten", _rate(share=lambda k, n, side: 1.0), "You forgot the padding: zeros take cells."),
        Mistake("memory forgotten", _rate(memory=False), "You forgot the memory roof. A short stream waits for bytes."),
        Mistake(
            "both roofs lowered",
            _rate(both=True),
            "You lowered both roofs. The zeros are made on the chip: the memory roof stays.",
        ),
        Mistake(
            "only n padded",
            _rate(share=lambda k, n, side: n / (math.ceil(n / side) * side)),
            "You padded the columns alone. The k rows are rounded up to whole tiles as well.",
        ),
        Mistake(
            "only k padded",
            _rate(share=lambda k, n, side: k / (math.ceil(k / side) * side)),
            "You padded the rows alone. The n columns are rounded up to whole tiles as well.",
        ),
        Mistake(
            "one tile too many",
            _rate(share=lambda k, n, side: k * n / ((k // side + 1) * (n // side + 1) * side**2)),
            "A multiple of the side got one tile too many. Use math.ceil, not // side + 1.",
            share=0.8,
        ),
        Mistake("element size forgotten", _rate(size=1), "You forgot that an element has 2 bytes."),
        Mistake(
            "memory alone",
            _rate(share=lambda k, n, side: 1e9),
            "That is the memory roof alone. A long stream is limited by the cells: take the lower of the two roofs.",
        ),
    ),
)
