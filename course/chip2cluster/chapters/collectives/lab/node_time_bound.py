"""Task on a lower bound on an all-reduce's time: the bytes that must leave a node, over its NICs' bandwidth."""

from chip2cluster import collectives
from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.model import Exercise, Group, Mistake

from ..mutants import MUTANTS


def least_time(message_bytes, ranks_per_node, nodes, node_bandwidth, scheme):
    """Seconds that the bytes of an all-reduce need at least to leave each node."""
    if nodes == 1:
        return 0.0
    around = ranks_per_node * nodes if scheme == "ring" else nodes
    return collectives.ring_all_reduce_time(message_bytes, around, node_bandwidth)


def _clusters(generator):
    # A case that can be done in the head comes first: it is the one that a student sees.
    easy = {
        "message_bytes": 6e9, "ranks_per_node": 2, "nodes": 3, "node_bandwidth": 100e9, "scheme": "ring",
    }  # fmt: skip
    drawn = [easy, {**easy, "scheme": "sharded"}]
    for ranks, nodes, scheme in zip(
        (8, 4, 3, 8, 5, 2), (2, 3, 4, 16, 6, 5), ("sharded", "ring", "sharded", "ring", "sharded", "ring"), strict=True
    ):
        size = round(float(generator.uniform(1e9, 50e9)), -6)
        bandwidth = round(float(generator.uniform(40e9, 500e9)), -9)
        drawn.append(
            {
                "message_bytes": size, "ranks_per_node": ranks, "nodes": nodes, "node_bandwidth": bandwidth,
                "scheme": scheme,
            }
        )  # fmt: skip
    return drawn


def _alone(generator):
    return [
        {"message_bytes": 5e9, "ranks_per_node": 8, "nodes": 1, "node_bandwidth": 400e9, "scheme": "ring"},
        {"message_bytes": 5e9, "ranks_per_node": 1, "nodes": 6, "node_bandwidth": 50e9, "scheme": "sharded"},
    ]


def _leaves(ring, sharded):
    return lambda message_bytes, ranks_per_node, nodes, node_bandwidth, scheme: (
        (ring if scheme == "ring" else sharded)(ranks_per_node, nodes) * message_bytes / node_bandwidth
    )


def _round(p):
    return 2 * (p - 1) / p


LEAST = Exercise(
    id="lab.collectives.least_time",
    title="Could it be a ring?",
    signature="least_time(message_bytes, ranks_per_node, nodes, node_bandwidth, scheme)",
    unit="s",
    graded=True,
    points=4,
    reference=least_time,
    groups=(
        Group("clusters", 0.8, _clusters),
        Group("edges", 0.2, _alone, advice="With a single node nothing has to leave it, whatever the scheme."),
    ),
    hints=(
        "A ring over all ranks leaves each node once. The bytes that leave are those that any rank of the ring sends.",
        "Sharded: each rank of a node sends 1/ranks_per_node of the node's sum around a ring of `nodes`. Add up the ranks.",
        "Both are the same formula with a different ring size: all ranks of all nodes, or only the nodes. And with a single node nothing leaves it.",
    ),
    explanation=(
        "A bound of this kind needs no fit and no latency, and no measurement can exceed it. If a fitted rate does, "
        "the library used another method, or the fit was extrapolated too far."
    ),
    mistakes=(
        Mistake(
            "a ring of the nodes",
            _leaves(lambda g, m: _round(m), lambda g, m: _round(m)),
            "Your ring has one rank a node. All ranks are in it, so that p is ranks_per_node · nodes: in this scheme "
            "the ranks of a node don't add up among themselves first.",
        ),
        Mistake(
            "all ranks in the sharded ring",
            _leaves(lambda g, m: _round(g * m), lambda g, m: _round(g * m)),
            "Sharded, each ring has one rank of each node: `nodes` members, not all ranks.",
        ),
        Mistake(
            "the two schemes swapped",
            _leaves(lambda g, m: _round(m), lambda g, m: _round(g * m)),
            "You swapped the schemes. The ring goes through all ranks, sharded rings through one of each node.",
        ),
        Mistake(
            "half an all-reduce",
            _leaves(lambda g, m: _round(g * m) / 2, lambda g, m: _round(m) / 2),
            "You counted half of it: the ring goes around once to add up the sums, and once more to distribute them.",
            v.FACTOR,
        ),
        Mistake(
            "one adapter",
            _leaves(lambda g, m: _round(g * m) * g, lambda g, m: _round(m) * g),
            "You used the rate of one NIC. node_bandwidth is that of all NICs of a node, and all of them work.",
        ),
        Mistake(
            "every rank leaves",
            _leaves(lambda g, m: _round(g * m) * g, lambda g, m: _round(m)),
            "You let every rank of the node send over the network. In a ring that goes node after node one of them does; the "
            "others send to neighbors inside.",
        ),
        Mistake(
            "one shard",
            _leaves(lambda g, m: _round(g * m), lambda g, m: _round(m) / g),
            "You sent one shard to the other nodes. All ranks of the node send one at the same time, over the same node_bandwidth.",
        ),
        Mistake(
            "both ways",
            _leaves(lambda g, m: 2 * _round(g * m), lambda g, m: 2 * _round(m)),
            "You added the bytes that enter the node. The node has node_bandwidth in each direction, at the same time.",
            v.FACTOR,
        ),
        Mistake(
            "twice the message",
            _leaves(lambda g, m: 2.0, lambda g, m: 2.0),
            "Twice the message is the limit for many ranks. A ring of p sends 2 (p − 1) / p of it.",
        ),
        Mistake(
            "twice the message where sharded",
            _leaves(lambda g, m: _round(g * m), lambda g, m: 2.0),
            "Sharded, twice the message is the limit for many nodes. It is 2 (nodes − 1) / nodes.",
        ),
        Mistake(
            "twice the message in the ring",
            _leaves(lambda g, m: 2.0, lambda g, m: _round(m)),
            "In the ring, twice the message is the limit for many ranks. It is 2 (p − 1) / p, p = ranks_per_node · nodes.",
        ),
        Mistake(
            "once for each node",
            _leaves(lambda g, m: _round(g * m) * m, lambda g, m: _round(m)),
            "You added up the bytes that leave all nodes. Each node has its own NICs, and all work at the same time.",
        ),
        Mistake(
            "the message once",
            _leaves(lambda g, m: 1.0, lambda g, m: 1.0),
            "You sent the message once. That is right only for two nodes with the sharded scheme.",
        ),
    ),
    mutants=MUTANTS["lab.collectives.least_time"],
)
