"""Exercise on the Pareto frontier of designs by days and dollars."""

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
    """Draw designs along a falling curve, some above it, one that ties in days and one duplicate."""

    def once():
        days = np.round(np.sort(generator.uniform(30, 120, count)), 1)
        money = np.round(600 / days**0.6 * (1 + np.abs(generator.normal(0, 0.15, count))), 1)
        pairs = list(zip(days.tolist(), money.tolist(), strict=True))
        pairs.append((pairs[1][0], round(pairs[1][1] * 1.1, 1)))
        pairs.append(pairs[0])
        return _case([pairs[place] for place in generator.permutation(len(pairs))])

    return draw_until(lambda one: 3 <= sum(undominated(**one)) <= count - 3, once)


def _many(generator):
    # The third is more expensive than the first and no faster. A student sees this one.
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
        Group("edges", 0.2, _edges, advice="Two designs that are equal in both do not beat each other; a design that ties in days and is cheaper beats the other."),
    ),
    hints=(
        "Which property of another design would make you reject this one, whatever a day is worth to you?",
        "The other is as good in both and better in at least one. For each design, check whether any other has that property.",
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
        "You can reject a design off the frontier without knowing what a day is worth. Among the designs on it you cannot: that choice depends on "
        "what waiting costs."
    ),
    meaning=lambda: (
        f"Of the five designs of the first case {int(sum(undominated(days=[50, 80, 50, 90, 60], dollars=[20, 17, 21, 18, 18])))} are left, and of the thousands "
        "that the chapter searches, a handful. So you can reject most designs without a debate about what a day is worth."
    ),
    mutants=MUTANTS["design.undominated"],
    mistakes=(
        Mistake("better in both", lambda days, dollars: _kept(days, dollars, lambda a, b, c, d: a < c and b < d), "You reject only designs that are beaten in both. To be as good in one and better in the other is enough."),
        Mistake("ties beat", lambda days, dollars: _kept(list(enumerate(days)), dollars, lambda a, b, c, d: a[0] != c[0] and a[1] <= c[1] and b <= d), "You let equal designs beat each other. Then neither of the two is left, although nothing beats them."),
        Mistake("the two ends", lambda days, dollars: np.array([int(d == min(days) or m == min(dollars)) for d, m in zip(days, dollars, strict=True)]), "You kept only the fastest and the cheapest. A design between them may be beaten by neither."),
        Mistake("better in one", lambda days, dollars: _kept(days, dollars, lambda a, b, c, d: a < c or b < d), "You reject every design. To beat another, a design must be as good in both *and* better in at least one. With the first condition alone every design beats itself; with the second alone nearly every design is beaten."),
        Mistake("below the mean", lambda days, dollars: (_low(days) & _low(dollars)).astype(int), "You kept the designs below the mean in both. The fastest may be expensive, and still no design beats it."),
        Mistake("the product", lambda days, dollars: (np.array(days) * np.array(dollars) <= np.min(np.array(days) * np.array(dollars))).astype(int), "You minimized days times dollars, as if you knew what a day is worth."),
        Mistake("turned round", lambda days, dollars: 1 - undominated(days, dollars), "You marked the designs that are beaten. Mark the others."),
    ),
)  # fmt: skip
