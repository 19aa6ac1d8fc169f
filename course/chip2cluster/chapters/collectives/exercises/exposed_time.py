"""Exercise on the exposed communication time: what computation doesn't hide."""

import numpy as np

from chip2cluster import collectives
from chip2cluster.exercise.model import Exercise, Group, Mistake

from ..mutants import MUTANTS


def _passes(generator):
    # A case that can be done in the head comes first: it is the one that a student sees.
    drawn = [{"ready": np.array([1.0, 2.0, 3.0]), "durations": np.array([2.0, 2.0, 2.0])}]
    for pieces, load in ((4, 0.6), (6, 1.6), (5, 0.9), (7, 1.1), (3, 2.5)):
        gaps = generator.uniform(0.5, 3, pieces)
        durations = np.round(load * generator.uniform(0.4, 1.6, pieces) * gaps.mean(), 2)
        drawn.append({"ready": np.round(np.cumsum(gaps), 2), "durations": durations})
    # The network waits for the last bucket longer than it has sent.
    drawn.append({"ready": np.array([1.0, 2.0, 8.0]), "durations": np.array([2.0, 1.5, 1.0])})
    # The network is idle at first and busy at the end.
    drawn.append({"ready": np.array([4.0, 5.0, 5.5, 6.0]), "durations": np.array([0.5, 2.0, 1.0, 0.25])})
    return drawn


def _edges(generator):
    return [
        {"ready": np.array([5.0]), "durations": np.array([2.0])},
        {"ready": np.array([1.0, 9.0]), "durations": np.array([3.0, 0.0])},
    ]


def _end(ready, durations):
    now = 0.0
    for start, duration in zip(ready, durations, strict=True):
        now = max(now, start) + duration
    return now


OVERLAP = Exercise(
    id="collectives.exposed",
    title="What cannot be hidden",
    signature="exposed(ready, durations)",
    unit="s",
    points=4,
    reference=collectives.exposed_time,
    shows=(collectives.exposed_time,),
    groups=(
        Group("backward passes", 0.8, _passes),
        Group(
            "edges",
            0.2,
            _edges,
            advice="With one bucket nothing is hidden; a last bucket of zero length may cost nothing.",
        ),
    ),
    hints=(
        "Walk through the buckets with a clock. When can the next one start?",
        "When it is ready *and* the one before it is done: the later of the two.",
        "now = max(now, ready[k]) + durations[k] in a loop; in the end return now − ready[-1].",
    ),
    solution="""
def exposed(ready, durations):
    now = 0.0
    for start, duration in zip(ready, durations):
        now = max(now, start) + duration
    return now - ready[-1]
""",
    explanation=(
        "It is a queue. If the network keeps up, only the last bucket is exposed; if it does not, the buckets pile up and "
        "the network works without a pause from the first bucket on. In both cases it should start early and the last bucket should be small."
    ),
    meaning=lambda: (
        "Behind a backward pass of 1 s a gradient of 14 GB in a node of eight H100 leaves at least "
        f"{1e3 * collectives.bucketed_exposed_time(14e9, 1, 1.0, 8, 450e9, 2e-6):.1f} ms to see in one piece, and "
        f"{1e3 * collectives.bucketed_exposed_time(14e9, 560, 1.0, 8, 450e9, 2e-6):.1f} ms in 560 buckets of 25 MB."
    ),
    mistakes=(
        Mistake(
            "no overlap",
            lambda ready, durations: np.sum(durations),
            "You added all durations, as if nothing were sent before the end. A bucket is sent as soon as it is ready.",
        ),
        Mistake(
            "the last bucket alone",
            lambda ready, durations: durations[-1] + 0.0,
            "You counted only the last bucket. It must wait while earlier ones still occupy the network.",
        ),
        Mistake(
            "perfect overlap",
            lambda ready, durations: max(0.0, np.sum(durations) - ready[-1]),
            "You subtracted the whole backward pass from the whole communication. Before the first bucket is ready the "
            "network has nothing to do, and the last one cannot start early.",
        ),
        Mistake(
            "perfect overlap, below zero",
            lambda ready, durations: np.sum(durations) - ready[-1],
            "You subtracted the whole backward pass from the whole communication. Before the first bucket is ready the "
            "network has nothing to do, and the last one cannot start early.",
        ),
        Mistake(
            "the waiting of the network",
            lambda ready, durations: _end(ready, durations) - np.sum(durations),
            "You added up how long the network waits for buckets. Return the time after the backward pass: the end of the "
            "last all-reduce minus ready[-1].",
        ),
        Mistake(
            "no waiting for readiness",
            lambda ready, durations: max(0.0, ready[0] + np.sum(durations) - ready[-1]),
            "You sent the buckets back to back from the first on. Each must be ready before it can be sent.",
        ),
        Mistake(
            "the end itself",
            _end,
            "You returned when the last all-reduce ends. Subtract ready[-1]: the backward pass is computation.",
        ),
        Mistake(
            "a network for each bucket",
            lambda ready, durations: np.max(ready + durations) - ready[-1],
            "You sent all buckets at once at full speed. They share one network, which handles one after another.",
        ),
        Mistake(
            "from the first bucket",
            lambda ready, durations: _end(ready, durations) - ready[0],
            "You measured from the first bucket. The backward pass ends when the last one is ready.",
        ),
        Mistake(
            "back to back, below zero",
            lambda ready, durations: np.sum(durations) - (ready[-1] - ready[0]),
            "You sent the buckets back to back from the first on. Each must be ready before it can be sent.",
        ),
    ),
    mutants=MUTANTS["collectives.exposed"],
)
