"""Exercise on the cut of a leaf-spine network that limits an all-to-all."""

from chip2cluster import topology
from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.model import Exercise, Group, Mistake


def all_to_all_seconds(leaves, hosts_per_leaf, uplinks_per_leaf, link_bandwidth, message_bytes):
    """Longest of the times that an all-to-all needs around one host and around one leaf."""
    n = leaves * hosts_per_leaf
    host = topology.cut_time(message_bytes, n, 1, link_bandwidth)
    leaf = topology.cut_time(message_bytes, n, hosts_per_leaf, uplinks_per_leaf * link_bandwidth)
    return max(host, leaf)


def _named(leaves, hosts, uplinks, bandwidth, size):
    return {
        "leaves": leaves,
        "hosts_per_leaf": hosts,
        "uplinks_per_leaf": uplinks,
        "link_bandwidth": bandwidth,
        "message_bytes": size,
    }


def _oversubscribed(generator):
    # A case that can be done in the head comes first: it is the one that a student sees.
    # In the third the uplinks are so many that the cut through the middle asks for less than a host's own link.
    rows = [(4, 2, 1, 1e9, 8e9), (4, 16, 4, 50e9, 1e9), (8, 6, 4, 50e9, 2e9)]
    for leaves, uplinks, ratio in zip((6, 8, 10), generator.integers(2, 9, 3), (4, 2, 3), strict=True):
        bandwidth, size = generator.choice([12.5e9, 25e9, 50e9, 100e9]), generator.uniform(0.2e9, 5e9)
        rows.append((leaves, int(ratio * uplinks), int(uplinks), float(bandwidth), round(float(size), -6)))
    return [_named(*row) for row in rows]


def _roomy(generator):
    return [
        _named(4, 8, 8, 50e9, 1e9),
        _named(1, 16, 4, 25e9, 2e9),
        _named(6, 4, int(generator.integers(5, 9)), 25e9, 3e9),
    ]


def _bound(host=lambda n, h: (n - 1) / n, leaf=lambda n, h: h * (n - h) / n, combine=max):
    def wrong(leaves, hosts_per_leaf, uplinks_per_leaf, link_bandwidth, message_bytes):
        n, h = leaves * hosts_per_leaf, hosts_per_leaf
        seconds = message_bytes / link_bandwidth
        return combine(host(n, h) * seconds, leaf(n, h) * seconds / uplinks_per_leaf)

    return wrong


def _middle(host):
    def wrong(leaves, hosts_per_leaf, uplinks_per_leaf, link_bandwidth, message_bytes):
        n, seconds = leaves * hosts_per_leaf, message_bytes / link_bandwidth
        middle = n / 4 * seconds / (leaves / 2 * uplinks_per_leaf)
        return max(middle, (n - 1) / n * seconds) if host else middle

    return wrong


def _formula(leaves, hosts_per_leaf, uplinks_per_leaf, link_bandwidth, message_bytes):
    return message_bytes / link_bandwidth / 2


def _one_uplink(leaves, hosts_per_leaf, uplinks_per_leaf, link_bandwidth, message_bytes):
    return _bound()(leaves, hosts_per_leaf, 1, link_bandwidth, message_bytes)


LEAF_SPINE = Exercise(
    id="bisection.leaf_spine",
    title="The narrowest cut for an all-to-all",
    signature="all_to_all_seconds(leaves, hosts_per_leaf, uplinks_per_leaf, link_bandwidth, message_bytes)",
    unit="s",
    points=4,
    reference=all_to_all_seconds,
    shows=(all_to_all_seconds, topology.cut_time),
    groups=(
        Group("oversubscribed", 0.75, _oversubscribed),
        Group(
            "room to spare",
            0.25,
            _roomy,
            v.VALUE,
            advice="With as many uplinks as hosts, or a single leaf, the host's own link is the narrowest.",
        ),
    ),
    hints=(
        "For a cut with h of the p hosts inside, h · (p − h) · message_bytes / p bytes have to leave.",
        "Around one host: h = 1 and one link. Around one leaf: h = hosts_per_leaf and its uplinks.",
        "max((p − 1) / p * message / β, h * (p − h) / p * message / (uplinks * β)).",
    ),
    solution="""
def all_to_all_seconds(leaves, hosts_per_leaf, uplinks_per_leaf, link_bandwidth, message_bytes):
    p = leaves * hosts_per_leaf
    host = (p - 1) / p * message_bytes / link_bandwidth
    out = hosts_per_leaf * (p - hosts_per_leaf) / p * message_bytes
    leaf = out / (uplinks_per_leaf * link_bandwidth)
    return max(host, leaf)
""",
    explanation=(
        "Every cut gives a bound: what must cross, over what it carries. A leaf sends most of its traffic out, (p − h)/p "
        "of it, while a half sends only half. So on an oversubscribed leaf-spine the cut around one leaf is narrower than "
        "the bisection, by 2 (1 − 1/leaves)."
    ),
    meaning=lambda: (
        f"For the 64 nodes of this page, 1 GB each, it is {1e3 * all_to_all_seconds(4, 16, 16, 50e9, 1e9):.1f} ms at 1:1 and "
        f"{1e3 * all_to_all_seconds(4, 16, 4, 50e9, 1e9):.1f} ms at 4:1: neither the same nor 4 times as long."
    ),
    mistakes=(
        Mistake(
            "the bisection alone",
            _middle(host=False),
            "You looked at the cut through the middle. The cut around one leaf is narrower, because almost all of its traffic has to leave.",
        ),
        Mistake(
            "the bisection and the host",
            _middle(host=True),
            "You compared the cut through the middle with the one around a host. Look around one leaf too: almost all of "
            "its traffic has to leave.",
        ),
        Mistake(
            "the formula p/2 times β",
            _formula,
            "You used a bisection of p/2 times β. That holds only if the spine carries everything; here it doesn't.",
        ),
        Mistake(
            "one host alone",
            _bound(combine=lambda host, leaf: host),
            "You looked at the cut around one host alone, or took the shorter time. Behind an oversubscribed leaf the uplinks "
            "take longer, and every cut has to be crossed.",
        ),
        Mistake(
            "one leaf alone",
            _bound(combine=lambda host, leaf: leaf),
            "You looked at the cut around one leaf alone. With uplinks to spare the host's own link takes longer.",
            share=0.75,
        ),
        Mistake(
            "own part sent",
            _bound(host=lambda n, h: 1.0),
            "You let the host send its whole buffer. One of its p parts stays at the host.",
            share=0.75,
        ),
        Mistake(
            "added",
            _bound(combine=lambda host, leaf: host + leaf),
            "You added the times. Bytes flow through both places at once, so the longest one decides.",
        ),
        Mistake(
            "all of a leaf's traffic",
            _bound(leaf=lambda n, h: h),
            "You sent all of the leaf's traffic over its uplinks. Traffic between its own hosts stays at the leaf.",
        ),
        Mistake(
            "one uplink alone",
            _one_uplink,
            "You sent all that leaves a leaf over one link. It has uplinks_per_leaf of them.",
        ),
    ),
)
