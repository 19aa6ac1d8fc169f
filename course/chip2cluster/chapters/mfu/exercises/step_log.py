"""Logs of a training run's ranks under each cause of slow steps; evidence for `diagnosis`."""

import numpy as np

CAUSES = ("loader", "network", "straggler", "hot chip", "nothing")
RANKS, STEPS = 3, 4
HEALTHY = {"data": 0.012, "compute": 1.2, "exchange": 0.15, "clock": 1755e6}  # seconds, Hz under load
OTHER = {"data": 0.02, "compute": 0.7, "exchange": 0.09, "clock": 1410e6}  # another model on older chips
PART = {"loader": "data", "network": "exchange", "straggler": "compute", "hot chip": "compute", "nothing": ""}
# How many times as long a cause makes its part: lowest and highest.
LONGER = {"data": (20.0, 50.0), "exchange": (2.5, 5.0), "compute": (1.25, 1.6)}


def steps(
    cause, generator, *, all_ranks=False, late=0.0, pause=0.0, healthy=HEALTHY, longer=None, clock=None, cold=False
):
    """The arguments of a run whose steps have this ``cause``, on one rank or on all of them.

    One rank is ``late`` seconds later than the others besides, and in one of the steps all of them wait ``pause`` for data.
    ``longer`` says for a part how many times as long it takes (else the cause draws it), ``clock`` what share of the clock
    the slow rank has (else a hot chip loses what its arithmetic takes longer), and ``cold`` that another has 70 % of it.
    """
    data = healthy["data"] * generator.uniform(0.9, 1.05, (STEPS, RANKS))
    compute = healthy["compute"] * generator.uniform(0.985, 1.015, (STEPS, RANKS))
    exchange = healthy["exchange"] * generator.uniform(0.95, 1.05, (STEPS, 1))
    clocks = healthy["clock"] / 1e6 - generator.integers(0, 4, (STEPS, RANKS)) * 15
    one = int(generator.integers(RANKS))
    who = slice(None) if all_ranks else one
    times = {"data": 1.0, "exchange": 1.0, "compute": 1.0}
    if PART[cause]:
        times[PART[cause]] = float(generator.uniform(*LONGER[PART[cause]]))
    times.update(longer or {})
    data[:, who] *= times["data"]
    compute[:, who] *= times["compute"]
    exchange *= times["exchange"]
    clocks[:, who] *= clock or (1 / times["compute"] if cause == "hot chip" else 1.0)
    clocks[:, (one + 1) % RANKS] *= 0.7 if cold else 1.0
    clocks = (np.round(clocks / 15) * 15).astype(int)
    compute[:, int(generator.integers(RANKS))] += late
    data[int(generator.integers(1, STEPS))] += pause
    # The first step warms up on all ranks: kernels are compiled, buffers allocated, the shards opened.
    data[0], compute[0] = 20 * data[0], compute[0] * generator.uniform(4, 6, RANKS)
    exchange[0] *= 8
    # Everybody's exchange ends when the last rank has come and all have sent.
    ready = data + compute
    waits = ready.max(axis=1, keepdims=True) - ready + exchange
    return {"log": _log(data, compute, waits, clocks, generator), "healthy": dict(healthy)}


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
