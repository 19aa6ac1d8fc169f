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
    title="Who stays in the node?",
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
            advice="Where all devices stand in one node everything goes at the inside rate. And several adapters together may be faster than "
            "the fabric inside: then that one sets the pace.",
        ),
    ),
    hints=(
        "How many orders are there? Few enough to try them all. Write first what one given order costs.",
        "Walk through the order from the innermost and keep the stride: the product of the degrees so far. How many members of a group stand in "
        "one node, if they are stride apart?",
        "held = max(1, min(degree, node // stride)). If held is the degree: the inside rate; else the smaller of inside and held × outside. Sum "
        "gigabytes / rate, and take the least over itertools.permutations.",
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
        "A node is a small bag: an axis of degree 8 fills it alone, where degrees 2 and 4 fit together. So the chattiest axis may have to leave "
        "for two that send more in sum. And an axis that is cut in the middle is not lost: the members that still stand together share "
        "their adapters. With four axes there are 24 orders, and trying is quicker than being clever."
    ),
    meaning=lambda: (
        f"The first job is the printed one: tensor parallelism inside and data parallelism across takes {_told((0, 1)):.0f} s of messages, the other "
        f"way round {_told((1, 0)):.1f} s. Keep the rule that tensor parallelism stays inside; and when one more axis wants into the node, count."
    ),
    mistakes=(
        Mistake(
            "chattiest first",
            _greedy,
            "You put the axis that sends most innermost. It may fill the node alone, and push out two that send more together. Try all orders.",
        ),
        Mistake(
            "most for each doubling first",
            _doubling,
            "You ordered the axes by what they send for each doubling of their degree. That rule comes close and misses the best order here: try them all.",
        ),
        Mistake(
            "as given",
            _as_given,
            "You took the order of the list. Any order is allowed: the fastest is asked for.",
        ),
        Mistake(
            "smallest first",
            _smallest,
            "You put the smallest degrees innermost. That fits many axes into the node, and perhaps the wrong ones.",
        ),
        Mistake(
            "the slowest order",
            _by_rule(best=max),
            "You found the slowest order. The fewest seconds are asked for.",
        ),
        Mistake(
            "two speeds",
            _two_speeds,
            "An axis that is cut goes at the rate of one adapter with you. If several members of its group stand in one node, the ring is "
            "cut into as many, and each takes another adapter: held × outside.",
        ),
        Mistake(
            "chattiest first, two speeds",
            _naive,
            "Two things. You put the axis that sends most innermost: it may push out two that send more together, so try all orders. And an axis that is "
            "cut goes faster than one adapter if several of its members stand together: held × outside.",
        ),
        Mistake(
            "all inside alone",
            _alone,
            "You let every axis start at stride 1. Only the innermost does. The members of the next one stand a whole group apart.",
        ),
        Mistake(
            "the longest axis",
            _by_rule(join=max),
            "You took the longest axis. Here the axes send one after the other: add them.",
        ),
        Mistake(
            "all adapters",
            _by_rule(lambda stride, degree, node, inside, outside: inside if stride * degree <= node else min(inside, node * outside)),
            "You gave every axis all adapters of the node. Its groups share them: a group has as many as it has members there.",
        ),
        Mistake(
            "bits",
            lambda **job: 8 * _by_rule()(**job),
            "Eight times too long: the rates are GB/s, and so are the sizes GB.",
            FACTOR,
        ),
        Mistake(
            "faster than the fabric",
            _by_rule(
                lambda stride, degree, node, inside, outside: (
                    inside if (held := _members(stride, degree, node)) >= degree else held * outside
                )
            ),
            "Several adapters together came out faster than the fabric inside, through which the bytes have to go, too: take the smaller.",
            share=0.8,
        ),
    ),
)  # fmt: skip


def _told(order):
    return _seconds(order, (8, 4), (400, 50), 8, 400, 25)
