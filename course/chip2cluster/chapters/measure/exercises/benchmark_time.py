"""Exercise on one time from repeats on several ranks: the slowest rank, then the median."""

import numpy as np

from chip2cluster import measure
from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.model import Exercise, Group, Mistake


def typical(times, warm_up):
    """Median over the repeats, without the first ones, of the slowest rank."""
    return float(np.median(np.asarray(times)[warm_up:].max(axis=1)))


def _draw(generator, repeats, ranks, warm_up):
    times = 1e-4 * generator.uniform(1, 1.3, (repeats, ranks))
    late = generator.random((repeats, ranks)) < 0.25  # now this rank is disturbed, now that one
    times[late] *= generator.uniform(1.5, 8, late.sum())
    times[:warm_up] *= generator.uniform(5, 40)
    return {"times": times, "warm_up": warm_up}


def _sweeps(generator):
    # A case that can be done in the head comes first: it is the one that a student sees.
    return [
        {"times": np.array([[9.0, 8.0], [1.0, 3.0], [4.0, 2.0], [1.0, 2.0]]), "warm_up": 1},
        *(_draw(generator, int(generator.integers(7, 16)), ranks, 3) for ranks in (2, 4, 8)),
        _draw(generator, 12, 3, 2),
    ]


def _edges(generator):
    return [_draw(generator, 6, 4, 0), _draw(generator, 9, 1, 2)]


def _like(over_ranks, over_repeats, kept=False):
    def wrong(times, warm_up):
        return float(over_repeats(over_ranks(np.asarray(times)[0 if kept else warm_up :], axis=1)))

    return wrong


SLOWEST = Exercise(
    id="measure.typical",
    title="One number from many repeats",
    signature="typical(times, warm_up)",
    unit="s",
    points=3,
    reference=typical,
    groups=(
        Group("sweeps", 0.8, _sweeps, v.VALUE),
        Group("edges", 0.2, _edges, advice="Try no warm-up at all, and a single rank."),
    ),
    hints=(
        "Which rank determines how long a repeat of a collective took?",
        "First one number for each repeat, its slowest rank; then one number of these, which a single disturbed repeat "
        "cannot move.",
        "Drop the first warm_up rows; np.max along the ranks (axis=1); np.median of what is left.",
    ),
    solution="""
import numpy as np


def typical(times, warm_up):
    slowest = np.max(times[warm_up:], axis=1)
    return float(np.median(slowest))
""",
    explanation=(
        "A collective is over when its last rank is, so a repeat takes as long as its slowest rank; only then does a statistic "
        "make sense. The other order, medians first, hides ranks that take turns at being late: each of them is fast in most repeats, "
        "and yet in every repeat one of them is late."
    ),
    meaning=lambda: (
        "For 1 MiB on the recorded machine under load the median is "
        f"{_loaded('median'):.1f} ms and the mean {_loaded('mean'):.1f} ms, of the same repeats: the mean measures the "
        "disturbance."
    ),
    mistakes=(
        Mistake(
            "medians first",
            lambda times, warm_up: float(np.median(np.asarray(times)[warm_up:], axis=0).max()),
            "You took each rank's median, and then the slowest rank. Ranks that take turns at being late vanish that way. First take the slowest of "
            "each repeat.",
        ),
        Mistake(
            "warm-up included",
            _like(np.max, np.median, kept=True),
            "You included the warm-up. The first rows include loading code and filling caches: leave out the first warm_up rows.",
        ),
        Mistake(
            "the mean of the repeats",
            _like(np.max, np.mean),
            "You took the mean of the repeats. One disturbed repeat can move it by any amount; the median is wanted.",
        ),
        Mistake(
            "the best repeat",
            _like(np.max, np.min),
            "You took the fastest repeat. That is what the machine can do undisturbed; the typical time is wanted.",
        ),
        Mistake(
            "the worst repeat",
            _like(np.max, np.max),
            "You took the slowest repeat of all. The typical time is wanted.",
        ),
        Mistake(
            "the mean of the ranks",
            _like(np.mean, np.median),
            "You took the mean of the ranks. No rank can continue before the last one arrives: a repeat takes as long as its slowest rank.",
        ),
        Mistake(
            "the fastest rank",
            _like(np.min, np.median),
            "You took the fastest rank of each repeat. The collective is over when the slowest is.",
        ),
        Mistake(
            "rank 0 alone",
            _like(lambda rows, axis: rows[:, 0], np.median),
            "You took rank 0 alone. It may be early; the collective is over when its slowest rank is.",
        ),
        Mistake(
            "all times together",
            lambda times, warm_up: float(np.median(np.asarray(times)[warm_up:])),
            "You took the median of all times of all ranks. First reduce each repeat to one number: its slowest rank.",
        ),
    ),
)


def _loaded(statistic):
    run = measure.recorded("mpi all-reduce, 2 ranks, loaded")
    return 1e3 * float(run.statistics[statistic][list(run.message_bytes).index(2**20)])
