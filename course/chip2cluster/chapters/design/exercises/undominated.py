"""Which designs nobody beats."""

import numpy as np

from chip2cluster import capstone
from chip2cluster.exercise.input_generators import draw_until
from chip2cluster.exercise.model import Exercise, Group, Mistake

from ..mutants import MUTANTS


def undominated(days, dollars):
    """1 for each design that no other beats: as good in both, and better in one."""
    return _kept(days, dollars, lambda a, b, c, d: a <= c and b <= d and (a < c or b < d))


def _kept(days, dollars, beats):
    pairs = list(zip(days, dollars, strict=True))
    return np.array([int(not any(beats(*other, *one) for other in pairs)) for one in pairs])


def _case(pairs):
    return {"days": [float(one) for one, _ in pairs], "dollars": [float(one) for _, one in pairs]}


def _draw(generator, count):
    """Designs along a falling curve, some above it, one that ties in days and one that stands twice."""

    def once():
        days = np.round(np.sort(generator.uniform(30, 120, count)), 1)
        money = np.round(600 / days**0.6 * (1 + np.abs(generator.normal(0, 0.15, count))), 1)
        pairs = list(zip(days.tolist(), money.tolist(), strict=True))
        pairs.append((pairs[1][0], round(pairs[1][1] * 1.1, 1)))
        pairs.append(pairs[0])
        return _case([pairs[place] for place in generator.permutation(len(pairs))])

    return draw_until(lambda one: 3 <= sum(undominated(**one)) <= count - 3, once)


def _many(generator):
    # The third is dearer than the first and no faster. A student sees this one.
    return [
        _case([(50, 20), (80, 17), (50, 21), (90, 18), (60, 18)]),
        *(_draw(generator, size) for size in (8, 10, 14, 20)),
    ]


def _edges(generator):
    price = float(generator.integers(10, 30))
    return [_case([(60, price)]), _case([(60, price), (60, price)]), _case([(40, price), (70, price), (90, price - 1)])]


def _low(values):
    return np.array(values) <= np.mean(values)


UNDOMINATED = Exercise(
    id="design.undominated",
    title="Who stands on the frontier?",
    signature="undominated(days, dollars)",
    unit="",
    points=3,
    reference=undominated,
    shows=(undominated, capstone.frontier),
    groups=(
        Group("designs", 0.8, _many),
        Group("edges", 0.2, _edges, advice="Two designs that are equal in both do not beat each other; one that ties in days and is cheaper beats."),
    ),
    hints=(
        "What must another design have so that you would never take this one, whatever a day is worth to you?",
        "It must be as good in both, and better in at least one. Ask each design whether any other is like that.",
        "a beats b if days_a <= days_b and dollars_a <= dollars_b and (days_a < days_b or dollars_a < dollars_b).",
    ),
    solution="""
def undominated(days, dollars):
    designs = list(zip(days, dollars))
    found = []
    for d, m in designs:
        beaten = any(a <= d and b <= m and (a < d or b < m) for a, b in designs)
        found.append(0 if beaten else 1)
    return found
""",
    explanation=(
        "A design off the frontier can be struck out without asking anybody what a day is worth. On it nothing can: there the choice is one of taste, "
        "or of what waiting costs."
    ),
    meaning=lambda: (
        f"Of the five designs of the first case {int(sum(undominated(days=[50, 80, 50, 90, 60], dollars=[20, 17, 21, 18, 18])))} are left; of the thousands "
        "that the page searches, a handful. Most decisions are no matter of taste."
    ),
    mutants=MUTANTS["design.undominated"],
    mistakes=(
        Mistake("better in both", lambda days, dollars: _kept(days, dollars, lambda a, b, c, d: a < c and b < d), "You strike out only what is beaten in both. As good in one and better in the other is enough."),
        Mistake("ties beat", lambda days, dollars: _kept(list(enumerate(days)), dollars, lambda a, b, c, d: a[0] != c[0] and a[1] <= c[1] and b <= d), "You let equals beat each other. Then neither of two equal designs is left, though nothing beats them."),
        Mistake("the two ends", lambda days, dollars: np.array([int(d == min(days) or m == min(dollars)) for d, m in zip(days, dollars, strict=True)]), "You kept the fastest and the cheapest. What lies between may be beaten by neither."),
        Mistake("better in one", lambda days, dollars: _kept(days, dollars, lambda a, b, c, d: a < c or b < d), "You strike out every design. To beat another, a design must be as good in both *and* better in at least one: as good in both alone, and each beats itself; better in one alone, and something always is."),
        Mistake("below the mean", lambda days, dollars: (_low(days) & _low(dollars)).astype(int), "You kept what is below the mean in both. The fastest may be dear, and is beaten by nobody."),
        Mistake("the product", lambda days, dollars: (np.array(days) * np.array(dollars) <= np.min(np.array(days) * np.array(dollars))).astype(int), "You took days times dollars, as if you knew what a day is worth."),
        Mistake("turned round", lambda days, dollars: 1 - undominated(days, dollars), "You marked those that are beaten. Mark the others."),
    ),
)  # fmt: skip
