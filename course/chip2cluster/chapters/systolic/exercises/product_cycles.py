"""Exercise on the cycles of a whole product on a systolic array."""

import math

from chip2cluster import systolic
from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.model import Exercise, Group, Mistake


def product_cycles(m, n, k, rows, cols):
    """Cycles of [m, k] x [k, n] with the weights stationary and double-buffered."""
    return systolic.cycles(m, n, k, rows, cols, overlap=True)


def _products(generator):
    # A case that can be done in the head comes first: it is the one that a student sees.
    easy = {"m": 10, "n": 4, "k": 7, "rows": 2, "cols": 3}  # 4 tiles down, 2 across, none of the last ones full
    sizes = generator.integers((150, 200, 100, 20, 35), (900, 900, 700, 33, 70), (4, 5)).tolist()
    return [easy, *(dict(zip(("m", "n", "k", "rows", "cols"), map(int, row), strict=True)) for row in sizes)]


def _short(generator):
    return [
        {"m": 1, "n": 1024, "k": 1024, "rows": 128, "cols": 128},
        {"m": 8, "n": 300, "k": 900, "rows": 64, "cols": 32},
    ]


def _cycles(round_up=math.ceil, gap=lambda m, rows, alone: max(m, rows), down=None, along_m=False):
    def wrong(m, n, k, rows, cols):
        tiles = round_up(k / rows) * round_up(n / cols) * (math.ceil(m / rows) if along_m else 1)
        alone = 2 * rows + cols + m - 2
        return (tiles - 1) * gap(m, rows, alone) + alone

    return wrong


def _meaning():
    one, many = (product_cycles(rows, 8192, 8192, 128, 128) for rows in (1, 128))
    return (
        f"A layer of 8192 × 8192 weights on one array of 128 × 128 takes {one:,} cycles for one row of A and {many:,} for 128: "
        "answer 128 users together, and 127 of them cost nearly nothing."
    )


CYCLES = Exercise(
    id="systolic.cycles",
    title="Cycles of a whole product",
    signature="product_cycles(m, n, k, rows, cols)",
    unit="cycles",
    points=4,
    reference=product_cycles,
    shows=(systolic.cycles,),
    tolerance=1e-9,
    groups=(
        Group("products", 0.75, _products),
        Group(
            "edges", 0.25, _short, v.VALUE,
            advice="With a short stream the next tile waits for its weights: loading takes rows cycles, and m may be less.",
        ),
    ),
    hints=(
        "How many tiles are there? B has k rows and n columns; a part of a tile counts as a whole tile.",
        "All tiles but one cost the distance between two starts; the last one costs as much as a single tile.",
        "(tiles − 1) · max(m, rows) + 2·rows + cols + m − 2, with tiles = ceil(k / rows) · ceil(n / cols).",
    ),
    solution="""
import math


def product_cycles(m, n, k, rows, cols):
    tiles = math.ceil(k / rows) * math.ceil(n / cols)
    return (tiles - 1) * max(m, rows) + 2 * rows + cols + m - 2
""",
    explanation=(
        "A second set of registers hides the loading. In a long run a tile costs only its stream, so every "
        "cell that isn't padded is busy. If A has fewer rows than the array, loading can't be hidden: one "
        "user's token costs as many cycles as 128."
    ),
    meaning=_meaning,
    mistakes=(
        Mistake(
            "one tile after the other",
            _cycles(gap=lambda m, rows, alone: alone),
            "You emptied the array before each tile. The next weights shift in while the previous tile still computes.",
        ),
        Mistake(
            "parts of tiles",
            _cycles(round_up=lambda x: x),
            "You counted parts of tiles. A tile that isn't full is padded: round up in both directions.",
        ),
        Mistake(
            "rounded down",
            _cycles(round_up=math.floor),
            "You rounded the tiles down, so some of B was never multiplied. Round up in both directions.",
        ),
        Mistake(
            "rounded at the end",
            lambda m, n, k, rows, cols: (
                (math.ceil(k * n / (rows * cols)) - 1) * max(m, rows) + 2 * rows + cols + m - 2
            ),
            "You divided areas. Tiles are cut in two directions: round up each direction by itself.",
        ),
        Mistake(
            "loading forgotten",
            _cycles(gap=lambda m, rows, alone: m),
            "With a short stream the next tile waits for its weights: loading takes rows cycles, and m may be less.",
            share=0.75,
        ),
        Mistake(
            "A cut as well",
            _cycles(along_m=True),
            "You cut A into tiles, too. Its m rows stream through; only the weights are cut.",
        ),
        Mistake(
            "the first tile forgotten",
            lambda m, n, k, rows, cols: math.ceil(k / rows) * math.ceil(n / cols) * max(m, rows),
            "You left out filling and draining: before the first stream and after the last one.",
        ),
        Mistake(
            "one start too many",
            lambda m, n, k, rows, cols: (
                math.ceil(k / rows) * math.ceil(n / cols) * max(m, rows) + 2 * rows + cols + m - 2
            ),
            "One stream too many: every tile but the last costs the distance to the next start, and the last one costs as much as a single tile.",
        ),
        Mistake(
            "tiles swapped",
            lambda m, n, k, rows, cols: (
                (math.ceil(n / rows) * math.ceil(k / cols) - 1) * max(m, rows) + 2 * rows + cols + m - 2
            ),
            "You put n along the rows. B has k rows, and they lie on the rows of the array.",
        ),
    ),
)  # fmt: skip
