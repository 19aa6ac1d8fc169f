"""Exercise on a ring all-reduce of blocking calls, as the program of one rank."""

import numpy as np

from chip2cluster import measure
from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.model import Exercise, Group, Mistake

from ..mutants import MUTANTS


def ring_all_reduce(buffers):
    """The rows of a ring all-reduce of Sendrecv calls: what each rank holds, and the most that any has sent."""
    return measure.run_ranks(_program(), buffers).rows


def _program(
    chunk=lambda rank, step, size: rank - step,
    adds=lambda step, size: step < size - 1,
    steps=lambda size: 2 * (size - 1),
    end=None,
):
    """The program of a rank, with one rule changed."""

    def program(comm, data):
        size, rank = comm.size, comm.rank
        parts = np.array_split(data, size)
        after, before = (rank + 1) % size, (rank - 1) % size
        for step in range(steps(size)):
            mine, theirs = chunk(rank, step, size) % size, chunk(before, step, size) % size
            got = yield comm.send_receive(parts[mine], after, before)
            parts[theirs] = parts[theirs] + got if adds(step, size) else got
        held = np.concatenate(parts)
        return held if end is None else end(held, size)

    return program


def _whole(comm, data):
    """The whole vector travels around the ring."""
    total, travels = data.copy(), data
    for _ in range(comm.size - 1):
        travels = yield comm.send_receive(travels, (comm.rank + 1) % comm.size, (comm.rank - 1) % comm.size)
        total = total + travels
    return total


def _pairs(comm, data):
    """Each part goes straight to its owner, who sums it and sends it to each of the others."""
    parts = np.array_split(data, comm.size)
    for step in range(1, comm.size):
        to, source = (comm.rank + step) % comm.size, (comm.rank - step) % comm.size
        parts[comm.rank] = parts[comm.rank] + (yield comm.send_receive(parts[to], to, source))
    for step in range(1, comm.size):
        to, source = (comm.rank + step) % comm.size, (comm.rank - step) % comm.size
        parts[source] = yield comm.send_receive(parts[comm.rank], to, source)
    return np.concatenate(parts)


def _rest_stays(buffers):
    ranks, length = np.shape(buffers)
    travels = length // ranks * ranks
    if not travels:
        return np.column_stack([buffers, np.zeros(ranks)])
    rows = ring_all_reduce(np.asarray(buffers)[:, :travels])
    return np.column_stack([rows[:, :-1], np.asarray(buffers)[:, travels:], rows[:, -1]])


def _like(**changed):
    return lambda buffers: measure.run_ranks(_program(**changed), buffers).rows


def _draw(generator, ranks, numbers):
    return {"buffers": generator.integers(1, 100, (ranks, numbers)).astype(float)}


def _whole_chunks(generator):
    # A case that can be done on paper comes first: it is the one that a student sees.
    return [
        {"buffers": np.array([[1.0, 2.0, 3.0], [10.0, 20.0, 30.0], [100.0, 200.0, 300.0]])},
        _draw(generator, 3, 6),
        _draw(generator, 4, 8),
        _draw(generator, 5, 10),
    ]


def _uneven(generator):
    return [_draw(generator, 3, 7), _draw(generator, 5, 12), {"buffers": np.array([[4.0, 7.0]])}]


RING = Exercise(
    id="measure.ring_all_reduce",
    title="Write a ring all-reduce",
    signature="ring_all_reduce(buffers)",
    unit="",
    points=6,
    reference=ring_all_reduce,
    shows=(ring_all_reduce,),
    groups=(
        Group("equal parts", 0.8, _whole_chunks, v.VALUE),
        Group(
            "edges",
            0.2,
            _uneven,
            advice="Try a vector whose length is not a multiple of the ranks, which np.array_split still divides, and a single rank, "
            "which has no neighbor. The last column is what the busiest rank has sent.",
        ),
    ),
    hints=(
        "Write what one rank does: to whom does it send in each step, from whom does it receive, and which part?",
        "Divide data into comm.size parts. In step s send part (rank − s) and receive part (rank − s − 1), both modulo size. Add while "
        "s < size − 1; after that, replace.",
        "One loop of 2 (size − 1) steps: got = yield comm.send_receive(parts[mine], to=(rank + 1) % size, source=(rank − 1) % size), "
        "then add or replace; return np.concatenate(parts).",
    ),
    solution="""
import numpy as np

from chip2cluster import measure


def ring_all_reduce(buffers):
    def program(comm, data):
        size, rank = comm.size, comm.rank
        parts = np.array_split(data, size)
        for step in range(2 * (size - 1)):
            mine, theirs = (rank - step) % size, (rank - step - 1) % size
            got = yield comm.send_receive(parts[mine], to=(rank + 1) % size, source=(rank - 1) % size)
            parts[theirs] = parts[theirs] + got if step < size - 1 else got
        return np.concatenate(parts)

    return measure.run_ranks(program, buffers).rows
""",
    explanation=(
        "Every rank runs the same few lines and knows only its two neighbors. send_receive does both at once, so the ranks cannot "
        "deadlock. With send alone all would wait for a receiver; the library may buffer short messages, and then the same program "
        "works, until the vector grows."
    ),
    meaning=lambda: (
        "In Python, with mpi4py's Sendrecv, these lines needed "
        f"{_ratio(8):.1f} times as long as the library's all-reduce for 8 bytes on the recorded machine, and "
        f"{_ratio(2**20):.2f} times as long for 1 MiB, best times both: steps are expensive in Python, bytes are not."
    ),
    allowed=("chip2cluster.specs", "chip2cluster.units", "chip2cluster.measure.rank_simulator"),
    mistakes=(
        Mistake(
            "all steps add",
            _like(adds=lambda step, size: True),
            "You add in the second half, too. From step size − 1 on, what arrives is a finished sum: it replaces the part.",
        ),
        Mistake(
            "sums are missing",
            _like(adds=lambda step, size: False),
            "The sums are missing in the result: either you replace in every step, or your second half begins with part number rank, which has "
            "no finished sum. In the first size − 1 steps what arrives is added; then the rule (rank − step) continues.",
        ),
        Mistake(
            "adds for one step too many",
            _like(adds=lambda step, size: step < size),
            "You add in size steps. A sum of p vectors takes p − 1 additions; then parts are replaced.",
        ),
        Mistake(
            "half of it",
            _like(steps=lambda size: size - 1),
            "You stopped after the first half. Each rank then holds one finished part, which has to travel around the ring once more.",
        ),
        Mistake(
            "always its own part",
            _like(chunk=lambda rank, step, size: rank),
            "Each rank sends its own part again and again. It must pass on what has just arrived.",
        ),
        Mistake(
            "the whole vector",
            lambda buffers: measure.run_ranks(_whole, buffers).rows,
            "The sums are right, but a rank sent far too many numbers: the whole vector to each of the others. Divide it into parts; in a ring no rank sends more than twice the vector.",
        ),
        Mistake(
            "its own row",
            lambda buffers: np.column_stack([buffers, ring_all_reduce(buffers)[:, -1]]),
            "Messages were sent, but in the end every rank holds its own row, as before. Does your program return something? "
            "A rank holds what its program returns: np.concatenate(parts).",
        ),
        Mistake(
            "the mean",
            _like(end=lambda held, size: held / size),
            "You divided by the number of ranks. An all-reduce sums.",
        ),
        Mistake(
            "each part directly to its owner",
            lambda buffers: measure.run_ranks(_pairs, buffers).rows,
            "Every sum is right. But if the parts are unequal, the busiest rank sent more numbers than in a ring (the "
            "last column): the owner of a long part sends it to each of the others. In a ring it goes only to the "
            "neighbor.",
            v.EDGES,
            share=0.8,
        ),
        Mistake(
            "remainder not sent",
            _rest_stays,
            "Your parts have len(data) // size numbers, so the remainder of the vector is never sent.",
            v.EDGES,
            share=0.8,
        ),
    ),
    mutants=MUTANTS["measure.ring_all_reduce"],
)


def _ratio(size):
    ring, library = (measure.recorded(f"mpi {name}, 2 ranks, quiet") for name in ("ring", "all-reduce"))
    place = list(ring.message_bytes).index(size)
    return ring.statistics["best"][place] / library.statistics["best"][place]
