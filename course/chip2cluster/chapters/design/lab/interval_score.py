"""Interval score of a promised number of days, once the runs are known."""

import numpy as np

from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.model import Exercise, Group, Mistake


def interval_score(low, high, days, outside):
    """Interval score in days: the width, plus 2 / outside times the mean miss. Less is better."""
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
    """Draw runs around some days, and an interval that some of them miss on either side."""
    days = np.round(generator.uniform(15, 50) * np.exp(generator.normal(0, 0.06, count)), 1)
    low, high = np.sort(days)[[2, -3]]
    return {
        "low": round(float(low) + 0.3, 1), "high": round(float(high) - 0.2, 1), "days": days,
        "outside": float(generator.choice((0.1, 0.25, 0.4, 0.5))),
    }  # fmt: skip


def _some(generator):
    # The first case is visible to students and easy to compute by hand.
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
        Group("promises that all runs keep", 0.2, _clean, v.VALUE, advice="A run at an end of the interval is inside it, so its miss is 0."),
    ),
    hints=(
        "Each run has a miss: the days by which it lies outside the interval, or 0 if it lies inside.",
        "np.maximum(low - days, 0) gives the days by which runs end too early. What gives the days by which they end too late?",
        "Average the misses over all runs, those inside too; multiply by 2 / outside; add the width.",
    ),
    explanation="An interval that is too wide pays by its width, one that is too narrow by its misses, so promising your honest percentiles costs least.",
    mistakes=(
        Mistake("the width forgotten", _changed(width=0.0), "You left out the width. Then an infinite interval would be the best."),
        Mistake("misses forgotten", _changed(price=lambda outside: 0.0), "Your score is the width alone. Then an interval of zero width would be the best."),
        Mistake("late runs alone", _changed(miss=lambda early, late: late), "You counted only late runs. Runs that end before the interval miss it too."),
        Mistake("early runs alone", _changed(miss=lambda early, late: early), "You counted only early runs. Runs that end after the interval miss it too."),
        Mistake("misses counted", _changed(miss=lambda early, late: (early > 0) + (late > 0)), "You counted the runs that miss. Take the days by which they miss."),
        Mistake("misses added up", _changed(mean=np.sum), "You added up the misses. Then more runs make the same promise worse: take their mean."),
        Mistake("the mean of those that miss", _changed(mean=lambda misses: np.sum(misses) / max(np.count_nonzero(misses), 1)), "You averaged only over the runs that miss. Average over all runs."),
        Mistake("half the price", _changed(price=lambda outside: 1 / outside), "You took 1 / outside. A miss costs 2 / outside for each day."),
        Mistake("the share inside", _changed(price=lambda outside: 2 / (1 - outside)), "You divided by the fraction inside. A miss costs 2 / outside for each day."),
        Mistake("misses multiplied by the share", _changed(price=lambda outside: 2 * outside), "You multiplied by outside. A miss costs 2 / outside for each day: the fewer runs may lie outside, the more expensive a miss."),
        Mistake("misses for a day", _changed(price=lambda outside: 1.0), "You weighted misses like the width. Each day of a miss costs 2 / outside."),
    ),
)  # fmt: skip
