"""Exercise on the parallelism axes that fit inside a node."""

from functools import cache
from itertools import permutations
from math import prod

import numpy as np

from chip2cluster import parallelism
from chip2cluster.exercise.input_generators import draw_until
from chip2cluster.exercise.model import Exercise, Group, Mistake
from chip2cluster.exercise.verdict_codes import FACTOR


def fewest_seconds(degrees, gigabytes, node, inside, outside):
    """Seconds of a step's messages under the best order of the axes."""
    return min(
        _seconds(order, degrees, gigabytes, node, inside, outside) for order in permutations(range(len(degrees)))
    )


def _seconds(order, degrees, gigabytes, node, inside, outside):
    """Seconds of all messages with the axes in this order, the innermost first."""
    sizes, total, stride = [int(degree) for degree in degrees], 0.0, 1
    for axis in order:
        rate = _rate(stride, sizes[axis], prod(sizes), int(node), float(inside), float(outside))
        total += gigabytes[axis] * 1e9 / rate
        stride *= sizes[axis]
    return total


@cache
def _rate(stride, degree, devices, node, inside, outside):
    """Bytes/s at which one axis goes round its ring, by where its members stand."""
    layout = parallelism.Layout(tensor=stride, pipeline=degree, data=devices // stride // degree)
    tiers = parallelism.Tier("node", node, inside * 1e9), parallelism.Tier("network", node * devices, outside * 1e9)
    order = ("tensor", "pipeline", "data", "context")
    return parallelism.place(layout, tiers, order)["pipeline"].ring_bandwidth_one_way


def _case(degrees, gigabytes, node, inside, outside):
    return {"degrees": np.array(degrees, float), "gigabytes": np.array(gigabytes, float), "node": node,
            "inside": float(inside), "outside": float(outside)}  # fmt: skip


def _members(stride, degree, node):
    """How many of a group stand in one node."""
    return max(1, min(degree, node / stride))


def _shared(stride, degree, node, inside, outside):
    held = _members(stride, degree, node)
    return inside if held >= degree else min(inside, held * outside)


def _times(order, degrees, gigabytes, network, rate=_shared):
    """Seconds of each axis in an order, by a rule for its rate."""
    stride, times = 1, []
    for axis in order:
        times.append(float(gigabytes[axis] / rate(stride, degrees[axis], **network)))
        stride *= degrees[axis]
    return times


def _ordered(key, rate=_shared):
    """The axes in an order that a rule of thumb gives, from degrees and bytes."""

    def wrong(degrees, gigabytes, **network):
        return sum(_times(key(degrees, gigabytes), degrees, gigabytes, network, rate))

    return wrong


def _by_rule(rate=_shared, join=sum, best=min):
    """The best order by another rule for the rate: from stride, degree, node and both rates."""

    def wrong(degrees, gigabytes, **network):
        orders = permutations(range(len(degrees)))
        return best(join(_times(order, degrees, gigabytes, network, rate)) for order in orders)

    return wrong


def _two_rates(stride, degree, node, inside, outside):
    return inside if stride * degree <= node else outside


_greedy = _ordered(lambda degrees, gigabytes: np.argsort(-gigabytes, kind="stable"))
_as_given = _ordered(lambda degrees, gigabytes: range(len(degrees)))
_smallest = _ordered(lambda degrees, gigabytes: np.lexsort((-gigabytes, degrees)))
_two_speeds = _by_rule(_two_rates)
_doubling = _ordered(
    lambda degrees, gigabytes: np.argsort(-gigabytes / np.maximum(np.log2(degrees), 1e-9), kind="stable")
)
_naive = _ordered(lambda degrees, gigabytes: np.argsort(-gigabytes, kind="stable"), _two_rates)
_alone = _by_rule(lambda stride, degree, node, inside, outside: _shared(1, degree, node, inside, outside))


def _jobs(generator):
    # The printed question, which can be done in the head, comes first: it is the one that a student sees.
    drawn = [_case([8, 4], [400, 50], 8, 400, 25)]
    while len(drawn) < 5:
        drawn.append(draw_until(_tricky, lambda: _draw(generator)))
    return [*drawn, draw_until(_misleading, lambda: _draw(generator))]


def _draw(generator):
    degrees = generator.choice([2, 2, 4, 8], 4)
    return _case(
        degrees,
        generator.integers(20, 400, 4),
        8,
        int(generator.integers(15, 26)) * 20,
        int(generator.integers(20, 60)),
    )


def _tricky(case):
    """No rule of thumb finds the best order here."""
    answers = [wrong(**case) for wrong in (_by_rule(), _greedy, _as_given, _smallest, _two_speeds, _alone, _naive)]
    return len({f"{answer:.3g}" for answer in answers}) == len(answers)


def _misleading(case):
    """The closest rule of thumb finds an order here that is neither the best nor that of another rule."""
    found = _doubling(**case)
    others = (_by_rule(), _greedy, _as_given, _smallest, _two_speeds, _alone, _naive)
    return all(abs(found / other(**case) - 1) > 0.003 for other in others)


def _edges(generator):
    # All in one node; and adapters that together are faster than the fabric inside.
    # An axis of one device sends nothing.
    one = _case([2, 1, 4], [90, 0, 10], 8, 400, 25)
    return [one, _case([16, 1], [int(generator.integers(80, 200)), 0], 8, 300, 50)]


INSIDE = Exercise(
    id="parallelism.inside",
    title="Which axes stay inside the node?",
    signature="fewest_seconds(degrees, gigabytes, node, inside, outside)",
    unit="s",
    points=5,
    reference=fewest_seconds,
    shows=(fewest_seconds, parallelism.place),
    groups=(
        Group("jobs", 0.8, _jobs),
        Group(
            "edges",
            0.2,
            _edges,
            advice="If all devices are in one node, everything runs at the inside rate. If several NICs together are faster than the fabric inside the node, the fabric sets the rate.",
        ),
    ),
    hints=(
        "How many orders are there? Few enough to try them all. First write the time of one given order.",
        "Go through the order from the innermost axis and track the stride: the product of the degrees so far. How many members of a group fit in one node if they are stride apart?",
        "held = max(1, min(degree, node // stride)). If held equals the degree, use the inside rate; otherwise use the "
        "smaller of inside and held × outside. Sum gigabytes / rate, and take the minimum over itertools.permutations.",
    ),
    solution="""
from itertools import permutations


def fewest_seconds(degrees, gigabytes, node, inside, outside):
    best = float("inf")
    for order in permutations(range(len(degrees))):
        stride, seconds = 1, 0.0
        for axis in order:
            held = max(1, min(degrees[axis], node // stride))
            rate = inside if held == degrees[axis] else min(inside, held * outside)
            seconds += gigabytes[axis] / rate
            stride = stride * degrees[axis]
        best = min(best, seconds)
    return best
""",
    explanation=(
        "A node has few places: an axis of degree 8 fills it alone, while axes of degree 2 and 4 fit together. So the "
        "axis that sends the most may have to leave the node for two that send more in total. An axis that is split "
        "between nodes is not lost, because its members on one node share their NICs. With four axes there are 24 "
        "orders, so trying them all is easy."
    ),
    meaning=lambda: (
        "The first job is the one in the task: with tensor parallelism inside and data parallelism across, messages "
        f"take {_told((0, 1)):.0f} s; the other way round they take {_told((1, 0)):.1f} s. Keep the rule that tensor "
        "parallelism stays inside, and compute when another axis competes for the node."
    ),
    mistakes=(
        Mistake(
            "most bytes innermost",
            _greedy,
            "You put the axis that sends the most innermost. It may fill the node alone and push out two axes that send more together. Try all orders.",
        ),
        Mistake(
            "most bytes per doubling innermost",
            _doubling,
            "You ordered the axes by the bytes they send per doubling of their degree. That rule comes close but misses the best order here: try them all.",
        ),
        Mistake(
            "order as given",
            _as_given,
            "You used the order of the list. Any order is allowed, and the task asks for the fastest.",
        ),
        Mistake(
            "smallest degree innermost",
            _smallest,
            "You put the smallest degrees innermost. That fits many axes into the node, but perhaps the wrong ones.",
        ),
        Mistake(
            "the slowest order",
            _by_rule(best=max),
            "You returned the slowest order. The task asks for the fewest seconds.",
        ),
        Mistake(
            "one NIC per split axis",
            _two_speeds,
            "You gave every axis that is split between nodes the rate of one NIC. If several members of its group are "
            "on one node, the ring can be divided into that many rings, each with its own NIC: held × outside.",
        ),
        Mistake(
            "most bytes innermost, one NIC",
            _naive,
            "Two mistakes. You put the axis that sends the most innermost: it may push out two axes that send more "
            "together, so try all orders. And an axis that is split between nodes is faster than one NIC if several of "
            "its members are on one node: held × outside.",
        ),
        Mistake(
            "every axis at stride 1",
            _alone,
            "You let every axis start at stride 1. Only the innermost does. Members of the next axis are a whole inner group apart.",
        ),
        Mistake(
            "the longest axis only",
            _by_rule(join=max),
            "You took the time of the longest axis. Here the axes send one after the other, so add their times.",
        ),
        Mistake(
            "all NICs for each group",
            _by_rule(lambda stride, degree, node, inside, outside: inside if stride * degree <= node else min(inside, node * outside)),
            "You gave every axis all NICs of the node. Its groups share them: a group has as many NICs as it has members in the node.",
        ),
        Mistake(
            "bits",
            lambda **job: 8 * _by_rule()(**job),
            "You are too high by a factor of eight: both the rates and the sizes count bytes (GB/s and GB).",
            FACTOR,
        ),
        Mistake(
            "faster than the inside rate",
            _by_rule(
                lambda stride, degree, node, inside, outside: (
                    inside if (held := _members(stride, degree, node)) >= degree else held * outside
                )
            ),
            "Your rate for several NICs together is higher than the fabric inside the node, which the bytes must cross too: take the smaller of the two.",
            share=0.8,
        ),
    ),
)  # fmt: skip


def _told(order):
    return _seconds(order, (8, 4), (400, 50), 8, 400, 25)
