"""Which remedy of a post-mortem to buy, if any."""

import numpy as np

from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.input_generators import draw_until
from chip2cluster.exercise.model import Exercise, Group, Mistake


def remedy(hours, dollars_per_hour, weeks, remedies):
    """Row of the remedy that saves most after its price; -1 if none saves anything."""
    return _best(_net(hours, dollars_per_hour, weeks, remedies))


def _best(net):
    return int(np.argmax(net)) if np.max(net) > 0 else -1


def _saved(hours, dollars_per_hour, weeks, remedies):
    rows = np.asarray(remedies, dtype=float)
    return np.asarray(hours, dtype=float)[rows[:, 0].astype(int)] * rows[:, 1] * dollars_per_hour * weeks


def _price(remedies):
    return np.asarray(remedies, dtype=float)[:, 2]


def _net(hours, dollars_per_hour, weeks, remedies):
    return _saved(hours, dollars_per_hour, weeks, remedies) - _price(remedies)


def _case(hours, dollars, weeks, remedies):
    return {
        "hours": np.array(hours, dtype=float),
        "dollars_per_hour": float(dollars),
        "weeks": int(weeks),
        "remedies": np.array(remedies, dtype=float),
    }


def _drawn(generator):
    hours = np.round(generator.uniform(0.5, 20, 5), 1)
    dollars, weeks = round(float(generator.uniform(5e3, 2e4)), -2), int(generator.integers(3, 12))
    causes = generator.permutation(5)[:3].tolist()
    causes.append(causes[0])  # two remedies for one cause
    rows = []
    for cause in causes:
        share = round(float(generator.uniform(0.2, 1)), 2)
        price = hours[cause] * share * dollars * weeks * float(generator.uniform(0.3, 1.4))
        rows.append([cause, share, round(price, -3)])
    return _case(hours, dollars, weeks, rows)


def _clear(inputs, bought=True):
    """Whether the best remedy is ahead of all others and of buying nothing."""
    net = np.sort([*_net(**inputs), 0.0])
    return net[-1] > net[-2] + 2e4 and (_best(_net(**inputs)) >= 0) == bought


def _against(generator, rule):
    """Case in which this wrong rule names another remedy."""
    return draw_until(lambda one: _clear(one) and rule(**one) != remedy(**one), lambda: _drawn(generator))


def _costs(generator):
    # The largest cause has no remedy that pays; a small one is cheap to remove. A student sees this one.
    first = _case(
        [1, 20, 6, 2, 3], 10_000, 4, [[1, 0.5, 500_000], [2, 0.5, 60_000], [4, 0.9, 200_000], [1, 0.1, 50_000]]
    )
    return [first, *(_against(generator, rule) for rule in (_gross, _cheapest, _ratio, _largest, _first_week))]


def _edges(generator):
    def expensive():
        one = _drawn(generator)
        one["remedies"][:, 2] = np.round(_saved(**one) * 1.5 + 1e5, -3)
        return one

    return [draw_until(lambda one: _clear(one, bought=False), expensive) for _ in range(2)]


def _gross(**one):
    return int(np.argmax(_saved(**one)))


def _cheapest(hours, dollars_per_hour, weeks, remedies):
    return int(np.argmin(_price(remedies)))


def _ratio(**one):
    return int(np.argmax(_saved(**one) / _price(one["remedies"])))


def _largest(hours, dollars_per_hour, weeks, remedies):
    """Best remedy for the cause with most hours."""
    rows = np.asarray(remedies)
    among = rows[:, 0] == np.argmax(hours)
    net = np.where(among, _net(hours, dollars_per_hour, weeks, remedies), -np.inf)
    return int(np.argmax(net)) if among.any() else -1


def _first_of_largest(hours, dollars_per_hour, weeks, remedies):
    """First remedy whose cause has the most hours of all causes that have one."""
    return int(np.argmax(np.asarray(hours)[np.asarray(remedies)[:, 0].astype(int)]))


def _first_week(hours, dollars_per_hour, weeks, remedies):
    return _best(_net(hours, dollars_per_hour, 1, remedies))


def _all_hours(hours, dollars_per_hour, weeks, remedies):
    rows = np.asarray(remedies, dtype=float).copy()
    rows[:, 1] = 1.0
    return _best(_net(hours, dollars_per_hour, weeks, rows))


REMEDY = Exercise(
    id="design.remedy",
    title="Which remedy do you buy?",
    signature="remedy(hours, dollars_per_hour, weeks, remedies)",
    unit="",
    points=3,
    reference=remedy,
    shows=(remedy, _net),
    groups=(
        Group("costs", 0.8, _costs, v.VALUE),
        Group("nothing pays", 0.2, _edges, v.VALUE, advice="If every remedy costs more than it saves, buy none: -1."),
    ),
    hints=(
        "For each row: how many hours does it avoid in the weeks that are left, and what are they worth?",
        "A remedy avoids a fraction of the hours of *its* cause. Subtract its price; buying nothing saves 0.",
        "net = hours[cause] · fraction · dollars_per_hour · weeks − price, with int(cause); the row with the largest net, or -1 if that is not above 0.",
    ),
    solution="""
def remedy(hours, dollars_per_hour, weeks, remedies):
    net = [
        hours[int(cause)] * fraction * dollars_per_hour * weeks - price
        for cause, fraction, price in remedies
    ]
    best = max(range(len(net)), key=net.__getitem__)
    return best if net[best] > 0 else -1
""",
    explanation=(
        "A post-mortem ends with a purchase, or with the decision against one. The largest cause is not always the one to remove, "
        "because its remedy may cost more than the hours; and in the last weeks of a run hardly any remedy pays."
    ),
    meaning=lambda: (
        "In the chapter's bad week eight more spare nodes were the remedy: 3.5 million dollars of machine, and the run's bill fell by "
        "0.9 million, because the nodes outlive the run."
    ),
    mistakes=(
        Mistake("the price forgotten", _gross, "You left out the prices. Subtract what the remedy costs from what it saves, and compare with buying nothing."),
        Mistake("the cheapest", _cheapest, "You took the lowest price. The remedy is worth what it saves after its price."),
        Mistake("the best ratio", _ratio, "You divided by the price. A small remedy can have the best ratio and save little: compare the difference."),
        Mistake("the largest cause", _largest, "You looked only at the cause with most hours. Its remedy may cost more than it saves."),
        Mistake("a remedy for the largest cause", _first_of_largest, "You took a remedy for the cause with most hours, whatever it costs. Compare what each saves after its price."),
        Mistake("one week", _first_week, "You counted one week. The remedy works in all the weeks that are left."),
        Mistake("all hours of a cause", _all_hours, "Your remedy removes its cause altogether. It avoids only the given fraction of the hours."),
        Mistake("counted from one", lambda **one: remedy(**one) + 1 if remedy(**one) >= 0 else -1, "You counted the rows from 1. The first row is number 0."),
        Mistake("must buy", lambda **one: int(np.argmax(_net(**one))), "You always buy. If every remedy costs more than it saves, return -1.", share=0.8),
    ),
)  # fmt: skip
