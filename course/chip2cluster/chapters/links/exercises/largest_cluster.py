"""Exercise on the largest cluster whose RDMA connections fit in the NIC's cache."""

from chip2cluster import links
from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.input_generators import draw_until, tells_apart
from chip2cluster.exercise.model import Exercise, Group, Mistake

NAMES = ("processes_per_node", "adapters_per_node", "bytes_per_connection", "cache_kilobytes")
UNEVEN, FULL = "shared evenly", "exactly full refused"


def largest_cluster(processes_per_node, adapters_per_node, bytes_per_connection, cache_kilobytes):
    """Nodes whose reliable connections, each process to each, still fit into every adapter."""
    return links.largest_cluster(
        processes_per_node, adapters_per_node, bytes_per_connection, cache_bytes=1000 * cache_kilobytes
    )


def _some(generator, adapters, processes):
    row = (processes, adapters, int(generator.integers(200, 600)), int(generator.integers(9000, 40000)))
    return dict(zip(NAMES, row, strict=True))


def _clusters(generator):
    def some():
        adapters = int(generator.choice([2, 4, 8]))
        return _some(generator, adapters, adapters * int(generator.integers(2, 12)))

    apart = [mistake.name for mistake in LARGEST_CLUSTER.mistakes if mistake.name not in (UNEVEN, FULL)]
    # A case that can be done in the head comes first: it is the one that a student sees.
    shown = dict(zip(NAMES, (8, 2, 250, 2010), strict=True))
    return [shown, *(draw_until(lambda inputs: tells_apart(LARGEST_CLUSTER, inputs, *apart), some) for _ in range(5))]


def _uneven(generator):
    def some():
        adapters = int(generator.choice([3, 4, 6, 8]))
        more = int(generator.integers(1, adapters))
        return _some(generator, adapters, adapters * int(generator.integers(1, 5)) + more)

    # 2,000,000 bytes hold 8,000 connections, 32 for each further node: 250 of them, and nothing is left.
    full = dict(zip(NAMES, (8, 2, 250, 2000), strict=True))
    return [full, *(draw_until(lambda inputs: tells_apart(LARGEST_CLUSTER, inputs, UNEVEN), some) for _ in range(3))]


def _nodes(connections_per_node, others=1, kilo=1000, share=True):
    def wrong(processes_per_node, adapters_per_node, bytes_per_connection, cache_kilobytes):
        fit = kilo * cache_kilobytes // bytes_per_connection
        fit *= adapters_per_node if share else 1
        return fit // connections_per_node(processes_per_node) + others

    return wrong


def _not_full(processes_per_node, adapters_per_node, bytes_per_connection, cache_kilobytes):
    fit = (1000 * cache_kilobytes - 1) // bytes_per_connection
    return fit // (-(-processes_per_node // adapters_per_node) * processes_per_node) + 1


def _even(processes_per_node, adapters_per_node, bytes_per_connection, cache_kilobytes):
    fit = 1000 * cache_kilobytes // bytes_per_connection
    return fit * adapters_per_node // processes_per_node**2 + 1


def _meaning():
    shared, alone = links.largest_cluster(64, 1, 400, 4e6), links.largest_cluster(8, 8, 400, 4e6)
    return f"With 400 bytes a connection and 4 MB on the NIC, eight processes with one NIC each reach {alone:,} nodes; 64 processes on one NIC reach {shared}."


LARGEST_CLUSTER = Exercise(
    id="links.largest_cluster",
    title="The largest cluster whose connections fit",
    signature="largest_cluster(processes_per_node, adapters_per_node, bytes_per_connection, cache_kilobytes)",
    unit="",
    points=3,
    reference=largest_cluster,
    shows=(links.largest_cluster, links.connections_per_adapter),
    groups=(
        Group("clusters", 0.8, _clusters),
        Group(
            "uneven and full",
            0.2,
            _uneven,
            v.VALUE,
            advice="If the processes do not divide evenly, one NIC serves one process more than another, and the "
            "fullest NIC decides. It may be exactly full.",
        ),
    ),
    hints=(
        "How many processes of other nodes does one process connect to? And how many processes share a NIC?",
        "In a cluster of N nodes a process has p * (N - 1) partners. A NIC with p / a processes keeps "
        "p / a * p * (N - 1) connections; the fullest has p / a rounded up.",
        "How many connections fit: cache_kilobytes * 1000 // bytes_per_connection. Divide by p / a, rounded up, and by p; "
        "round down, and add the node itself.",
    ),
    solution="""
def largest_cluster(processes_per_node, adapters_per_node, bytes_per_connection, cache_kilobytes):
    fit = cache_kilobytes * 1000 // bytes_per_connection
    share = -(-processes_per_node // adapters_per_node)   # rounded up
    return fit // (share * processes_per_node) + 1
""",
    explanation=(
        "Each additional node adds to a NIC its processes times all processes of that node. Beyond the limit the NIC often "
        "has to fetch the state of a connection from host memory. So libraries connect late, share connections, or use few "
        "partners, as a ring does."
    ),
    meaning=_meaning,
    mistakes=(
        Mistake(
            "own node not counted",
            _nodes(lambda p: p * p, others=0),
            "You counted the other nodes. The cluster has one more: the NIC's own node.",
        ),
        Mistake(
            "one process a node at the far end",
            _nodes(lambda p: p),
            "You gave each process one partner per node. Every process of the other node is a partner.",
        ),
        Mistake(
            "one adapter for all",
            _nodes(lambda p: p * p, share=False),
            "You put the connections of all processes on one NIC. They share adapters_per_node NICs.",
        ),
        Mistake(
            "one process an adapter",
            _nodes(lambda p: p, share=False),
            "You counted the connections of one process. A NIC serves several: processes / NICs.",
        ),
        Mistake(
            "kilobytes of 1024",
            _nodes(lambda p: p * p, kilo=1024),
            "You took 1024 bytes for a kilobyte. Here, as in all units of the course, kB means 1000.",
        ),
        Mistake(
            "both ends of each connection",
            _nodes(lambda p: 2 * p * p),
            "You counted each connection twice. A queue pair sends and receives; the other end is in the other NIC.",
        ),
        Mistake(
            "bytes left in kilobytes",
            _nodes(lambda p: p * p, kilo=1),
            "You divided kilobytes by bytes. The cache has 1000 bytes for each kilobyte.",
        ),
        Mistake(
            UNEVEN,
            _even,
            "Nearly: if the processes do not divide evenly, the fullest NIC decides. Round up the processes per NIC.",
            share=0.8,
        ),
        Mistake(
            FULL,
            _not_full,
            "Nearly: a NIC may be exactly full. You kept a little space, or rounded down once too often.",
            share=0.8,
        ),
    ),
)
