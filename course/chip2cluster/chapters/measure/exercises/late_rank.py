"""Exercise on the late rank, from clocks that don't agree."""

import numpy as np

from chip2cluster import utilization
from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.model import Exercise, Group, Mistake


def late_rank(seconds):
    """The rank that spends the least time in a collective, and how far the next one is from it."""
    inside = np.median(seconds, axis=0)
    least, next_ = np.sort(inside)[:2]
    return [int(inside.argmin()), float(next_ - least)]


def _draw(generator, steps, ranks):
    arrives = generator.uniform(0, 2e-4, (steps, ranks))
    late = int(generator.integers(ranks))
    arrives[:, late] += generator.uniform(1e-3, 5e-3)
    # Now and then another rank is disturbed for long; everybody else waits for it then, the late one too.
    for step in generator.choice(steps, 2, replace=False):
        other = int(generator.choice([rank for rank in range(ranks) if rank != late]))
        arrives[step, other] += generator.uniform(0.1, 0.5)
    wire = generator.uniform(5e-4, 2e-3)
    return {"seconds": arrives.max(axis=1, keepdims=True) + wire - arrives}


def _jobs(generator):
    # A case that can be done in the head comes first: it is the one that a student sees.
    hand = {"seconds": np.array([[4.0, 1.0, 3.0], [5.0, 1.0, 4.0], [5.0, 1.0, 3.0]])}
    return [hand, *(_draw(generator, int(generator.integers(9, 16)), ranks) for ranks in (3, 4, 8, 6))]


def _pick(choose, over=np.median, gap=lambda ordered: ordered[1] - ordered[0]):
    def wrong(seconds):
        inside = over(np.asarray(seconds), axis=0)
        return [int(choose(inside)), float(gap(np.sort(inside)))]

    return wrong


# The rank alone is wrong already; what is put beside it differs from reader to reader.
_LONGEST = {
    "by the shortest two": lambda ordered: ordered[1] - ordered[0],
    "and how much longer": lambda ordered: ordered[-1] - ordered[-2],
    "against the shortest": lambda ordered: ordered[-1] - ordered[0],
    "against the median": lambda ordered: ordered[-1] - np.median(ordered),
    "against the median of the others": lambda ordered: ordered[-1] - np.median(ordered[:-1]),
    "against the mean of the others": lambda ordered: ordered[-1] - np.mean(ordered[:-1]),
    "with its time": lambda ordered: ordered[-1],
}


LATE = Exercise(
    id="measure.late_rank",
    title="Which rank is late?",
    signature="late_rank(seconds)",
    unit="",
    points=4,
    reference=late_rank,
    shows=(utilization.ranks_step,),
    groups=(Group("jobs", 1.0, _jobs, v.VALUE),),
    hints=(
        "No rank leaves before all have arrived. So what does a rank's time in the collective consist of?",
        "It consists of waiting for the last rank, and of the transfer. Which rank does not wait at all?",
        "Medians over the steps, one a rank. The smallest belongs to the late one; it is late by the second smallest minus the "
        "smallest.",
    ),
    solution="""
import numpy as np


def late_rank(seconds):
    inside = np.median(seconds, axis=0)
    least, next_one = np.sort(inside)[:2]
    return [int(np.argmin(inside)), float(next_one - least)]
""",
    explanation=(
        "All ranks leave together, so the last one to arrive is inside for the shortest time: all others are already "
        "waiting. In a profile the slow rank is the one whose collectives look best. Durations are enough for that; "
        "the clocks of the ranks need not agree."
    ),
    meaning=lambda: (
        "So when seven of eight ranks show long all-reduces, don't look at the network. Look at the eighth rank: at its clock, "
        "its data loader, its memory."
    ),
    mistakes=(
        *(
            Mistake(
                f"the longest inside, {than}",
                _pick(np.argmax, gap=gap),
                "You named the rank that is inside for the longest time. It arrived first and waits for the others, so it is the earliest rank.",
            )
            for than, gap in _LONGEST.items()
        ),
        Mistake(
            "by the mean",
            _pick(np.argmin, over=np.mean),
            "You took means. In a few steps another rank is disturbed, and these dominate a mean; the median ignores them.",
        ),
        Mistake(
            "compared with the first to arrive",
            _pick(np.argmin, gap=lambda ordered: ordered[-1] - ordered[0]),
            "The rank is right. You compared with the first one to arrive; without the late rank, all would wait for the last but one.",
        ),
        Mistake(
            "compared with the median of all",
            _pick(np.argmin, gap=lambda ordered: np.median(ordered) - ordered[0]),
            "The rank is right. You compared with the median of the ranks; without the late rank, all would wait for the last but "
            "one.",
        ),
        *(
            Mistake(
                f"against the {middle} of the others",
                _pick(np.argmin, gap=gap),
                f"The rank is right. You compared with the {middle} of the others; without the late rank, all would wait for the last "
                "but one.",
            )
            for middle, gap in {
                "median": lambda ordered: np.median(ordered[1:]) - ordered[0],
                "mean": lambda ordered: np.mean(ordered[1:]) - ordered[0],
            }.items()
        ),
        Mistake(
            "median of the gaps",
            lambda seconds: [
                int(np.median(seconds, axis=0).argmin()),
                float(np.median(np.diff(np.sort(seconds, axis=1)[:, :2], axis=1))),
            ],
            "The rank is right. You took the gap of each step, and then its median. A different rank comes second each time: take medians rank by rank, and then the gap.",
        ),
        Mistake(
            "the time inside",
            _pick(np.argmin, gap=lambda ordered: ordered[0]),
            "The rank is right. Its time inside is the transfer, which stays. How long does it arrive after the last of the others?",
        ),
        Mistake(
            "the fastest of all steps",
            _pick(np.argmin, over=np.min),
            "You took the shortest time of each rank. In a few steps another rank is last and is inside for just as short a time; take the "
            "median over the steps.",
        ),
    ),
)
