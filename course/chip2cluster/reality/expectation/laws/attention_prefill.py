"""Causal attention of prompts, with the kernel that rotates, quantizes and caches keys and values.

::

    pairs = queries * (cached + (queries + 128) / 2)      scores, half of each diagonal tile of 128 included
    time  = start + 4 batch heads head_dim pairs / (e f peak) + passes * bytes of Q, K, V / memory bandwidth

``start`` and ``e`` belong to the chip. ``f`` is shared by all chips: it is above 1 for 16-bit inputs with an FP8
cache on Hopper and Blackwell, whose kernel multiplies part of it in FP8, and below 1 relative to the FP8 peak.
"""

from __future__ import annotations

from typing import Any

from .. import chips

SWEPT = ("batch", "queries")
CHIP = {"start": 16e-6, "efficiency": 0.49}
SHARED = {"mixed": 1.5, "fp8": 0.81, "fp8_mma": 0.75, "passes": 5.0}
TILE = 128.0


def check(text: tuple[Any, ...]) -> tuple[Any, str, str]:
    """Return chip, precision and cache precision of an attention call, or raise."""
    for name, value in zip(("precision", "cache_precision"), text[1:3], strict=True):
        if value not in ("bf16", "fp16", "fp8"):
            raise ValueError(f"{name} of attention must be bf16, fp16 or fp8, got {value!r}")
    return text[0], text[1], text[2]


def figures(text: tuple[Any, ...], chip: dict[str, float], shared: dict[str, float]) -> dict[str, float]:
    """Return the numbers that chip and precisions stand for."""
    device, precision, cache = check(text)
    tensor_memory = chips.family(device) in ("Hopper", "Blackwell")
    factor = 1.0
    if precision == "fp8":
        factor = shared["fp8" if tensor_memory else "fp8_mma"]
    elif cache == "fp8" and tensor_memory:
        factor = shared["mixed"]
    return {
        "peak": chips.peak(device, "fp8" if cache == "fp8" and factor > 1 else precision),
        "rate": chip["efficiency"] * factor * chips.peak(device, precision),
        "memory": chips.accelerator(device).memory_bandwidth,
        "start": chip["start"],
        "passes": shared["passes"],
        "width": chips.width(precision),
        "cache_width": chips.width(cache),
    }


def law(v: dict[str, Any], op: Any) -> tuple[Any, Any]:
    """Return expected seconds and the roofline at datasheet rates."""
    tokens, cached, heads, dim = v["batch"] * v["queries"], v["cached"], v["heads"], v["head_dim"]
    each = 4.0 * tokens * heads * dim
    values = tokens * (heads + 2.0 * v["kv_heads"]) * dim
    context = 2.0 * v["batch"] * (cached + v["queries"]) * v["kv_heads"] * dim * v["cache_width"]
    work = each * (cached + (v["queries"] + TILE) / 2)
    seconds = v["start"] + work / v["rate"] + (v["passes"] * 2.0 * values + context) / v["memory"]
    least = each * (cached + (v["queries"] + 1) / 2) / v["peak"]
    moved = (2.0 * tokens * heads * dim * v["width"] + context) / v["memory"]
    return seconds, op.maximum(least, moved)
