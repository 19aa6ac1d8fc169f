"""Task on the column *busbw* of a benchmark's output."""

import numpy as np

from chip2cluster import collectives
from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.model import Exercise, Group, Mistake

from ..mutants import MUTANTS


def bus_column(message_bytes, seconds, ranks):
    """Bus bandwidth of measured all-reduces, GB/s."""
    return collectives.bus_bandwidth("all_reduce", message_bytes, seconds, ranks) / 1e9


def _runs(generator):
    # A case that can be done in the head comes first: it is the one that a student sees.
    drawn = [{"message_bytes": np.array([2e9, 4e9]), "seconds": np.array([0.1, 0.1]), "ranks": 4}]
    for ranks, rows in ((8, 3), (3, 4), (16, 2), (72, 5)):
        size = generator.uniform(1e4, 1e9, rows).round()
        drawn.append({"message_bytes": size, "seconds": size / generator.uniform(1e9, 400e9, rows), "ranks": ranks})
    return drawn


def _edges(generator):
    return [
        {"message_bytes": np.array([8.0, 1e9]), "seconds": np.array([18e-6, 0.02]), "ranks": 2},
        {"message_bytes": np.array([1e6]), "seconds": np.array([50e-6]), "ranks": 1},
    ]


def _bus(factor=lambda n: 2 * (n - 1) / n, scale=1e9):
    return lambda message_bytes, seconds, ranks: factor(ranks) * message_bytes / seconds / scale


BUS = Exercise(
    id="lab.collectives.bus_column",
    title="The last column",
    signature="bus_column(message_bytes, seconds, ranks)",
    unit="GB/s",
    graded=True,
    points=3,
    reference=bus_column,
    groups=(
        Group("runs", 0.8, _runs),
        Group(
            "edges",
            0.2,
            _edges,
            advice="With two ranks the factor is 1; a single rank sends nothing, so its rate is 0.",
        ),
    ),
    hints=(
        "First the algorithm bandwidth: size over time, element by element.",
        "Then the fraction of the message that each rank's link carries in an all-reduce.",
        "In an all-reduce a link carries nearly twice the message: each rank sends its part in both halves, to all but one of the ranks. The column is in GB/s.",
    ),
    explanation="The factor makes runs with different numbers of ranks comparable with each other and with the link.",
    mistakes=(
        Mistake(
            "algorithm bandwidth",
            _bus(lambda n: 1.0),
            "That is the algorithm bandwidth. A link carries 2 (p − 1) / p times the message in an all-reduce.",
        ),
        Mistake(
            "half an all-reduce",
            _bus(lambda n: (n - 1) / n),
            "You counted half of the all-reduce: it is a reduce-scatter and an all-gather.",
            v.FACTOR,
        ),
        Mistake(
            "bytes a second",
            _bus(scale=1.0),
            "Your rates are in bytes/s. Divide by 1e9: the column is in GB/s.",
            v.UNIT,
        ),
        Mistake(
            "bits a second", _bus(scale=1e9 / 8), "Your rates are in Gb/s. A byte has 8 bits: return GB/s.", v.UNIT
        ),
        Mistake("GiB a second", _bus(scale=2**30), "You divided by 2**30. GB are 10**9 bytes, also here.", v.UNIT),
        Mistake("twice the message", _bus(lambda n: 2.0), "The factor 2 is the limit for many ranks: 2 (p − 1) / p."),
        Mistake(
            "upside down",
            _bus(lambda n: n / (2 * (n - 1)) if n > 1 else 0.0),
            "You inverted the factor: a link carries more than the message, not less.",
        ),
    ),
    mutants=MUTANTS["lab.collectives.bus_column"],
)
