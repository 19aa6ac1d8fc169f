"""Task on a plan that keeps its limits as expected and in nine of ten random scenarios."""

from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.model import Exercise, Group
from chip2cluster.exercise.scored_answers import Rating

from ..mutants import MUTANTS
from .example_plan import ALLOWED, good_plan
from .plan import ADVICE, LIMITS, broken, keeps, kept, late, over, percentile, read, tried
from .scenario import numbers as scenario_numbers

EXPECTED = 0.6  # of the points for what is expected; the rest for bad luck


def rate(answer, seed, **numbers):
    """Full marks for a design that keeps each limit as expected and the deadline in nine of ten worlds."""
    plan = read(answer, numbers)
    if isinstance(plan, Rating):
        return plan
    by = broken(plan.constraints)
    share = kept(plan)
    if by:
        worst = max(by, key=by.get)
        says = f"Your design breaks {LIMITS[worst]} {over(by[worst])}, before any bad luck."
        return Rating(EXPECTED * share, says, f"breaks {LIMITS[worst]}")
    bad = percentile(tried(plan, seed, numbers), 90)
    lateness = late(plan, bad)
    if lateness:
        says = (
            f"Your design keeps its limits in the expected {plan.outcome.days:.1f} days. But in one of ten worlds it takes "
            f"{bad:.1f} days or more: leave a margin for slower kernels and for failures."
        )
        return Rating(EXPECTED + (1 - EXPECTED) * keeps(lateness) * 0.75, says, "late in one of ten worlds")
    return Rating(1.0, f"All limits are kept, and nine of ten worlds end within {bad:.1f} days.")


KEEPS = Exercise(
    id="lab.design.keeps",
    title="Your plan keeps its limits",
    signature="my_plan()",
    unit="",
    graded=True,
    points=6,
    constants=scenario_numbers,
    allowed=ALLOWED,
    reference=good_plan,
    groups=(Group("plan", 1.0, lambda generator: [{}], v.VALUE, advice=ADVICE),),
    rate=rate,
    guess_first="design.plan",
    hints=(
        "Start from the bounds: how many nodes do the money and the power allow, and how many does the deadline need?",
        "capstone.evaluate tells you which limit binds: its constraints have margins. Then simulate the design with days_in_worlds.",
        "Is it late only in bad worlds? Buy a few days of margin with more nodes or more spares.",
    ),
    explanation="A plan that keeps its deadline only as expected is late about every second time. So promise a percentile, not the expected days.",
    mutants=MUTANTS["lab.design.keeps"],
)  # fmt: skip
