"""Exercise on a ring all-reduce over real arrays."""

import numpy as np

from chip2cluster import collectives
from chip2cluster.collectives import RingAllReduce
from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.model import Exercise, Group, Mistake

from ..mutants import MUTANTS


def ring_all_reduce(buffers, steps):
    """What the ranks of a ring hold after so many steps of an all-reduce."""
    ring = RingAllReduce(buffers)
    for _ in range(steps):
        ring.step()
    return np.array(ring.buffers, dtype=float)


def _draw(generator, ranks, elements, steps):
    return {"buffers": generator.integers(1, 100, (ranks, elements)).astype(float), "steps": steps}


def _whole_chunks(generator):
    # Two small cases that can be done on paper come first: they are the ones that a student sees.
    return [
        {"buffers": np.array([[1.0, 2.0], [10.0, 20.0]]), "steps": 1},
        {"buffers": np.array([[1.0, 2.0, 3.0], [10.0, 20.0, 30.0], [100.0, 200.0, 300.0]]), "steps": 1},
        {"buffers": np.array([[1.0, 2.0, 3.0], [10.0, 20.0, 30.0], [100.0, 200.0, 300.0]]), "steps": 4},
        _draw(generator, 4, 4, 2),
        _draw(generator, 4, 12, 3),
        _draw(generator, 4, 8, 6),
        _draw(generator, 5, 10, 5),
        _draw(generator, 5, 5, 8),
        _draw(generator, 6, 18, 7),
    ]


def _uneven(generator):
    return [
        _draw(generator, 3, 3, 0),
        _draw(generator, 1, 4, 0),
        _draw(generator, 3, 7, 3),
        _draw(generator, 5, 3, 8),
    ]


def _ring(hop=1, chunk=lambda i, s, n: i - s, add=lambda s, n: s < n - 1, extra=0, at_end=None):
    """A ring with one rule changed; chunks of length as np.array_split makes them."""

    def wrong(buffers, steps):
        held = np.array(buffers, dtype=float)
        n, length = held.shape
        cuts = np.concatenate([[0], np.cumsum([len(part) for part in np.array_split(np.arange(length), n)])])
        for step in range(min(steps + extra, 2 * (n - 1) + extra)):
            before = held.copy()
            for i in range(n):
                k = chunk(i, step, n) % n
                part, to = slice(cuts[k], cuts[k + 1]), (i + hop) % n
                held[to, part] = before[i, part] + (held[to, part] if add(step, n) else 0)
        return held if at_end is None else at_end(held)

    return wrong


RING = Exercise(
    id="collectives.ring_all_reduce",
    title="Write a ring all-reduce",
    signature="ring_all_reduce(buffers, steps)",
    unit="",
    points=6,
    reference=ring_all_reduce,
    shows=(ring_all_reduce,),
    groups=(
        Group("equal chunks", 0.8, _whole_chunks),
        Group(
            "edges",
            0.2,
            _uneven,
            advice="Look at zero steps, at a single rank, and at a length that the ranks do not divide: np.array_split "
            "makes the first chunks one element longer, and some may be empty.",
        ),
    ),
    hints=(
        "Two loops: over the steps, and inside over the ranks. Each rank sends the chunk of your ring_chunks to rank + 1.",
        "bounds = np.array_split(np.arange(elements), ranks) gives the elements of each chunk: buffers[rank, bounds[k]].",
        "In every step rank i sends chunk k = (i − step) % p to rank (i + 1) % p, which adds it to its own while "
        "step < p − 1. In the steps after that, which chunk is complete, and what does the receiver do with its own?",
    ),
    solution="""
import numpy as np


def ring_all_reduce(buffers, steps):
    held = np.array(buffers, dtype=float)
    ranks, elements = held.shape
    bounds = np.array_split(np.arange(elements), ranks)
    for step in range(steps):
        for rank in range(ranks):
            right = (rank + 1) % ranks
            part = bounds[(rank - step) % ranks]
            if step < ranks - 1:
                held[right, part] += held[rank, part]
            else:
                held[right, part] = held[rank, part]
    return held
""",
    explanation=(
        "In each step every rank sends one chunk and receives another, so no rank overwrites what its neighbor is about to "
        "read, and a loop over the ranks does what real ranks do in parallel. After ranks − 1 steps rank i holds one complete "
        "chunk, number i + 1; that was a reduce-scatter. The other ranks − 1 steps are an all-gather."
    ),
    meaning=lambda: (
        f"This is what NCCL's ring does. With 8 ranks each sends {collectives.ring_all_reduce_traffic(1.0, 8):.2f} times its vector, "
        f"with 1,024 {collectives.ring_all_reduce_traffic(1.0, 1024):.3f} times: hardly more, over 128 times as many GPUs."
    ),
    mistakes=(
        Mistake(
            "the sum at once",
            lambda buffers, steps: np.tile(np.sum(buffers, axis=0), (len(buffers), 1)),
            "You returned the finished sum. Return what the ranks hold after so many steps: most of it is still partial.",
        ),
        Mistake(
            "all steps add",
            _ring(add=lambda s, n: True),
            "You add in the second half too, so complete sums are added to partial ones. From step ranks − 1 on, a chunk "
            "that arrives replaces what was there.",
        ),
        Mistake(
            "nothing is added",
            _ring(add=lambda s, n: False),
            "You replace in every step. In the first ranks − 1 steps a chunk that arrives is added to the rank's own.",
        ),
        Mistake(
            "adds for one step too many",
            _ring(add=lambda s, n: s < n),
            "You add for ranks steps. After ranks − 1 steps the sums are complete: from step ranks − 1 on, replace.",
        ),
        Mistake(
            "adds for one step too few",
            _ring(add=lambda s, n: s < n - 2),
            "You add for ranks − 2 steps. A sum of p vectors takes p − 1 additions.",
        ),
        Mistake(
            "always the same chunk",
            _ring(chunk=lambda i, s, n: i),
            "Each rank sends its own chunk again in every step. It must pass on what has just arrived.",
        ),
        Mistake(
            "chunks forwards",
            _ring(chunk=lambda i, s, n: i + s),
            "Your chunk numbers go up with the step. A rank passes on what has just arrived: they go down.",
        ),
        Mistake(
            "the whole ring the other way",
            _ring(hop=-1, chunk=lambda i, s, n: i + s),
            "Your ring runs in the other direction. It would work as well, but here rank i sends to rank i + 1.",
        ),
        Mistake(
            "sent to the left",
            _ring(hop=-1),
            "You sent to rank − 1. Here rank i sends to rank i + 1.",
        ),
        Mistake(
            "the second half starts over",
            _ring(chunk=lambda i, s, n: i - s if s < n - 1 else i - (s - n + 1)),
            "In the second half each rank sends its own chunk first. The complete one that it holds is number rank + 1, "
            "so the rule (rank − step) % ranks simply goes on.",
        ),
        Mistake(
            "one step too many",
            _ring(extra=1),
            "You took one step too many: range(steps) already has the right number.",
        ),
        Mistake(
            "one step too few",
            _ring(extra=-1),
            "You took one step too few: range(steps) already has the right number.",
        ),
        Mistake(
            "the mean",
            lambda buffers, steps: ring_all_reduce(buffers, steps) / len(buffers),
            "You divided by the number of ranks. An all-reduce computes the sum; the caller computes the mean.",
        ),
        Mistake(
            "rest left out",
            lambda buffers, steps: _rest_left_out(buffers, steps),
            "Your chunks have elements // ranks elements, so the rest of the vector is never sent.",
            v.EDGES,
            share=0.8,
        ),
    ),
    mutants=MUTANTS["collectives.ring_all_reduce"],
)


def _rest_left_out(buffers, steps):
    ranks, elements = np.shape(buffers)
    held, travels = np.array(buffers, dtype=float), elements // ranks * ranks
    if travels:
        held[:, :travels] = _ring()(held[:, :travels], steps)
    return held
