"""Task on the message size that reaches a given fraction of the bandwidth."""

import math

from chip2cluster import links
from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.model import Exercise, Group, Mistake

from ..mutants import MUTANTS


def message_for(share, latency, bandwidth_one_way):
    """Smallest message that reaches a share of the bandwidth; infinite for all of it."""
    if share >= 1:
        return math.inf
    return links.message_size_for(share, latency, bandwidth_one_way)


def _goals(generator):
    # A case that can be done in the head comes first: it is the one that a student sees.
    rows = [(0.5, 1e-6, 50e9), (0.75, 1e-6, 50e9)]
    rows += zip(
        generator.uniform(0.15, 0.45, 2),
        generator.uniform(1e-6, 9e-6, 2),
        generator.uniform(1e10, 9e11, 2),
        strict=True,
    )
    rows += zip(
        generator.uniform(0.6, 0.97, 3), generator.uniform(1e-6, 9e-6, 3), generator.uniform(1e10, 9e11, 3), strict=True
    )
    return [{"share": float(s), "latency": float(a), "bandwidth_one_way": float(b)} for s, a, b in rows]


def _limits(generator):
    return [
        {"share": 1.0, "latency": 2e-6, "bandwidth_one_way": 25e9},
        {"share": 1, "latency": 5e-7, "bandwidth_one_way": 450e9},
    ]


MESSAGE_FOR = Exercise(
    id="lab.links.message_for",
    title="How large must the message be?",
    signature="message_for(share, latency, bandwidth_one_way)",
    unit="bytes",
    graded=True,
    points=3,
    reference=message_for,
    shows=(message_for, links.message_size_for),
    groups=(
        Group("goals", 0.8, _goals),
        Group(
            "limits", 0.2, _limits, advice="No message reaches the full bandwidth: return math.inf for a share of 1."
        ),
    ),
    hints=(
        "The effective bandwidth is n / (latency + n / bandwidth). Set it to share × bandwidth.",
        "Solve for n: n × (1 − share) = share × latency × bandwidth.",
        "Collect the terms with n on one side, as in the line above, and divide by the factor of n. For a share of 1 you would divide by zero: no message is large enough.",
    ),
    explanation="90 % of a link's bandwidth takes nine times n-half, 99 % takes ninety-nine times.",
    mistakes=(
        Mistake(
            "share of the product",
            lambda share, latency, bandwidth_one_way: share * latency * bandwidth_one_way,
            "You returned share × latency × bandwidth. Insert your answer into the formula for the effective bandwidth: the result is too low.",
        ),
        Mistake(
            "twice the share",
            lambda share, latency, bandwidth_one_way: 2 * share * latency * bandwidth_one_way,
            "That is right only for half of the bandwidth. The size is not proportional to the share: near 1 it goes to infinity.",
        ),
        Mistake(
            "without the share",
            lambda share, latency, bandwidth_one_way: latency * bandwidth_one_way,
            "That is the size for half of the bandwidth, for any share. Solve for the given share.",
        ),
        Mistake(
            "one over the rest",
            lambda share, latency, bandwidth_one_way: (
                latency * bandwidth_one_way / (1 - share) if share < 1 else math.inf
            ),
            "You divided by 1 − share, but forgot the share itself in the numerator.",
        ),
        Mistake(
            "fraction upside down",
            lambda share, latency, bandwidth_one_way: latency * bandwidth_one_way * (1 - share) / share,
            "You inverted the fraction: a larger share needs a larger message.",
        ),
        Mistake(
            "size of a finite message for a share of 1",
            lambda share, latency, bandwidth_one_way: (
                0.0 if share >= 1 else links.message_size_for(share, latency, bandwidth_one_way)
            ),
            "For a share of 1 no message is large enough: return math.inf.",
            v.EDGES,
            share=0.8,
        ),
    ),
    mutants=MUTANTS["lab.links.message_for"],
)
