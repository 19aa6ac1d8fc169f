"""Random workloads with job sizes and run times similar to those in logs."""

from __future__ import annotations

import numpy as np

from .._validate import one_positive, one_whole
from .jobs import Job

HOUR = 3600.0
ROUND_WALLTIMES = np.array([0.25, 0.5, 1, 2, 4, 8, 12, 18, 24, 48]) * HOUR  # users request round numbers


def generate(
    jobs: int,
    nodes: int,
    utilization: float = 0.8,
    *,
    seed: int,
    median_runtime: float = 1800.0,
    sigma: float = 1.5,
    users: int = 20,
) -> list[Job]:
    """Generate a random stream of jobs with a given load.

    Parameters
    ----------
    jobs : int
        Number of jobs.
    nodes : int
        Number of nodes of the machine; job sizes are powers of two up to half the machine.
    utilization : float
        Offered load: node-seconds requested over those available while jobs arrive, above 0. From 1 on
        the queue grows without bound.
    seed : int
        Seed of the random numbers.
    median_runtime : float
        Median run time, seconds.
    sigma : float
        Sigma of the lognormal run times; 2.1 to 2.6 on GPU clusters (`gpu_clusters`).
    users : int
        Number of users, to whom jobs are assigned at random.

    Returns
    -------
    list of Job
        Jobs with ids from 1, in order of submission.

    Notes
    -----
    Poisson arrivals, equally likely powers of two nodes, lognormal run times (1 s to two days), and walltimes of the
    next round number above 1 to 4 times the run time. Ignores daily cycles, and feedback from results to submissions.
    Source: distributions as in Lublin and Feitelson, JPDC 63(11), 2003; the parameters are our choice.

    Examples
    --------
    >>> stream = generate(1000, 128, 0.7, seed=1)
    >>> round(sum(job.node_seconds for job in stream) / 128 / stream[-1].submit, 2)
    0.7
    """
    count, machine = one_whole("jobs", jobs), one_whole("nodes", nodes)
    load, median = one_positive("utilization", utilization), one_positive("median_runtime", median_runtime)
    spread = one_positive("sigma", sigma, allow_zero=True)
    draw = np.random.default_rng(one_whole("seed", seed, 0))
    largest = max(0, int(np.log2(machine / 2))) if machine > 1 else 0
    sizes = 2 ** draw.integers(0, largest + 1, count)
    runtimes = np.clip(median * np.exp(spread * draw.standard_normal(count)), 1.0, ROUND_WALLTIMES[-1]).round()
    wanted = np.minimum(runtimes * draw.uniform(1, 4, count), ROUND_WALLTIMES[-1])
    walltimes = ROUND_WALLTIMES[np.searchsorted(ROUND_WALLTIMES, wanted)]
    gaps = draw.exponential(1.0, count)
    submits = np.cumsum(gaps) * (sizes * runtimes).sum() / (load * machine * gaps.sum())
    owners = draw.integers(0, one_whole("users", users), count)
    return [
        Job(number, submit, size, walltime, runtime, user=f"user {owner}")
        for number, (submit, size, walltime, runtime, owner) in enumerate(
            zip(submits.tolist(), sizes.tolist(), walltimes.tolist(), runtimes.tolist(), owners.tolist(), strict=True),
            1,
        )
    ]
