"""Score of the frozen laws on a table of measurements, beside the roofline and one constant."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from . import constants
from .fitting import fingerprint, usable
from .keys import KEYS
from .rows import Row, entries, kind_of, sheet, unread
from .time import Expected, expected

COUNT = {"nccl": "ranks", "custom_all_reduce": "ranks", "expert_all_to_all": "ranks", "serving_step": "chips", "first_token": "chips", "training_step": "chips", "experts": "expert_parallel"}  # fmt: skip
HEADER = ("", "rows", "median", "1.25", "1.5", "bias", "in interval", "roofline", "1.5", "constant", "1.5")


def score(rows: list[Row], kind: str) -> list[Expected]:
    """Return the expectation of each row."""
    names = [key.name for key in KEYS[kind]]
    return [expected(kind, {name: row[name] for name in names}) for row in rows]


def line(label: str, measured: np.ndarray, found: list[Expected]) -> tuple[str, ...]:
    """Return one line of the report."""
    seconds = np.array([one.seconds for one in found])
    bound = np.array([one.bound for one in found])
    inside = np.mean([one.low <= value <= one.high for one, value in zip(found, measured, strict=True)])
    law = _factors(measured / seconds)
    roofline = _factors(measured / bound)
    constant = _factors(measured / np.exp(np.median(np.log(measured))))
    return (
        label, str(len(measured)), f"{np.median(law):.2f}", _share(law, 1.25), _share(law, 1.5),
        f"{np.exp(np.median(np.log(seconds / measured))):.2f}", f"{100 * inside:.0f} %",
        f"{np.median(roofline):.2f}", _share(roofline, 1.5), f"{np.median(constant):.2f}", _share(constant, 1.5),
    )  # fmt: skip


def report(path: Path, kind: str | None = None) -> str:
    """Score a table: all rows, those that the fit saw and the others, by chip, by number of chips.

    Parameters
    ----------
    path : Path
        Table of measurements, CSV.
    kind : str, optional
        Kind of the rows; None to tell it by the columns.

    Returns
    -------
    str
        Table: rows, median factor, fraction within 1.25 and 1.5, bias, fraction inside the interval; then
        median and fraction within 1.5 of the roofline and of one constant, the median of the measurements.
    """
    table = sheet(path)
    kind = kind or kind_of(table)
    if kind not in KEYS:
        raise ValueError(f"kind must be one of {', '.join(KEYS)}, got {kind!r}")
    rows = entries(table, kind)
    if not rows:
        raise ValueError(f"{path} has no rows of {kind}")
    rows, found, refused = _answered(rows, kind)
    if not rows:
        raise ValueError(f"{path}: no row can be asked; first reason: {refused[0]}")
    measured = np.array([row["seconds"] for row in rows])
    lines = [HEADER, line(kind, measured, found)]
    seen = set(constants.load()["kinds"][kind]["seen"])
    blind = np.array([fingerprint(row, kind) not in seen for row in rows])
    for label, chosen in (("seen by the fit", ~blind), ("blind", blind)):
        if chosen.any():
            lines.append(line(label, measured[chosen], [found[place] for place in np.flatnonzero(chosen)]))
    for key in ("chip", COUNT.get(kind, "")):
        for value in sorted({row[key] for row in rows} if key else (), key=str):
            places = [place for place, row in enumerate(rows) if row[key] == value]
            label = str(value) if key == "chip" else f"{key} {value:g}"
            lines.append(line(label, measured[places], [found[place] for place in places]))
    widths = [max(len(one[place]) for one in lines) for place in range(len(HEADER))]
    text = ["  ".join(cell.ljust(w) if not place else cell.rjust(w) for place, (cell, w) in enumerate(zip(one, widths, strict=True))) for one in lines]  # fmt: skip
    held = ", ".join(
        f"{100 * share:.0f} % by {name}" for name, share in constants.load()["kinds"][kind]["coverage"].items()
    )
    text.append(
        f"interval of law {constants.load()['version']} on rows left out of its fit: {held}; it should hold 80 %"
    )
    if ignored := unread(table, kind):
        text.append(f"columns that no law of {kind} reads: {', '.join(ignored)}")
    if refused:
        text.append(f"not asked: {len(refused)} rows; first reason: {refused[0]}")
    return "\n".join(text)


def _answered(rows: list[Row], kind: str) -> tuple[list[Row], list[Expected], list[str]]:
    """Return the rows that can be asked, their expectations, and the reasons of the others."""
    asked: list[Row] = []
    found: list[Expected] = []
    refused: list[str] = []
    for row in rows:
        try:
            if not usable(row, kind):
                raise ValueError("the row measures a cache, not the memory (cycled_over_l2), or its cause is unknown")
            found += score([row], kind)
            asked.append(row)
        except (LookupError, ValueError) as error:
            refused.append(str(error))
    return asked, found, refused


def _factors(ratio: Any) -> np.ndarray:
    return np.exp(np.abs(np.log(ratio)))


def _share(factors: np.ndarray, within: float) -> str:
    return f"{100 * np.mean(factors <= within):.0f} %"
