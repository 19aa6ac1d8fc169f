"""Task on the growth per year between two chip generations."""

import math

from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.model import Exercise, Group, Mistake

from ..mutants import MUTANTS


def yearly_growth(first_year, first_value, last_year, last_value):
    """Factor a year that leads from the first value to the last."""
    return (last_value / first_value) ** (1 / (last_year - first_year))


def _pairs(generator):
    # A case that can be done in the head comes first: it is the one that a student sees.
    easy = {"first_year": 2020, "first_value": 100.0, "last_year": 2022, "last_value": 400.0}
    rows = []
    for gap, ratio, value in zip((7, 3, 5, 4), generator.uniform(2, 30, 4), generator.uniform(10, 900, 4), strict=True):
        year = int(generator.integers(2010, 2020))
        rows.append((year, float(value), year + gap, float(value * ratio)))
    return [easy, *(dict(zip(easy, row, strict=True)) for row in rows)]


def _shrinking(generator):
    return [
        {"first_year": 2024, "first_value": 40e12, "last_year": 2025, "last_value": 1.25e12},
        {"first_year": 2022, "first_value": 989.4, "last_year": 2024, "last_value": 989.4},
    ]


def _wrong(formula):
    return lambda first_year, first_value, last_year, last_value: formula(
        last_value / first_value, last_year - first_year
    )


GROWTH = Exercise(
    id="lab.accelerators.yearly_growth",
    title="Growth per year",
    signature="yearly_growth(first_year, first_value, last_year, last_value)",
    unit="times a year",
    graded=True,
    points=3,
    reference=yearly_growth,
    groups=(
        Group("pairs", 0.85, _pairs),
        Group("edges", 0.15, _shrinking, advice="A value may stay the same (factor 1) or fall (factor below 1)."),
    ),
    hints=(
        "From 100 to 400 in two years: which factor, applied twice, gives that growth?",
        "The factor to the power of the number of years is the whole ratio.",
        "So undo the power: take that root of last over first. A root is a power with a fractional exponent.",
    ),
    explanation=(
        "From V100 to B200 the fp16 peak grew 1.51 times a year and the memory bandwidth 1.37 times. Because of this gap the "
        "ridge grows too: each generation needs more arithmetic per byte."
    ),
    mistakes=(
        Mistake(
            "whole ratio", _wrong(lambda ratio, years: ratio), "That is the growth over all years. Take the root of it."
        ),
        Mistake(
            "ratio over years",
            _wrong(lambda ratio, years: ratio / years),
            "You divided the ratio by the years. Growth multiplies from year to year, so take the root.",
        ),
        Mistake(
            "mean increase",
            _wrong(lambda ratio, years: (ratio - 1) / years),
            "You spread the increase evenly. The same factor every year is a root.",
        ),
        Mistake(
            "one plus mean increase",
            _wrong(lambda ratio, years: 1 + (ratio - 1) / years),
            "You spread the increase evenly. The same factor every year is a root.",
        ),
        Mistake(
            "difference over years",
            lambda first_year, first_value, last_year, last_value: (
                (last_value - first_value) / (last_year - first_year)
            ),
            "That is the amount added each year. Return a factor: the root of last over first.",
        ),
        Mistake(
            "increase",
            _wrong(lambda ratio, years: ratio ** (1 / years) - 1),
            "That is the increase, such as 0.5 for half as much again. The factor is 1 more.",
        ),
        Mistake(
            "percentage",
            _wrong(lambda ratio, years: 100 * (ratio ** (1 / years) - 1)),
            "That is the increase in percent. Return the factor, such as 1.5.",
            v.UNIT,
        ),
        Mistake(
            "logarithm",
            _wrong(lambda ratio, years: math.log(ratio) / years),
            "That is the logarithm of the factor. Take math.exp of it.",
        ),
        Mistake(
            "doublings",
            _wrong(lambda ratio, years: math.log2(ratio) / years),
            "Those are doublings a year. The factor is 2 to that power.",
        ),
        Mistake(
            "years counted at both ends",
            _wrong(lambda ratio, years: ratio ** (1 / (years + 1))),
            "From 2020 to 2022 it is two years, not three.",
        ),
        Mistake(
            "upside down",
            _wrong(lambda ratio, years: ratio ** (-1 / years)),
            "Your fraction is upside down: use last over first.",
        ),
    ),
    mutants=MUTANTS["lab.accelerators.yearly_growth"],
)
