"""Exercise on the value of information: what a measurement saves before a decision."""

import numpy as np

from chip2cluster.exercise.input_generators import draw_until
from chip2cluster.exercise.model import Exercise, Group, Mistake


def worth(dollars, chances):
    """Expected dollars saved by knowing the world: cost of the best fixed choice, minus the mean of the best per world."""
    table, weights = np.array(dollars, dtype=float), np.array(chances, dtype=float)
    return float((table @ weights).min() - table.min(axis=0) @ weights)


def _case(dollars, chances):
    return {"dollars": np.array(dollars, dtype=float), "chances": np.array(chances, dtype=float)}


def _chances(generator, count):
    cuts = np.sort(generator.choice(np.arange(1, 20), count - 1, replace=False)) / 20
    return np.round(np.diff(np.concatenate([[0], cuts, [1]])), 2)


def _draw(generator, designs, worlds):
    def once():
        table = np.round(generator.uniform(12e6, 40e6, (designs, worlds)), -4)
        return _case(table, _chances(generator, worlds))

    # The best choice changes with the world, and is not the one with the best worst case or the best best case.
    return draw_until(_tells, once)


def _tells(inputs):
    table, weights = inputs["dollars"], inputs["chances"]
    mean = table @ weights
    return (
        len(set(table.argmin(axis=0).tolist())) > 1
        and worth(**inputs) > 3e5
        and mean.argmin() not in (table.max(axis=1).argmin(), table.min(axis=1).argmin(), table.mean(axis=1).argmin())
    )


def _choices(generator):
    # A sure 20 million, or 14 or 30 at even odds: 20 without knowing, 17 with. A student sees this one.
    first = _case([[20e6, 20e6], [14e6, 30e6]], [0.5, 0.5])
    return [first, *(_draw(generator, designs, worlds) for designs, worlds in ((3, 2), (3, 3), (4, 3), (5, 4)))]


def _edges(generator):
    low = float(generator.integers(12, 20)) * 1e6
    return [_case([[low, low + 2e6], [low + 1e6, low + 4e6]], [0.25, 0.75]), _case([[low, 2 * low]], [0.5, 0.5])]


def _like(rule):
    return lambda dollars, chances: float(rule(np.array(dollars, dtype=float), np.array(chances, dtype=float)))


def _of_best(table, weights):
    return table[(table @ weights).argmin()]


WORTH = Exercise(
    id="design.worth",
    title="What is a measurement worth?",
    signature="worth(dollars, chances)",
    unit="$",
    points=4,
    reference=worth,
    shows=(worth,),
    groups=(
        Group("choices", 0.8, _choices),
        Group("edges", 0.2, _edges, advice="Where one design is best in every world, the measurement changes no decision and is worth nothing."),
    ),
    hints=(
        "Without the measurement you must choose one design for all worlds. Which one, and what does it cost on average?",
        "With it you choose again in each world. What does that cost on average, with the same probabilities?",
        "The smallest weighted sum of a row, minus the weighted sum of the smallest number of each column.",
    ),
    solution="""
def worth(dollars, chances):
    blind = min(sum(c * p for c, p in zip(row, chances)) for row in dollars)
    seeing = sum(p * min(column) for p, column in zip(chances, zip(*dollars)))
    return blind - seeing
""",
    explanation=(
        "A number is worth measuring if it changes your decision. If one design is best in every world, you need not measure, however uncertain the number is. "
        "The result bounds the worth of any real measurement, because a real one leaves some doubt. Textbooks call it the expected value of perfect information (EVPI)."
    ),
    meaning=lambda: (
        f"In the first case it is {worth([[20e6, 20e6], [14e6, 30e6]], [0.5, 0.5]) / 1e6:.0f} million dollars. Renting a node for a week, which would settle the question, costs "
        "thousands. Nobody should choose a design of this size without that week."
    ),
    mistakes=(
        Mistake("the width", _like(lambda t, p: np.ptp(_of_best(t, p))), "You returned the range of the best design's cost. What counts is which other decision you would take if you knew."),
        Mistake("from the best world", _like(lambda t, p: (t @ p).min() - t.min()), "You compared with the best of all worlds. The measurement tells you in which world you are; it does not choose it."),
        Mistake("from the worst", _like(lambda t, p: t.max(axis=1).min() - t.min(axis=0) @ p), "Without knowing you took the design with the best worst case. Take the one that is cheapest on average."),
        Mistake("the likeliest world", _like(lambda t, p: (t @ p)[t[:, p.argmax()].argmin()] - t.min(axis=0) @ p), "Without knowing you chose as if the likeliest world were sure. Take the design that is cheapest on average over all of them."),
        Mistake("all worlds alike", _like(lambda t, p: t.mean(axis=1).min() - t.min(axis=0).mean()), "You treated all worlds as equally likely. Weight them by their probabilities."),
        Mistake("cost with knowing", _like(lambda t, p: t.min(axis=0) @ p), "You returned the cost with the measurement. Its worth is what it saves."),
        Mistake("cost without knowing", _like(lambda t, p: (t @ p).min()), "You returned the cost without the measurement. Its worth is what it saves."),
        Mistake("turned round", _like(lambda t, p: t.min(axis=0) @ p - (t @ p).min()), "Your sign is wrong: the measurement saves money, so its worth is positive."),
        Mistake("the best in each world, added", _like(lambda t, p: (t @ p).min() - t.min(axis=0).sum()), "You added the best costs of all worlds. Only one world comes true: weight them by their probabilities."),
        Mistake("against the second", _like(lambda t, p: np.sort(t @ p)[min(1, len(t) - 1)] - (t @ p).min()), "You compared the two designs that are best on average. The measurement is worth what it saves against the best one."),
    ),
)  # fmt: skip
