"""Questions on collectives."""

from chip2cluster import collectives, links
from chip2cluster.predict.question import Question

_GRADIENT = 14e9  # bytes: 7 billion parameters in bf16
_NVLINK = links.nvlink(4).bandwidth_one_way
_NDR = links.infiniband("NDR").bandwidth_one_way


def _node_time():
    return 1e3 * collectives.ring_all_reduce_time(_GRADIENT, 8, _NVLINK)


def _why_node_time(truth):
    sent = collectives.ring_all_reduce_traffic(_GRADIENT, 8) / 1e9
    return (
        f"In the best algorithm without in-network reduction each GPU sends {sent:.1f} GB, 1.75 times the gradient, "
        f"and receives as much. At the datasheet's {_NVLINK / 1e9:.0f} GB/s one way that is {truth:.0f} ms; at the 368 GB/s "
        f"measured for rings, {1e3 * collectives.ring_all_reduce_time(_GRADIENT, 8, 367.6e9):.0f} ms."
    )


def _more_ranks():
    few, many = (collectives.ring_all_reduce_traffic(_GRADIENT, ranks) for ranks in (8, 1024))
    return many / few


def _why_more_ranks(truth):
    return (
        "Each rank of a ring sends its vector 1.75 times with 8 ranks, 1.998 times with 1,024, and never "
        "twice. What grows with the number of ranks is the number of steps, but each step sends a smaller chunk."
    )


def _leader():
    return 1e3 * collectives.hierarchical_all_reduce_time(_GRADIENT, 8, 64, _NVLINK, _NDR, scheme="leader")


def _why_leader(truth):
    flat = 1e3 * collectives.ring_all_reduce_time(_GRADIENT, 512, _NDR)
    return (
        f"Slower than the flat ring's {flat:.0f} ms. One GPU of each node still sends nearly twice the whole gradient over "
        "its one NIC, while the other seven NICs of the node are idle; the phases inside the node add to that."
    )


_NODE = collectives.NcclSystem("hopper", 8, 366e9)  # eight GPUs of the Hopper kind, no in-network reduction


def _method(protocol):
    return next(curve for curve in _NODE.curves if (curve.algorithm, curve.protocol) == ("ring", protocol))


def _flags():
    quick, bulk = _method("LL"), _method("Simple")
    return (bulk.latency - quick.latency) / (1 / quick.bandwidth - 1 / bulk.bandwidth) / 1e6


def _why_flags(truth):
    return (
        f"LL is 41 µs ahead before the first byte moves, and loses 7.6 µs with each MB, so Simple catches up at {truth:.1f} MB. "
        "LL128 is between the two, so NCCL leaves LL earlier and changes to Simple much later."
    )


def _switch_gain():
    return collectives.ring_all_reduce_traffic(1.0, 8) / collectives.switch_all_reduce_traffic(1.0, 8)


def _why_switch_gain(truth):
    return (
        "Each GPU's links carry the whole message once, and one eighth of it a second time, because the sum that the GPU owns "
        f"comes in and goes out again. 1.75 / 1.125 is {truth:.2f}. Each rank sends its vector once and gets the sum once only "
        "with other switches, such as InfiniBand's, which keep the sums in the network."
    )


# Measured: NVIDIA, AIConfigurator, 2026, eight H100 with TensorRT-LLM; CoreWeave, 2025, two racks of 72 GB200.
_SERVER_KERNEL = 3.53  # µs for 4 KiB
_TWO_RACKS = 810.41  # GB/s of bus bandwidth for 16 GiB


def _server_kernel():
    return _SERVER_KERNEL


def _why_server_kernel(truth):
    return (
        f"Measured: {truth:.1f} µs with TensorRT-LLM's kernel, 5.6 µs with vLLM's. One step replaces 14, and seven times "
        "4 KiB is next to nothing on NVLink. What is left is the launch and one wait for the other GPUs."
    )


def _rack_rate():
    return _TWO_RACKS / collectives.bus_factor("all_reduce", 144)


def _why_rack_rate(truth):
    return (
        f"Measured: {truth:.0f} GB/s, what 8 of the 72 NICs carry. NICs without a channel idle, and on a node of eight GPUs NCCL "
        "opens 16 channels, two for each NIC. That it did so here is inferred; the runs do not print their channels."
    )


QUESTIONS = (
    Question(
        "collectives.node_time",
        "Eight H100 in one node each hold a gradient of 14 GB, and all need the sum. Each has NVLink with 450 "
        "GB/s one way. How many milliseconds does it take at least, if the switches only forward data?",
        "ms", _node_time, _why_node_time,
    ),
    Question(
        "collectives.more_ranks",
        "Now 1,024 GPUs instead of 8, with equally fast links, all-reduce a gradient of the same size. How many times as "
        "many bytes must each GPU send?",
        "times", _more_ranks, _why_more_ranks,
    ),
    Question(
        "collectives.flags",
        "A ring of eight H200 starts in 15.0 µs with LL and runs at 141 GB/s of bus bandwidth (1.75 times the "
        "message); with Simple, 56.0 µs and 366 GB/s. Up to how many MB is LL faster?",
        "MB", _flags, _why_flags,
    ),
    Question(
        "collectives.switch_gain",
        "Eight GPUs all-reduce a large message, and their links carry the same rate in both cases. How many times as fast "
        "as a ring is in-network reduction, where the switch adds and copies in this way?",
        "times", _switch_gain, _why_switch_gain,
    ),
    Question(
        "collectives.server_kernel",
        "Eight H100 all-reduce 4 KiB. NCCL takes 16 µs, for 14 steps of a ring. A server's own kernel lets each GPU read the "
        "vectors of all seven others at once. How many µs does it take, measured?",
        "µs", _server_kernel, _why_server_kernel,
    ),
    Question(
        "collectives.rack_rate",
        "Two racks of 72 GPUs all-reduce 16 GiB. Each GPU has a NIC of 50 GB/s, 3,600 GB/s a rack, and NVLink inside the "
        "rack allows 888 GB/s. How many GB/s of message did a run reach?",
        "GB/s", _rack_rate, _why_rack_rate,
    ),
    Question(
        "collectives.leader",
        "512 H100 in 64 nodes, 50 GB/s per GPU: a flat ring through one NIC per node takes 559 ms for 14 GB. "
        "Instead: sum inside each node, all-reduce between one GPU of each, broadcast inside. How many ms now?",
        "ms", _leader, _why_leader,
    ),
)  # fmt: skip
