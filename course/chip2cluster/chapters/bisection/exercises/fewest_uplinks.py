"""Exercise on the fewest uplinks of a leaf at which the spine doesn't slow an all-to-all down."""

from math import ceil

from chip2cluster import topology
from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.model import Exercise, Group, Mistake


def fewest_uplinks(leaves, hosts_per_leaf):
    """Least uplinks of a leaf at which the cut around a host, not the one around the leaf, is the narrowest."""
    p = leaves * hosts_per_leaf
    if leaves == 1:
        return 0
    host = topology.cut_time(1.0, p, 1, 1.0) * (1 + 1e-12)  # where both are equal, rounding must not ask for one more
    around = (topology.cut_time(1.0, p, hosts_per_leaf, float(uplinks)) for uplinks in range(1, hosts_per_leaf + 1))
    return next(uplinks for uplinks, leaf in enumerate(around, 1) if leaf <= host)


def _fabrics(generator):
    # A case that can be done in the head comes first: it is the one that a student sees.
    rows = [(2, 2), (4, 16), (2, 16), (4, 4 * int(generator.integers(5, 10)) + 3)]
    rows += [(leaves, 2 * int(generator.integers(10, 20)) + 1) for leaves in (3, 4)]
    return [{"leaves": leaves, "hosts_per_leaf": hosts} for leaves, hosts in rows]


def _edges(generator):
    return [{"leaves": 1, "hosts_per_leaf": 8}, {"leaves": 40, "hosts_per_leaf": int(generator.integers(4, 9))}]


def _crossing(p, h):
    return h * (p - h)


def _like(uplinks):
    return lambda leaves, hosts_per_leaf: uplinks(leaves * hosts_per_leaf, hosts_per_leaf)


FEWEST = Exercise(
    id="bisection.fewest_uplinks",
    title="Uplinks that nobody would miss",
    signature="fewest_uplinks(leaves, hosts_per_leaf)",
    unit="uplinks",
    points=4,
    reference=fewest_uplinks,
    shows=(fewest_uplinks, topology.cut_time),
    tolerance=1e-9,
    groups=(
        Group("fabrics", 0.8, _fabrics),
        Group(
            "edges",
            0.2,
            _edges,
            advice="A single leaf needs no uplinks at all; with very many leaves nearly all are needed.",
        ),
    ),
    hints=(
        "Write the time through a cut twice: around one host, and around one leaf with u uplinks. Which of the two must not be longer?",
        "h (p − h) / p · n / (u β) ≤ (p − 1) / p · n / β. What cancels?",
        "u ≥ h (p − h) / (p − 1). The number of links is whole: round up, with math.ceil.",
    ),
    solution="""
from math import ceil

def fewest_uplinks(leaves, hosts_per_leaf):
    p = leaves * hosts_per_leaf
    return ceil(hosts_per_leaf * (p - hosts_per_leaf) / (p - 1))
""",
    explanation=(
        "Part of a leaf's traffic stays at the leaf. A host's link carries all of the host's traffic, but the uplinks "
        "carry only the rest. With few leaves the part that stays is large: two leaves need little more than half of "
        "the uplinks."
    ),
    meaning=lambda: (
        f"Of 16 uplinks a leaf, {16 - fewest_uplinks(2, 16)} could go between two leaves, {16 - fewest_uplinks(4, 16)} "
        f"among four and {16 - fewest_uplinks(16, 16)} among sixteen, and an all-to-all that is spread evenly would "
        "take as long as before. A growing cluster loses this saving, because with more leaves hardly any traffic "
        "stays at its leaf."
    ),
    mistakes=(
        Mistake(
            "as many as hosts",
            _like(lambda p, h: h),
            "You returned as many uplinks as hosts. Traffic between the hosts of one leaf takes no uplink.",
        ),
        Mistake(
            "uplinks taken away",
            lambda leaves, hosts_per_leaf: hosts_per_leaf - fewest_uplinks(leaves, hosts_per_leaf),
            "You returned how many uplinks you can remove. Return how many a leaf must keep.",
        ),
        Mistake(
            "half",
            _like(lambda p, h: ceil(h / 2)),
            "You returned half of the hosts. That is what the cut through the middle needs; a leaf sends more than half of its "
            "traffic away.",
        ),
        Mistake(
            "half, rounded down",
            _like(lambda p, h: h // 2),
            "You returned half of the hosts. That is what the cut through the middle needs; a leaf sends more than half of its "
            "traffic away.",
        ),
        Mistake(
            "rounded to the nearest",
            _like(lambda p, h: round(_crossing(p, h) / (p - 1))),
            "You rounded to the nearest whole number. A little too few is too slow: round up, with math.ceil.",
        ),
        Mistake(
            "share of the traffic that leaves",
            _like(lambda p, h: ceil(_crossing(p, h) / p)),
            "Nearly: you compared the uplinks with a host that sends its whole buffer. One part of p stays at home, so a host "
            "needs (p − 1) / p of it.",
        ),
        Mistake(
            "rounded down",
            _like(lambda p, h: _crossing(p, h) // (p - 1)),
            "You rounded down, and then the uplinks are a little too slow. Links come whole: round up.",
        ),
        Mistake(
            "one more",
            _like(lambda p, h: _crossing(p, h) // (p - 1) + 1),
            "You rounded down and added one. If the quotient is whole, that is one uplink too many: use math.ceil.",
            v.EDGES,
            share=0.8,
        ),
        Mistake(
            "not rounded",
            _like(lambda p, h: _crossing(p, h) / (p - 1)),
            "Links come whole: round up, with math.ceil.",
        ),
    ),
)
