"""All-reduce of NCCL over several nodes, messages of 64 MiB and more.

::

    inside  = 2 (r - 1)/r size / (e link)             r ranks of a node or a rack, as in one node
    between = p size / (a network)                    p = 1 for two nodes, 2 (R - 1)/R beyond; R ranks in all
    start   = start in a node + 2 hop * ceil(log2 nodes)      up a tree and down again
    time    = start + wire + sqrt(root * start * wire),       wire = the slower of inside and between, which overlap

``network`` is the rate of a node's adapters in one direction; NCCL uses 8 of them (16 channels, two a NIC), so a rack of
72 GPUs sends over 8 of 72. ``hop`` and ``a`` are shared by all clusters; the rest is that of the law ``nccl``. From three
nodes on a node sends the message almost twice, in a ring as in a tree.

Fitted to 49 published rows of eight clusters. Not forecast, because too little is published: shorter messages
(four clusters, and their start is 70 to 350 us, by the network's plug-in and the launcher), and the other collectives
(rates of all-gather and all-to-all on one pair of GH200, without the size).
"""

from __future__ import annotations

from typing import Any

from .. import chips, constants
from . import nccl

SWEPT = ("bytes",)
CHIP: dict[str, float] = {}
SHARED = {"hop": 50e-6, "efficiency": 0.95}
ADAPTERS, SHORTEST = 8.0, 2.0**26


def figures(text: tuple[Any, ...], chip: dict[str, float], shared: dict[str, float]) -> dict[str, float]:
    """Return the numbers that the chip stands for: those of the frozen law of one node, and those of the network."""
    device, name = text
    if name != "all_reduce":
        raise ValueError(
            f"collective over several nodes must be all_reduce, got {name!r}: no table of another one is published; "
            "collectives.time with the network's rate is a bound"
        )
    inside = constants.choose("nccl", device)
    return {**nccl.figures((device, name), inside.own, inside.shared), **shared, "share": inside.own["efficiency"]}


def law(v: dict[str, Any], op: Any) -> tuple[Any, Any]:
    """Return expected seconds and the slower of the wires at their datasheet rates."""
    ranks, nodes, size = v["ranks"], v["nodes"], v["bytes"]
    each = ranks / nodes
    _check(v, each)
    one = 2.0 * size * (each - 1.0) / each / v["link"]
    switch = each >= nccl.SWITCH
    inside = one / (v["share"] * (2.0 / each) ** v["sharing"] * (1.0 + switch * (v["nvls"] - 1.0)))
    several, twice = nodes > 1.0, nodes > 2.0
    passes = 1.0 + twice * (1.0 - 2.0 / ranks)
    between = passes * size / v["network_per_node"] * op.maximum(each / ADAPTERS, 1.0) / v["efficiency"]
    wire = op.maximum(inside, several * between)
    start = v["start"] * (1.0 + v["step"] * 2.0 * (each - 1.0)) + 2.0 * v["hop"] * op.ceil(op.log2(nodes))
    once = op.minimum(one, size / v["link"])
    bound = op.maximum(one + v["adds"] * switch * (once - one), several * size / v["network_per_node"])
    return start + wire + op.sqrt(v["root"] * start * wire), bound


def _check(v: dict[str, Any], each: Any) -> None:
    """Raise if a node has no whole number of ranks, more than its links reach, or the message is short."""
    uneven, short = each % 1.0 != 0.0, v["bytes"] < SHORTEST
    if uneven is True or (uneven is not False and uneven.any()):
        raise ValueError(f"ranks must be a multiple of nodes, got ranks={v['ranks']!r}, nodes={v['nodes']!r}")
    chips.check_domain("nccl", "ranks / nodes", each, v["domain"])
    if short is True or (short is not False and short.any()):
        raise ValueError(
            f"bytes must be at least {SHORTEST:.0f} (64 MiB) over several nodes, got {v['bytes']!r}: a short message takes "
            "70 to 350 us by the network's plug-in. collectives.hierarchical_all_reduce_time is a bound, "
            "collectives.nccl_time is what NCCL itself expects"
        )
