"""What a promised interval is worth, once the runs are known."""

import numpy as np

from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.model import Exercise, Group, Mistake


def interval_score(low, high, days, outside):
    """The interval score: its width, and what runs miss it by, dearly. Less is better."""
    return _score(low, high, days, outside)


def _score(
    low,
    high,
    days,
    outside,
    width=1.0,
    price=lambda outside: 2 / outside,
    miss=lambda early, late: early + late,
    mean=np.mean,
):
    days = np.asarray(days, dtype=float)
    return float(
        width * (high - low) + price(outside) * mean(miss(np.maximum(low - days, 0), np.maximum(days - high, 0)))
    )


def _runs(generator, count):
    """Runs around some days, an interval that some of them miss on either side."""
    days = np.round(generator.uniform(15, 50) * np.exp(generator.normal(0, 0.06, count)), 1)
    low, high = np.sort(days)[[2, -3]]
    return {
        "low": round(float(low) + 0.3, 1), "high": round(float(high) - 0.2, 1), "days": days,
        "outside": float(generator.choice((0.1, 0.25, 0.4, 0.5))),
    }  # fmt: skip


def _some(generator):
    # A case that can be done in the head comes first: it is the one that a student sees.
    easy = {"low": 28.0, "high": 32.0, "days": np.array([26.0, 29.0, 30.0, 31.0, 35.0]), "outside": 0.2}
    return [easy, *(_runs(generator, count) for count in (8, 11, 14))]


def _clean(generator):
    drawn = _runs(generator, 9)
    return [drawn | {"low": float(drawn["days"].min()), "high": float(drawn["days"].max())}, _runs(generator, 20)]


def _changed(**changes):
    return lambda low, high, days, outside: _score(low, high, days, outside, **changes)


INTERVAL_SCORE = Exercise(
    id="lab.design.interval_score",
    title="What a promise is worth",
    signature="interval_score(low, high, days, outside)",
    unit="days",
    graded=True,
    points=3,
    reference=interval_score,
    groups=(
        Group("promises", 0.8, _some),
        Group("promises that all runs keep", 0.2, _clean, v.VALUE, advice="A run on the edge of the interval is within it, and misses it by nothing."),
    ),
    hints=(
        "Each run adds what it misses the interval by: nothing if it lies within.",
        "np.maximum(low - days, 0) is by how much runs are too early; the other side is its mirror.",
        "The misses are averaged over all runs, those within too, and made dear; then the width is added.",
    ),
    explanation="Who promises less than they know pays by the width, who promises more pays by the misses: honest percentiles cost least.",
    mistakes=(
        Mistake("the width forgotten", _changed(width=0.0), "Your score forgets the width: an interval without end would be the best."),
        Mistake("misses forgotten", _changed(price=lambda outside: 0.0), "Your score is the width alone: an interval of nothing would be the best."),
        Mistake("late runs alone", _changed(miss=lambda early, late: late), "Runs that end before the interval miss it too."),
        Mistake("early runs alone", _changed(miss=lambda early, late: early), "Runs that end after the interval miss it too."),
        Mistake("misses counted", _changed(miss=lambda early, late: (early > 0) + (late > 0)), "You counted the runs that miss. Take the days that they miss it by."),
        Mistake("misses added up", _changed(mean=np.sum), "You added the misses up. Then more runs make the same promise worse: take their mean."),
        Mistake("the mean of those that miss", _changed(mean=lambda misses: np.sum(misses) / max(np.count_nonzero(misses), 1)), "You averaged over the runs that miss alone. Average over all."),
        Mistake("half the price", _changed(price=lambda outside: 1 / outside), "A miss costs 2 / outside for each day; you took 1 / outside."),
        Mistake("the share inside", _changed(price=lambda outside: 2 / (1 - outside)), "You divided by the share that lies within. A miss costs 2 / outside for each day."),
        Mistake("misses multiplied by the share", _changed(price=lambda outside: 2 * outside), "A miss costs 2 / outside for each day: the fewer may lie outside, the dearer."),
        Mistake("misses for a day", _changed(price=lambda outside: 1.0), "Your misses cost as much as the width. Each day of them costs 2 / outside."),
    ),
)  # fmt: skip
