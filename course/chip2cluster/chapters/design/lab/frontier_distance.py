"""Task on the distance of a design from the Pareto frontier."""

import numpy as np

from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.model import Exercise, Group, Mistake


def how_far(days, dollars, other_days, other_dollars):
    """Largest step by which one of the other designs is better in both at once; 0 if none is."""
    return max(0.0, _steps(days, dollars, other_days, other_dollars))


def _steps(days, dollars, other_days, other_dollars, both=np.minimum, over=np.max):
    return float(over(both(days / np.asarray(other_days), dollars / np.asarray(other_dollars)))) - 1


def _table(generator, count, beaten):
    """Draw designs along a curve, some off it, and one more that one of them beats, or none."""
    product = float(generator.uniform(150, 500))
    days = np.sort(generator.uniform(12, 60, count))
    dollars = product / days * generator.uniform(1, 1.25, count)
    mine = float(generator.uniform(days[1], days[-2]))
    best = (product / days).min() / dollars.min()
    factor = float(generator.uniform(1.6, 2.4)) if beaten else 0.8 * best
    order = generator.permutation(count)
    return {
        "days": round(mine, 1), "dollars": 1e4 * round(100 * factor * product / mine),
        "other_days": days[order].round(1), "other_dollars": 1e4 * (100 * dollars[order]).round(),
    }  # fmt: skip


def _beaten(generator):
    # The first case is visible to students and easy to compute by hand.
    easy = {
        "days": 30.0,
        "dollars": 12e6,
        "other_days": np.array([10.0, 20.0, 40.0]),
        "other_dollars": np.array([15e6, 10e6, 4e6]),
    }
    return [easy, *(_table(generator, count, beaten=True) for count in (5, 6, 8))]


def _not_beaten(generator):
    twin = _table(generator, 4, beaten=False)
    twin["days"], twin["dollars"] = (
        float(twin["other_days"].min()),
        float(twin["other_dollars"][twin["other_days"].argmin()]),
    )
    return [twin, *(_table(generator, count, beaten=False) for count in (4, 7))]


def _changed(**changes):
    return lambda **given: max(0.0, _steps(**given, **changes))


def _worst_days(numbers):
    return lambda days, dollars, other_days, other_dollars: max(
        0.0, numbers(days / other_days, dollars / other_dollars)
    )


def _days_of_better(days, dollars, other_days, other_dollars):
    """Largest step in days alone, among designs that are better in both."""
    better = (other_days < days) & (other_dollars < dollars)
    return float(np.max(days / other_days - 1, initial=0.0, where=better))


HOW_FAR = Exercise(
    id="lab.design.how_far",
    title="How far from the frontier",
    signature="how_far(days, dollars, other_days, other_dollars)",
    unit="",
    graded=True,
    points=4,
    reference=how_far,
    groups=(
        Group("beaten designs", 0.75, _beaten),
        Group(
            "designs that nobody beats", 0.25, _not_beaten, v.VALUE,
            advice="If no other design is better in both, the step is 0. It is never negative.",
        ),
    ),
    hints=(
        "Compare the design with each of the others. By what factor is that one faster, and by what factor cheaper?",
        "It is better in both at once only by the smaller of the two factors.",
        "Take the largest of these over all the others, subtract 1, and return 0 if the result is negative.",
    ),
    explanation="You need not find the frontier first, because a design that is itself beaten never beats yours by more than the design that beats it.",
    mistakes=(
        Mistake("better in either", _changed(both=np.maximum), "You took the larger of the two factors. Another design beats this one in both only by the smaller."),
        Mistake("days alone", _changed(both=lambda days, dollars: days), "You compared the days alone: the fastest design would beat all others."),
        Mistake("dollars alone", _changed(both=lambda days, dollars: dollars), "You compared the dollars alone: the cheapest design would beat all others."),
        Mistake("days of the better ones", _days_of_better, "You selected the designs that are better in both, and then compared only their days. A design beats this one in both only by the smaller of its two factors."),
        Mistake("the mean of both", _changed(both=lambda days, dollars: (days + dollars) / 2), "You took the mean of the two factors. A slower design does not beat this one in both, however cheap it is."),
        Mistake("the product", _changed(both=lambda days, dollars: np.sqrt(days * dollars)), "You multiplied the two factors. A slower design does not beat this one in both, however cheap it is."),
        Mistake("the one that beats it least", _changed(over=np.min), "You took the smallest step. The design that beats it most decides."),
        Mistake("the mean of all", _changed(over=np.mean), "You took the mean over the others. The one that beats it most decides."),
        Mistake("the factor", lambda **given: how_far(**given) + 1, "You returned the factor. The step is the factor minus 1."),
        Mistake("percent", lambda **given: 100 * how_far(**given), "You returned percent. Return the step itself.", v.FACTOR),
        Mistake("of its own days", _worst_days(lambda days, dollars: 1 - 1 / np.max(np.minimum(days, dollars))), "You divided by this design's numbers. The step is the difference divided by the number of the other design."),
        Mistake("below zero", lambda **given: _steps(**given), "If no other design is better in both, your step is negative. It must be 0.", share=0.75),
    ),
)  # fmt: skip
