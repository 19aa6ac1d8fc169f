"""Task on a plan that few designs beat: its distance from the frontier of its scenario is rated."""

import numpy as np

from chip2cluster import capstone
from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.model import Exercise, Group
from chip2cluster.exercise.scored_answers import Board, Rating

from ..mutants import MUTANTS
from . import reference_designs
from .example_plan import ALLOWED, good_plan
from .plan import ADVICE, LIMITS, broken, kept, over, read
from .scenario import numbers as scenario_numbers

FREE, MOST = 0.02, 0.5  # steps from the frontier that cost nothing, and that cost everything


def rate(answer, seed, **numbers):
    """Full marks for a design that keeps its limits and that none beats by more than 2 % in both; none at half as much again."""
    plan = read(answer, numbers)
    if isinstance(plan, Rating):
        return plan
    step = capstone.distance(plan.outcome, reference_designs.menu(numbers), reference_designs.AXES)
    near, limits = float(np.clip((MOST - step) / (MOST - FREE), 0, 1)), kept(plan)
    if by := broken(plan.constraints):
        worst = max(by, key=by.get)
        says = f"Your design breaks {LIMITS[worst]} {over(by[worst])}. Only a design that may be built can be on the frontier."
        return Rating(near * limits, says, "breaks a limit")
    place = _place(plan.outcome, reference_designs.front(numbers))
    if near < 1:
        says = f"Your design takes at least {1 + step:.3g} times the days, and at least {1 + step:.3g} times the dollars, of another that keeps your limits."
        return Rating(near, says, "beaten by another design", place)
    return Rating(1.0, "No design that keeps your limits is both faster and cheaper by more than 2 %.", place=place)


def _place(outcome, front):
    """Days over those of the fastest, and dollars over those of the cheapest that is as fast."""
    days, dollars = front.T
    as_fast = days <= outcome.days
    cheapest = dollars[as_fast].min() if as_fast.any() else dollars[0]
    return float(outcome.days / days[0]), float(max(1.0, outcome.capital_dollars / cheapest))


NEAR = Exercise(
    id="lab.design.near",
    title="Your plan is not beaten",
    signature="my_plan()",
    unit="",
    graded=True,
    points=6,
    constants=scenario_numbers,
    numbers_of="lab.design.keeps",
    allowed=ALLOWED,
    reference=good_plan,
    groups=(Group("plan", 1.0, lambda generator: [{}], v.VALUE, advice=ADVICE),),
    rate=rate,
    guess_first="design.plan",
    board=Board(
        "The plans of the class",
        "days, over those of the fastest design that the student's limits allow",
        "price of the machine, over the cheapest design that is as fast",
        "A dot is a plan that keeps its limits. On the line at 1 no design beats it: cheap, slow plans are on the right, expensive, "
        "fast ones on the left, and both are equally good.",
    ),
    hints=(
        "A search beats a good guess: capstone.grid makes thousands of designs, and capstone.evaluate_many evaluates them at once.",
        "Look at capstone.frontier(outcomes, ('days', 'capital_dollars')): what do these designs have in common that yours lacks?",
        "Cheap and slow is as good as expensive and fast. Spending that makes nothing faster is not: look at network, storage and spares.",
    ),
    explanation="Which of two designs on the frontier is better depends on what a day is worth to you. A design that is beaten in both is worse for everybody.",
    mutants=MUTANTS["lab.design.near"],
)  # fmt: skip
