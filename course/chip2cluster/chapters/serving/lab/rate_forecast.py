"""Task on a forecast: the fraction of the bound measured on one machine, applied to another."""

import numpy as np

from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.model import Exercise, Group, Mistake


def forecast(measured, ceilings, new_ceilings):
    """Rates that new ceilings promise, if they are reached as the others were on the median."""
    return np.median(np.asarray(measured) / np.asarray(ceilings)) * np.asarray(new_ceilings)


def _table(generator, count, new):
    ceilings = np.round(generator.uniform(0.5, 2, count) * 10 ** generator.uniform(3, 4.3, count))
    shares = generator.uniform(0.25, 0.6, count)
    shares[int(generator.integers(count))] = 0.9  # one that stands out, and moves a mean
    order = generator.permutation(count)
    return {
        "measured": np.round(ceilings * shares)[order],
        "ceilings": ceilings[order],
        "new_ceilings": np.round(generator.uniform(800, 20000, new)),
    }


def _odd(generator):
    # A case that can be done in the head comes first: it is the one that a student sees.
    easy = {
        "measured": np.array([100.0, 900.0, 300.0]),
        "ceilings": np.array([400.0, 1000.0, 1000.0]),
        "new_ceilings": np.array([1000.0, 2000.0]),
    }
    return [easy, *(_table(generator, count, new) for count, new in ((5, 3), (7, 4), (9, 2)))]


def _even(generator):
    return [_table(generator, 6, 3), _table(generator, 10, 2)]


def _by(share):
    return lambda measured, ceilings, new_ceilings: share(measured, ceilings) * new_ceilings


FORECAST = Exercise(
    id="lab.serving.forecast",
    title="What another machine will do",
    signature="forecast(measured, ceilings, new_ceilings)",
    unit="tokens/s",
    graded=True,
    points=3,
    reference=forecast,
    groups=(
        Group("tables", 0.7, _odd),
        Group(
            "even tables",
            0.3,
            _even,
            v.VALUE,
            advice="For an even number of rows the median is the mean of the two in the middle.",
        ),
    ),
    hints=(
        "First, what fraction of its ceiling did each row reach?",
        "Carry one number over: the median of those fractions.",
        "Multiply the new ceilings by that median. The model assumes that similar servers reach the same fraction of their ceiling.",
    ),
    explanation="Such a fraction is measured, never derived. It belongs to a chip, a program and a date, and carries over only to similar ones.",
    mistakes=(
        Mistake(
            "mean of the fractions",
            _by(lambda measured, ceilings: np.mean(measured / ceilings)),
            "You took the mean of the fractions. One outlier moves it: the task asks for the median.",
        ),
        Mistake(
            "sums",
            _by(lambda measured, ceilings: measured.sum() / ceilings.sum()),
            "You divided the sums. Then the fastest rows decide alone. Each row's fraction must count once.",
        ),
        Mistake(
            "ratio of the medians",
            _by(lambda measured, ceilings: np.median(measured) / np.median(ceilings)),
            "You divided two medians, which may belong to different rows. Divide row by row first.",
        ),
        Mistake(
            "inverted",
            _by(lambda measured, ceilings: np.median(ceilings / measured)),
            "You inverted the fraction: your forecast is above the ceiling. The fraction is measured over ceiling.",
        ),
        Mistake(
            "the best fraction",
            _by(lambda measured, ceilings: np.max(measured / ceilings)),
            "You carried over the best fraction. That is optimistic: the task asks for the median.",
        ),
        Mistake(
            "the worst fraction",
            _by(lambda measured, ceilings: np.min(measured / ceilings)),
            "You carried over the worst fraction. The task asks for the median.",
        ),
        Mistake(
            "the ceilings themselves",
            lambda measured, ceilings, new_ceilings: 1.0 * new_ceilings,
            "Those are the ceilings, which nothing reaches. Multiply by the measured fraction.",
        ),
        Mistake(
            "upper of the middle two",
            _by(lambda measured, ceilings: np.sort(measured / ceilings)[len(measured) // 2]),
            "For an even number of fractions you took the upper of the two in the middle. The median is their mean.",
            share=0.7,
        ),
    ),
)
