"""Tables of results: terms of a step and of a run, bounds by chip, sensitivities."""

from __future__ import annotations

from collections.abc import Iterable
from math import inf
from typing import TYPE_CHECKING, Any

from ..specs import Accelerator
from .bounds import bounds
from .outcome import DAY, Outcome
from .sensitivity import sensitivity

if TYPE_CHECKING:
    from pandas import DataFrame

    from .design import Design
    from .scenario import Scenario


def step_table(outcome: Outcome) -> DataFrame:
    """Tabulate where the time of a step goes.

    Parameters
    ----------
    outcome : Outcome
        Evaluation of a design.

    Returns
    -------
    pandas.DataFrame
        One row per term that takes time, in the order of the waterfall; units are in the headers.

    Notes
    -----
    Ignores the same effects as `evaluate`; same sources.

    Examples
    --------
    >>> from chip2cluster.capstone import Design, Scenario, evaluate
    >>> scenario = Scenario(model="Llama 3 8B", tokens=1e12, global_batch=512)
    >>> step_table(evaluate(Design(chip="H100 SXM", nodes=16), scenario)).index[0]
    'arithmetic'
    """
    return _terms(_checked(outcome).terms, 1.0, "s")


def run_table(outcome: Outcome) -> DataFrame:
    """Tabulate where the time of the whole run goes: work, checkpoints, and the cost of failures.

    Parameters
    ----------
    outcome : Outcome
        Evaluation of a design.

    Returns
    -------
    pandas.DataFrame
        One row per term; units are in the headers.

    Notes
    -----
    Ignores the same effects as `evaluate`; same sources.

    Examples
    --------
    >>> from chip2cluster.capstone import Design, Scenario, evaluate
    >>> scenario = Scenario(model="Llama 3 8B", tokens=1e12, global_batch=512)
    >>> run_table(evaluate(Design(chip="H100 SXM", nodes=16), scenario)).index.tolist()
    ['work', 'checkpoints', 'lost work', 'restarts', 'waiting for repairs']
    """
    return _terms(_checked(outcome).run_terms, DAY, "days")


def bounds_table(scenario: Scenario, chips: Iterable[str | Accelerator] | None = None) -> DataFrame:
    """Tabulate the lower bounds of several chips.

    Parameters
    ----------
    scenario : Scenario
        Training run, its limits and assumptions.
    chips : iterable of str or Accelerator, optional
        Chips to compare; None compares all that have a price and the precision.

    Returns
    -------
    pandas.DataFrame
        One row per chip; units are in the headers. Without a limit, "chips, at most" and "days, at least" are empty.

    Notes
    -----
    Ignores the same effects as `bounds`; same sources.

    Examples
    --------
    >>> from chip2cluster.capstone import Scenario
    >>> scenario = Scenario(model="Llama 3 70B", tokens=15e12, global_batch=2048, watts=2e6, deadline_seconds=90 * 86400)
    >>> bounds_table(scenario, ["A100 SXM 80GB", "H100 SXM"])["ruled out"].tolist()
    ['the deadline needs 2,977 chips, and the power allows 2,604', '']
    """
    from pandas import DataFrame

    from .design_grid import _chips

    rows = {}
    for chip in _chips(scenario, chips):
        one = bounds(scenario, chip)
        rows[one.chip] = {
            "chips, at least": one.fewest_chips, "chips, at most": None if one.most_chips == inf else int(one.most_chips),
            "days, at least": round(one.days_at_least, 1) if one.most_chips < inf else None,
            "cost, at least (million $)": round(one.dollars_at_least / 1e6, 2),
            "carbon, at least (t)": round(one.kg_at_least / 1e3, 1), "ruled out": one.rules_out,
        }  # fmt: skip
    return DataFrame.from_dict(rows, orient="index", dtype=object).rename_axis("chip")


def sensitivity_table(design: Design, scenario: Scenario, of: str = "days", **options: Any) -> DataFrame:
    """Tabulate the effect of each uncertain number on a result.

    Parameters
    ----------
    design : Design
        Cluster and layout; it must be able to run.
    scenario : Scenario
        Training run, its limits and assumptions.
    of : str
        Result, same as in `sensitivity`.
    **options
        Other arguments of `sensitivity`.

    Returns
    -------
    pandas.DataFrame
        One row per number that has an effect, largest first; SI base units.

    Notes
    -----
    Ignores the same effects as `sensitivity`; same sources.

    Examples
    --------
    >>> from chip2cluster.capstone import Design, Scenario
    >>> scenario = Scenario(model="Llama 3 8B", tokens=1e12, global_batch=512)
    >>> sensitivity_table(Design(chip="H100 SXM", nodes=16, spares=1), scenario).index[0]
    'kernel_share'
    """
    from pandas import DataFrame

    rows = {
        one.name: (f"{one.low:.3g}", f"{one.high:.3g}", f"{one.at_low:.4g}", f"{one.at_high:.4g}", round(one.factor, 3), one.because)
        for one in sensitivity(design, scenario, of, **options)
        if one.factor > 1 + 5e-4
    }  # fmt: skip
    header = ["low", "high", f"{of} at low", f"{of} at high", "factor", "because"]
    return DataFrame.from_dict(rows, orient="index", columns=header).rename_axis("number")


def _terms(terms: Any, scale: float, unit: str) -> DataFrame:
    from pandas import DataFrame

    whole = sum(term.seconds for term in terms)
    rows = {
        term.name: (round(term.seconds / scale, 3), round(100 * term.seconds / whole, 1), term.function)
        for term in terms
        if term.seconds > 0
    }
    return DataFrame.from_dict(rows, orient="index", columns=[f"time ({unit})", "share (%)", "from"]).rename_axis(
        "term"
    )


def _checked(outcome: object) -> Outcome:
    if isinstance(outcome, Outcome):
        return outcome
    raise TypeError(f"outcome must be a capstone.Outcome, got {outcome!r}")
