"""All-reduce of a server's own kernel between the GPUs of one node: every rank reads its peers' memory.

::

    one shot = start + (r - 1) size / (e * link)              each rank reads everything
    two shot = 2 start + 2 (r - 1)/r size / (e * link)        reduce-scatter, then all-gather
    time     = the shorter one; launched without a CUDA graph at least ``eager``

``start`` and ``e`` belong to the chip; vLLM's start is ``vllm`` times TensorRT-LLM's, and a host launches in ``eager``.
"""

from __future__ import annotations

from typing import Any

from .. import chips
from .nccl import wired

SWEPT = ("bytes",)
CHIP = {"start": 4e-6, "efficiency": 0.7}
SHARED = {"vllm": 1.5, "eager": 40e-6, "rank": 0.05, "host": 1.0}
FRAMEWORKS, LAUNCHES = ("trtllm", "vllm", "sglang"), ("graph", "eager")


def figures(text: tuple[Any, ...], chip: dict[str, float], shared: dict[str, float]) -> dict[str, float]:
    """Return the numbers that chip, framework and launch stand for."""
    device, framework, launch = text
    for name, value, choices in (("framework", framework, FRAMEWORKS), ("launch", launch, LAUNCHES)):
        if value not in choices:
            raise ValueError(f"{name} must be one of {', '.join(choices)}, got {value!r}")
    return {
        "domain": chips.domain(device),
        "link": chips.link(device),
        "start": chip["start"] * (1.0 if framework == "trtllm" else shared["vllm"]),
        "efficiency": chip["efficiency"],
        "eager": shared["eager"] if launch == "eager" else 0.0,
        "rank": shared["rank"],
        "sharing": 0.0 if wired(device) else shared["host"],
        "adds": float(chips.family(device) in ("Hopper", "Blackwell")),
    }


def law(v: dict[str, Any], op: Any) -> tuple[Any, Any]:
    """Return expected seconds and the time of the wire at its datasheet rate."""
    ranks = v["ranks"]
    chips.check_domain("custom_all_reduce", "ranks", ranks, v["domain"])
    start = v["start"] * (1.0 + v["rank"] * (ranks - 2.0))
    once = v["bytes"] / v["link"]
    read = once / (v["efficiency"] * (2.0 / ranks) ** v["sharing"])
    share = (ranks - 1.0) / ranks
    one, two = start + (ranks - 1.0) * read, 2.0 * start + 2.0 * share * read
    bound = 2.0 * share * once + v["adds"] * (ranks >= 8) * (1.0 - 2.0 * share) * once
    return op.maximum(op.minimum(one, two), v["eager"]), bound
