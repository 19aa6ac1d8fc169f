"""What the ranks of a training write about their steps when something makes all of them slow."""

import numpy as np

CAUSES = ("loader", "network", "straggler", "hot chip", "nothing")
RANKS, STEPS, CLOCK = 3, 4, 1755  # MHz under load
HEALTHY = {"data": 0.012, "compute": 1.2, "exchange": 0.15, "clock": 1755e6}  # seconds, Hz


def steps(cause, generator, *, all_ranks=False, late=0.0, pause=0.0):
    """The arguments of a training whose steps have this ``cause``, on one rank or on all of them.

    One rank is ``late`` seconds later than the others besides, and in one of the steps all of them wait ``pause`` for data.
    """
    data = HEALTHY["data"] * generator.uniform(0.9, 1.05, (STEPS, RANKS))
    compute = HEALTHY["compute"] * generator.uniform(0.985, 1.015, (STEPS, RANKS))
    exchange = HEALTHY["exchange"] * generator.uniform(0.95, 1.05, (STEPS, 1))
    clock = CLOCK - generator.integers(0, 4, (STEPS, RANKS)) * 15
    who = slice(None) if all_ranks else int(generator.integers(RANKS))
    if cause == "loader":
        data[:, who] *= generator.uniform(20, 50)
    elif cause == "network":
        exchange *= generator.uniform(2.5, 5.0)
    elif cause == "straggler":
        compute[:, who] *= generator.uniform(1.25, 1.6)
    elif cause == "hot chip":
        slow = generator.uniform(1.25, 1.6)
        compute[:, who] *= slow
        clock[:, who] = np.round(clock[:, who] / slow / 15) * 15
    compute[:, int(generator.integers(RANKS))] += late
    data[int(generator.integers(1, STEPS))] += pause
    # The first step warms up on all ranks: kernels are compiled, buffers allocated, the shards opened.
    data[0], compute[0] = 20 * data[0], compute[0] * generator.uniform(4, 6, RANKS)
    exchange[0] *= 8
    # Everybody's exchange ends when the last rank has come and all have sent.
    ready = data + compute
    waits = ready.max(axis=1, keepdims=True) - ready + exchange
    return {"log": _log(data, compute, waits, clock, generator), "healthy": dict(HEALTHY)}


def _log(data, compute, waits, clock, generator):
    first, lines = int(generator.integers(1, 60)) * 100, []
    for step in range(STEPS):
        lines += [
            f"step {first + step} rank {rank} | data {1e3 * data[step, rank]:6.0f} ms | "
            f"fwd+bwd {1e3 * compute[step, rank]:6.0f} ms | all_reduce {1e3 * waits[step, rank]:6.0f} ms | "
            f"sm_clock {clock[step, rank]} MHz"
            for rank in range(RANKS)
        ]
    return "\n".join(lines) + "\n"


def columns(log):
    """Seconds of data, arithmetic and exchange, and Hz of the clock: arrays of steps by ranks."""
    rows = [line.split() for line in log.splitlines()]
    steps, ranks = [[int(row[place]) for row in rows] for place in (1, 3)]
    shape = len(set(steps)), len(set(ranks))
    scale = {6: 1e-3, 10: 1e-3, 14: 1e-3, 18: 1e6}
    return [np.array([float(row[place]) * unit for row in rows]).reshape(shape) for place, unit in scale.items()]
