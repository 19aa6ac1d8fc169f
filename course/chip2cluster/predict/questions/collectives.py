"""Questions on collectives."""

from ... import collectives, links
from .model import Question

_GRADIENT = 14e9  # bytes: 7 billion parameters in bf16
_NVLINK = links.nvlink(4).bandwidth_one_way
_NDR = links.infiniband("NDR").bandwidth_one_way


def _node_time():
    return 1e3 * collectives.ring_all_reduce_time(_GRADIENT, 8, _NVLINK)


def _why_node_time(truth):
    sent = collectives.ring_all_reduce_traffic(_GRADIENT, 8) / 1e9
    return (
        f"In the best algorithm that needs no help from a switch each GPU sends {sent:.1f} GB, 1.75 times the gradient, "
        f"and receives as much. At {_NVLINK / 1e9:.0f} GB/s one way that is {truth:.0f} ms."
    )


def _more_ranks():
    few, many = (collectives.ring_all_reduce_traffic(_GRADIENT, ranks) for ranks in (8, 1024))
    return many / few


def _why_more_ranks(truth):
    return (
        "Each rank of a ring sends its vector 1.75 times with 8 ranks, 1.998 times with 1,024, and never "
        "twice. What grows with the ranks is the number of steps, each with a smaller piece."
    )


def _leader():
    return 1e3 * collectives.hierarchical_all_reduce_time(_GRADIENT, 8, 64, _NVLINK, _NDR, scheme="leader")


def _why_leader(truth):
    flat = 1e3 * collectives.ring_all_reduce_time(_GRADIENT, 512, _NDR)
    return (
        f"Slower than the flat ring's {flat:.0f} ms. One GPU of each node still sends nearly twice the whole gradient over "
        "its one network adapter, while the other seven of the node are idle; the work inside the node comes on top."
    )


QUESTIONS = (
    Question(
        "collectives.node_time",
        "Eight H100 in one node each hold a gradient of 14 GB (7 billion parameters, bf16). Each has NVLink with 450 GB/s "
        "one way. All need the sum. How many milliseconds does that take at least, if the switches only forward?",
        "ms", _node_time, _why_node_time,
    ),
    Question(
        "collectives.more_ranks",
        "Now 1,024 GPUs instead of 8, with links just as fast, share one gradient of the same size. How many times as "
        "many bytes must each GPU send?",
        "times", _more_ranks, _why_more_ranks,
    ),
    Question(
        "collectives.leader",
        "512 H100 in 64 nodes, one network adapter of 50 GB/s for each GPU. A flat ring in which one adapter a node carries "
        "the traffic takes 559 ms for 14 GB. Instead: sum inside each node over NVLink, all-reduce the sums between one "
        "GPU of each node, broadcast inside. How many ms now?",
        "ms", _leader, _why_leader,
    ),
)  # fmt: skip
