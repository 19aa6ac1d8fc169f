"""Task on the confidence interval of a gain in waits, by batch means."""

from math import sqrt

import numpy as np

from chip2cluster.exercise.input_generators import draw_until
from chip2cluster.exercise.model import Exercise, Group, Mistake


def gain_range(before, after, batches):
    """The mean gain less and plus two standard errors of the means of the batches."""
    return _range(before, after, batches)


def _cut(gain, batches):
    length = len(gain) // batches
    return gain[: length * batches].reshape(batches, length)


def _range(before, after, batches, *, cut=_cut, each=True, factor=2.0, less=1, root=True, both=False):
    gain = np.asarray(before, dtype=float) - np.asarray(after, dtype=float)
    if both:
        parts = [cut(np.asarray(one, dtype=float), batches).mean(axis=1) for one in (before, after)]
        middle = parts[0].mean() - parts[1].mean()
        spread = sqrt(sum(part.std(ddof=1) ** 2 for part in parts))
        return [middle - 2 * spread / sqrt(batches), middle + 2 * spread / sqrt(batches)]
    means = cut(gain, batches).mean(axis=1) if each else gain
    spread = means.std(ddof=less) / (sqrt(len(means)) if root else 1)
    return [means.mean() - factor * spread, means.mean() + factor * spread]


def _waits(generator, count, batches):
    """Waits that come in crowds: those of neighbours are alike."""
    crowd = np.repeat(generator.exponential(4000, -(-count // 6)), 6)[:count]
    before = crowd * generator.uniform(0.7, 1.3, count)
    after = before * np.repeat(generator.uniform(0.1, 1.1, -(-count // 6)), 6)[:count]
    return {"before": before.round(), "after": after.round(), "batches": int(batches)}


def _even(generator):
    # Two batches of two: means 30 and 10. It is the one that a student sees.
    hand = {"before": np.array([40.0, 60, 20, 30]), "after": np.array([0.0, 40, 10, 20]), "batches": 2}
    return [hand, *(_waits(generator, length * batches, batches) for length, batches in ((15, 4), (20, 8), (12, 10)))]


def _odd(generator):
    """Lists that leave jobs over, and show it."""

    def draw(batches):
        return lambda: _waits(generator, int(generator.integers(8, 14)) * batches + batches - 1, batches)

    def shows(case):
        whole = _range(**case)
        other = _range(**case, cut=_uneven)
        return max(abs(a - b) / max(map(abs, whole)) for a, b in zip(whole, other, strict=True)) > 0.01

    return [draw_until(shows, draw(5)), draw_until(shows, draw(7))]


def _uneven(gain, batches):
    """Batches that share the rest among the first of them, as ``np.array_split`` does."""
    return np.array([[part.mean()] for part in np.array_split(gain, batches)])


def _dealt(gain, batches):
    """Every so-manieth job in one batch."""
    return _cut(gain, batches).reshape(-1, batches).T


def _like(**rules):
    return lambda before, after, batches: _range(before, after, batches, **rules)


GAIN = Exercise(
    id="lab.scheduling.gain_range",
    title="Is it luck?",
    signature="gain_range(before, after, batches)",
    unit="",
    graded=True,
    points=4,
    reference=gain_range,
    groups=(
        Group("waits", 0.8, _even),
        Group("a rest", 0.2, _odd, advice="If the jobs do not divide evenly, leave out the last ones: each batch has len(before) // batches jobs."),
    ),
    hints=(
        "First compute the gain of each job, before minus after. Neighbors in a queue gain alike, so single jobs are not independent samples.",
        "Cut the gains into batches of consecutive jobs, and take the mean of each. What is the standard deviation of these means, and what is that of their mean?",
        "Standard error: the standard deviation of the batch means with ddof=1, divided by √batches. Return the mean minus and plus two of these.",
    ),
    explanation="A thousand jobs of one queue are far fewer than a thousand independent samples, because jobs that waited behind the same job have similar waits.",
    mistakes=(
        Mistake("single jobs", _like(each=False), "You took the standard deviation of single jobs. Neighbors wait behind the same job, so use the means of batches."),
        Mistake("dealt", _like(cut=_dealt), "You assigned the jobs to the batches in round-robin order. A batch holds consecutive jobs."),
        Mistake("one error", _like(factor=1.0), "Your range is one standard error to each side. Take two."),
        Mistake("no root", _like(root=False), "You took the standard deviation of the batches. Their mean is more certain than each of them: divide by √batches."),
        Mistake("as if all were known", _like(less=0), "Your standard deviation divides by the number of batches. They are a sample, so use ddof=1."),
        Mistake("two samples", _like(both=True), "You combined the standard deviations of both arrays. The same jobs wait in both: compute the gain of each job first."),
        Mistake("after less before", lambda before, after, batches: _range(after, before, batches), "Your gain is after minus before. A job gains if it waits less: before minus after."),
        Mistake("ends exchanged", lambda before, after, batches: _range(before, after, batches)[::-1], "Your two ends are in the wrong order: return the lower "
                "one first."),
        Mistake("the middle twice", lambda before, after, batches: [float(np.mean(_range(before, after, batches)))] * 2, "You returned the mean gain twice. "
                "Return its range."),
        Mistake("the rest shared out", _like(cut=_uneven), "You distributed the remaining jobs over the batches. Leave them out: each batch has "
                "len(before) // batches jobs.", share=0.8),
    ),
)  # fmt: skip
