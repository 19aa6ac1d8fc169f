"""Exercise on the bytes of an all-to-all that cross a cut, and their time."""

from chip2cluster import topology
from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.model import Exercise, Group, Mistake

from ..mutants import MUTANTS


def crossing_seconds(message_bytes, terminals, bisection_one_way):
    """Least time of an all-to-all, as far as it must cross the bisection."""
    return topology.crossing_time(message_bytes, terminals, bisection_one_way)


def _even(generator):
    # A case that can be done in the head comes first: it is the one that a student sees.
    rows = [(8e9, 4, 4e9)]
    sizes, widths = generator.uniform(0.05e9, 6e9, 5).round(-6), generator.uniform(0.1e12, 30e12, 5).round(-9)
    rows += [
        (float(s), 2 * int(n), float(w)) for s, n, w in zip(sizes, generator.integers(3, 300, 5), widths, strict=True)
    ]
    return [{"message_bytes": s, "terminals": n, "bisection_one_way": w} for s, n, w in rows]


def _odd(generator):
    return [
        {"message_bytes": 9e9, "terminals": 3, "bisection_one_way": 6e9},
        {"message_bytes": 7e9, "terminals": 2 * int(generator.integers(2, 6)) + 1, "bisection_one_way": 50e9},
    ]


def _share(crossing):
    return lambda message_bytes, terminals, bisection_one_way: crossing(terminals) * message_bytes / bisection_one_way


CROSSING = Exercise(
    id="bisection.crossing",
    title="An all-to-all through the cut",
    signature="crossing_seconds(message_bytes, terminals, bisection_one_way)",
    unit="s",
    points=3,
    reference=crossing_seconds,
    shows=(topology.crossing_time, topology.cut_time),
    groups=(
        Group("even", 0.75, _even),
        Group(
            "odd", 0.25, _odd, v.VALUE, advice="With an odd number the halves hold (p − 1)/2 and (p + 1)/2 terminals."
        ),
    ),
    hints=(
        "Look at one terminal: which share of its buffer has to leave its own half?",
        "Half of it. Now add up the terminals of one half: what do they send across together?",
        "floor(p/2) senders, each with ceil(p/2) parts of message_bytes/p for the other side. The other direction has lanes "
        "of its own.",
    ),
    solution="""
def crossing_seconds(message_bytes, terminals, bisection_one_way):
    here = terminals // 2
    there = terminals - here
    return here * there * message_bytes / terminals / bisection_one_way
""",
    explanation=(
        "p/2 terminals send half of their buffers across: p/4 buffers, through what the cut carries in that direction. The "
        "same flows back at the same time and costs nothing extra, because links are full duplex."
    ),
    meaning=lambda: (
        f"With 1 GB from each chip the middle of a DGX H100 takes at least {1e3 * _across('DGX H100'):.2f} ms. That of a TPU v5e pod, "
        f"by its 1.6 TB/s for 256 chips, takes {1e3 * crossing_seconds(1e9, 256, 1.6e12):.0f} ms."
    ),
    mistakes=(
        Mistake(
            "everything crosses",
            _share(lambda n: n),
            "You sent every byte of every terminal across. Half of each buffer stays on its own side, and half of the "
            "terminals send in the other direction.",
        ),
        Mistake(
            "both directions together",
            _share(lambda n: n / 2),
            "You took twice the traffic: half of all buffers crosses, but half of that in each direction, and the bandwidth "
            "you were given is for one.",
        ),
        Mistake(
            "an eighth",
            _share(lambda n: n / 8),
            "You halved once too often: p/2 terminals send half of their buffers, which is p/4 buffers.",
        ),
        Mistake(
            "whole buffer for each pair",
            _share(lambda n: (n // 2) * (n - n // 2)),
            "You sent the whole buffer to each partner. Each of them gets n/p, one part of it.",
        ),
        Mistake(
            "one buffer",
            _share(lambda n: 1),
            "You sent one buffer across. Half of the terminals have something for the other side.",
        ),
        Mistake(
            "half a buffer",
            _share(lambda n: 0.5),
            "That is what one terminal sends across. Add up all terminals of its half.",
        ),
        Mistake(
            "own part left out",
            _share(lambda n: n * n / 4 / (n - 1)),
            "You divided the buffer by p − 1. It holds p parts: one of them is the terminal's own.",
        ),
        Mistake(
            "halves of an odd number",
            _share(lambda n: n / 4),
            "p/4 holds for even p. With an odd number one half has one terminal more: floor(p/2) · ceil(p/2) / p.",
            share=0.75,
        ),
    ),
    mutants=MUTANTS["bisection.crossing"],
)


def _across(name):
    node = topology.nvswitch_node(name)
    return crossing_seconds(1e9, node.terminals, topology.bisection(node).bandwidth_one_way)
