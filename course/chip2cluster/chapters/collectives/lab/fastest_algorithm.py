"""Task on the fastest algorithm for each message size."""

import math

import numpy as np

from chip2cluster import collectives
from chip2cluster.exercise.model import Exercise, Group, Mistake

from ..mutants import MUTANTS

NAMES = ("ring", "tree", "recursive_doubling", "halving_doubling")


def fastest(message_bytes, ranks, bandwidth, latency):
    """The fastest of four all-reduces; two of them need a power of two."""
    names = NAMES if ranks & (ranks - 1) == 0 else NAMES[:2]
    return min(names, key=lambda name: collectives.time("all_reduce", name, message_bytes, ranks, bandwidth, latency))


def _row(size, ranks, bandwidth, latency):
    return {"message_bytes": size, "ranks": ranks, "bandwidth": bandwidth, "latency": latency}


def _messages(generator):
    first = [
        _row(1e3, 8, 450e9, 2e-6),
        _row(1e10, 8, 450e9, 2e-6),
        _row(1e3, 12, 50e9, 5e-6),
        _row(1e10, 12, 50e9, 5e-6),
    ]
    # For powers of two and for other numbers of ranks, a message on either side of where the answer changes.
    powers = generator.choice(range(4, 11), 4, replace=False)
    # With sixteen ranks the answer changes far from where it would with a wrong factor.
    even = [2 ** int(power) for power in np.where(powers == powers.min(), 4, powers)]
    # With so many ranks it does not matter for these whether log2 is rounded up.
    uneven = [4 * int(fours) + 2 for fours in generator.choice(range(7, 50), 4, replace=False)]
    drawn = []
    for ranks, pair in [(ranks, NAMES[2:]) for ranks in even] + [(ranks, NAMES[:2]) for ranks in uneven]:
        bandwidth = round(float(generator.uniform(20e9, 400e9)), -9)
        latency = round(float(generator.uniform(2e-6, 9e-6)), 7)
        size = collectives.crossover_size("all_reduce", pair[0], pair[1], ranks, bandwidth, latency)
        drawn += [_row(round(size * share), ranks, bandwidth, latency) for share in (0.7, 1.4)]
    return [*first, *(drawn[place] for place in generator.permutation(len(drawn)))]


def _edges(generator):
    return [
        _row(1e9, 2, 450e9, 2e-6),
        _row(4.5e5, 9, 50e9, 5e-6),
        _row(1e8, 1000, 50e9, 5e-6),
        _row(1e11, 1023, 50e9, 5e-6),
    ]


def _choice(levels=lambda n: math.ceil(math.log2(n)), powers=True, with_latency=True, with_bytes=True, way=2, best=min):
    def wrong(message_bytes, ranks, bandwidth, latency):
        log = levels(ranks)
        a = latency if with_latency else 0.0
        b = message_bytes / bandwidth if with_bytes else 0.0
        times = {
            "ring": 2 * (ranks - 1) * (a + b / ranks),
            "tree": way * log * (a + b),
            "recursive_doubling": log * (a + b),
            "halving_doubling": 2 * log * a + 2 * (ranks - 1) / ranks * b,
        }
        names = NAMES if not powers or ranks & (ranks - 1) == 0 else NAMES[:2]
        return best(names, key=times.get)

    return wrong


FASTEST = Exercise(
    id="lab.collectives.fastest",
    title="Which algorithm for which message?",
    signature="fastest(message_bytes, ranks, bandwidth, latency)",
    unit="",
    graded=True,
    points=4,
    reference=fastest,
    groups=(
        Group("messages", 0.8, _messages),
        Group(
            "edges",
            0.2,
            _edges,
            advice="Round log2(p) up: nine ranks make a tree of four levels. And 1000 is not a power of two.",
        ),
    ),
    hints=(
        "Put the times into a dict from name to seconds; min(times, key=times.get) gives the name.",
        "(ranks − 1).bit_length() is log2 rounded up, without rounding errors.",
        "Two of the four exist only for powers of two, whose binary form has a single 1. Leave them out for all other numbers.",
    ),
    explanation=(
        "For small messages the fewest steps win, for large ones the fewest bytes. With a power of two the ring never wins: "
        "halving-doubling has its bytes in fewer steps. (On a real machine the ring has an advantage that the model ignores: "
        "it needs links between neighbors only.)"
    ),
    mistakes=(
        Mistake(
            "any number of ranks",
            _choice(powers=False),
            "You allowed recursive doubling or halving-doubling for a number of ranks that is not a power of two.",
        ),
        Mistake(
            "latency left out",
            _choice(with_latency=False),
            "You compared only the bytes. For small messages the number of steps decides.",
        ),
        Mistake(
            "bytes left out",
            _choice(with_bytes=False),
            "You compared only the steps. For large messages the bytes decide.",
        ),
        Mistake(
            "the slowest",
            _choice(best=max),
            "You returned the slowest. Take the smallest time.",
        ),
        Mistake(
            "not rounded up",
            _choice(levels=lambda n: math.floor(math.log2(n))),
            "You did not round log2(p) up. Nine ranks make a tree of four levels: one rank more than a power of two takes "
            "a level more.",
            share=0.8,
        ),
        Mistake(
            "natural logarithm",
            _choice(levels=math.log),
            "You took the natural logarithm. Each level doubles: log2, rounded up.",
        ),
        Mistake(
            "one way up the tree",
            _choice(way=1),
            "You sent the sums up the tree but not down again: it takes 2·log2(p) steps.",
        ),
    ),
    mutants=MUTANTS["lab.collectives.fastest"],
)
