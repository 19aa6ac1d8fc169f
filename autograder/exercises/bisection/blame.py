"""How much of a step must have been communication for placement to explain a loss."""

from ... import verdict as v
from ..model import Exercise, Group, Mistake, Mutant


def communication_share(throughput, slowdown):
    """Share of the fast step that was communication, from what is left of the throughput."""
    return (1 / throughput - 1) / (slowdown - 1)


def _losses(generator):
    # A case that can be done in the head comes first: it is the one that a student sees.
    rows = [(0.5, 3.0), (0.55, 4.0)]
    for share, slowdown in zip(generator.uniform(0.05, 0.6, 4), generator.uniform(1.5, 9, 4).round(1), strict=True):
        rows.append((round(float(1 / (1 - share + share * slowdown)), 4), float(slowdown)))
    return [{"throughput": t, "slowdown": s} for t, s in rows]


BLAME = Exercise(
    id="bisection.blame",
    title="Is placement to blame?",
    signature="communication_share(throughput, slowdown)",
    unit="",
    points=2,
    reference=communication_share,
    shows=(communication_share,),
    groups=(Group("losses", 1.0, _losses),),
    hints=(
        "Set the packed step to 1. How long is the step now, if the throughput is 0.5?",
        "The step grew by (slowdown − 1) times its communication.",
        "(1 / throughput − 1) / (slowdown − 1).",
    ),
    solution="""
def communication_share(throughput, slowdown):
    longer = 1 / throughput - 1
    return longer / (slowdown - 1)
""",
    explanation=(
        "Throughput is one over time, so a step at 55 % of the throughput takes 1.82 times as long. The 0.82 must come from "
        "communication alone, which grew by (slowdown − 1) times itself."
    ),
    mistakes=(
        Mistake(
            "lost throughput for longer time",
            lambda throughput, slowdown: (1 - throughput) / (slowdown - 1),
            "You took the lost throughput for the added time. Half the throughput is twice the time, so the step grew by "
            "1 / throughput − 1.",
        ),
        Mistake(
            "growth over the slowdown",
            lambda throughput, slowdown: (1 / throughput - 1) / slowdown,
            "You divided by the slowdown. Communication that takes 4 times as long adds 3 times itself.",
        ),
        Mistake(
            "share of the slow step",
            lambda throughput, slowdown: (1 / throughput - 1) / (slowdown - 1) * slowdown * throughput,
            "That is its share of the slow step. The question is about the packed one.",
        ),
        Mistake(
            "lost throughput over the slowdown",
            lambda throughput, slowdown: (1 - throughput) / slowdown,
            "Two slips: half the throughput is twice the time, and communication that takes 4 times as long adds 3 times "
            "itself.",
        ),
        Mistake(
            "the computing share",
            lambda throughput, slowdown: 1 - (1 / throughput - 1) / (slowdown - 1),
            "That is the share of computing. Communication is the rest.",
        ),
        Mistake(
            "lost throughput",
            lambda throughput, slowdown: 1 - throughput,
            "That is the throughput that was lost. Which share of the packed step explains it?",
        ),
        Mistake(
            "growth of the whole step",
            lambda throughput, slowdown: 1 / throughput - 1,
            "That is by how much the step grew. Communication that takes 4 times as long adds 3 times itself: divide the "
            "growth by slowdown − 1.",
        ),
        Mistake(
            "whole step for its growth",
            lambda throughput, slowdown: 1 / throughput / (slowdown - 1),
            "You took the length of the slow step. Only its growth, 1 / throughput − 1, comes from communication.",
        ),
        Mistake(
            "everything slowed",
            lambda throughput, slowdown: 1 / throughput / slowdown,
            "You compared the whole step with the slowdown. Computing takes as long as before; only the growth counts.",
        ),
    ),
    mutants=(
        Mutant(
            source="""
def communication_share(t, s):
    return 100 * (1 / t - 1) / (s - 1)
""",
            verdict=v.UNIT,
            says="percentage",
        ),
    ),
)
