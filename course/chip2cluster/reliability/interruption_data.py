"""Published interruptions and failure rates of large training runs, checked against their own counts."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from ..provenance import Source
from ..utilization import DAY, HOUR
from .failures import failure_rate, mtbf

if TYPE_CHECKING:
    from pandas import DataFrame


@dataclass(frozen=True)
class Interruption:
    """Row of a published table: cause of interruptions, their number, and the published percentage."""

    component: str
    category: str
    count: int
    printed_percent: float


@dataclass(frozen=True)
class ObservedRate:
    """Observed failure rate of one node with eight GPUs, failures/s, with its source."""

    name: str
    failures_per_node_second: float
    source: Source


def interruptions() -> tuple[Interruption, ...]:
    """Causes of the unexpected interruptions of Llama 3 405B in 54 days on 16,384 GPUs.

    Returns
    -------
    tuple of Interruption
        419 interruptions with 18 causes, most frequent first, without 47 planned ones.

    Notes
    -----
    The counts include faulty GPUs (reported by the driver as Xid errors), HBM failures and silent data corruption (SDC).
    Ignores the duration of each interruption, which is not published. Source: arXiv:2407.21783, table 5.

    Examples
    --------
    >>> lines = interruptions()
    >>> sum(line.count for line in lines), lines[0].component, lines[0].count
    (419, 'Faulty GPU', 148)
    """
    return tuple(Interruption(**row) for row in _load()["run"]["rows"])


def interruptions_source() -> Source:
    """Source of `interruptions`.

    Returns
    -------
    Source
        Citation, date and confidence.

    Examples
    --------
    >>> interruptions_source().confidence
    'secondary'
    """
    data = _load()
    return Source(**data["sources"][data["run"]["source"]])


def published_interruptions() -> DataFrame:
    """Compare the published percentages of the Llama 3 table with its counts.

    Returns
    -------
    pandas.DataFrame
        One row per component; the last column says whether the published digits follow from the counts.

    Notes
    -----
    One percentage does not follow: 148 of 419 are 35.3 %, not 30.1 %. The published column adds up to 94.9 %, and the
    58.7 % in the text for GPUs inherit the mistake: they are 64.0 %. Source: same as `interruptions`.

    Examples
    --------
    >>> table = published_interruptions()
    >>> table[~table["agrees"]].index.tolist(), round(float(table["printed (%)"].sum()), 1)
    (['Faulty GPU'], 94.9)
    """
    import pandas  # imported here because the models do not need it

    lines = interruptions()
    total = sum(line.count for line in lines)
    rows = {}
    for line in lines:
        share = round(100 * line.count / total, 1)
        rows[line.component] = (line.category, line.count, line.printed_percent, share, share == line.printed_percent)
    return pandas.DataFrame.from_dict(
        rows, orient="index", columns=["category", "count", "printed (%)", "of all (%)", "agrees"]
    )


def published_claims() -> DataFrame:
    """Compare published claims about failures with the counts and rates of the same reports.

    Returns
    -------
    pandas.DataFrame
        One row per claim: published value, recomputed value, and whether the published digits follow.

    Notes
    -----
    The 78 % of Llama 3's interruptions attributed to hardware follow if host maintenance and watchdog timeouts count
    as hardware like GPUs and hosts, and the network does not; the base is the 419 unexpected ones. In Meta's research
    clusters jobs of 8 and 1,024 GPUs failed three to four times as often as the fitted rate, from which larger jobs
    are projected. Ignores the uncertainty of counts. Sources: same as `interruptions` and `observed_rates`.

    Examples
    --------
    >>> claims = published_claims()
    >>> claims[~claims["agrees"]].index.tolist()
    ['GPUs, of those of Llama 3 (%)', 'MTBF of 8 GPUs (h)', 'MTBF of 1,024 GPUs (h)']
    """
    import pandas  # imported here because the models do not need it

    data = _load()
    run, lines = data["run"], interruptions()
    printed = run["printed"]

    def percent(*categories: str) -> float:
        return 100 * sum(line.count for line in lines if line.category in categories) / run["unexpected"]

    hardware = ("GPU", "Host", "Unplanned maintenance", "Unknown")
    rows = {
        "Hours between interruptions of Llama 3": _claim(
            printed["hours_between"], run["days"] * 24 / run["unexpected"], 0
        ),
        "GPUs, of those of Llama 3 (%)": _claim(printed["gpu_percent"], percent("GPU"), 1),
        "Hardware, of those of Llama 3 (%)": _claim(printed["hardware_percent"], percent(*hardware), 0),
    }
    projections = data["projections"]
    rate = next(rate for rate in observed_rates() if rate.name == projections["rate"])
    for gpus, hours in projections["printed_hours"].items():
        found = mtbf(int(gpus) // 8, rate.failures_per_node_second) / HOUR
        rows[f"MTBF of {int(gpus):,} GPUs (h)"] = _claim(hours, found, 2 if hours < 1 else 1)
    return pandas.DataFrame.from_dict(rows, orient="index", columns=["printed", "recomputed", "agrees"])


def observed_rates() -> tuple[ObservedRate, ...]:
    """Observed failure rates of nodes in large machines.

    Returns
    -------
    tuple of ObservedRate
        Rates with their sources.

    Notes
    -----
    The definition of a failure differs: everything that stopped the job, or hardware failures only.
    Sources: the ``source`` of each rate.

    Examples
    --------
    >>> [(rate.name, round(1000 * 86400 * rate.failures_per_node_second, 2)) for rate in observed_rates()[:1]]
    [('Llama 3 405B, H100', 3.79)]
    """
    data = _load()
    return tuple(
        ObservedRate(rate["name"], _per_second(rate), Source(**data["sources"][rate["source"]]))
        for rate in data["rates"]
    )


def observed_rates_table(nodes: int = 1250) -> DataFrame:
    """Tabulate the observed rates and the MTBF that they imply for a machine of a given size.

    Parameters
    ----------
    nodes : int
        Number of nodes with eight GPUs; 1,250 nodes are 10,000 GPUs.

    Returns
    -------
    pandas.DataFrame
        One row per machine; units are in the headers.

    Notes
    -----
    Ignores the same effects as `mtbf`. Sources: same as `observed_rates`.

    Examples
    --------
    >>> observed_rates_table()["MTBF of 1,250 nodes (h)"].tolist()
    [5.1, 1.4, 3.0, 8.2]
    """
    import pandas  # imported here because the models do not need it

    rows = {
        rate.name: (
            round(1000 * DAY * rate.failures_per_node_second, 2),
            round(mtbf(nodes, rate.failures_per_node_second) / HOUR, 1),
            rate.source.confidence,
        )
        for rate in observed_rates()
    }
    header = ["failures in 1,000 node-days", f"MTBF of {nodes:,} nodes (h)", "confidence"]
    return pandas.DataFrame.from_dict(rows, orient="index", columns=header)


def _claim(printed: float, found: float, decimals: int) -> tuple[float, float, bool]:
    """Return the published value, the recomputed one with at least one decimal, and whether the published digits follow."""
    return float(printed), round(found, max(decimals, 1)), round(found, decimals) == printed


def _per_second(rate: dict[str, Any]) -> float:
    if "per_thousand_node_days" in rate:
        return rate["per_thousand_node_days"] / (1000 * DAY)
    return failure_rate(rate["failures"], rate["nodes"], rate["days"] * DAY)


@cache
def _load() -> dict[str, Any]:
    return json.loads((files("chip2cluster") / "data" / "interruptions.json").read_text(encoding="utf-8"))
