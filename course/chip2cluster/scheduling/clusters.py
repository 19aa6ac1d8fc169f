"""Five GPU clusters as their logs sum up: how long jobs run, how long they wait, and what becomes of the GPU time."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from math import expm1, log, sqrt
from pathlib import Path
from typing import Any

from .._validate import known
from ..provenance import Source

FILE = Path(__file__).resolve().parent.parent / "data" / "gpu_clusters.json"


@dataclass(frozen=True)
class GpuCluster:
    """What a cluster's log says of its GPU jobs; times in seconds, None where it is not printed.

    ``completed_gpu_seconds`` and its like are GPUs times the seconds that jobs held them, by how
    these jobs ended; ``printed_shares`` are the three shares of their sum as printed.
    """

    name: str
    jobs: int
    cpu_jobs: int
    gpu_jobs: int
    mean_runtime: float
    median_runtime: float
    longest_runtime: float
    mean_wait: float
    median_wait: float
    mean_gpus: float
    median_gpus: float
    most_gpus: int
    completed_gpu_seconds: float | None
    cancelled_gpu_seconds: float | None
    failed_gpu_seconds: float | None
    printed_shares: tuple[float, float, float] | None

    @property
    def gpu_seconds(self) -> float:
        """GPUs times seconds of all GPU jobs."""
        parts = (self.completed_gpu_seconds, self.cancelled_gpu_seconds, self.failed_gpu_seconds)
        return sum(known(f"GPU time of {self.name}", part) for part in parts)

    @property
    def shares(self) -> tuple[float, float, float]:
        """Of that time, the shares of jobs that completed, were cancelled, and failed."""
        total = self.gpu_seconds
        parts = (self.completed_gpu_seconds, self.cancelled_gpu_seconds, self.failed_gpu_seconds)
        return tuple(part / total for part in parts)  # type: ignore[return-value,operator]

    @property
    def runtime_sigma(self) -> float:
        """Of the lognormal run times that have this mean and this median: ``sqrt(2 log(mean / median))``."""
        return sqrt(2 * log(self.mean_runtime / self.median_runtime))

    @property
    def squared_cv(self) -> float:
        """Of these lognormal run times, for `mg1_wait`: a tail so long that a queue waits for it alone."""
        return expm1(self.runtime_sigma**2)

    @property
    def longer_if_larger(self) -> float:
        """How much more GPU time there is than jobs times their mean GPUs times their mean run time."""
        return self.gpu_seconds / (self.gpu_jobs * self.mean_gpus * self.mean_runtime)


@cache
def gpu_clusters() -> tuple[GpuCluster, ...]:
    """Five GPU clusters side by side: Seren, Kalos, Philly, Helios and PAI.

    Returns
    -------
    tuple of GpuCluster

    Notes
    -----
    Ignores when jobs came. Where it comes from: `gpu_clusters_source`.

    Examples
    --------
    Half of the jobs of Kalos run for two minutes, and a third of its GPU time led to an end:

    >>> kalos = gpu_clusters()[1]
    >>> kalos.name, kalos.median_runtime, round(kalos.shares[0], 2), round(kalos.longer_if_larger, 1)
    ('Kalos', 124.0, 0.31, 7.9)
    """
    return tuple(
        GpuCluster(**row | {"printed_shares": row["printed_shares"] and tuple(row["printed_shares"])})
        for row in _load()["rows"]
    )


def gpu_clusters_source() -> Source:
    """Where `gpu_clusters` were read.

    Returns
    -------
    Source

    Examples
    --------
    >>> gpu_clusters_source().as_of
    '2024'
    """
    return Source(**_load()["source"])


@cache
def _load() -> dict[str, Any]:
    return json.loads(FILE.read_text(encoding="utf-8"))
