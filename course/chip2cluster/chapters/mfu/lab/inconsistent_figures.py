"""Task on which printed figures don't follow from their inputs."""

import numpy as np

from chip2cluster.exercise.model import Exercise, Group, Mistake

from ..mutants import MUTANTS


def suspects(names, printed, computed, digits):
    """Names of the runs whose printed figure is more than half a unit of a decimal from the computed one."""
    slack = 0.5 * 10.0**-digits
    return [name for name, p, c in zip(names, printed, computed, strict=True) if abs(p - c) > slack]


RUNS = ("Alder", "Birch", "Cedar", "Elm", "Fir", "Hazel", "Larch", "Maple", "Oak", "Pine")


def _table(generator, digits, offs, highest=62):
    """Offsets in units of the last printed digit, none of them on the border."""
    names = [str(name) for name in generator.permutation(RUNS)[: len(offs)]]
    unit = 10.0**-digits
    printed = np.round(generator.uniform(25, highest, len(offs)), digits)
    return {"names": names, "printed": printed, "computed": printed - np.array(offs) * unit, "digits": digits}


def _tables(generator):
    # A case that can be done in the head comes first: it is the one that a student sees.
    easy = {
        "names": ["Alder", "Birch", "Cedar"],
        "printed": np.array([40.0, 50.0, 60.0]),
        "computed": np.array([40.2, 51.4, 58.0]),
        "digits": 0,
    }
    return [
        easy,
        _table(generator, 1, (0.2, -0.3, 40.0, -0.45, -90.0)),
        _table(generator, 0, (0.45, -8.0, 0.1, 5.0, -0.2, 0.3), highest=40),
        _table(generator, 2, (-0.4, 0.1, 700.0, -300.0, 0.2)),
        _table(generator, 1, (-70.0, 0.3, 0.1, 3.0)),
    ]


def _close(generator):
    return [
        _table(generator, 1, (0.4, 0.7, -0.4, -0.8, 0.2)),
        _table(generator, 0, (-0.6, 0.45, 0.9, -0.3)),
        _table(generator, 2, (0.1, -0.2, 0.3)),
        # More digits are printed than are to be trusted: 42.57 and 42.54 are near, and round to different tenths.
        {
            "names": ["Maple", "Oak", "Pine"],
            "printed": np.array([42.57, 38.41, 51.06]),
            "computed": np.array([42.54, 38.38, 51.14]),
            "digits": 1,
        },
    ]


def _picked(test):
    def wrong(names, printed, computed, digits):
        return [name for name, p, c in zip(names, printed, computed, strict=True) if test(p, c, 10.0**-digits)]

    return wrong


SUSPECTS = Exercise(
    id="lab.mfu.suspects",
    title="Which rows don't follow?",
    signature="suspects(names, printed, computed, digits)",
    unit="",
    graded=True,
    points=4,
    reference=suspects,
    groups=(
        Group("tables", 0.7, _tables),
        Group(
            "close calls",
            0.3,
            _close,
            advice="Half a unit of the last digit is the limit: with one decimal 0.05, with none 0.5. Nothing may be suspect.",
        ),
    ),
    hints=(
        "How far can a rounded number be from the true one? With one decimal, 0.05.",
        "In general half of 10 ** -digits. Compare it with the distance of the two numbers.",
        "Go through the three lists in parallel and keep the name if the two numbers are farther apart than that.",
    ),
    explanation="Rounding explains half a unit. What is further away has another convention, another input, or a misprint.",
    mistakes=(
        Mistake(
            "rounded first",
            lambda names, printed, computed, digits: [
                name
                for name, p, c in zip(names, printed, computed, strict=True)
                if round(p, digits) != round(c, digits)
            ],
            "You rounded both and compared. 42.57 and 42.54 are only 0.03 apart and round to different tenths: take the "
            "difference first.",
            share=0.7,
        ),
        Mistake(
            "one of them rounded",
            lambda names, printed, computed, digits: [
                name for name, p, c in zip(names, printed, computed, strict=True) if round(c, digits) != p
            ],
            "You rounded the computed figure and tested whether it equals the printed one, which may show more digits. "
            "Compare the difference with half a unit.",
            share=0.7,
        ),
        Mistake(
            "the good ones",
            _picked(lambda p, c, unit: abs(p - c) <= 0.5 * unit),
            "You returned the rows that agree. Return the others.",
        ),
        Mistake(
            "only too high",
            _picked(lambda p, c, unit: p - c > 0.5 * unit),
            "You found the figures that are too high. Too low is suspect, too.",
        ),
        Mistake(
            "only too low",
            _picked(lambda p, c, unit: c - p > 0.5 * unit),
            "You found the figures that are too low. Too high is suspect, too.",
        ),
        Mistake(
            "a whole unit",
            _picked(lambda p, c, unit: abs(p - c) > unit),
            "You allow a whole unit of the last digit. Rounding moves a number by half of one at most.",
            share=0.7,
        ),
        Mistake(
            "all that differ",
            _picked(lambda p, c, unit: p != c),
            "You named every row that differs at all. Printed figures are rounded: allow half a unit of the last digit.",
        ),
        Mistake(
            "always one decimal",
            _picked(lambda p, c, unit: abs(p - c) > 0.05),
            "You allow 0.05 for any number of digits. With no decimals it is 0.5, with two 0.005.",
        ),
        Mistake(
            "a percentage of the figure",
            _picked(lambda p, c, unit: abs(p - c) > 0.01 * c),
            "You compare in proportion to the figure. Rounding moves every figure by the same amount: half a unit of the last digit.",
        ),
        Mistake(
            "digits ignored",
            _picked(lambda p, c, unit: abs(p - c) > 0.5),
            "You allow half a point for any number of digits. With one decimal it is 0.05.",
        ),
        Mistake(
            "digits the wrong way",
            _picked(lambda p, c, unit: abs(p - c) > 0.5 / unit),
            "More digits leave less room: half of 10 ** -digits, with the minus.",
        ),
    ),
    mutants=MUTANTS["lab.mfu.suspects"],
)
