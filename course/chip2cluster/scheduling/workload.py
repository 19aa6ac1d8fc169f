"""Jobs of no machine in particular: a stream with the sizes and lengths that logs show, from a seed."""

from __future__ import annotations

import numpy as np

from .._validate import one_positive, one_whole
from .jobs import Job

HOUR = 3600.0
ASKED = np.array([0.25, 0.5, 1, 2, 4, 8, 12, 18, 24, 48]) * HOUR  # people ask for round figures


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
    """A stream of random jobs that asks for a given share of a machine.

    Parameters
    ----------
    jobs : int
        How many.
    nodes : int
        Nodes of the machine; a job asks for a power of two, at most half of them where that is 1 or more.
    utilization : float
        Node-seconds asked for over those that there are while jobs arrive, above 0. From 1 on
        the queue grows without end.
    seed : int
        The same seed gives the same jobs.
    median_runtime : float
        Seconds.
    sigma : float
        Spread of the lognormal run times; of GPU clusters 2.1 to 2.6 (`gpu_clusters`).
    users : int
        Whose jobs they are, in turn at random.

    Returns
    -------
    list of Job
        With ids from 1 on, in the order of their submission.

    Notes
    -----
    Arrivals are a Poisson stream, each power of two nodes is as likely, run times are
    lognormal (1 s to two days), and people ask for the next round figure above 1
    to 4 times what they need. Ignores days and nights, and that users come back when they see
    their results. Source: shapes as in Lublin and Feitelson, JPDC 63(11), 2003; the
    parameters are ours.

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
    runtimes = np.clip(median * np.exp(spread * draw.standard_normal(count)), 1.0, ASKED[-1]).round()
    wanted = np.minimum(runtimes * draw.uniform(1, 4, count), ASKED[-1])
    walltimes = ASKED[np.searchsorted(ASKED, wanted)]
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
