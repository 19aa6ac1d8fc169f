"""Exchange of tokens between the ranks of a layer of experts (DeepEP, TensorRT-LLM), dispatch or combine.

::

    reached = r (1 - (1 - 1/r)^k)                    ranks that a token reaches: sent to each once
    normal       time = start * m + tokens (d b reached / (e * link) + 20 ns)
    low latency  time = start * m + max(tokens d b (k + 2) / (e * link), tokens k / E * 1.45 us in a dispatch)

``start`` and ``e`` belong to the chip; ``m`` belongs to mode and phase. Low latency sends a token to each expert, one lane
an expert, so few experts are few lanes. b: 1 byte to dispatch (FP8), 2 to combine; E experts. Beyond a
node a token crosses the network once for each other node that it reaches, over one NIC a GPU.
"""

from __future__ import annotations

from typing import Any

from .. import chips

SWEPT = ("tokens_per_rank",)
CHIP = {"start": 30e-6, "efficiency": 0.7}
SHARED = {
    "normal_combine": 1.35, "low_latency": 0.55, "one_sided_dispatch": 0.5, "one_sided_combine": 0.7,
    "token": 20e-9, "lane": 1.45e-6, "extra": 2.0, "ratio": 1.0,
}  # fmt: skip
NIC, NIC_SHARE = 50e9, 0.86  # bytes/s of one 400 Gb/s NIC a GPU; DeepEP's README has 43 GB/s of it on H800
MODES, PHASES = ("low latency", "normal", "NVLink one-sided"), ("dispatch", "combine")
DISPATCH = {"low latency": 1.0, "normal": 1.0, "NVLink one-sided": 0.5625}


def figures(text: tuple[Any, ...], chip: dict[str, float], shared: dict[str, float]) -> dict[str, float]:
    """Return the numbers that chip, mode and phase stand for."""
    device, mode, phase = text
    for name, value, choices in (("mode", mode, MODES), ("phase", phase, PHASES)):
        if value not in choices:
            raise ValueError(f"{name} must be one of {', '.join(choices)}, got {value!r}")
    low, dispatch = mode == "low latency", phase == "dispatch"
    many = shared["low_latency"] if low else 1.0 if dispatch else shared["normal_combine"]
    if mode == "NVLink one-sided":
        many = shared[f"one_sided_{phase}"]
    return {
        "link": chips.link(device),
        "start": chip["start"] * many,
        "efficiency": chip["efficiency"] * (shared["ratio"] if low else 1.0),
        "token": 0.0 if low else shared["token"] * (mode == "normal"),
        "lane": shared["lane"] if low and dispatch else 0.0,
        "extra": shared["extra"],
        "low": float(low),
        "width": DISPATCH[mode] if dispatch else 2.0,
    }


def law(v: dict[str, Any], op: Any) -> tuple[Any, Any]:
    """Return expected seconds and the time of the link at its datasheet rate."""
    tokens, ranks, k = v["tokens_per_rank"], v["ranks"], v["top_k"]
    reached = ranks * (1.0 - (1.0 - 1.0 / ranks) ** k)
    copies = reached + v["low"] * (k + v["extra"] - reached)
    payload = tokens * v["d_model"] * v["width"] / v["link"]
    lanes = tokens * k / v["experts"] * v["lane"]
    nodes = v["nodes"]
    network = tokens * v["d_model"] * v["width"] * (1.0 - (1.0 - 1.0 / nodes) ** k) * (nodes - 1.0) / NIC
    sent = op.maximum(payload * copies / v["efficiency"], network / NIC_SHARE)
    seconds = v["start"] + op.maximum(sent, lanes) + tokens * v["token"]
    # A rank keeps what its own experts take: at best a token goes to the other ranks of its copies alone.
    least = op.minimum(k, reached) * (ranks - 1.0) / ranks
    return seconds, payload * least
