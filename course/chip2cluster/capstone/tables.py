"""What comes out, as tables: a step and a run term by term, bounds by chip, what moves an answer."""

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

    Returns
    -------
    pandas.DataFrame
        One row a term that takes time, in the order of the waterfall; units are in the headers.

    Notes
    -----
    Ignores what `evaluate` ignores. Source: as there.

    Examples
    --------
    >>> from chip2cluster.capstone import Design, Scenario, evaluate
    >>> asked = Scenario(model="Llama 3 8B", tokens=1e12, global_batch=512)
    >>> step_table(evaluate(Design(chip="H100 SXM", nodes=16), asked)).index[0]
    'arithmetic'
    """
    return _terms(_checked(outcome).terms, 1.0, "s")


def run_table(outcome: Outcome) -> DataFrame:
    """Tabulate where the time of the whole run goes: work, checkpoints, and what failures cost.

    Parameters
    ----------
    outcome : Outcome

    Returns
    -------
    pandas.DataFrame
        One row a term; units are in the headers.

    Notes
    -----
    Ignores what `evaluate` ignores. Source: as there.

    Examples
    --------
    >>> from chip2cluster.capstone import Design, Scenario, evaluate
    >>> asked = Scenario(model="Llama 3 8B", tokens=1e12, global_batch=512)
    >>> run_table(evaluate(Design(chip="H100 SXM", nodes=16), asked)).index.tolist()
    ['work', 'checkpoints', 'lost work', 'restarts', 'waiting for repairs']
    """
    return _terms(_checked(outcome).run_terms, DAY, "days")


def bounds_table(scenario: Scenario, chips: Iterable[str | Accelerator] | None = None) -> DataFrame:
    """Set what no design can beat side by side for several chips.

    Parameters
    ----------
    scenario : Scenario
    chips : iterable of str or Accelerator, optional
        Those with a price that have the precision, when left out.

    Returns
    -------
    pandas.DataFrame
        One row a chip; units are in the headers. Without a limit there is no most, and no days.

    Notes
    -----
    Ignores what `bounds` ignores. Source: as there.

    Examples
    --------
    >>> from chip2cluster.capstone import Scenario
    >>> asked = Scenario(model="Llama 3 70B", tokens=15e12, global_batch=2048, watts=2e6, deadline_seconds=90 * 86400)
    >>> bounds_table(asked, ["A100 SXM 80GB", "H100 SXM"])["ruled out"].tolist()
    ['the deadline needs 2,977 chips, and the power allows 2,604', '']
    """
    from pandas import DataFrame

    from .grid import _chips

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
    """Tabulate which uncertain number moves an answer how far.

    Parameters
    ----------
    design, scenario, of, **options
        As `sensitivity`.

    Returns
    -------
    pandas.DataFrame
        One row a number that moves it, the one that does most first; SI base units.

    Notes
    -----
    Ignores what `sensitivity` ignores. Source: as there.

    Examples
    --------
    >>> from chip2cluster.capstone import Design, Scenario
    >>> asked = Scenario(model="Llama 3 8B", tokens=1e12, global_batch=512)
    >>> sensitivity_table(Design(chip="H100 SXM", nodes=16, spares=1), asked).index[0]
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
