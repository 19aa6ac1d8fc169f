"""Binding limit of a scenario that no design meets, and by how much the limit would have to be relaxed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .scenario import Scenario

if TYPE_CHECKING:
    from .design import Design
    from .outcomes import Outcomes


class NoDesign(ValueError):
    """No design meets the limits; the message names the binding limit and by how much it is missed."""


@dataclass(frozen=True)
class Binding:
    """Binding limit of a scenario.

    Attributes
    ----------
    limit : str or None
        Limit that the nearest design violates most; None if a design meets all limits.
    by : float
        Violation of that limit by the nearest design, as a fraction of the limit.
    nearest : Design or None
        Design with the smallest worst violation; None if no design can run.
    alone : dict of str to float
        Relaxation of each limit alone that would admit a design, as a fraction of it; 0 if a design meets all
        limits, inf if no relaxation of this limit alone helps.
    says : str
        The result as a sentence.
    """

    limit: str | None
    by: float
    nearest: Design | None
    alone: dict[str, float]
    says: str


def binding(outcomes: Outcomes | Scenario, **choices: Any) -> Binding:
    """Find the limit that rules out all designs, and by how much it is missed.

    Parameters
    ----------
    outcomes : Outcomes or Scenario
        Results of `evaluate_many` for all acceptable designs; for a scenario those of `grid` are evaluated.
    **choices
        Arguments of `grid`, only with a scenario.

    Returns
    -------
    Binding
        The binding limit.

    Notes
    -----
    Holds for these designs only; others might be feasible. Ignores the cost of relaxing a limit. Source: the largest
    margins of `Outcomes`.

    Examples
    --------
    >>> from chip2cluster.capstone import Scenario
    >>> scenario = Scenario(model="Llama 3 8B", tokens=1e12, global_batch=512, deadline_seconds=5 * 86400, capital_dollars=8e6)
    >>> found = binding(scenario, chips=["H100 SXM"])
    >>> found.limit, round(found.by, 2), found.nearest.nodes
    ('capital_dollars', 0.33, 32)
    """
    from .design_grid import grid
    from .outcomes import Outcomes, evaluate_many

    if isinstance(outcomes, Scenario):
        outcomes = evaluate_many(grid(outcomes, **choices), outcomes)
    elif choices:
        raise TypeError(f"choices go with a scenario, got {', '.join(choices)} with outcomes")
    if not isinstance(outcomes, Outcomes):
        raise TypeError(
            f"outcomes must be capstone.Outcomes, as evaluate_many gives them, got {type(outcomes).__name__}"
        )
    names = [name for name in outcomes.margins if name != "memory_bytes"]
    if outcomes.meets.any():
        return Binding(
            None, 0.0, None, dict.fromkeys(names, 0.0), f"{int(outcomes.meets.sum()):,} designs meet all limits"
        )
    can = np.flatnonzero(outcomes.fits)
    if not len(can):
        held = outcomes.margins["memory_bytes"]
        if not np.isfinite(held).any():
            return Binding(None, np.inf, None, {}, "none of the designs can run: no layout is legal on any machine")
        one = int(np.nanargmax(held))
        by = float(-held[one])
        says = f"none of the designs can run: the fullest chip needs {100 * by:,.0f} % more memory than it has, at the least"
        return Binding("memory_bytes", by, outcomes.designs[one], {"memory_bytes": by}, says)
    broken = np.column_stack([np.maximum(-outcomes.margins[name][can], 0.0) for name in names])
    row = int(broken.max(axis=1).argmin())
    worst = int(broken[row].argmax())
    alone = {}
    for place, name in enumerate(names):
        others = np.delete(broken, place, axis=1).max(axis=1, initial=0.0) == 0
        alone[name] = float(broken[others, place].min()) if others.any() else np.inf
    limit, by = names[worst], float(broken[row, worst])
    cheapest = min(alone, key=alone.__getitem__)
    helps = (
        f"; with all others unchanged, {_name(cheapest)} would have to be relaxed by {100 * alone[cheapest]:,.1f} %"
        if np.isfinite(alone[cheapest])
        else "; relaxing one limit alone is not enough"
    )
    says = f"no design meets all limits: the nearest violates {_name(limit)} by {100 * by:,.1f} %{helps}"
    return Binding(limit, by, outcomes.designs[int(can[row])], alone, says)


def _name(limit: str) -> str:
    return {"capital_dollars": "the price of the machine", "dollars": "the cost of the training run", "watts": "the power",
            "deadline_seconds": "the deadline", "kg_co2": "the carbon"}.get(limit, limit)  # fmt: skip
