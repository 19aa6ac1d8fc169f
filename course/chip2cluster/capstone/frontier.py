"""Pareto frontier of many designs, distance of a design from it, and the best design for one objective."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np

from .._validate import choice
from .binding import NoDesign, binding
from .design_grid import grid
from .outcome import Outcome
from .outcomes import NUMBERS, Outcomes, evaluate_many

if TYPE_CHECKING:
    from .._typing import NDArray
    from .scenario import Scenario

MORE_IS_BETTER = ("mfu", "goodput", "mtbf")
AXES = ("days", *NUMBERS)


def frontier(outcomes: Outcomes, axes: Sequence[str] = ("days", "dollars")) -> NDArray:
    """Find the Pareto-optimal designs: no other design that meets all limits is as good on every axis and better on one.

    Parameters
    ----------
    outcomes : Outcomes
        Results of `evaluate_many`.
    axes : sequence of str
        Names of numbers of `Outcomes`; less is better, except for MFU, goodput and MTBF.

    Returns
    -------
    array of int
        Indices of the designs, sorted by the first axis, best first.

    Notes
    -----
    Designs that are equal on every axis are all returned. Ignores designs that do not meet the limits. Source: V. Pareto 1906.

    Examples
    --------
    >>> from chip2cluster.capstone import Scenario, evaluate_many, grid
    >>> scenario = Scenario(model="Llama 3 8B", tokens=1e12, global_batch=512)
    >>> found = evaluate_many(grid(scenario, chips=["H100 SXM"], nodes=[4, 8, 16], recomputes=["selective"]), scenario)
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
    """Compute by how much a design would have to improve on every axis to be Pareto-optimal.

    Parameters
    ----------
    outcome : Outcome or Outcomes
        One design or many.
    outcomes : Outcomes
        Designs to compare with; only those that meet the limits count.
    axes : sequence of str
        Names of numbers, same as in `frontier`.

    Returns
    -------
    float or array
        Smallest e such that no design is better on all axes once every axis improves by a factor of 1 + e: 0 on
        the frontier, for a cheap and slow design as well as for an expensive and fast one; inf if it cannot run.

    Notes
    -----
    Uses ratios, so the unit of an axis does not matter. Source: the multiplicative epsilon indicator, E. Zitzler et al. 2003.

    Examples
    --------
    >>> from chip2cluster.capstone import Scenario, evaluate_many, grid
    >>> scenario = Scenario(model="Llama 3 8B", tokens=1e12, global_batch=512)
    >>> found = evaluate_many(grid(scenario, chips=["H100 SXM", "A100 SXM 80GB"], nodes=[4, 8, 16]), scenario)
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
        # Numbers of which more is better are negative, so their ratio is inverted.
        with np.errstate(invalid="ignore", divide="ignore"):
            ratios = np.where(best > 0, mine / best, best / mine)
        steps = np.fmax(steps, np.min(ratios, axis=1) - 1.0)
    steps = np.where(can & np.isfinite(mine).all(axis=1), steps, inf)
    return steps if isinstance(outcome, Outcomes) else float(steps[0])


def best(scenario: Scenario, objective: str = "days", **choices: Any) -> Outcome:
    """Search the design that meets all limits and is best for one objective.

    Parameters
    ----------
    scenario : Scenario
        Training run, its limits and assumptions.
    objective : str
        Name of a number, same as in `frontier`.
    **choices
        Arguments of `grid`.

    Returns
    -------
    Outcome
        Evaluation of the best design.

    Raises
    ------
    NoDesign
        A ValueError: no design meets the limits. The message names the binding limit and by how much it is
        missed.

    Notes
    -----
    Best among the given choices only. Source: `evaluate_many` over `grid`.

    Examples
    --------
    >>> from chip2cluster.capstone import Scenario
    >>> scenario = Scenario(model="Llama 3 8B", tokens=1e12, global_batch=512, capital_dollars=12e6)
    >>> out = best(scenario, chips=["H100 SXM", "B200"])
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
    """Return the axes of all designs, shape (designs, axes); less is better."""
    if isinstance(axes, str) or not len(axes):
        raise TypeError(f"axes must be a list of names, got {axes!r}")
    return np.column_stack([_sign(choice("axes", name, AXES), getattr(outcomes, name)) for name in axes])


def _sign(name: str, value: Any) -> Any:
    return -value if name in MORE_IS_BETTER else value
