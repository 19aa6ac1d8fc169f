"""Timings of `chip2cluster.scheduling`: a log of 1,000 jobs and a generated stream of 100,000."""

import numpy as np

from chip2cluster import scheduling
from tests.bench.rows import call_row


def rows():
    """Return the rows of this module."""
    log = scheduling.trace()
    # 128 nodes at 80 % offered load: powers of two up to 64 nodes, lognormal run times, round walltimes (see `generate`).
    stream = scheduling.generate(100_000, 128, 0.8, seed=1)
    policies = ("fcfs", "easy", "conservative")
    cases = [
        call_row(
            f"{policy}, 1,000 jobs of the SDSC SP2",
            lambda policy=policy: scheduling.simulate(log.jobs, log.nodes, policy),
            budget=0.1 if policy == "easy" else None,
        )
        for policy in policies
    ]
    users = [scheduling.Share(name) for name in sorted({job.user for job in log.jobs})]
    shares = scheduling.Fairshare(scheduling.Share("root", children=users), period=3600.0)
    weights = scheduling.Weights(age=1000, fairshare=10_000)
    fair = lambda: scheduling.simulate(log.jobs, log.nodes, "multifactor_easy", weights, fairshare=shares)
    whole = lambda: scheduling.simulate(stream, 128, "easy")
    busy = np.linspace(0, 0.99, 10**6)
    return [
        *cases,
        call_row("the same log with fair share of 51 users, updated every hour", fair, budget=1),
        call_row("erlang_c, scalar (64 servers)", lambda: scheduling.erlang_c(64, 0.8), budget=10e-6),
        call_row("age_factor, scalar", lambda: scheduling.age_factor(75.0, 600.0), budget=10e-6),
        call_row(
            "mg1_wait, 10^6 utilizations",
            lambda: scheduling.mg1_wait(busy, 60.0, 4.0),
            lambda: busy / (1 - busy) * 5 / 2 * 60,
            max_ratio=2,
        ),
        call_row("easy, 100,000 generated jobs", whole, budget=15),
        call_row("generate 100,000 jobs", lambda: scheduling.generate(100_000, 128, 0.8, seed=1)),
    ]
