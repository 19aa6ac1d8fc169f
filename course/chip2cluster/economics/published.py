"""Published energies, emissions and prices of trainings, and what follows from what was printed."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any

from ..provenance import Source
from .audit import Audit, Claim, audit
from .energy import JOULES_PER_KWH
from .grid import stored

if TYPE_CHECKING:
    from pandas import DataFrame

JOULES_PER_MWH = 1e3 * JOULES_PER_KWH


@dataclass(frozen=True)
class PublishedRun:
    """A training as a paper or a card reports it; None where it prints nothing.

    Attributes
    ----------
    id, model : str
    claim : Claim
        Everything printed, in SI units.
    watts_range : tuple of two floats or None
        Where devices of two kinds were used and the shares are not said.
    sum_of : tuple of str
        Ids of the rows that it adds up.
    corrected_carbon_kg : float or None
        What others found instead.
    tokens, dollars_per_device_hour, printed_dollars : float or None
    power_scope : str
        What the watts count: ``"TDP, device only"``, ``"measured, with host, memory and network"``; empty where not said.
    source : Source
    """

    id: str
    model: str
    claim: Claim
    watts_range: tuple[float, float] | None
    sum_of: tuple[str, ...]
    corrected_carbon_kg: float | None
    tokens: float | None
    dollars_per_device_hour: float | None
    printed_dollars: float | None
    power_scope: str
    source: Source

    @cached_property
    def audit(self) -> Audit:
        """What recomputes, and which single factor explains what does not."""
        return audit(self.claim)

    @property
    def recomputed_carbon_kg(self) -> float | None:
        """From what was printed; None where a factor was not."""
        if self.sum_of:
            parts = [published_run(name).claim.carbon_kg for name in self.sum_of]
            return sum(part for part in parts if part is not None)
        return self.claim.recomputed_carbon_kg

    @property
    def recomputed_carbon_range_kg(self) -> tuple[float, float] | None:
        """Of all devices of the weaker and all of the stronger kind."""
        if self.watts_range is None:
            return None
        low, high = (self.claim.with_watts(watts).recomputed_carbon_kg or 0.0 for watts in self.watts_range)
        return low, high

    @property
    def recomputed_dollars(self) -> float | None:
        """Device-hours times the price that was assumed."""
        if self.claim.device_seconds is None or self.dollars_per_device_hour is None:
            return None
        return self.claim.device_seconds / 3600 * self.dollars_per_device_hour

    @property
    def dollars_per_million_tokens(self) -> float | None:
        """Of the tokens trained on."""
        spent = self.recomputed_dollars
        return None if spent is None or self.tokens is None else 1e6 * spent / self.tokens

    @property
    def reproduces(self) -> bool:
        """Whether what was printed follows from what was printed, within 1 % or the last digit."""
        if self.sum_of:
            printed, found = self.claim.carbon_kg, self.recomputed_carbon_kg
            return bool(printed and found and abs(found / printed - 1) <= 0.01)
        if span := self.recomputed_carbon_range_kg:
            return span[0] <= (self.claim.carbon_kg or 0.0) <= span[1]
        if self.printed_dollars is not None:
            return abs((self.recomputed_dollars or 0.0) / self.printed_dollars - 1) <= 0.01
        return self.audit.verdict == "reproduces"


def published_runs() -> tuple[PublishedRun, ...]:
    """Published energies, emissions and prices of trainings.

    Returns
    -------
    tuple of PublishedRun

    Notes
    -----
    Many energies are hours times an assumed power: they test arithmetic, not a model of power.
    Source: each one's ``source``.

    Examples
    --------
    >>> runs = published_runs()
    >>> len(runs), sum(run.reproduces for run in runs)
    (50, 35)
    """
    return tuple(_runs().values())


def published_run(name: str) -> PublishedRun:
    """One of `published_runs` by its id.

    Parameters
    ----------
    name : str
        Its id, such as ``"palm"``.

    Returns
    -------
    PublishedRun

    Examples
    --------
    >>> published_run("luccioni-gpt3").audit.sentence
    'The carbon printed is 0.909 of what follows from the rest: the PUE was left out, or taken out once too often.'
    """
    if name in _runs():
        return _runs()[name]
    raise ValueError(f"name must be one of {', '.join(_runs())}, got {name!r}")


def audit_table() -> DataFrame:
    """Every published run with what it prints, what recomputes, and the verdict.

    Returns
    -------
    pandas.DataFrame
        One row a run; units are in the headers.

    Notes
    -----
    Source: as `published_runs`.

    Examples
    --------
    >>> audit_table().loc["PaLM 540B", ["printed (t)", "recomputed (t)", "verdict"]].tolist()
    ['271.43', '271.43', 'reproduces']
    """
    import pandas  # here, because the models do not need it

    rows = {}
    for run in published_runs():
        if run.printed_dollars is not None:
            continue
        found = run.recomputed_carbon_kg
        printed = run.claim.carbon_kg
        verdict = "reproduces" if run.reproduces else run.audit.verdict
        factor = run.audit.factor or "" if verdict == "explained" else ""
        rows[run.model] = (
            "" if printed is None else f"{printed / 1e3:,.2f}",
            "" if found is None else f"{found / 1e3:,.2f}",
            verdict,
            factor,
        )
    header = ["printed (t)", "recomputed (t)", "verdict", "factor"]
    return pandas.DataFrame.from_dict(rows, orient="index", columns=header)


@cache
def _runs() -> dict[str, PublishedRun]:
    return {row["id"]: _read(row) for row in stored("training_energy.json")["rows"]}


def _read(row: dict[str, Any]) -> PublishedRun:
    def scaled(name: str, factor: float) -> float | None:
        return None if row.get(name) is None else row[name] * factor

    printed = row.get("printed_MWh")
    before = row.get("printed_MWh_is_before_pue", False)
    claim = Claim(
        device_seconds=scaled("device_hours", 3600.0),
        mean_watts_per_device=row.get("watts_per_device"),
        pue=row.get("pue"),
        grams_per_kwh=scaled("kg_per_kWh", 1e3),
        it_joules=scaled("printed_MWh" if before else "printed_MWh_before_pue", JOULES_PER_MWH),
        facility_joules=None if before else scaled("printed_MWh", JOULES_PER_MWH),
        carbon_kg=scaled("printed_t", 1e3),
        carbon_last_digit_kg=_last_digit(row.get("printed_t")) * 1e3,
        energy_last_digit_joules=_last_digit(printed or row.get("printed_MWh_before_pue")) * JOULES_PER_MWH,
    )
    watts = (row["watts_low"], row["watts_high"]) if "watts_low" in row else None
    return PublishedRun(
        row["id"],
        row["model"],
        claim,
        watts,
        tuple(row.get("sum_of", ())),
        scaled("corrected_t", 1e3),
        row.get("tokens"),
        row.get("dollars_per_device_hour"),
        row.get("printed_dollars"),
        row.get("power_scope", ""),
        Source(row["source"], row["as_of"], row["confidence"], row.get("note", "")),
    )


def _last_digit(printed: float | None) -> float:
    """The value of the last digit of a number as it was printed: 0.01 for 24.69."""
    if not printed:
        return 0.0
    decimals = len(f"{printed:.10g}".partition(".")[2])
    return 10.0**-decimals
