"""Exercise on the communication fraction of a step that placement needs to explain a loss, as an interval."""

import numpy as np

from chip2cluster import topology
from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.model import Exercise, Group, Mistake

from ..mutants import MUTANTS


def _share(throughput, slowdown):
    return (1 / throughput - 1) / (slowdown - 1)


def communication_share(throughput, slowdown):
    """Least and largest share of the fast step that was communication, from intervals of what is left and how slow."""
    return np.array([_share(throughput[1], slowdown[1]), min(1.0, _share(throughput[0], slowdown[0]))])


def _all_to_all_slowdown():
    """Of the job of the story: scattered over four racks against packed in one."""
    fabric = topology.leaf_spine(leaves=4, spines=8, hosts_per_leaf=32, link_bandwidth_one_way=50e9)
    packed, scattered = (topology.place(fabric, 32, strategy, shared=True) for strategy in ("packed", "scattered"))
    return topology.all_to_all_time(scattered, 1e9) / topology.all_to_all_time(packed, 1e9)


def _case(throughput, slowdown):
    return {"throughput": np.array(throughput, dtype=float), "slowdown": np.array(slowdown, dtype=float)}


def _losses(generator):
    # A case that can be done in the head comes first: it is the one that a student sees.
    drawn = [_case([0.4, 0.5], [4.0, 5.0])]
    for _ in range(4):
        left, slow = generator.uniform(0.5, 0.75), generator.uniform(3.0, 8.0)
        throughput = [round(left, 3), round(left * generator.uniform(1.05, 1.2), 3)]
        drawn.append(_case(throughput, [round(slow, 1), round(slow * generator.uniform(1.2, 1.8), 1)]))
    return drawn


def _edges(generator):
    # A loss that the least slowdown could not make, and one that is known exactly.
    exact = round(float(generator.uniform(0.5, 0.9)), 3)
    return [_case([0.4, 0.6], [2.0, 4.0]), _case([exact, exact], [4.0, 4.0])]


def _ends(first, second, share=_share, most=1.0):
    """A mistake from which ends of throughput and slowdown make the least and the largest share."""

    def wrong(throughput, slowdown):
        return np.array([min(most, share(throughput[t], slowdown[s])) for t, s in (first, second)])

    return wrong


RIGHT = (1, 1), (0, 0)

BLAME_RANGE = Exercise(
    id="bisection.blame_range",
    title="Is placement to blame?",
    signature="communication_share(throughput, slowdown)",
    unit="",
    points=3,
    reference=communication_share,
    shows=(communication_share,),
    groups=(
        Group("losses", 0.8, _losses),
        Group(
            "edges",
            0.2,
            _edges,
            advice="No share is above 1, whatever the slowdown implies. If an input is known exactly, its two ends are equal.",
        ),
    ),
    hints=(
        "First solve the slowdown's formula for f, with one throughput and one slowdown. Set the packed step to 1: how long is it now?",
        "f = (1 / throughput − 1) / (slowdown − 1). Which throughput, and which slowdown, imply little communication?",
        "Least: the high throughput with the high slowdown. Most: the two low ones, and no more than 1.",
    ),
    solution="""
def communication_share(throughput, slowdown):
    least = (1 / throughput[1] - 1) / (slowdown[1] - 1)
    most = (1 / throughput[0] - 1) / (slowdown[0] - 1)
    return [least, min(1, most)]
""",
    explanation=(
        "Throughput is one over time, so a step at 55 % of the throughput takes 1.82 times as long. The 0.82 must come from "
        "communication alone, which grew by (slowdown − 1) times itself. A small loss and a large slowdown need little of it."
    ),
    meaning=lambda: (
        f"For the story, 55 % left and an all-to-all that takes {(c := _all_to_all_slowdown()):.1f} times as long, it "
        f"is {100 * _share(0.55, c):.0f} %. With neighbors that are sometimes idle, 2 to {c:.1f} times as long, you "
        f"could only say {100 * _share(0.55, c):.0f} to {100 * _share(0.55, 2.0):.0f} %: measure the slowdown before "
        "you blame the network."
    ),
    mistakes=(
        Mistake(
            "low with high",
            _ends((1, 0), (0, 1)),
            "You paired the high throughput with the low slowdown. A large slowdown needs little communication to explain a loss, so it belongs to the lowest share.",
        ),
        Mistake(
            "high with low",
            _ends((0, 1), (1, 0)),
            "You paired the low throughput with the high slowdown. Both high ends imply the least communication, both low ones the most.",
        ),
        Mistake(
            "ends exchanged",
            _ends(*RIGHT[::-1]),
            "Your ends are right but in the wrong order: the two high numbers imply the least communication, the two low ones the most.",
        ),
        Mistake(
            "lost throughput for longer time",
            _ends(*RIGHT, lambda t, s: (1 - t) / (s - 1)),
            "You took the lost throughput for the added time. Half the throughput is twice the time, so the step grew by "
            "1 / throughput − 1.",
        ),
        Mistake(
            "growth over the slowdown",
            _ends(*RIGHT, lambda t, s: (1 / t - 1) / s),
            "You divided by the slowdown. Communication that takes 4 times as long adds 3 times itself.",
        ),
        Mistake(
            "share of the slow step",
            _ends(*RIGHT, lambda t, s: _share(t, s) * s * t),
            "That is the share of the slow step. Return the share of the packed one.",
        ),
        Mistake(
            "the computing share",
            _ends(*RIGHT, lambda t, s: 1 - _share(t, s)),
            "That is the share of computing. Communication is the rest.",
        ),
        Mistake(
            "the computing share, in order",
            _ends(*RIGHT[::-1], lambda t, s: 1 - _share(t, s)),
            "That is the share of computing. Communication is the rest.",
        ),
        Mistake(
            "whole step for its growth",
            _ends(*RIGHT, lambda t, s: 1 / t / (s - 1)),
            "You took the length of the slow step. Only its growth, 1 / throughput − 1, comes from communication.",
        ),
        Mistake(
            "middles",
            lambda throughput, slowdown: np.repeat(_share(np.mean(throughput), np.mean(slowdown)), 2),
            "You used the midpoint of each pair. Return both ends.",
        ),
        Mistake(
            "above 1",
            _ends(*RIGHT, most=np.inf),
            "Your share is above 1, which is impossible. If the least slowdown implies more, all of the step may have been communication: return 1.",
            v.EDGES,
            share=0.8,
        ),
    ),
    mutants=MUTANTS["bisection.blame_range"],
)
