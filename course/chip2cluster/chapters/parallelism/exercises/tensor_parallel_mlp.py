"""Exercise on a tensor-parallel MLP over real arrays: first matrix by columns, second by rows."""

import numpy as np

from chip2cluster.exercise.model import Exercise, Group, Mistake

from ..mutants import MUTANTS


def mlp_parallel(x, first, first_bias, second, second_bias, t):
    """What each of t ranks puts into the one all-reduce of a block."""
    columns, biases, rows = np.split(first, t, axis=1), np.split(first_bias, t), np.split(second, t)
    parts = np.array([
        np.maximum(x @ left + bias, 0) @ right for left, bias, right in zip(columns, biases, rows, strict=True)
    ])  # fmt: skip
    parts[0] += second_bias
    return parts


def _draw(generator, tokens, width, hidden, t):
    def whole(*shape):
        return generator.integers(-9, 10, shape).astype(float)

    return {
        "x": whole(tokens, width), "first": whole(width, hidden), "first_bias": whole(hidden),
        "second": whole(hidden, width), "second_bias": generator.integers(1, 10, width).astype(float), "t": t,
    }  # fmt: skip


def _blocks(generator):
    # One token and two ranks, which can be done on paper, comes first: it is the one that a student sees.
    by_hand = {
        "x": np.array([[1.0, 2.0]]),
        "first": np.array([[1.0, 0.0, 2.0, -3.0], [0.0, -1.0, 1.0, 2.0]]),
        "first_bias": np.array([0.0, 1.0, -1.0, 2.0]),
        "second": np.array([[1.0, 0.0], [0.0, 1.0], [2.0, 1.0], [-1.0, 3.0]]),
        "second_bias": np.array([10.0, 20.0]),
        "t": 2,
    }
    return [by_hand, *(_draw(generator, *shape) for shape in ((3, 4, 8, 2), (2, 4, 12, 4), (4, 6, 12, 3)))]


def _edges(generator):
    return [_draw(generator, 2, 4, 8, 1), _draw(generator, 1, 4, 8, 8)]


def _cards(array, t, axis=0):
    return [np.take(array, range(rank, array.shape[axis], t), axis) for rank in range(t)]


def _whole(x, first, first_bias, second, second_bias, t):
    return np.maximum(x @ first + first_bias, 0) @ second + second_bias


def _with(
    columns=lambda a, t: np.split(a, t, axis=1),
    entries=np.split,
    rows=np.split,
    act=lambda z: np.maximum(z, 0),
    after=None,
):
    """The same with one step done otherwise; ``after`` gets the parts without the second bias, that bias, and t."""

    def wrong(x, first, first_bias, second, second_bias, t):
        cut = zip(columns(first, t), entries(first_bias, t), rows(second, t), strict=True)
        parts = np.array([act(x @ left + bias) @ right for left, bias, right in cut])
        if after is None:
            parts[0] += second_bias
            return parts
        return after(parts, second_bias, t)

    return wrong


def _first_only(first_bias, t):
    parts = np.split(first_bias, t)
    return [part * (rank == 0) for rank, part in enumerate(parts)]


def _inputs_cut(x, first, first_bias, second, second_bias, t):
    """First matrix by rows: each rank takes max(0, ·) of a partial sum, and the second matrix is whole."""
    halves = zip(np.split(x, t, axis=1), np.split(first, t), strict=True) if x.shape[1] % t == 0 else [(x, first)] * t
    parts = np.array([np.maximum(left @ right + first_bias, 0) @ second for left, right in halves])
    parts[0] += second_bias
    return parts


def _rank_zero(t, **block):
    """The whole block on one rank, and zeros from the others."""
    return np.array([_whole(**block, t=t) * (rank == 0) for rank in range(t)])


MLP = Exercise(
    id="parallelism.mlp_parallel",
    title="Write tensor parallelism",
    signature="mlp_parallel(x, first, first_bias, second, second_bias, t)",
    unit="",
    points=6,
    reference=mlp_parallel,
    shows=(mlp_parallel,),
    groups=(
        Group("blocks", 0.8, _blocks),
        Group(
            "edges",
            0.2,
            _edges,
            advice="With one rank, it computes the whole block, with both biases. With as many ranks as hidden columns, each rank has one column.",
        ),
    ),
    hints=(
        "np.split(first, t, axis=1) divides by columns, np.split(second, t) by rows. Rank r needs part r of each, and part r of first_bias.",
        "max(0, ·) works element by element, so each rank can apply it to its own hidden columns. No rank needs another rank's columns yet.",
        "Rank r computes np.maximum(x @ columns[r] + biases[r], 0) @ rows[r]. This gives t arrays of the shape of x. Which of them gets second_bias?",
    ),
    solution="""
import numpy as np


def mlp_parallel(x, first, first_bias, second, second_bias, t):
    columns, biases, rows = np.split(first, t, axis=1), np.split(first_bias, t), np.split(second, t)
    parts = []
    for rank in range(t):
        hidden = np.maximum(x @ columns[rank] + biases[rank], 0)
        parts.append(hidden @ rows[rank])
    parts[0] = parts[0] + second_bias
    return np.array(parts)
""",
    explanation=(
        "A column of the first matrix produces one complete hidden number, so max(0, ·) needs no message. That number "
        "is multiplied by one row of the second matrix, so the rank that computed it has everything it needs. The "
        "results are t partial sums: one all-reduce adds them. Only one rank adds the second bias, or the sum contains "
        "it t times: a bug that hurts training and never crashes."
    ),
    meaning=lambda: (
        "You have written what Megatron does for every feed-forward block. Attention works the same way: queries, keys "
        "and values by columns (each rank has some of the heads), and the output matrix by rows. That makes two "
        "all-reduces a layer in the forward pass and two in the backward pass."
    ),
    mistakes=(
        Mistake(
            "the second bias on every rank",
            _with(after=lambda parts, bias, t: parts + bias),
            "Every rank adds second_bias, so the sum contains it t times. Only rank 0 should add it.",
        ),
        Mistake(
            "the second bias on no rank",
            _with(after=lambda parts, bias, t: parts),
            "No rank adds second_bias. Rank 0 should.",
        ),
        Mistake(
            "the second bias divided by t",
            _with(after=lambda parts, bias, t: parts + bias / t),
            "Each rank adds 1/t of second_bias. The sum is right, but the task asks rank 0 to add all of it.",
        ),
        Mistake(
            "no max(0, ·)",
            _with(act=lambda z: z),
            "You left out max(0, ·) between the matrices.",
        ),
        Mistake(
            "max(0, ·) at the end",
            _with(act=lambda z: z, after=lambda parts, bias, t: np.maximum(np.concatenate([parts[:1] + bias, parts[1:]]), 0)),
            "You applied max(0, ·) after the second matrix. It belongs between the two.",
        ),
        Mistake(
            "rows first",
            _inputs_cut,
            "You divided the first matrix by rows. Then each rank applies max(0, ·) to a partial sum, and max(0, a) + max(0, b) is not max(0, a + b). Divide the first matrix by columns.",
        ),
        Mistake(
            "after the all-reduce",
            lambda t, **block: np.array([_whole(**block, t=t)] * t),
            "Each of your ranks holds the finished output. The task asks for the *input* of the all-reduce: each rank's partial sum.",
        ),
        Mistake(
            "all on rank 0",
            _rank_zero,
            "The sum of your parts is right, but the work is not divided: rank 0 computes the whole block. Each rank should use only its own columns and rows.",
        ),
        Mistake(
            "1/t of the output",
            lambda t, **block: np.array([_whole(**block, t=t) / t] * t),
            "The sum of your parts is right, but the work is not divided: each rank computes the whole block and returns 1/t of it. Each rank should use only its own columns and rows.",
        ),
        Mistake(
            "the mean",
            lambda t, **block: mlp_parallel(**block, t=t) / t,
            "You divided by t. The partial sums are added, not averaged.",
        ),
        Mistake(
            "cyclic columns",
            _with(lambda a, t: _cards(a, t, 1), _cards, _cards),
            "You distributed columns cyclically: 0, t, 2 t, … to rank 0. The sum is right, but here rank 0 has the first block of columns.",
        ),
        Mistake(
            "columns in blocks, rows cyclic",
            _with(rows=_cards),
            "Your rows do not match your columns: hidden number k is multiplied by row k of the second matrix, so divide both at the same places.",
        ),
        Mistake(
            "the first bias on rank 0",
            _with(entries=_first_only),
            "Only rank 0 adds its part of first_bias. Each rank has its own hidden columns and adds their bias.",
        ),
        Mistake(
            "no first bias",
            _with(entries=lambda bias, t: np.split(0 * bias, t)),
            "You left out first_bias. Each rank adds the part for its columns.",
        ),
        Mistake(
            "ranks in reverse order",
            lambda **block: mlp_parallel(**block)[::-1],
            "Your ranks are in reverse order: row 0 is rank 0, with the first columns.",
        ),
    ),
    mutants=MUTANTS["parallelism.mlp_parallel"],
)  # fmt: skip
