"""Questions on links."""

from chip2cluster import collectives, links, topology
from chip2cluster._validate import known
from chip2cluster.predict.question import Question

_MESSAGE = 4e3  # bytes


def _small_message():
    moving = _MESSAGE / known("payload_one_way", links.rates("NVLink 4").payload_one_way)
    return _MESSAGE / (collectives.nccl_protocol("Simple").latency + moving) / 1e9


def _why_small_message(truth):
    wire, start = links.rates("NVLink 4"), collectives.nccl_protocol("Simple").latency
    moving = _MESSAGE / known("payload_one_way", wire.payload_one_way)
    return (
        f"The bytes themselves need {moving * 1e9:.0f} ns. But {start * 1e9:,.0f} ns pass before the first "
        f"arrives, so {_MESSAGE / 1e3:.0f} kB take {(moving + start) * 1e9:,.0f} ns: "
        f"{100 * truth * 1e9 / wire.sheet_one_way:.2f} % of the datasheet's rate."
    )


def _times(rates=("NDR", "XDR")):
    hop = collectives.nccl_protocol("LL", "network")
    return [hop.time(4 * _MESSAGE, links.infiniband(rate).bandwidth_one_way) for rate in rates]


def _faster_network():
    before, after = _times()
    return before / after


def _why_faster_network(truth):
    hop = collectives.nccl_protocol("LL", "network")
    before, _ = _times()
    return (
        f"Of its {before * 1e6:.2f} µs the message spends {(before - hop.latency) * 1e6:.2f} µs moving, and only "
        f"that part is halved. The other {hop.latency * 1e6:.1f} µs are latency, which more bandwidth does not reduce."
    )


def _all_cross():
    alone = links.nvlink(2).bandwidth_one_way
    return min(alone, topology.bisection(topology.nvswitch_node("DGX-2")).bandwidth_one_way / 8) / 1e9


def _why_all_cross(truth):
    return (
        f"As many as if it were alone: six links give {truth:.0f} GB/s. A switch has a trunk to its twin for every GPU of its "
        "board, so no GPU waits for another. Exercise 7 adds up the trunks."
    )


QUESTIONS = (
    Question(
        "links.small_message",
        "One H100 sends 4 kB to another over NVLink. Its library needs 3.4 µs to start, then the bytes flow at 371 GB/s. "
        "At how many GB/s do these 4 kB arrive, measured from the start to the last byte?",
        "GB/s", _small_message, _why_small_message,
    ),
    Question(
        "links.faster_network",
        "Your nodes send messages of 16 kB over InfiniBand at 400 Gb/s: 2.7 µs to start each, and the library's "
        "flags use half of the link. At 800 Gb/s the 2.7 µs stay. How many times faster is a message?",
        "times", _faster_network, _why_faster_network,
    ),
    Question(
        "links.all_cross",
        "A DGX-2 has 16 V100 on two boards of eight, each with six links of 25 GB/s one way to switches. All eight upper "
        "GPUs send at once, each to a different lower GPU. How many GB/s does each get?",
        "GB/s", _all_cross, _why_all_cross,
    ),
)  # fmt: skip
