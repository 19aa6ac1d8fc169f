"""Task on the most chips over which a layer can be sharded efficiently."""

import math

from chip2cluster.exercise.input_generators import draw_until, forgives
from chip2cluster.exercise.model import Exercise, Group, Mistake

from ..mutants import MUTANTS


def largest_split(k, n, side, limit):
    """Largest power of two of chips over which n columns can be split with at most ``limit`` padding; 0 if none."""
    return _scan(_loss)(k, n, side, limit)


def _loss(k, n, side, chips):
    columns = math.ceil(n / chips)
    return 1 - k * columns / (math.ceil(k / side) * side * math.ceil(columns / side) * side)


def _scan(loss, stop=False, strict=False, smallest=0):
    def found(k, n, side, limit):
        best, chips = smallest, 1
        while chips <= n:
            share = loss(k, n, side, chips)
            if share < limit or (share == limit and not strict):
                best = chips
            elif stop:
                break
            chips *= 2
        return best

    return found


def _layers(generator):
    # A case that can be done in the head comes first: 4 chips with a full tile each; 8 would have half a tile.
    # In the next two nothing is good enough: too many columns are zeros, or too many rows.
    # In the fourth a column that is cut or left over decides from 4 chips on.
    rows = [(100, 400, 100, 0.3), (1024, 192, 128, 0.2), (200, 1024, 128, 0.2), (4096, 3683, 128, 0.1007)]
    rows.append((4096, 1344, 128, 0.14))
    # Three tiles cannot be halved: one chip is the most.
    rows.append((1024, 384, 128, 0.2))
    names = ("k", "n", "side", "limit")
    easy = [dict(zip(names, row, strict=True)) for row in rows]
    return [*easy, *(_layer(generator) for _ in range(6)), _layer(generator, uneven=True)]


def _layer(generator, uneven=False):
    """A layer of about 3 to 60 tiles, and a limit that no number of chips meets exactly and none exceeds too early.

    In an ``uneven`` one columns left over matter and parts of columns do not, unlike in the fourth layer above.
    """

    def draw():
        side, width = int(generator.choice((128, 256))), 3 * 20 ** generator.uniform()
        k, limit = side * int(generator.integers(8, 40)), round(float(generator.uniform(0.1, 0.45)), 3)
        return {"k": k, "n": int(side * width), "side": side, "limit": limit}

    def clear(layer):
        k, n, side, limit = layer.values()
        losses = [_loss(k, n, side, 2**doubling) for doubling in range(n.bit_length())]
        harmless = ["stopped at the first failure", *["parts of columns"] * uneven]
        return (
            all(abs(loss - limit) > 1e-6 for loss in losses)
            and forgives(SPLIT, layer, *harmless)
            and not (uneven and forgives(SPLIT, layer, "columns left over"))
        )

    return draw_until(clear, draw)


def _gaps(generator):
    # 900 columns are good enough on 8 chips and on no fewer; 96 of 128 are exactly at the limit.
    return [
        {"k": 128, "n": 96, "side": 128, "limit": 0.25},
        {"k": 512, "n": 900, "side": 128, "limit": 0.12},
        {"k": 100, "n": 128, "side": 128, "limit": 0.1},
    ]


SPLIT = Exercise(
    id="lab.systolic.largest_split",
    title="How thin can you slice it?",
    signature="largest_split(k, n, side, limit)",
    unit="chips",
    graded=True,
    points=5,
    reference=largest_split,
    tolerance=1e-9,
    groups=(
        Group("layers", 0.8, _layers),
        Group(
            "edges",
            0.2,
            _gaps,
            advice="More chips can waste less than fewer: try all numbers, and return 0 if none meets the limit.",
        ),
    ),
    hints=(
        "First the loss for one number of chips: ceil(n / chips) columns on whole tiles.",
        "Then a loop: chips = 1, 2, 4, … while chips <= n. Remember the last number that meets the limit.",
        "Don't stop at the first failure: 900 columns are split better over 8 chips than over 1.",
    ),
    explanation=(
        "Splitting a layer makes every chip's share narrower, and below one tile per chip each doubling halves the "
        "useful fraction. A larger array reaches that point sooner: at 256 columns, not at 128."
    ),
    mistakes=(
        Mistake(
            "stopped at the first failure",
            _scan(_loss, stop=True),
            "You stopped at the first number of chips that wastes too much. A larger number can meet the limit again: try all.",
            share=0.8,
        ),
        Mistake(
            "strictly below",
            _scan(_loss, strict=True),
            "You asked for less than the limit. At most includes the limit itself (<=).",
            share=0.8,
        ),
        Mistake(
            "one chip when none will do",
            _scan(_loss, smallest=1),
            "If no number of chips meets the limit, return 0, not 1.",
        ),
        Mistake(
            "rows split",
            _scan(lambda k, n, side, chips: _loss(n, k, side, chips)),
            "You split the rows. The columns are split; each chip keeps all k rows.",
        ),
        Mistake(
            "rows never padded",
            _scan(lambda k, n, side, chips: _loss(side, n, side, chips)),
            "You padded the columns alone. The k rows are rounded up to whole tiles as well.",
        ),
        Mistake(
            "nothing split",
            _scan(lambda k, n, side, chips: _loss(k, n, side, 1)),
            "You never split the layer: each chip gets ceil(n / chips) columns.",
        ),
        Mistake(
            "useful share",
            _scan(lambda k, n, side, chips: 1 - _loss(k, n, side, chips)),
            "You compared the useful fraction with the limit. The limit is for the zeros.",
        ),
        Mistake(
            "columns left over",
            _scan(
                lambda k, n, side, chips: (
                    1 - k * (n // chips) / (math.ceil(k / side) * side * math.ceil(n // chips / side) * side)
                )
            ),
            "You left columns over: n // chips of them on each chip don't add up to n. The fullest chip has ceil(n / chips).",
        ),
        Mistake(
            "parts of columns",
            _scan(
                lambda k, n, side, chips: (
                    1 - k * n / chips / (math.ceil(k / side) * side * math.ceil(n / chips / side) * side)
                )
            ),
            "You averaged over the chips. A column can't be split, and the fullest chip counts: it has ceil(n / chips) of them, "
            "not n / chips.",
        ),
    ),
    mutants=MUTANTS["lab.systolic.largest_split"],
)
