"""Task on the efficiencies of prefill and decode from two measurements of a server."""

import numpy as np

from chip2cluster.exercise.model import Exercise, Group, Mistake


def two_shares(arithmetic, reading, measured):
    """Shares of the peak and of the memory's rate with which both times add up to what was measured."""
    return 1 / np.linalg.solve(np.array([arithmetic, reading]).T, measured)


def _rows(generator, reading_first=False, only=False):
    shares = np.array([generator.uniform(0.3, 0.7), generator.uniform(0.75, 0.98)])
    much, little = generator.uniform(0.3, 2.0, 2), generator.uniform(0.02, 0.2, 2)
    arithmetic, reading = np.array([much[0], little[0]]), np.array([little[1], much[1]])
    if only:
        reading[0] = 0.0
    if reading_first:
        arithmetic, reading = arithmetic[::-1], reading[::-1]
    arithmetic, reading = np.round(arithmetic, 4), np.round(reading, 4)
    measured = np.round(arithmetic / shares[0] + reading / shares[1], 4)
    return {"arithmetic": arithmetic, "reading": reading, "measured": measured}


def _pairs(generator):
    # A case that can be done in the head comes first: it is the one that a student sees. Shares of 1/2 and 4/5.
    easy = {
        "arithmetic": np.array([1.0, 0.5]),
        "reading": np.array([0.8, 4.0]),
        "measured": np.array([3.0, 6.0]),
    }
    return [easy, *(_rows(generator, turned) for turned in (True, False, True, False))]


def _only(generator):
    return [_rows(generator, only=True), _rows(generator, reading_first=True, only=True)]


def _own_rows(arithmetic, reading, measured):
    first, second = (int(np.argmax(times / measured)) for times in (arithmetic, reading))
    return np.array([arithmetic[first] / measured[first], reading[second] / measured[second]])


TWO_SHARES = Exercise(
    id="lab.serving.two_shares",
    title="Prefill and decode in turn",
    signature="two_shares(arithmetic, reading, measured)",
    unit="",
    graded=True,
    points=4,
    reference=two_shares,
    groups=(
        Group("pairs of rows", 0.75, _pairs),
        Group(
            "answers of one token",
            0.25,
            _only,
            advice="A row may need no memory time: then it gives the fraction of peak alone.",
        ),
    ),
    hints=(
        "Write the equation for each of the two rows: two equations with two unknowns.",
        "The unknowns are in the denominators. Set x = 1/c and y = 1/m, so arithmetic · x + reading · y = measured is linear.",
        "np.linalg.solve takes a matrix with a row for each equation and a column for each unknown. The fractions are one over x and y.",
    ),
    explanation="A maximum ignores the smaller of the two times. If a server does both in turn, neither is ignored: the times add up.",
    mistakes=(
        Mistake(
            "inverted",
            lambda arithmetic, reading, measured: 1 / two_shares(arithmetic, reading, measured),
            "You returned the factors that multiply both times. A fraction is one over its factor, because the time is divided by the fraction.",
        ),
        Mistake(
            "swapped",
            lambda arithmetic, reading, measured: two_shares(arithmetic, reading, measured)[::-1],
            "The numbers are right, but in the wrong order: the fraction of peak comes first.",
        ),
        Mistake(
            "longer time only",
            _own_rows,
            "You took each fraction from the row in which its time is the longer one, and ignored the other time. Here both times are spent.",
        ),
        Mistake(
            "one fraction for both",
            lambda arithmetic, reading, measured: np.repeat(np.mean((arithmetic + reading) / measured), 2),
            "You found one fraction for both times. Two rows determine two fractions.",
        ),
        Mistake(
            "rows and columns swapped",
            lambda arithmetic, reading, measured: 1 / np.linalg.solve(np.array([arithmetic, reading]), measured),
            "You swapped rows and columns: an equation contains the arithmetic and the reading of one row. Transpose the matrix.",
        ),
        Mistake(
            "percent",
            lambda arithmetic, reading, measured: 100 * two_shares(arithmetic, reading, measured),
            "You returned percentages. Return fractions.",
        ),
    ),
)
