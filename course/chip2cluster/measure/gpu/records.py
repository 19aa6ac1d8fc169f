"""Experiments recorded on an H100 and an H200 for the course."""

from __future__ import annotations

import csv
import json
from functools import cache
from typing import Any

from ..._validate import choice
from ..collective_records import FOLDER
from .experiments import EXPERIMENTS
from .series import GpuSeries

CARDS = ("H100 SXM", "H200")
FILES = FOLDER / "gpu"
_TEXT = ("series", "card", "kernel", "throttle", "dtype")
EXTRA = ("latency", "concurrency", "launches_from_c", "power_phases")


def recorded_gpu(experiment: str, card: str = "H100 SXM", *, said: str = "") -> GpuSeries:
    """Look up a recorded experiment.

    Parameters
    ----------
    experiment : str
        Name: ``"triad"``, ``"products"``, ``"steps"``, ``"launches"``, ``"copies"``, ``"power"``, ``"attention"`` or
        ``"training"``.
    card : {"H100 SXM", "H200"}
        GPU it was recorded on.
    said : str
        Sentence to keep with the series; by default one that names the machine.

    Returns
    -------
    GpuSeries
        Recorded points.

    Notes
    -----
    One card of each kind, in virtual machines, on one day. Small products and sets repeat on the same operands, so what
    fits the L2 cache is in it; times below 10 microseconds are mostly the cost of the events. Source: the course's own
    measurement; the README beside the data has the rule by which it was thinned.

    Examples
    --------
    >>> round(recorded_gpu("products").best["y"] / 1e12)
    1485
    >>> round(recorded_gpu("triad", "H200").best["y"] / 1e12, 1) > 4
    True
    """
    choice("experiment", experiment, tuple(EXPERIMENTS))
    choice("card", card, CARDS)
    about = recorded_about(card)
    text = said or f"Recorded on {about['device']}, {about['date']}, in a virtual machine; one card."
    return GpuSeries(experiment, about["device"], _rows(experiment, card), True, about, text)


def recorded_gpus(experiment: str) -> tuple[GpuSeries, ...]:
    """Look up an experiment on each recorded card.

    Parameters
    ----------
    experiment : str
        Name, as in `recorded_gpu`.

    Returns
    -------
    tuple of GpuSeries
        The H100's and the H200's.

    Notes
    -----
    Source: same as `recorded_gpu`.

    Examples
    --------
    >>> [one.device for one in recorded_gpus("copies")]
    ['NVIDIA H100 80GB HBM3', 'NVIDIA H200']
    """
    return tuple(recorded_gpu(experiment, card) for card in CARDS)


def recorded_table(name: str, card: str = "H100 SXM") -> tuple[dict[str, Any], ...]:
    """Look up a recorded table that is no experiment of this module.

    Parameters
    ----------
    name : {"latency", "concurrency", "launches_from_c", "power_phases"}
        Pointer chase by working set; bandwidth by SMs and by warps in flight; chains launched by a C program; work and
        energy of each load.
    card : {"H100 SXM", "H200"}
        GPU it was recorded on.

    Returns
    -------
    tuple of dict
        Rows in base units.

    Notes
    -----
    Source: same as `recorded_gpu`.

    Examples
    --------
    >>> product = recorded_table("power_phases")[0]
    >>> product["series"], round(product["work"] / product["seconds"] / 1e12)
    ('bf16 product, random', 670)
    """
    choice("name", name, EXTRA)
    return _rows(name, choice("card", card, CARDS))


def recorded_about(card: str) -> dict[str, str]:
    """Return the conditions of the recording on a card."""
    about: dict[str, dict[str, str]] = json.loads((FILES / "about.json").read_text(encoding="utf-8"))
    return about[card]


@cache
def _rows(name: str, card: str) -> tuple[dict[str, Any], ...]:
    with (FILES / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return tuple(
            {key: cell if key in _TEXT else float(cell) for key, cell in row.items() if key != "card" and cell != ""}
            for row in csv.DictReader(file)
            if row["card"] == card
        )
