"""Which designs nobody beats in everything, how far another is from them, and the best in one thing."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np

from .._validate import choice
from .binding import NoDesign, binding
from .grid import grid
from .outcome import Outcome
from .outcomes import NUMBERS, Outcomes, evaluate_many

if TYPE_CHECKING:
    from .._typing import NDArray
    from .scenario import Scenario

MORE_IS_BETTER = ("mfu", "goodput", "mtbf")
AXES = ("days", *NUMBERS)


def frontier(outcomes: Outcomes, axes: Sequence[str] = ("days", "dollars")) -> NDArray:
    """Find the designs that nobody beats: none that meets all limits is as good in every axis and better in one.

    Parameters
    ----------
    outcomes : Outcomes
    axes : sequence of str
        Names of numbers of `Outcomes`; less is better, but for MFU, goodput and MTBF.

    Returns
    -------
    array of int
        Numbers of the designs, along the first axis, the best first.

    Notes
    -----
    Of designs that are equal in every axis all stand. Ignores designs that do not meet the limits. Source: V. Pareto 1906.

    Examples
    --------
    >>> from chip2cluster.capstone import Scenario, evaluate_many, grid
    >>> asked = Scenario(model="Llama 3 8B", tokens=1e12, global_batch=512)
    >>> found = evaluate_many(grid(asked, chips=["H100 SXM"], nodes=[4, 8, 16], recomputes=["selective"]), asked)
    >>> [found.designs[number].nodes for number in frontier(found)]
    [16, 8]
    """
    points = _points(_checked(outcomes), axes)
    left = np.flatnonzero(outcomes.meets & np.isfinite(points).all(axis=1))
    left = left[np.lexsort(points[left].T[::-1])]
    found: list[int] = []
    while len(left):
        first = points[left[0]]
        found.append(int(left[0]))
        rest = left[1:]
        beaten = (points[rest] >= first).all(axis=1) & (points[rest] > first).any(axis=1)
        left = rest[~beaten]
    return np.array(found, dtype=int)


def distance(outcome: Outcome | Outcomes, outcomes: Outcomes, axes: Sequence[str] = ("days", "dollars")) -> Any:
    """How much better in everything a design would have to be for nobody to beat it.

    Parameters
    ----------
    outcome : Outcome or Outcomes
        One design, or many.
    outcomes : Outcomes
        Those that it is held against; only they that meet the limits count.
    axes : sequence of str
        As `frontier`.

    Returns
    -------
    float or array
        The smallest step e such that, with every axis better by a factor of 1 + e, none is better in
        all: 0 on the frontier and beyond it. A cheap and slow design and a dear and fast one are both at 0. ``inf`` for one that cannot run.

    Notes
    -----
    Looks at ratios, so the unit of an axis does not matter. Source: the multiplicative epsilon indicator, E. Zitzler et al. 2003.

    Examples
    --------
    >>> from chip2cluster.capstone import Scenario, evaluate_many, grid
    >>> asked = Scenario(model="Llama 3 8B", tokens=1e12, global_batch=512)
    >>> found = evaluate_many(grid(asked, chips=["H100 SXM", "A100 SXM 80GB"], nodes=[4, 8, 16]), asked)
    >>> away = distance(found, found)
    >>> bool((away[frontier(found)] == 0).all()), round(float(away[found.fits].max()), 1)
    (True, 2.1)
    """
    front = _points(_checked(outcomes), axes)[frontier(outcomes, axes)]
    if isinstance(outcome, Outcomes):
        mine, can = _points(outcome, axes), outcome.fits
    elif isinstance(outcome, Outcome):
        mine, can = np.array([[_sign(name, getattr(outcome, name)) for name in axes]]), np.array([outcome.fits])
    else:
        raise TypeError(f"outcome must be a capstone.Outcome or Outcomes, got {outcome!r}")
    steps = np.zeros(len(mine))
    for best in front:
        # Negative numbers are those of which more is better: the ratio turns round.
        with np.errstate(invalid="ignore", divide="ignore"):
            ratios = np.where(best > 0, mine / best, best / mine)
        steps = np.fmax(steps, np.min(ratios, axis=1) - 1.0)
    steps = np.where(can & np.isfinite(mine).all(axis=1), steps, inf)
    return steps if isinstance(outcome, Outcomes) else float(steps[0])


def best(scenario: Scenario, objective: str = "days", **choices: Any) -> Outcome:
    """Search the design that meets all limits and is best in one thing.

    Parameters
    ----------
    scenario : Scenario
    objective : str
        An axis as in `frontier`.
    **choices
        As `grid`.

    Returns
    -------
    Outcome

    Raises
    ------
    NoDesign
        A ValueError: no design meets the limits. The message names the binding limit and by how much it is
        missed.

    Notes
    -----
    The best of the choices, no better than these. Source: `evaluate_many` over `grid`.

    Examples
    --------
    >>> from chip2cluster.capstone import Scenario
    >>> asked = Scenario(model="Llama 3 8B", tokens=1e12, global_batch=512, capital_dollars=12e6)
    >>> out = best(asked, chips=["H100 SXM", "B200"])
    >>> out.design.chip, out.design.nodes
    ('B200', 16)
    """
    found = evaluate_many(grid(scenario, **choices), scenario)
    values = _points(found, (objective,))[:, 0]
    meets = found.meets & np.isfinite(values)
    if not meets.any():
        raise NoDesign(binding(found).says)
    return found.outcome(int(np.where(meets, values, inf).argmin()))


def _checked(outcomes: object) -> Outcomes:
    if isinstance(outcomes, Outcomes):
        return outcomes
    raise TypeError(f"outcomes must be capstone.Outcomes, as evaluate_many gives them, got {type(outcomes).__name__}")


def _points(outcomes: Outcomes, axes: Sequence[str]) -> NDArray:
    """The axes of all designs, shape (designs, axes); less is better."""
    if isinstance(axes, str) or not len(axes):
        raise TypeError(f"axes must be a list of names, got {axes!r}")
    return np.column_stack([_sign(choice("axes", name, AXES), getattr(outcomes, name)) for name in axes])


def _sign(name: str, value: Any) -> Any:
    return -value if name in MORE_IS_BETTER else value
