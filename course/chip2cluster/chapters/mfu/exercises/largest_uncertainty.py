"""Exercise on the measurement that narrows a forecast most."""

import numpy as np

from chip2cluster import utilization
from chip2cluster.exercise.model import Exercise, Group, Mistake

from ..mutants import MUTANTS

NAMES = ("mfu", "peak", "price", "tokens", "share of time lost", "power", "PUE")


def measure_first(names, low, high):
    """Names of the factors, the one that leaves most open first."""
    shares = utilization.interval_shares(low, high, np.ones(len(names)))
    return [names[place] for place in np.argsort(-shares, kind="stable")]


def _case(generator, count):
    """Factors on very different scales, no two with nearly the same ratio."""
    names = [str(name) for name in generator.permutation(NAMES)[:count]]
    ratios = generator.permutation(1.15 * 1.3 ** np.arange(count)) * generator.uniform(0.97, 1.03, count)
    low = 10.0 ** generator.uniform(-1, 3, count)
    return _inputs(names, low, low * ratios)


def _inputs(names, low, high):
    return {
        "names": names,
        "low": np.array([float(f"{x:.4g}") for x in low]),
        "high": np.array([float(f"{x:.4g}") for x in high]),
    }


def _cases(generator):
    # A case that can be done in the head comes first: it is the one that a student sees.
    easy = _inputs(["peak", "mfu", "price"], [900.0, 0.2, 2.0], [1000.0, 0.5, 3.0])
    return [easy, *(_case(generator, count) for count in (3, 4, 5, 6))]


def _ranked(key):
    def wrong(names, low, high):
        return [names[place] for place in np.argsort(-key(low, high), kind="stable")]

    return wrong


MEASURE_FIRST = Exercise(
    id="mfu.measure_first",
    title="What would you measure first?",
    signature="measure_first(names, low, high)",
    unit="",
    points=2,
    reference=measure_first,
    shows=(measure_first, utilization.interval_shares),
    groups=(Group("forecasts", 1.0, _cases),),
    hints=(
        "By which factor does the interval shrink if you know one input exactly?",
        "In a product the ratio high / low counts, not the difference.",
        "Sort the names by high / low, the largest first: sorted(..., reverse=True).",
    ),
    solution="""
def measure_first(names, low, high):
    ratio = {name: h / l for name, l, h in zip(names, low, high)}
    return sorted(names, key=ratio.get, reverse=True)
""",
    explanation=(
        "In a product every input counts by its ratio, whatever its unit and on either side of the fraction. For "
        "most training runs the price is the least certain, and you only have to ask for it; the utilization comes next, and an hour on one "
        "node measures it."
    ),
    meaning=lambda: (
        "Between 35 and 45 % of utilization and between 2 and 3.50 dollars an hour the price causes "
        f"{100 * utilization.interval_shares((0.35, 2.0), (0.45, 3.5), (1, 1))[1]:.0f} % of the uncertainty: an offer in writing narrows the bill more than a "
        "benchmark."
    ),
    mistakes=(
        Mistake(
            "by difference",
            _ranked(lambda low, high: high - low),
            "You sorted by the difference, which depends on the unit: 900 to 1,000 leaves less open than 0.2 to 0.5. Take the ratio.",
        ),
        Mistake(
            "the best known first",
            _ranked(lambda low, high: low / high),
            "You put the best known factor first. The least certain one comes first.",
        ),
        Mistake(
            "as given", lambda names, low, high: list(names), "You returned the names in their given order. Sort them."
        ),
        Mistake(
            "by size",
            _ranked(lambda low, high: high),
            "You sorted by the size of the number, which depends on the unit.",
        ),
        Mistake(
            "the first alone",
            lambda **run: measure_first(**run)[:1],
            "That is the right one to measure first. Return all the names, in order.",
        ),
        Mistake(
            "the first alone, not in a list",
            lambda **run: measure_first(**run)[0],
            "That is the right one to measure first. Return all the names in a list, in order.",
        ),
        Mistake(
            "by the alphabet", lambda names, low, high: sorted(names), "That is alphabetical order. Sort by high / low."
        ),
    ),
    mutants=MUTANTS["mfu.measure_first"],
)
