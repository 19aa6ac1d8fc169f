"""Task on the uncertainty of a product of factors with intervals, and the factor that dominates it."""

import numpy as np

from chip2cluster.exercise.input_generators import draw_until
from chip2cluster.exercise.model import Exercise, Group, Mistake


def doubt(ranges):
    """Highest over lowest product; the same if the doubts are independent; the row of the factor that adds most."""
    return _doubt(ranges)


def _ratios(ranges):
    rows = np.asarray(ranges, dtype=float)
    return rows[:, 1] / rows[:, 0]


def _independent(ratios):
    return np.exp(np.sqrt(np.sum(np.log(ratios) ** 2)))


def _doubt(ranges, worst=np.prod, likely=_independent, row=lambda rows: np.argmax(rows[:, 1] / rows[:, 0])):
    rows = np.asarray(ranges, dtype=float)
    ratios = _ratios(rows)
    return [float(worst(ratios)), float(likely(ratios)), float(row(rows))]


def _case(rows):
    return {"ranges": np.array(rows, dtype=float)}


def _factors(generator, count):
    """Ranges of so many factors, of sizes that have nothing to do with how well each is known."""
    low = 10 ** generator.uniform(-0.8, 3, count)
    ratio = generator.uniform(1.1, 2.2, count)
    rows = np.column_stack([low, low * ratio])
    return _case([[float(f"{end:.3g}") for end in row] for row in rows])


def _clear(case):
    """Whether the widest factor is neither the widest in units nor the first, and clearly the widest."""
    rows = case["ranges"]
    ratios = np.sort(_ratios(rows))
    first, widest = int(np.argmax(_ratios(rows))), int(np.argmax(rows[:, 1] - rows[:, 0]))
    return ratios[-1] > 1.05 * ratios[-2] and first != widest and first > 0


def _products(generator):
    # A factor of 2 and one of 1.5 that is larger in its own unit. A student sees this one.
    hand = _case([[400.0, 600.0], [0.2, 0.4]])
    return [hand, *(draw_until(_clear, lambda count=count: _factors(generator, count)) for count in (3, 4, 5, 7))]


def _known(generator):
    case = draw_until(_clear, lambda: _factors(generator, 4))
    rows = case["ranges"].copy()
    rows[0] = [1.2, 1.2]
    return [_case(rows), _case([[300.0, 300.0], [1.05, 1.4]])]


def _like(**rules):
    return lambda ranges: _doubt(ranges, **rules)


DOUBT = Exercise(
    id="lab.economics.doubt",
    title="How sure is the product?",
    signature="doubt(ranges)",
    unit="",
    graded=True,
    points=4,
    tolerance=1e-4,
    reference=doubt,
    groups=(
        Group("products", 0.8, _products),
        Group("known factors", 0.2, _known, advice="A factor may be known: its two ends are equal, and it adds nothing."),
    ),
    hints=(
        "How many times as large as the lowest product is the highest? Each factor adds its own share to that.",
        "In a product the doubts multiply, so their logarithms add. Where each doubt is a matter of its own they do not all "
        "point the same way: the logarithms add like the sides at a right angle.",
        "One column is enough for all three numbers: the logarithm of high over low of each row. Add it up in two ways, and don't forget that a "
        "logarithm is not yet a factor. Where is it largest?",
    ),
    explanation="Ask for the factor whose ends are farthest apart as a ratio. The width in its own unit says nothing.",
    mistakes=(
        Mistake("ratios added", _like(worst=np.sum), "You added the ratios. In a product they multiply."),
        Mistake("the widest alone", _like(worst=np.max), "Your first number is the ratio of the widest factor alone. All of them multiply."),
        Mistake("worst twice", _like(likely=np.prod), "Your two factors are the same. Independent doubts rarely all point one way: logarithms add as squares."),
        Mistake("the root of the worst", _like(likely=lambda ratios: np.sqrt(np.prod(ratios))), "You took the root of the worst case. Square each logarithm, add, and "
                "take the root of the sum."),
        Mistake("not back", _like(likely=lambda ratios: np.sqrt(np.sum(np.log(ratios) ** 2))), "Your second number is a logarithm still. Take its exponential."),
        Mistake("per cent as squares", _like(likely=lambda ratios: 1 + np.sqrt(np.sum((ratios - 1) ** 2))), "You added the squares of the shares by which the ends differ. "
                "That is right for a few per cent: take logarithms."),
        Mistake("logarithms to ten", _like(likely=lambda ratios: np.exp(np.sqrt(np.sum(np.log10(ratios) ** 2)))), "You took logarithms to ten on the way there and "
                "an exponential to e on the way back."),
        Mistake("widest in units", _like(row=lambda rows: np.argmax(rows[:, 1] - rows[:, 0])), "You took the factor with the largest difference. Watts and tonnes have "
                "no common unit: compare high over low."),
        Mistake("counted from one", _like(row=lambda rows: 1 + np.argmax(rows[:, 1] / rows[:, 0])), "Your rows begin at 1. They are counted from 0, as Python does."),
        Mistake("the best known", _like(row=lambda rows: np.argmin(rows[:, 1] / rows[:, 0])), "You took the factor that is known best. Ask first for the one that is "
                "known worst."),
    ),
)  # fmt: skip
