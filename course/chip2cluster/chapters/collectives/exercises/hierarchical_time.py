"""Exercise on the time of a hierarchical all-reduce over two levels of network."""

from chip2cluster import collectives
from chip2cluster.exercise.model import Exercise, Group, Mistake

from ..mutants import MUTANTS


def hierarchical_time(message_bytes, ranks_per_node, nodes, intra_bandwidth, inter_bandwidth, scheme):
    """Seconds of a hierarchical all-reduce by rings, latencies left out."""
    return collectives.hierarchical_all_reduce_time(
        message_bytes, ranks_per_node, nodes, intra_bandwidth, inter_bandwidth, scheme=scheme
    )


def _clusters(generator):
    # A case that can be done in the head comes first: it is the one that a student sees.
    easy = {
        "message_bytes": 12e9,
        "ranks_per_node": 4,
        "nodes": 3,
        "intra_bandwidth": 360e9,
        "inter_bandwidth": 40e9,
        "scheme": "sharded",
    }
    drawn = [easy]
    for ranks, nodes, scheme in zip(
        (8, 8, 4, 16, 6), (64, 5, 12, 3, 9), ("leader", "sharded", "leader", "sharded", "sharded"), strict=True
    ):
        drawn.append(
            {
                "message_bytes": round(float(generator.uniform(1e9, 50e9)), -6),
                "ranks_per_node": ranks,
                "nodes": nodes,
                # Sixteen ranks that share the crossing wait longest inside, behind slow links.
                "intra_bandwidth": round(float(generator.uniform(100e9, 200e9 if ranks == 16 else 900e9)), -9),
                "inter_bandwidth": round(float(generator.uniform(12e9, 100e9)), -9),
                "scheme": scheme,
            }
        )
    return drawn


def _single(generator):
    cluster = {"message_bytes": 14e9, "intra_bandwidth": 450e9, "inter_bandwidth": 50e9}
    order = ("message_bytes", "ranks_per_node", "nodes", "intra_bandwidth", "inter_bandwidth", "scheme")
    rows = [
        {**cluster, "ranks_per_node": 8, "nodes": 1, "scheme": "sharded"},
        {**cluster, "ranks_per_node": 1, "nodes": 64, "scheme": "leader"},
    ]
    return [{name: row[name] for name in order} for row in rows]


def _phases(inside=2, shard=True, leader_shard=False, ring=lambda g, m: m, between=2, swapped=False, spread=1):
    def wrong(message_bytes, ranks_per_node, nodes, intra_bandwidth, inter_bandwidth, scheme):
        g, m = ranks_per_node, nodes
        if swapped:
            intra_bandwidth, inter_bandwidth = inter_bandwidth, intra_bandwidth
        crossing = message_bytes / g if (shard if scheme == "sharded" else leader_shard) else message_bytes
        n = ring(g, m)
        intra = inside * (g - 1) / g * message_bytes / intra_bandwidth
        return intra + between * (n - 1) / n * crossing / (inter_bandwidth * (g if spread == "rails" else 1))

    return wrong


HIERARCHY = Exercise(
    id="collectives.hierarchical_time",
    title="Two levels of network",
    signature="hierarchical_time(message_bytes, ranks_per_node, nodes, intra_bandwidth, inter_bandwidth, scheme)",
    unit="s",
    points=4,
    reference=hierarchical_time,
    shows=(hierarchical_time, collectives.hierarchical_all_reduce_phases),
    groups=(
        Group("clusters", 0.8, _clusters),
        Group(
            "edges", 0.2, _single, advice="One node needs no network, and nodes of one rank have nothing to do inside."
        ),
    ),
    hints=(
        "Inside a node there are ranks_per_node ranks; between nodes, a ring has one rank of each node: nodes ranks.",
        "Each half inside: (g − 1) / g · message / intra. There are two of them.",
        "Between: 2 (m − 1) / m · crossing / inter, with crossing = message / g if sharded, else message.",
    ),
    solution="""
def hierarchical_time(message_bytes, ranks_per_node, nodes, intra_bandwidth, inter_bandwidth, scheme):
    inside = 2 * (ranks_per_node - 1) / ranks_per_node * message_bytes / intra_bandwidth
    crossing = message_bytes / ranks_per_node if scheme == "sharded" else message_bytes
    return inside + 2 * (nodes - 1) / nodes * crossing / inter_bandwidth
""",
    explanation=(
        "A leader sends about as many bytes over its one NIC as a rank of a flat ring does, and the two phases inside the node "
        "add to that, so nothing is gained. Sharding wins because all NICs of the node work at once."
    ),
    meaning=lambda: (
        f"For 14 GB on 64 nodes of eight H100 a flat ring takes at least {1e3 * collectives.ring_all_reduce_time(14e9, 512, 50e9):.0f} "
        f"ms, the leader {1e3 * _h100('leader'):.0f} ms, and sharded it is {1e3 * _h100('sharded'):.0f} ms. The gain does not "
        "come from the hierarchy but from using eight NICs at once."
    ),
    mistakes=(
        Mistake(
            "inside beside between",
            lambda **cluster: max(_phases(inside=0)(**cluster), _phases(between=0)(**cluster)),
            "You took the longer of the two levels. The three phases come one after the other: add them.",
        ),
        Mistake(
            "shared among the nodes",
            lambda message_bytes, ranks_per_node, nodes, scheme, **rates: (
                _phases()(message_bytes, ranks_per_node, nodes, scheme=scheme, **rates)
                + (scheme == "sharded")
                * 2
                * (nodes - 1)
                / nodes
                * (message_bytes / nodes - message_bytes / ranks_per_node)
                / rates["inter_bandwidth"]
            ),
            "You divided the message by the nodes. The ranks of one node share it: 1/ranks_per_node each.",
        ),
        Mistake(
            "ranks and nodes swapped",
            lambda ranks_per_node, nodes, **rest: _phases()(ranks_per_node=nodes, nodes=ranks_per_node, **rest),
            "You swapped ranks_per_node and nodes: rings inside have ranks_per_node ranks, rings between have nodes.",
        ),
        Mistake(
            "only the share goes out again",
            lambda message_bytes, ranks_per_node, nodes, intra_bandwidth, inter_bandwidth, scheme: (
                _phases()(message_bytes, ranks_per_node, nodes, intra_bandwidth, inter_bandwidth, scheme)
                - (scheme == "sharded")
                * (ranks_per_node - 1)
                / ranks_per_node
                * message_bytes
                * (1 - 1 / ranks_per_node)
                / intra_bandwidth
            ),
            "In the last phase you counted only one share. The all-gather brings the whole sum to every rank: half an "
            "all-reduce of the whole message.",
        ),
        Mistake(
            "never sharded",
            _phases(shard=False),
            "You sent the whole message between the nodes in both schemes. Sharded, each rank takes 1/ranks_per_node of it.",
        ),
        Mistake(
            "always sharded",
            _phases(leader_shard=True),
            "You sharded in both schemes. A leader takes the whole message across, over its own link alone.",
        ),
        Mistake(
            "the schemes swapped",
            _phases(shard=False, leader_shard=True),
            "You swapped the two schemes: sharded means that each rank takes 1/ranks_per_node of the message across.",
        ),
        Mistake(
            "all ranks in the ring between nodes",
            _phases(ring=lambda g, m: g * m),
            "You put all ranks into the ring between the nodes. Each ring there has one rank of every node: nodes of them.",
        ),
        Mistake(
            "into the node only",
            _phases(inside=1),
            "You counted only one phase inside the node. There are two, and each takes half an all-reduce.",
        ),
        Mistake(
            "two whole all-reduces inside",
            _phases(inside=4),
            "You took a whole all-reduce for each phase inside the node. Each is half of one: reduce-scatter, all-gather.",
        ),
        Mistake(
            "nothing inside",
            _phases(inside=0),
            "You left out the two phases inside the node.",
        ),
        Mistake(
            "half an all-reduce between nodes",
            _phases(between=1),
            "You counted half of the all-reduce between the nodes: it sends 2 (nodes − 1) / nodes.",
        ),
        Mistake(
            "twice between nodes",
            _phases(between=4),
            "You counted the all-reduce between the nodes twice: its 2 (nodes − 1) / nodes hold both halves already.",
        ),
        Mistake(
            "the whole message in each phase inside",
            lambda message_bytes, ranks_per_node, nodes, intra_bandwidth, **rest: (
                _phases(inside=0)(message_bytes, ranks_per_node, nodes, intra_bandwidth, **rest)
                + 2 * message_bytes / intra_bandwidth
            ),
            "You let each phase inside carry the whole message. A ring inside a node sends (ranks_per_node − 1) / ranks_per_node "
            "of it each time.",
        ),
        Mistake(
            "the leader's whole message",
            lambda message_bytes, ranks_per_node, nodes, intra_bandwidth, inter_bandwidth, scheme: (
                _phases(inside=0)(message_bytes, ranks_per_node, nodes, intra_bandwidth, inter_bandwidth, scheme)
                + 2
                * (1 if scheme == "leader" else (ranks_per_node - 1) / ranks_per_node)
                * message_bytes
                / intra_bandwidth
            ),
            "A leader really receives the whole message, as you counted, and the chapter returns to that. Here count half an "
            "all-reduce for each phase inside, (g − 1) / g of the message.",
        ),
        Mistake(
            "bandwidths swapped",
            _phases(swapped=True),
            "You swapped the two bandwidths: intra is inside the node.",
        ),
        Mistake(
            "shards and all rails",
            _phases(spread="rails"),
            "You divided by ranks_per_node twice: inter_bandwidth is one rank's link, and 1/ranks_per_node crosses it.",
        ),
    ),
    mutants=MUTANTS["collectives.hierarchical_time"],
)


def _h100(scheme):
    return collectives.hierarchical_all_reduce_time(14e9, 8, 64, 450e9, 50e9, scheme=scheme)
