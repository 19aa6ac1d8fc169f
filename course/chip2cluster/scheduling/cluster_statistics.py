"""Published statistics of five GPU clusters: run times, waits, and use of GPU time."""

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
    """Statistics of the GPU jobs of a cluster, from its log; times in seconds, None if not published.

    ``completed_gpu_seconds``, ``cancelled_gpu_seconds`` and ``failed_gpu_seconds`` are GPUs times seconds held, by final
    state of the job; ``printed_shares`` are the published shares of the three.
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
        """GPU-seconds of all GPU jobs."""
        parts = (self.completed_gpu_seconds, self.cancelled_gpu_seconds, self.failed_gpu_seconds)
        return sum(known(f"GPU time of {self.name}", part) for part in parts)

    @property
    def shares(self) -> tuple[float, float, float]:
        """Shares of completed, cancelled and failed jobs in the GPU-seconds."""
        total = self.gpu_seconds
        parts = (self.completed_gpu_seconds, self.cancelled_gpu_seconds, self.failed_gpu_seconds)
        return tuple(part / total for part in parts)  # type: ignore[return-value,operator]

    @property
    def runtime_sigma(self) -> float:
        """Sigma of lognormal run times with this mean and median: ``sqrt(2 log(mean / median))``."""
        return sqrt(2 * log(self.mean_runtime / self.median_runtime))

    @property
    def squared_cv(self) -> float:
        """Squared coefficient of variation of these lognormal run times, for `mg1_wait`."""
        return expm1(self.runtime_sigma**2)

    @property
    def longer_if_larger(self) -> float:
        """GPU-seconds over jobs times mean GPUs times mean run time; above 1 if larger jobs run longer."""
        return self.gpu_seconds / (self.gpu_jobs * self.mean_gpus * self.mean_runtime)


@cache
def gpu_clusters() -> tuple[GpuCluster, ...]:
    """List the statistics of the GPU clusters Seren, Kalos, Philly, Helios and PAI.

    Returns
    -------
    tuple of GpuCluster
        Statistics of each cluster.

    Notes
    -----
    Ignores arrival times. Source: `gpu_clusters_source`.

    Examples
    --------
    The median job of Kalos runs for two minutes, and a third of its GPU time belongs to completed jobs:

    >>> kalos = gpu_clusters()[1]
    >>> kalos.name, kalos.median_runtime, round(kalos.shares[0], 2), round(kalos.longer_if_larger, 1)
    ('Kalos', 124.0, 0.31, 7.9)
    """
    return tuple(
        GpuCluster(**row | {"printed_shares": row["printed_shares"] and tuple(row["printed_shares"])})
        for row in _load()["rows"]
    )


def gpu_clusters_source() -> Source:
    """Source of `gpu_clusters`.

    Returns
    -------
    Source
        Citation, date and confidence.

    Examples
    --------
    >>> gpu_clusters_source().as_of
    '2024'
    """
    return Source(**_load()["source"])


@cache
def _load() -> dict[str, Any]:
    return json.loads(FILE.read_text(encoding="utf-8"))
