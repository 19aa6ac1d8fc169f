"""Questions on links."""

from ... import hierarchy, links, topology
from .model import Question

_MESSAGE = 4e3  # bytes


def _tier(name):
    return hierarchy.system("DGX H100").tier(name)


def _small_message():
    tier = _tier("node HBM over NVLink")
    return links.effective_bandwidth(_MESSAGE, tier.bandwidth_one_way, tier.latency_seconds) / 1e9


def _why_small_message(truth):
    tier = _tier("node HBM over NVLink")
    moving = _MESSAGE / tier.bandwidth_one_way
    return (
        f"The bytes themselves need {moving * 1e9:.0f} ns. But {tier.latency_seconds * 1e9:.0f} ns pass before the first "
        f"arrives, so {_MESSAGE / 1e3:.0f} kB come in {(moving + tier.latency_seconds) * 1e9:.0f} ns: "
        f"{100 * truth * 1e9 / tier.bandwidth_one_way:.1f} % of the wire."
    )


def _faster_network():
    tier = _tier("cluster HBM over InfiniBand")
    before = links.transfer_time(4 * _MESSAGE, tier.bandwidth_one_way, tier.latency_seconds)
    return before / links.transfer_time(4 * _MESSAGE, links.infiniband("XDR").bandwidth_one_way, tier.latency_seconds)


def _why_faster_network(truth):
    tier = _tier("cluster HBM over InfiniBand")
    moving = 4 * _MESSAGE / tier.bandwidth_one_way
    return (
        f"Of its {(tier.latency_seconds + moving) * 1e6:.2f} µs the message spends {moving * 1e6:.2f} µs moving, and only "
        f"that part is halved. The other {tier.latency_seconds * 1e6:.1f} µs are latency, which no bandwidth buys back."
    )


def _two_boards():
    return topology.bisection(topology.nvswitch_node("DGX-2")).bandwidth_one_way / 1e9


def _why_two_boards(truth):
    boards = topology.bisection(topology.nvswitch_node("DGX-2"))
    return (
        f"Six switches on each board have eight links to their twins: {boards.links} links of 25 GB/s one way. It is also "
        "what eight GPUs with six links each can send, so the boards hold nobody up. The data sheet prints "
        f"{boards.bandwidth_both_ways / 1e12:.1f} TB/s and counts both ways."
    )


QUESTIONS = (
    Question(
        "links.small_message",
        "One H100 sends 4 kB to another over NVLink. The wire carries 450 GB/s one way. At how many GB/s do these 4 kB "
        "arrive, measured from the start to the last byte?",
        "GB/s", _small_message, _why_small_message,
    ),
    Question(
        "links.faster_network",
        "Your nodes talk over InfiniBand at 400 Gb/s in messages of 16 kB. You pay for 800 Gb/s; the latency of 2.7 µs "
        "stays. How many times faster is a message now?",
        "times", _faster_network, _why_faster_network,
    ),
    Question(
        "links.two_boards",
        "A DGX-2 holds 16 V100 on two boards of eight. Each GPU has six links of 25 GB/s one way, and all of them go to "
        "switches. How many GB/s can the upper board send to the lower one, one way?",
        "GB/s", _two_boards, _why_two_boards,
    ),
)  # fmt: skip
