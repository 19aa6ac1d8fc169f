"""Attention of one token (or a few) a sequence to its cache, with the write of the new keys and values.

::

    time = start + bytes of the cache / (e memory bandwidth) + 5 * bytes of Q, K, V / memory bandwidth
                 + wide * cycles * keys * heads / (clock * multiprocessors)

``start`` and ``e`` belong to the chip. The last term counts for groups of more than 32 query heads for each key-value
head: they fit no tile of the decode kernel, which then multiplies on the vector units. ``cycles`` is shared.
"""

from __future__ import annotations

from typing import Any

from .. import chips
from .attention_prefill import check

SWEPT = ("batch", "cached")
CHIP = {"start": 11e-6, "efficiency": 0.87}
SHARED = {"cycles": 23.0}
PASSES = 5.0
WIDEST = 32  # query heads of a key-value head in one tile


def figures(text: tuple[Any, ...], chip: dict[str, float], shared: dict[str, float]) -> dict[str, float]:
    """Return the numbers that chip and precisions stand for."""
    device, precision, cache = check(text)
    return {
        "memory": chips.accelerator(device).memory_bandwidth,
        "peak": chips.peak(device, "fp8" if "fp8" in (precision, cache) else precision),
        "cache_width": chips.width(cache),
        "start": chip["start"],
        "efficiency": chip["efficiency"],
        "vector": shared["cycles"] / chips.unit_hertz(device),
    }


def law(v: dict[str, Any], op: Any) -> tuple[Any, Any]:
    """Return expected seconds and the roofline at datasheet rates."""
    batch, heads, kv_heads, dim = v["batch"], v["heads"], v["kv_heads"], v["head_dim"]
    tokens, keys = batch * v["queries"], v["cached"] + v["queries"]
    cache = 2.0 * batch * keys * kv_heads * dim * v["cache_width"] / v["memory"]
    values = 2.0 * tokens * (heads + 2.0 * kv_heads) * dim / v["memory"]
    vector = (heads > WIDEST * kv_heads) * (tokens * keys * heads * v["vector"])
    seconds = v["start"] + cache / v["efficiency"] + PASSES * values + vector
    return seconds, op.maximum(cache, 4.0 * tokens * keys * heads * dim / v["peak"])
