"""Published energy, emissions and cost of training runs, with recomputed values."""

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
    """Training run as reported in a paper or model card; None for figures that are not published.

    Attributes
    ----------
    id, model : str
        Identifier and name.
    claim : Claim
        Published figures in SI units.
    watts_range : tuple of two floats or None
        Power of the two kinds of devices if both were used in unknown shares, W.
    sum_of : tuple of str
        Ids of the rows that this row adds up.
    corrected_carbon_kg : float or None
        Emission that others published as a correction, kg.
    tokens, dollars_per_device_hour, printed_dollars : float or None
        Training tokens, assumed price, and published cost.
    power_scope : str
        Scope of the power, such as ``"TDP, device only"`` or ``"measured, with host, memory and network"``; empty if
        not stated.
    source : Source
        Citation, date and confidence.
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
        """Audit of the published figures."""
        return audit(self.claim)

    @property
    def recomputed_carbon_kg(self) -> float | None:
        """Carbon recomputed from the published figures, kg; None if a factor is missing."""
        if self.sum_of:
            parts = [published_run(name).claim.carbon_kg for name in self.sum_of]
            return sum(part for part in parts if part is not None)
        return self.claim.recomputed_carbon_kg

    @property
    def recomputed_carbon_range_kg(self) -> tuple[float, float] | None:
        """Carbon if all devices were of the weaker kind, and of the stronger kind, kg."""
        if self.watts_range is None:
            return None
        low, high = (self.claim.with_watts(watts).recomputed_carbon_kg or 0.0 for watts in self.watts_range)
        return low, high

    @property
    def recomputed_dollars(self) -> float | None:
        """Device-hours times the assumed price, dollars."""
        if self.claim.device_seconds is None or self.dollars_per_device_hour is None:
            return None
        return self.claim.device_seconds / 3600 * self.dollars_per_device_hour

    @property
    def dollars_per_million_tokens(self) -> float | None:
        """Cost per million training tokens, dollars."""
        spent = self.recomputed_dollars
        return None if spent is None or self.tokens is None else 1e6 * spent / self.tokens

    @property
    def reproduces(self) -> bool:
        """Whether the published figures agree with each other, within 1 % or the last digit."""
        if self.sum_of:
            printed, found = self.claim.carbon_kg, self.recomputed_carbon_kg
            return bool(printed and found and abs(found / printed - 1) <= 0.01)
        if span := self.recomputed_carbon_range_kg:
            return span[0] <= (self.claim.carbon_kg or 0.0) <= span[1]
        if self.printed_dollars is not None:
            return abs((self.recomputed_dollars or 0.0) / self.printed_dollars - 1) <= 0.01
        return self.audit.verdict == "reproduces"


def published_runs() -> tuple[PublishedRun, ...]:
    """List published energy, emissions and cost of training runs.

    Returns
    -------
    tuple of PublishedRun
        Runs with their sources.

    Notes
    -----
    Many energies are hours times an assumed power: they test arithmetic, not a power model.
    Source: the ``source`` of each run.

    Examples
    --------
    >>> runs = published_runs()
    >>> len(runs), sum(run.reproduces for run in runs)
    (50, 35)
    """
    return tuple(_runs().values())


def published_run(name: str) -> PublishedRun:
    """Look up one of `published_runs` by its id.

    Parameters
    ----------
    name : str
        Id, such as ``"palm"``.

    Returns
    -------
    PublishedRun
        The run.

    Examples
    --------
    >>> published_run("luccioni-gpt3").audit.sentence
    'The published carbon is 0.909 times the value that follows from the other figures: the PUE was omitted, or divided out once too often.'
    """
    if name in _runs():
        return _runs()[name]
    raise ValueError(f"name must be one of {', '.join(_runs())}, got {name!r}")


def audit_table() -> DataFrame:
    """Tabulate every published run with published value, recomputed value, and verdict.

    Returns
    -------
    pandas.DataFrame
        One row per run; units are in the headers.

    Notes
    -----
    Source: same as `published_runs`.

    Examples
    --------
    >>> audit_table().loc["PaLM 540B", ["printed (t)", "recomputed (t)", "verdict"]].tolist()
    ['271.43', '271.43', 'reproduces']
    """
    import pandas  # imported here because the models do not need it

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
    """Return the value of the last published digit: 0.01 for 24.69."""
    if not printed:
        return 0.0
    decimals = len(f"{printed:.10g}".partition(".")[2])
    return 10.0**-decimals
