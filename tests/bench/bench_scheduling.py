"""Timings of `chip2cluster.scheduling`: a log of 1,000 jobs and a generated stream of 100,000."""

from chip2cluster import scheduling


def rows():
    """(name, ours, bare NumPy or None, note) for `make bench`."""
    log = scheduling.trace()
    # 128 nodes, asked for to 80 %: powers of two up to 64 nodes, lognormal run times, round walltimes (see `generate`).
    stream = scheduling.generate(100_000, 128, 0.8, seed=1)
    policies = ("fcfs", "easy", "conservative")
    cases = [
        (
            f"{policy}, 1,000 jobs of the SDSC SP2",
            lambda policy=policy: scheduling.simulate(log.jobs, log.nodes, policy),
            None,
            "budget 0.1 s" if policy == "easy" else "",
        )
        for policy in policies
    ]
    whole = lambda: scheduling.simulate(stream, 128, "easy")
    return [
        *cases,
        ("easy, 100,000 generated jobs", whole, None, "budget 15 s"),
        ("generate 100,000 jobs", lambda: scheduling.generate(100_000, 128, 0.8, seed=1), None, ""),
    ]
