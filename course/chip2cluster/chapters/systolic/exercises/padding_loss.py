"""Exercise on the utilization lost to padding (tile quantization)."""

import math

from chip2cluster import systolic
from chip2cluster.exercise.model import Exercise, Group, Mistake

from ..mutants import MUTANTS


def padding_loss(k, n, side):
    """Share of the cells that hold padding when B[k, n] lies on arrays of side x side."""
    return systolic.padding_loss(1, n, k, side, side)


def _matrices(generator):
    # A case that can be done in the head comes first: it is the one that a student sees.
    easy = {"k": 100, "n": 150, "side": 100}
    sizes = zip(generator.integers(130, 250, 3), generator.integers(260, 900, 3), (128, 64, 256), strict=True)
    return [
        easy,
        *({"k": int(k), "n": int(n), "side": side} for k, n, side in sizes),
        {"k": 600, "n": 600, "side": 256},
    ]


def _edges(generator):
    return [{"k": 256, "n": 384, "side": 128}, {"k": 64, "n": 64, "side": 256}]


def _loss(k_padded=True, n_padded=True):
    def wrong(k, n, side):
        up = lambda size, padded: math.ceil(size / side) * side if padded else size
        return 1 - k * n / (up(k, k_padded) * up(n, n_padded))

    return wrong


def _used(k, n, side):
    return 1 - padding_loss(k, n, side)


def _meaning():
    head, wide = (100 * systolic.padding_loss(1, 4096, 64, side, side) for side in (128, 256))
    words = 100 * systolic.padding_loss(1, 50257, 4096, 128, 128)
    return (
        f"A head of width 64 leaves {head:.0f} % of an array of 128 × 128 multiplying zeros, and {wide:.0f} % of one of 256 × 256. "
        f"GPT-2's 50,257 words, although odd, lose {words:.1f} %: the narrow side costs most."
    )


PADDING = Exercise(
    id="systolic.padding_loss",
    title="What padding costs",
    signature="padding_loss(k, n, side)",
    unit="",
    points=3,
    reference=padding_loss,
    shows=(systolic.padding_loss, systolic.padded_utilization),
    groups=(
        Group("matrices", 0.8, _matrices),
        Group(
            "edges", 0.2, _edges, advice="A multiple of the side loses nothing, and a small matrix still takes a tile."
        ),
    ),
    hints=(
        "Draw the matrix, and the smallest rectangle of whole tiles around it.",
        "Each side of that rectangle is rounded up by itself: math.ceil(k / side) * side.",
        "1 − (k · n) / (padded k · padded n).",
    ),
    solution="""
import math


def padding_loss(k, n, side):
    padded = math.ceil(k / side) * side * math.ceil(n / side) * side
    return 1 - k * n / padded
""",
    explanation=(
        "The array can't tell padding from data: it multiplies the zeros like everything else. One column too many "
        "takes a whole tile, so the loss is largest just above a multiple."
    ),
    meaning=_meaning,
    mistakes=(
        Mistake("useful share", _used, "That is the useful fraction. The loss is 1 minus that."),
        Mistake(
            "padding over data",
            lambda k, n, side: 1 / _used(k, n, side) - 1,
            "You divided the padding by the data. Divide by all cells, padding and data together.",
        ),
        Mistake(
            "only n padded",
            _loss(k_padded=False),
            "You padded the columns alone. The rows, k, are rounded up to whole tiles as well.",
        ),
        Mistake(
            "only k padded",
            _loss(n_padded=False),
            "You padded the rows alone. The columns, n, are rounded up to whole tiles as well.",
        ),
        Mistake(
            "one tile too many",
            lambda k, n, side: 1 - k * n / ((k // side + 1) * (n // side + 1) * side**2),
            "A size that fills its tiles exactly got one tile too many. Use math.ceil, not // side + 1.",
        ),
        Mistake(
            "tiles counted by area",
            lambda k, n, side: 1 - k * n / (math.ceil(k * n / side**2) * side**2),
            "You divided areas. Tiles are cut in two directions: round up each direction by itself.",
        ),
        Mistake(
            "losses added",
            lambda k, n, side: 2 - k / (math.ceil(k / side) * side) - n / (math.ceil(n / side) * side),
            "You added the losses of both directions. The useful fractions multiply; subtract their product from 1.",
        ),
        Mistake(
            "losses multiplied",
            lambda k, n, side: (1 - k / (math.ceil(k / side) * side)) * (1 - n / (math.ceil(n / side) * side)),
            "You multiplied the losses. The useful fractions multiply.",
        ),
        Mistake(
            "cells counted",
            lambda k, n, side: math.ceil(k / side) * side * math.ceil(n / side) * side - k * n,
            "You counted the cells with zeros. Divide by all cells.",
        ),
    ),
    mutants=MUTANTS["systolic.padding_loss"],
)
