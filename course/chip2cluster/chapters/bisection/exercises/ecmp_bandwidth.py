"""Exercise on the bandwidth that ECMP hashing leaves, by Monte Carlo over random flows."""

import math

import numpy as np

from chip2cluster import topology
from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.model import Exercise, Group, Mistake

from ..mutants import MUTANTS


def _loads(picks, uplinks):
    """Flows on each uplink, a row a throw."""
    return (np.asarray(picks)[:, :, None] == np.arange(uplinks)).sum(axis=1)


def _even(picks, uplinks):
    return max(1.0, np.shape(picks)[1] / uplinks)


def share_left(picks, uplinks):
    """Time of an even spread over the mean time of the fullest uplink."""
    return float(_even(picks, uplinks) / _loads(picks, uplinks).max(axis=1).mean())


def _thrown(generator, throws, flows, uplinks):
    """Throws of which none is like the others: one clean enough, one far from it, the rest at random."""
    picks = generator.integers(0, uplinks, (throws, flows))
    picks[0] = generator.permutation(flows) % uplinks
    picks[1, : flows // 2 + 1] = picks[1, 0]
    return {"picks": picks, "uplinks": uplinks}


def _full(generator):
    # A case that can be done in the head comes first: it is the one that a student sees.
    first = {"picks": np.array([[0, 1, 2, 3], [2, 2, 1, 0]]), "uplinks": 4}
    sizes = [(6, 8, 8), (10, 9, 4), (8, 16, 6), (12, 6, 5)]
    return [first, *(_thrown(generator, *size) for size in sizes)]


def _few(generator):
    return [_thrown(generator, 6, 4, 8), _thrown(generator, 9, 5, 12), {"picks": np.array([[3], [0]]), "uplinks": 5}]


def _wrong(measure, even=_even):
    """A share from another measure of the loads."""
    return lambda picks, uplinks: float(even(picks, uplinks) / measure(_loads(picks, uplinks)))


def _clean(picks, uplinks):
    worst = _loads(picks, uplinks).max(axis=1)
    return float((worst == math.ceil(np.shape(picks)[1] / uplinks)).mean())


HASHED = Exercise(
    id="bisection.hashed",
    title="Flows on a hash",
    signature="share_left(picks, uplinks)",
    unit="",
    points=4,
    reference=share_left,
    shows=(topology.hash_share, topology.hash_worst_load),
    groups=(
        Group("at least as many flows as uplinks", 0.75, _full),
        Group(
            "fewer flows than uplinks",
            0.25,
            _few,
            v.VALUE,
            advice="With fewer flows than uplinks an even spread still takes as long as one flow alone: its own link is no "
            "faster.",
        ),
    ),
    hints=(
        "Take one row. How many flows are on its fullest uplink? That many times one flow's time passes until the last "
        "one has arrived.",
        "np.bincount(row) counts how often each number occurs. Average its largest entry over all rows.",
        "max(1, flows / uplinks) divided by the mean of the largest counts.",
    ),
    solution="""
import numpy as np

def share_left(picks, uplinks):
    fullest = [np.bincount(row).max() for row in picks]
    flows = len(picks[0])
    return max(1, flows / uplinks) / np.mean(fullest)
""",
    explanation=(
        "A step waits for its last flow, and the last flow shares its uplink with the most others. So the mean load of "
        "the fullest uplink sets the time, however many others are idle. Eight flows on eight uplinks keep 38.5 % of "
        "the bandwidth."
    ),
    meaning=lambda: (
        f"Eight flows on eight uplinks keep {100 * topology.hash_share(8, 8):.1f} % on average, and all eight land apart in "
        f"{100 * topology.hash_probabilities(8, 8)[1]:.2f} % of the steps. A fabric that is non-blocking on paper can lose more than half to "
        "its hash."
    ),
    mistakes=(
        Mistake(
            "steps and flows swapped",
            lambda picks, uplinks: share_left(np.transpose(picks), uplinks),
            "You read the table the other way. Rows are steps, columns are flows.",
        ),
        Mistake(
            "steps counted as flows",
            _wrong(lambda loads: loads.max(axis=1).mean(), even=lambda picks, uplinks: max(1.0, len(picks) / uplinks)),
            "You took the number of steps for the number of flows. Rows are steps, columns are flows.",
        ),
        Mistake(
            "mean of the shares",
            lambda picks, uplinks: float((_even(picks, uplinks) / _loads(picks, uplinks).max(axis=1)).mean()),
            "You averaged the shares of the throws. Steps come one after the other, so their times add up: average the "
            "fullest uplinks first, then divide.",
        ),
        Mistake(
            "all steps thrown together",
            lambda picks, uplinks: float(_even(picks, uplinks) * len(picks) / _loads(picks, uplinks).sum(axis=0).max()),
            "You counted the flows of all steps together. Another uplink is the fullest in each step: find it row by row, then "
            "average.",
        ),
        Mistake(
            "uplinks in use",
            lambda picks, uplinks: float((_loads(picks, uplinks) > 0).mean()),
            "You counted the uplinks in use. The step waits for the fullest one, so that one decides.",
        ),
        Mistake(
            "mean of the uplinks in use",
            _wrong(lambda loads: (loads.sum(axis=1) / (loads > 0).sum(axis=1)).mean()),
            "You took the mean load of the uplinks in use. Everybody waits for the fullest one.",
        ),
        Mistake(
            "worst throw alone",
            _wrong(lambda loads: loads.max()),
            "You took the fullest uplink of all throws. Take the fullest of each throw, and the mean of these.",
        ),
        Mistake(
            "clean throws",
            _clean,
            "You counted only the throws that came out even. The others also make progress: each takes as long as its fullest uplink.",
        ),
        Mistake(
            "one flow as the ideal",
            _wrong(lambda loads: loads.max(axis=1).mean(), even=lambda picks, uplinks: 1.0),
            "You compared with one flow alone on an uplink. With more flows than uplinks even the best spread puts "
            "flows / uplinks on each.",
        ),
        Mistake(
            "how much longer",
            lambda picks, uplinks: 1 / share_left(picks, uplinks),
            "That is how many times as long it takes. The share that is left is one over it.",
        ),
        Mistake(
            "an ideal below one flow",
            _wrong(lambda loads: loads.max(axis=1).mean(), even=lambda picks, uplinks: np.shape(picks)[1] / uplinks),
            "You let an even spread of a few flows be faster than one flow alone. Each flow is also limited by its own link to the switch, which is no faster than an uplink.",
            share=0.75,
        ),
    ),
    mutants=MUTANTS["bisection.hashed"],
)
