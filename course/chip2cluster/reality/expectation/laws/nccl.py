"""Collectives of NCCL between the GPUs of one node; ``nccl_nodes`` has the all-reduce over several.

::

    steps  = ranks - 1, twice that for an all-reduce
    wire   = bytes that a rank sends / (e * link)       (r - 1)/r of the size, twice for an all-reduce
    time   = start * (1 + step * steps) + wire + sqrt(start * wire)

The root is the pipeline that fills: the best chunk makes start-up and transfer of a chunk equal. With NVLink the chip has
``start`` and ``e``; with PCIe all ranks share the host, and ``e`` falls as (2 / ranks)^``sharing``, with the start of
all chips. An all-reduce of 8 ranks and more with in-network reduction (NVLS, Hopper and
later) has ``nvls`` times the rate of the ring.
"""

from __future__ import annotations

from typing import Any

from .. import chips
from ..keys import COLLECTIVES

SWEPT = ("bytes",)
CHIP = {"start": 6e-6, "efficiency": 0.65, "sharing": 0.6}
SHARED = {"step": 0.17, "nvls": 1.35, "start_pcie": 5e-6, "root": 1.0}
PASSES = {"all_reduce": 2.0, "all_gather": 1.0, "reduce_scatter": 1.0, "all_to_all": 1.0}
SWITCH = 8  # ranks from which NVLS is taken


def figures(text: tuple[Any, ...], chip: dict[str, float], shared: dict[str, float]) -> dict[str, float]:
    """Return the numbers that chip and collective stand for."""
    device, name = text
    collective = COLLECTIVES.get(name, name)
    if collective not in PASSES:
        raise ValueError(f"collective must be one of {', '.join(PASSES)}, got {name!r}")
    pcie = not wired(device)
    adds = collective == "all_reduce" and chips.family(device) in ("Hopper", "Blackwell")
    return {
        "domain": chips.domain(device),
        "link": chips.link(device),
        "passes": PASSES[collective],
        "start": shared["start_pcie"] if pcie else chip["start"],
        "sharing": chip["sharing"] if pcie else 0.0,
        "efficiency": chip["efficiency"],
        "nvls": shared["nvls"] if adds else 1.0,
        "adds": float(adds),
        "step": shared["step"],
        "root": shared["root"],
    }


def wired(device: Any) -> bool:
    """Return whether a chip has links of its own, not PCIe alone."""
    return not (chips.accelerator(device).scale_up_link or "PCIe").startswith("PCIe")


def law(v: dict[str, Any], op: Any) -> tuple[Any, Any]:
    """Return expected seconds and the time of the wire at its datasheet rate."""
    ranks, switch = v["ranks"], (v["ranks"] >= SWITCH)
    chips.check_domain("nccl", "ranks", ranks, v["domain"])
    sent = v["passes"] * v["bytes"] * (ranks - 1.0) / ranks / v["link"]
    start = v["start"] * (1.0 + v["step"] * v["passes"] * (ranks - 1.0))
    share = v["efficiency"] * (2.0 / ranks) ** v["sharing"] * (1.0 + switch * (v["nvls"] - 1.0))
    wire = sent / share
    # With in-network reduction a rank sends its bytes once.
    once = v["bytes"] / v["link"]
    bound = sent + v["adds"] * switch * (op.minimum(sent, once) - sent)
    return start + wire + op.sqrt(v["root"] * start * wire), bound
