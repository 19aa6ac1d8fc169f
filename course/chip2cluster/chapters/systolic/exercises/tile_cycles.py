"""Exercise on the cycles of one tile on a systolic array."""

from chip2cluster import systolic
from chip2cluster.exercise.model import Exercise, Group, Mistake

from ..mutants import MUTANTS


def tile_cycles(m, rows, cols):
    """Cycles of one tile of weights and m rows of A, from the first weight in to the last sum out."""
    return systolic.tile_cycles(m, rows, cols)


def _tiles(generator):
    # A case that can be done in the head comes first: it is the one that a student sees.
    sizes = [(5, 3, 4), *generator.integers((40, 16, 70), (600, 60, 140), (4, 3)).tolist()]
    return [{"m": int(m), "rows": int(r), "cols": int(c)} for m, r, c in sizes]


def _small(generator):
    return [{"m": 1, "rows": 128, "cols": 128}, {"m": 7, "rows": 1, "cols": 1}]


def _meaning():
    one, many = (100 * systolic.utilization(rows, 128, 128, 128, 128) for rows in (1, 2048))
    return (
        f"On 128 × 128 cells one row of A takes {tile_cycles(1, 128, 128)} cycles and uses {one:.2f} % of them, 2,048 rows take "
        f"{tile_cycles(2048, 128, 128):,} and use {many:.0f} %. Filling and draining cost the same for both."
    )


TILE = Exercise(
    id="systolic.tile_cycles",
    title="Cycles of one tile",
    signature="tile_cycles(m, rows, cols)",
    unit="cycles",
    points=2,
    reference=tile_cycles,
    shows=(systolic.tile_cycles,),
    tolerance=1e-9,
    groups=(
        Group("tiles", 0.8, _tiles),
        Group(
            "edges",
            0.2,
            _small,
            advice="A single row of A still crosses the whole array; in an array of one cell nothing has to move.",
        ),
    ),
    hints=(
        "Set the explorer to 4 × 4 weights on 4 × 4 cells and 5 rows of A, and count: in which cycle does the last cell work last?",
        "Three phases: shift the weights in, let m values enter the corner, let the last one reach the far corner.",
        "rows + m + (rows − 1) + (cols − 1): the far corner is rows − 1 steps down and cols − 1 steps across.",
    ),
    solution="""
def tile_cycles(m, rows, cols):
    return 2 * rows + cols + m - 2
""",
    explanation=(
        "Only m of these cycles are the stream. The other 2·rows + cols − 2 are filling and draining, and they are the "
        "same for one row of A as for a million, so the array wants long streams."
    ),
    meaning=_meaning,
    mistakes=(
        Mistake(
            "no weights to load",
            lambda m, rows, cols: m + rows + cols - 2,
            "You started with the weights in place. Shifting them in takes rows cycles before the stream.",
        ),
        Mistake(
            "no weights to load, and steps counted as cells",
            lambda m, rows, cols: m + rows + cols,
            "Two mistakes: shifting the weights in takes rows cycles before the stream, and the path from the first cell to the last "
            "has one step fewer than there are cells, down and across.",
        ),
        Mistake(
            "no way across",
            lambda m, rows, cols: rows + m,
            "You stopped when the last value entered. It still has to reach the far corner, one cell a cycle.",
        ),
        Mistake(
            "the stream alone",
            lambda m, rows, cols: m,
            "You counted the stream alone. The weights must come in first, and the last value must cross the array.",
        ),
        Mistake(
            "steps counted as cells",
            lambda m, rows, cols: 2 * rows + cols + m,
            "Two too many: from the first cell of a row to the last there are cols − 1 steps, and down a column rows − 1.",
        ),
        Mistake(
            "one too many",
            lambda m, rows, cols: 2 * rows + cols + m - 1,
            "One too many. The path from corner to corner has rows − 1 steps down and cols − 1 across.",
        ),
        Mistake(
            "rows and columns swapped",
            lambda m, rows, cols: rows + 2 * cols + m - 2,
            "You loaded the weights in cols cycles. They come in from above: rows cycles.",
        ),
        Mistake(
            "square arrays only",
            lambda m, rows, cols: 3 * rows + m - 2,
            "That is right if cols equals rows, as in the explorer. In general the last step is cols − 1 cells across, not rows − 1.",
        ),
        Mistake(
            "one cell after the other",
            lambda m, rows, cols: rows * cols * m,
            "You let one cell work at a time. They all work in every cycle in which values reach them.",
        ),
        Mistake(
            "across alone",
            lambda m, rows, cols: rows + m + cols - 1,
            "The last value crosses the columns, and the last row starts rows − 1 cycles after the first: count both.",
        ),
    ),
    mutants=MUTANTS["systolic.tile_cycles"],
)
