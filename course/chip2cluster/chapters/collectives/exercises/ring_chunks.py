"""Exercise on the chunk that each rank sends in each step of a ring."""

from chip2cluster import collectives
from chip2cluster.exercise.model import Exercise, Group, Mistake

from ..mutants import MUTANTS


def ring_chunks(rank, step, ranks):
    """Numbers of the chunks that a rank sends and receives in a step of a ring all-reduce."""
    return [(rank - step) % ranks, (rank - 1 - step) % ranks]


def _first_half(generator):
    # A case that can be done in the head comes first: it is the one that a student sees.
    drawn = [{"rank": 2, "step": 1, "ranks": 8}]
    for ranks in (4, 5, 7, 12, 16):
        rank = int(generator.integers(1, ranks))
        drawn.append({"rank": rank, "step": int(generator.integers(1, ranks - 1)), "ranks": ranks})
    # Numbers that wrap around below zero.
    drawn.append({"rank": 1, "step": 4, "ranks": 6})
    return drawn


def _second_half(generator):
    return [{"rank": 0, "step": 0, "ranks": 5}, {"rank": 3, "step": 9, "ranks": 8}, {"rank": 1, "step": 5, "ranks": 4}]


def _chunks(sent, received):
    return lambda rank, step, ranks: [sent(rank, step, ranks), received(rank, step, ranks)]


CHUNKS = Exercise(
    id="collectives.chunks",
    title="Which chunk travels?",
    signature="ring_chunks(rank, step, ranks)",
    unit="(chunk sent, chunk received)",
    points=2,
    reference=ring_chunks,
    groups=(
        Group("the first half", 0.8, _first_half),
        Group(
            "edges",
            0.2,
            _second_half,
            advice="Rank 0 receives from the last rank. And the rule has no exceptions: it also holds in the second half.",
        ),
    ),
    hints=(
        "In step 0 rank i sends chunk i. What does it receive, and from whom?",
        "What it receives in one step it sends in the next. So the chunk it sends goes down by one in every step.",
        "Sent: (rank − step) % ranks. Received: what the rank on the left, rank − 1, sends by the same rule.",
    ),
    solution="""
def ring_chunks(rank, step, ranks):
    return (rank - step) % ranks, (rank - 1 - step) % ranks
""",
    explanation=(
        "A chunk moves one rank to the right in every step, so for one rank the chunk numbers go down. Python's % "
        "returns a number from 0 to ranks−1 even for negative numbers; in C, (−1) % 8 is −1, which is why you will often "
        "see (rank − step + 2 * ranks) % ranks."
    ),
    meaning=lambda: (
        f"In a ring of 8 every rank does this in each of {collectives.steps('all_reduce', 'ring', 8)} steps, so all links are "
        "always busy, and in each step every rank sends a different chunk."
    ),
    mistakes=(
        Mistake(
            "forwards",
            _chunks(lambda i, s, n: (i + s) % n, lambda i, s, n: (i - 1 + s) % n),
            "Your chunk numbers go up with the step. A rank passes on what came from its left: the numbers go down.",
        ),
        Mistake(
            "forwards, and from the right",
            _chunks(lambda i, s, n: (i + s) % n, lambda i, s, n: (i + 1 + s) % n),
            "Your chunk numbers go up with the step. A rank passes on what came from its left: the numbers go down.",
        ),
        Mistake(
            "sent and received swapped",
            _chunks(lambda i, s, n: (i - 1 - s) % n, lambda i, s, n: (i - s) % n),
            "You swapped the two: the chunk sent comes first, then the chunk received.",
        ),
        Mistake(
            "received from the right",
            _chunks(lambda i, s, n: (i - s) % n, lambda i, s, n: (i + 1 - s) % n),
            "You received from rank + 1. Rank i sends to i + 1, so it receives from i − 1.",
        ),
        Mistake(
            "received into the chunk sent",
            _chunks(lambda i, s, n: (i - s) % n, lambda i, s, n: (i - s) % n),
            "You receive the chunk that you send. Your left neighbor sends one with a smaller number.",
        ),
        Mistake(
            "no wrap",
            _chunks(lambda i, s, n: i - s, lambda i, s, n: i - 1 - s),
            "Some of your numbers are negative. Chunk numbers wrap around like ranks: take the result modulo ranks.",
        ),
        Mistake(
            "always its own chunk",
            _chunks(lambda i, s, n: i, lambda i, s, n: (i - 1) % n),
            "You send the same chunk in every step. Only step 0 starts with a rank's own; then it passes on what arrived.",
        ),
        Mistake(
            "one step ahead",
            _chunks(lambda i, s, n: (i - 1 - s) % n, lambda i, s, n: (i - 2 - s) % n),
            "You are one step ahead. Steps count from 0, and in step 0 rank i sends chunk i.",
        ),
        Mistake(
            "the chunk that the receiver owns",
            _chunks(lambda i, s, n: (i + 1 - s) % n, lambda i, s, n: (i - s) % n),
            "You are one step behind. In step 0 rank i sends chunk i, not chunk i + 1.",
        ),
    ),
    mutants=MUTANTS["collectives.chunks"],
)
