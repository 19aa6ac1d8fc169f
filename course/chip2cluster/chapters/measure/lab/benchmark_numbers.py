"""Task on the two numbers that a benchmark quotes, from the clocks of all ranks."""

import numpy as np

from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.model import Exercise, Group, Mistake
from chip2cluster.measure import Sample


def quoted(times, warm_up):
    """Best and median of the repeats that count, seconds; a repeat lasts as long as its slowest rank."""
    sample = Sample(np.max(times, axis=0)[warm_up:])
    return [sample.best, sample.median]


def _clocks(ranks, repeats, warm_up):
    """A draw of what each rank's clock said: disturbed now and then, slow at first."""

    def draw(generator):
        times = generator.uniform(1, 1.3, (ranks, repeats)) * float(generator.uniform(2, 40))
        times *= 1 + generator.exponential(2.0, (ranks, repeats)) * (generator.random((ranks, repeats)) < 0.3)
        times[:, :warm_up] *= generator.uniform(8, 40, (ranks, warm_up))
        return {"times": (1e-6 * times).round(8), "warm_up": warm_up}

    return draw


def _runs(generator):
    # It can be done in the head, and is the one that a student sees: slowest ranks 2, 3, 4, 2 after the first.
    easy = {"times": 1e-6 * np.array([[9.0, 1, 3, 2, 2], [8, 2, 2, 4, 1]]), "warm_up": 1}
    return [easy, *(_clocks(*shape)(generator) for shape in ((2, 9, 1), (4, 12, 2), (5, 14, 3), (8, 11, 1)))]


def _edges(generator):
    return [_clocks(2, 7, 0)(generator), _clocks(4, 3, 2)(generator)]


def _by(slowest, best=np.min, middle=np.median, keep=False):
    def wrong(times, warm_up):
        row = slowest(np.asarray(times))[0 if keep else warm_up :]
        return [float(best(row)), float(middle(row))]

    return wrong


def _rows(times, warm_up):
    slowest = np.max(np.asarray(times)[warm_up:], axis=1)
    return [float(slowest.min()), float(np.median(slowest))]


def _slowest(times):
    return times.max(axis=0)


QUOTED = Exercise(
    id="lab.measure.quoted",
    title="Best and median of a benchmark",
    signature="quoted(times, warm_up)",
    unit="[s, s]",
    graded=True,
    points=4,
    reference=quoted,
    groups=(
        Group("runs", 0.8, _runs),
        Group("edges", 0.2, _edges, advice="warm_up may be 0, and may leave a single repeat."),
    ),
    hints=(
        "An all-reduce is over when the last rank has its sum. Whose clock shows how long one repeat took?",
        "First one time for each repeat, from all ranks; then drop the first warm_up repeats; then take best and median.",
        "times has a row for each rank, so np.max over axis 0 is the slowest rank of each repeat. Then slice from warm_up on.",
    ),
    explanation="A collective is as slow as its slowest rank in each repeat, so take the slowest rank first and the statistics after it.",
    mistakes=(
        Mistake("warm-up included", _by(_slowest, keep=True), "You included the first repeats. The first warm_up of them load caches and code, so drop them.", share=0.0),
        Mistake("rank 0 only", _by(lambda times: times[0]), "You used the clock of rank 0. A repeat lasts until its slowest rank is done."),
        Mistake("mean over ranks", _by(lambda times: times.mean(axis=0)), "You took the mean over the ranks. A repeat lasts until its slowest rank is done."),
        Mistake("fastest rank", _by(lambda times: times.min(axis=0)), "You took the fastest rank of each repeat. The others are not done by then."),
        Mistake("mean instead of median", _by(_slowest, middle=np.mean), "Your second number is a mean. One disturbed repeat moves it; return the median."),
        Mistake("statistics before the ranks", lambda times, warm_up: [float(np.asarray(times)[:, warm_up:].min(axis=1).max()),
                float(np.median(np.asarray(times)[:, warm_up:], axis=1).max())], "You took best and median of each rank, and then the slowest of those. First take the slowest rank of each repeat, then the statistics."),
                Mistake(
            "all times together",
            lambda times, warm_up: [float(np.asarray(times)[:, warm_up:].min()), float(np.median(np.asarray(times)[:, warm_up:]))],
            "You combined the times of all ranks. A repeat has one time, that of its slowest rank.",
        ),
        Mistake(
            "rows taken as repeats",
            _rows,
            "You treated rows as repeats, as in the chapter. Here a row is a rank, and the repeats are the columns.",
        ),
        Mistake("worst instead of best", _by(_slowest, best=np.max), "Your first number is the worst repeat. Return the best."),
        Mistake("median first", lambda times, warm_up: quoted(times, warm_up)[::-1], "The numbers are right, but in the wrong order: best first, then median.", v.TYPE),
        Mistake("last repeats dropped", lambda times, warm_up: quoted(np.asarray(times)[:, : np.shape(times)[1] - warm_up], 0),
                "You dropped the last repeats. The warm-up is at the beginning."),
    ),
)  # fmt: skip
