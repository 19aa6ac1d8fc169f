"""Priorities and fair shares recorded on a real Slurm with three users."""

from __future__ import annotations

import csv
import json
from functools import cache
from pathlib import Path
from typing import NamedTuple

from ..provenance import Source

FOLDER = Path(__file__).resolve().parent.parent / "data" / "slurm"


class PrioritySample(NamedTuple):
    """Row of ``sprio``: weighted parts of the priority of a pending job, ``time_s`` seconds after the first sample."""

    time_s: float
    job: int
    user: str
    age: int
    fairshare: int
    job_size: int
    partition: int
    qos: int
    nice: int
    priority: int


class ShareSample(NamedTuple):
    """Row of ``sshare -l``: an account (``user`` empty) or a user in it; nan for empty columns."""

    time_s: float
    account: str
    user: str
    raw_shares: float
    norm_shares: float
    raw_usage: float
    effective_usage: float
    fairshare: float
    level_fs: float


@cache
def recorded_priorities() -> tuple[PrioritySample, ...]:
    """List recorded priorities of seven pending jobs over two and a half minutes, from ``sprio``.

    Returns
    -------
    tuple of PrioritySample
        Samples in order of time; a job has none after its start.

    Notes
    -----
    Weights were 1,000 (age, job size, partition), 2,000 (qos) and 10,000 (fairshare). Source: `recorded_source`.

    Examples
    --------
    >>> [(one.time_s, one.priority) for one in recorded_priorities() if one.job == 6][::4]
    [(0.0, 12025), (40.0, 12125), (81.0, 12125)]
    """
    return tuple(
        PrioritySample(float(row["time_s"]), *(row[name] if name == "user" else int(row[name]) for name in row if name != "time_s"))  # type: ignore[arg-type]
        for row in _rows("priorities")
    )  # fmt: skip


@cache
def recorded_shares() -> tuple[ShareSample, ...]:
    """List recorded shares, usage and fair-share factors over seven minutes, from ``sshare``.

    Returns
    -------
    tuple of ShareSample
        Samples in order of time, of accounts and users.

    Notes
    -----
    Source: `recorded_source`.

    Examples
    --------
    >>> max(one.raw_usage for one in recorded_shares() if one.user == "alice")
    4303.0
    """
    words = ("account", "user")
    return tuple(
        ShareSample(*(text if name in words else float(text or "nan") for name, text in row.items()))  # type: ignore[arg-type]
        for row in _rows("shares")
    )


def recorded_source() -> Source:
    """Source of `recorded_priorities` and `recorded_shares`.

    Returns
    -------
    Source
        Citation, date and method.

    Examples
    --------
    >>> recorded_source().as_of
    '2026-11'
    """
    return Source(**json.loads((FOLDER / "source.json").read_text(encoding="utf-8")))


def _rows(name: str) -> list[dict[str, str]]:
    with (FOLDER / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))
