"""Where no design meets all limits: which limit binds, and by how much it would have to give."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .scenario import Scenario

if TYPE_CHECKING:
    from .design import Design
    from .outcomes import Outcomes


class NoDesign(ValueError):
    """No design meets the limits; the message says which limit binds, and by how much."""


@dataclass(frozen=True)
class Binding:
    """What keeps a scenario from having a design.

    Attributes
    ----------
    limit : str or None
        Of the design that comes nearest, the limit that it breaks most; None where a design meets all.
    by : float
        How far it is broken there, as a share of the limit.
    nearest : Design or None
        The design whose worst broken limit is broken least; None where nothing can run at all.
    alone : dict of str to float
        For each limit how far it would have to give if all others stand, as a share of it; 0 where a design
        meets all, inf where giving it up would not help.
    says : str
        The same in a sentence.
    """

    limit: str | None
    by: float
    nearest: Design | None
    alone: dict[str, float]
    says: str


def binding(outcomes: Outcomes | Scenario, **choices: Any) -> Binding:
    """Say which limit keeps all designs out, and by how much.

    Parameters
    ----------
    outcomes : Outcomes or Scenario
        As `evaluate_many` gives them, of all designs that one would take; for a scenario those of `grid`.
    **choices
        As `grid`, with a scenario.

    Returns
    -------
    Binding

    Notes
    -----
    True of these designs: others might do. Ignores what it would cost to move a limit. Source: the largest margins of `Outcomes`.

    Examples
    --------
    >>> from chip2cluster.capstone import Scenario
    >>> asked = Scenario(model="Llama 3 8B", tokens=1e12, global_batch=512, deadline_seconds=5 * 86400, capital_dollars=8e6)
    >>> found = binding(asked, chips=["H100 SXM"])
    >>> found.limit, round(found.by, 2), found.nearest.nodes
    ('capital_dollars', 0.33, 32)
    """
    from .grid import grid
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
        f"; with all others as they are {_name(cheapest)} would have to give {100 * alone[cheapest]:,.1f} %"
        if np.isfinite(alone[cheapest])
        else "; no limit alone is enough to give"
    )
    says = f"no design meets all limits: the nearest breaks {_name(limit)} by {100 * by:,.1f} %{helps}"
    return Binding(limit, by, outcomes.designs[int(can[row])], alone, says)


def _name(limit: str) -> str:
    return {"capital_dollars": "the price of the machine", "dollars": "the cost of the training", "watts": "the power",
            "deadline_seconds": "the deadline", "kg_co2": "the carbon"}.get(limit, limit)  # fmt: skip
