"""Exercise on a distribution-free confidence interval of a median."""

from functools import partial
from math import comb

import numpy as np

from chip2cluster import measure
from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.model import Exercise, Group, Mistake


def median_interval(times):
    """Two of the measured times that enclose the median in at least 95 of 100 such samples."""
    return list(measure.Sample(times).confidence(0.95))


def _draw(generator, repeats):
    return {"times": 1e-3 * (1 + generator.lognormal(-1.5, 1.0, repeats))}


def _samples(generator):
    # A case that can be done in the head comes first: it is the one that a student sees.
    return [
        {"times": np.array([5.0, 2.0, 4.0, 1.0, 9.0, 3.0])},
        *(_draw(generator, repeats) for repeats in (8, 10, 20, int(generator.integers(30, 45)), 60)),
    ]


def _place(count, tail=0.025):
    """The largest k with a chance of fewer than k below the median of at most ``tail``."""
    place, chance = 0, 0.0
    while (chance := chance + comb(count, place) / 2**count) <= tail:
        place += 1
    return place


def _enclosed(by=0, tail=0.025, order=np.sort):
    def wrong(times):
        values, count = order(np.asarray(times)), len(times)
        place = min(max(_place(count, tail) + by, 1), (count + 1) // 2)
        return [float(values[place - 1]), float(values[count - place])]

    return wrong


def _about(middle, width):
    def wrong(times):
        return [float(middle(times) - width(times)), float(middle(times) + width(times))]

    return wrong


def _error(times, ddof=1):
    return 1.96 * np.std(times, ddof=ddof) / np.sqrt(len(times))


def _bell(times):
    ordered, count = np.sort(times), len(times)
    place = max(int(count / 2 - 0.98 * np.sqrt(count)), 1)
    return [float(ordered[place - 1]), float(ordered[count - place])]


INTERVAL = Exercise(
    id="measure.median_interval",
    title="How sure is this median?",
    signature="median_interval(times)",
    unit="s",
    points=4,
    reference=median_interval,
    shows=(measure.confidence_ranks,),
    groups=(Group("samples", 1.0, _samples, v.VALUE),),
    hints=(
        "Each time lies below the true median with probability 1/2. So the number of times below it is like the heads of r coins.",
        "The k-th smallest lies above the true median if fewer than k times lie below it. How likely are fewer than k heads?",
        "Add math.comb(r, 0), math.comb(r, 1), … over 2**r while the sum is at most 0.025: that many terms are k. Return the k-th of "
        "the sorted times and the k-th from the end.",
    ),
    solution="""
from math import comb

import numpy as np


def median_interval(times):
    ordered, n = np.sort(times), len(times)
    k, chance = 0, 1 / 2**n
    while chance <= 0.025:
        k += 1
        chance += comb(n, k) / 2**n
    return [float(ordered[k - 1]), float(ordered[n - k])]
""",
    explanation=(
        "The only assumption about the times is that they are independent. So the same k works for a quiet machine "
        "and a loaded one, and a single extreme repeat cannot widen the interval without limit. Repeats that follow closely are "
        "not quite independent; then the interval is too narrow."
    ),
    meaning=lambda: (
        f"Of 100 sorted repeats numbers {_ranks(100).low} and {_ranks(100).high} enclose the median, of 1,000 numbers {_ranks(1000).low} "
        f"and {_ranks(1000).high}. Ten times the repeats narrow the interval to a third, in ranks. No repeat shows what all of them share, "
        "such as a neighbor who computes all day."
    ),
    mistakes=(
        Mistake(
            "the mean and its error",
            _about(np.mean, _error),
            "You took the mean plus and minus 1.96 standard errors. That encloses a mean, and assumes times that scatter evenly to "
            "both sides; these don't.",
        ),
        Mistake(
            "the median and the mean's error",
            _about(np.median, _error),
            "You put the standard error of a mean around the median. Count instead: which two of the sorted times enclose it?",
        ),
        # np.std divides by r where nobody tells it otherwise.
        Mistake(
            "the mean and its error, by np.std",
            _about(np.mean, partial(_error, ddof=0)),
            "You took the mean plus and minus 1.96 standard errors. That encloses a mean, and assumes times that scatter evenly to "
            "both sides; these don't.",
        ),
        Mistake(
            "the median and the mean's error, by np.std",
            _about(np.median, partial(_error, ddof=0)),
            "You put the standard error of a mean around the median. Count instead: which two of the sorted times enclose it?",
        ),
        Mistake(
            "the middle 95 % of the times",
            lambda times: [float(value) for value in np.quantile(times, [0.025, 0.975])],
            "That is where 95 % of the repeats lie. The median is known far better than one repeat.",
        ),
        Mistake(
            "the middle half",
            lambda times: [float(value) for value in np.quantile(times, [0.25, 0.75])],
            "Those are the quartiles: half of the repeats lie between them, however many repeats there are. More repeats must narrow the "
            "interval.",
        ),
        Mistake(
            "5 % at each end",
            _enclosed(tail=0.05),
            "You allowed 5 % at each end, 10 % together. Each end may have 2.5 %.",
        ),
        Mistake(
            "one place too far in",
            _enclosed(by=1),
            "Both ends are one place too far in. Fewer than k below: the sum runs over 0 to k − 1, and the k-th smallest is number "
            "k − 1 for Python.",
        ),
        Mistake(
            "one place too far out",
            _enclosed(by=-1),
            "Both ends are one place too far out: the interval is valid but wider than it has to be. Take the largest k that is allowed.",
        ),
        Mistake(
            "not sorted",
            _enclosed(order=np.asarray),
            "You took times in the order of measurement. The k-th smallest is wanted: sort first.",
        ),
        Mistake(
            "not sorted, lower first",
            lambda times: sorted(_enclosed(order=np.asarray)(times)),
            "You took times in the order of measurement. The k-th smallest is wanted: sort first.",
        ),
        Mistake(
            "normal distribution instead of coins",
            _bell,
            "You replaced the coins by the normal distribution: r/2 − 0.98 √r. For few repeats it is one place too far "
            "out. Add the terms of (15.1) themselves.",
        ),
    ),
)


def _ranks(repeats):
    return measure.confidence_ranks(repeats)
