"""Task on the utilization of a whole product."""

import math

from chip2cluster import systolic
from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.input_generators import draw_until
from chip2cluster.exercise.model import Exercise, Group, Mistake


def utilization(m, n, k, side):
    """Share of all cell cycles that are useful, weights stationary and double-buffered."""
    return systolic.utilization(m, n, k, side, side, overlap=True)


def _products(generator):
    # A case that can be done in the head comes first: one full tile, 8 cycles of 4 cells.
    easy = {"m": 4, "n": 2, "k": 2, "side": 2}

    def draw():
        return generator.integers((300, 140, 300, 24), (3000, 900, 1500, 130), (4, 4))

    def clear(sizes):
        """Whether in both directions some last tile is less than half full, so that rounding up is not rounding."""
        filled = sizes[:, 1:3] % sizes[:, 3:] / sizes[:, 3:]
        return ((filled > 0) & (filled < 0.5)).any(axis=0).all()

    sizes = draw_until(clear, draw).tolist()
    return [easy, *(dict(zip(("m", "n", "k", "side"), row, strict=True)) for row in sizes)]


def _short(generator):
    return [{"m": 1, "n": 8192, "k": 4096, "side": 128}, {"m": 24, "n": 1000, "k": 700, "side": 256}]


def _share(gap=lambda m, side, alone: max(m, side), padded_work=False, fill=True, round_up=math.ceil):
    def wrong(m, n, k, side):
        tiles = round_up(k / side) * round_up(n / side)
        alone = 3 * side + m - 2
        cycles = (tiles - 1) * gap(m, side, alone) + (alone if fill else m)
        work = m * tiles * side**2 if padded_work else m * n * k
        return work / (side**2 * cycles)

    return wrong


UTILIZATION = Exercise(
    id="lab.systolic.utilization",
    title="The useful share",
    signature="utilization(m, n, k, side)",
    unit="",
    graded=True,
    points=4,
    reference=utilization,
    shows=(systolic.utilization, systolic.cycles),
    groups=(
        Group("products", 0.75, _products),
        Group(
            "edges", 0.25, _short, v.VALUE,
            advice="With fewer rows of A than the array has, the next stream waits side cycles for its weights.",
        ),
    ),
    hints=(
        "Useful multiply-accumulates over cells × cycles. Padding is not useful.",
        "Cycles: (tiles − 1) · max(m, side) + 3·side + m − 2, with tiles rounded up in both directions.",
        "All cells take part in all of these cycles, usefully or not. Divide the multiply-accumulates that the product needs by cells × cycles.",
    ),
    explanation=(
        "This number includes padding and filling. With a long stream and many tiles only padding remains; with one row of A "
        "the fraction is about 1 / side for any matrix."
    ),
    mistakes=(
        Mistake(
            "padding counted as work",
            _share(padded_work=True),
            "You counted the zeros as work. Only m · n · k multiply-accumulates are useful.",
        ),
        Mistake(
            "one tile after the other",
            _share(gap=lambda m, side, alone: alone),
            "You emptied the array before each tile. Streams start max(m, side) cycles apart.",
        ),
        Mistake(
            "loading forgotten",
            _share(gap=lambda m, side, alone: m),
            "With fewer rows of A than the array has, the next stream waits side cycles for its weights.", share=0.75,
        ),
        Mistake(
            "filling forgotten",
            _share(fill=False),
            "You left out filling and draining, so only the padding remains. The last tile takes 3·side + m − 2 cycles.",
        ),
        Mistake(
            "parts of tiles",
            _share(round_up=lambda x: x),
            "You counted parts of tiles. Round up in both directions.",
        ),
        Mistake(
            "cells forgotten",
            lambda m, n, k, side: side**2 * utilization(m, n, k, side),
            "You divided by the cycles alone. Each of the side × side cells could have worked in every one of them.",
        ),
        Mistake(
            "operations",
            lambda m, n, k, side: 2 * utilization(m, n, k, side),
            "You counted two operations a multiply-accumulate. A cell does one multiply-accumulate a cycle: count those.",
            v.FACTOR,
        ),
    ),
)  # fmt: skip
