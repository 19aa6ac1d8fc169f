"""A plan that keeps its limits in bad worlds too and that few designs beat, with honest promises: one good answer of many."""

from chip2cluster import capstone

from . import menu
from .plan import Plan, late, percentile, tried

ALLOWED = (
    "chip2cluster.specs",
    "chip2cluster.units",
    "chip2cluster.capstone",
    "chip2cluster.parallelism",
    "autograder.student.given",
)
SEED = 1  # of the worlds in which promises are computed


def good_plan(**numbers):
    """A plan in the middle of the frontier, as text."""
    outcomes = menu.menu(numbers)
    front = capstone.frontier(outcomes, menu.AXES)
    # From the fast end on: what is fast has room for bad luck.
    for number in front[len(front) // 3 :: -1] if len(front) > 2 else front:
        outcome = outcomes.outcome(number)
        found = tried(Plan(outcome, {}), SEED, numbers)
        if not late(Plan(outcome, {}), percentile(found, 95)):
            return written(outcome, found)
    raise ValueError("no design of the frontier keeps the deadline in bad worlds")


def written(outcome, found):
    """A design with promises that are as good as they can be, as text."""
    return capstone.to_text(
        outcome.design, mfu=outcome.mfu, checkpoint_interval=outcome.checkpoint_interval,
        days_low=percentile(found, 10), days_high=percentile(found, 90),
    )  # fmt: skip
