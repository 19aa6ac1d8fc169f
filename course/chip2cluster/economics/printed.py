"""Published figures of training runs with their original digits.

Independent of the rest of the package, so that it also runs in reduced environments.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pandas import DataFrame

STORED = Path(__file__).resolve().parent.parent / "data" / "training_energy.json"


def printed_table() -> DataFrame:
    """Tabulate the published figures of training runs as text, which preserves their rounding.

    Returns
    -------
    pandas.DataFrame
        One row per run, by name; columns ``hours`` (device-hours), ``watts`` (per device), ``pue``, ``before`` and ``mwh``
        (energy in MWh without and with the PUE), ``grams`` (per kWh), ``tonnes``; empty if not published.

    Notes
    -----
    Excludes runs that publish only dollars, and rows that are sums of others. Two watts with a dash belong to two
    kinds of devices. Trailing zeros of decimals are lost. Source: same as `published_runs`.

    Examples
    --------
    >>> printed_table().loc["GPT-3, as counted by Luccioni", ["pue", "mwh", "grams", "tonnes"]].tolist()
    ['1.1', '1,287', '429', '502']
    """
    import pandas  # imported here because the models do not need it

    rows = json.loads(STORED.read_text(encoding="utf-8"))["rows"]
    carbon = [row for row in rows if "sum_of" not in row and "printed_dollars" not in row]
    return pandas.DataFrame.from_dict({row["model"]: _texts(row) for row in carbon}, orient="index").sort_index()


def _texts(row: dict[str, Any]) -> dict[str, str]:
    before = "printed_MWh" if row.get("printed_MWh_is_before_pue") else "printed_MWh_before_pue"
    kinds = [_text(row[name]) for name in ("watts_low", "watts_high") if name in row]
    return {
        "hours": _text(row.get("device_hours")),
        "watts": "-".join(kinds) or _text(row.get("watts_per_device")),
        "pue": _text(row.get("pue")),
        "before": _text(row.get(before)),
        "mwh": "" if before == "printed_MWh" else _text(row.get("printed_MWh")),
        "grams": _text(row.get("kg_per_kWh"), 1e3),
        "tonnes": _text(row.get("printed_t")),
    }


def _text(value: float | None, times: float = 1.0) -> str:
    return "" if value is None else f"{value * times:,.10g}"
