"""Task on the fewest racks that hold a job."""

import math

import numpy as np

from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.model import Exercise, Group, Mistake


def _filled(nodes, free):
    """Racks used when they are filled in this order; inf if they don't suffice."""
    held = np.cumsum(free)
    return int(np.argmax(held >= nodes)) + 1 if held[-1] >= nodes else math.inf


def fewest_racks(nodes, free):
    """Fewest racks whose free nodes hold a job."""
    return _filled(nodes, np.sort(free)[::-1])


def _jobs(generator):
    # A case that can be done in the head comes first: it is the one that a student sees.
    cases = [(32, [8, 20, 32, 30]), (38, [31, 2, 4, 5, 3, 6])]  # the last rack of the second holds one node
    for racks in generator.permutation((6, 8, 10, 12, 15, 18, 21, 24)):
        free = generator.integers(3, 25, racks)
        free[0], free[1] = 2, 31
        cases.append((int(free.sum() * generator.uniform(0.25, 0.85)), free))
    return [{"nodes": nodes, "free": np.array(free, dtype=float)} for nodes, free in cases]


def _tight(generator):
    free = generator.integers(3, 25, 6).astype(float)
    free[0] = 31  # much more than the mean, so that the sum is far from six times the largest
    return [
        {"nodes": 40, "free": np.array([16.0, 8.0, 12.0])},
        {"nodes": int(free.sum()), "free": free},
        {"nodes": int(np.sort(free)[-2:].sum()), "free": free},
        {"nodes": int(free.sum()) + 1, "free": free},
    ]


RACKS = Exercise(
    id="lab.bisection.fewest_racks",
    title="Packing a job",
    signature="fewest_racks(nodes, free)",
    unit="racks",
    graded=True,
    points=3,
    reference=fewest_racks,
    tolerance=1e-9,
    groups=(
        Group("jobs", 0.7, _jobs),
        Group(
            "tight or hopeless",
            0.3,
            _tight,
            advice="A job may fill racks to the last node, and it may not fit at all (return math.inf).",
        ),
    ),
    hints=(
        "Which rack do you fill first if you want to use few of them?",
        "Sort the racks, the one with most free nodes first, and fill them in that order.",
        "Count racks until nothing of the job is left; if the racks run out first, return math.inf.",
    ),
    explanation=(
        "Largest first is the fewest: any other choice of as many racks holds no more. A scheduler has more wishes (racks "
        "under one spine, the smallest hole that fits), but it starts here."
    ),
    mistakes=(
        Mistake(
            "in the order given",
            lambda nodes, free: _filled(nodes, free),
            "You filled the racks in the order given. Start with the one that has most free nodes.",
        ),
        Mistake(
            "smallest first",
            lambda nodes, free: _filled(nodes, np.sort(free)),
            "You filled the smallest racks first. That uses as many racks as possible.",
        ),
        Mistake(
            "all racks like the largest",
            lambda nodes, free: math.ceil(nodes / np.max(free)),
            "You divided by the largest rack. The others have fewer free nodes.",
        ),
        Mistake(
            "all racks like the average",
            lambda nodes, free: math.ceil(nodes / np.mean(free)),
            "You divided by the average rack. The fullest hole counts first.",
        ),
        Mistake(
            "all racks", lambda nodes, free: len(free), "You returned the number of all racks. How few are enough?"
        ),
        Mistake(
            "hopeless jobs placed",
            lambda nodes, free: min(fewest_racks(nodes, free), len(free)),
            "A job that doesn't fit gets no racks at all: return math.inf.",
            v.EDGES,
            share=0.7,
        ),
        Mistake(
            "hopeless jobs get none",
            lambda nodes, free: fewest_racks(nodes, free) if nodes <= np.sum(free) else 0,
            "A job that doesn't fit gets math.inf, not 0: no number of racks is enough.",
            v.EDGES,
            share=0.7,
        ),
        Mistake(
            "one rack too few",
            lambda nodes, free: _filled(nodes - 1, np.sort(free)[::-1]),
            "The last rack may hold a single node of the job: count it, too.",
            v.EDGES,
        ),
        Mistake(
            "one rack too many",
            lambda nodes, free: _filled(nodes + 1, np.sort(free)[::-1]),
            "A job may fill its racks to the last node: stop as soon as nothing of it is left.",
            v.EDGES,
        ),
    ),
)
