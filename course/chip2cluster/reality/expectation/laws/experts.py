"""One rank's part of a layer of experts: gate and up, activation, down; the router has chosen, nothing is sent.

::

    touched = min(local experts, tokens k / p) balanced; local (1 - (1 - k/E)^(0.6 tokens)) for a power law
    rows    = tokens k / p                               on the hottest rank p^0.6 times as many for a power law
    time    = start + (bytes of touched experts / memory bandwidth + FLOP of rows / peak) / (e f)
                    + passes * bytes of the tokens / memory bandwidth

``start`` and ``e`` belong to the chip, ``e4`` takes the place of ``e f`` in FP4; ``f`` (a precision) and ``passes`` are
shared. Small groups of rows never hide the weights' traffic behind arithmetic, so both are added. E experts over p ranks.
"""

from __future__ import annotations

from typing import Any

from .. import chips
from .gemm import ACCEPTED

SWEPT = ("tokens",)
CHIP = {"start": 32e-6, "efficiency": 0.75, "efficiency_fp4": 0.45}
SHARED = {"relative_fp8": 0.9, "relative_fp8_block": 0.8, "passes": 8.0, "hot": 0.6, "uneven": 0.6}
ROUTINGS = ("balanced", "power_law_1.2")


def figures(text: tuple[Any, ...], chip: dict[str, float], shared: dict[str, float]) -> dict[str, float]:
    """Return the numbers that chip, precision and routing stand for."""
    device, precision, routing = text
    if precision not in ACCEPTED:
        raise ValueError(f"precision of experts must be one of {', '.join(ACCEPTED)}, got {precision!r}")
    if routing not in ROUTINGS:
        raise ValueError(f"routing must be one of {', '.join(ROUTINGS)}, got {routing!r}")
    relative = shared.get(f"relative_{precision}", 1.0)
    uneven = routing != "balanced"
    return {
        "peak": chips.peak(device, precision),
        "memory": chips.accelerator(device).memory_bandwidth,
        "width": chips.width(precision),
        "start": chip["start"],
        "share": chip["efficiency_fp4"] if precision == "fp4" else chip["efficiency"] * relative,
        "passes": shared["passes"],
        "hot": shared["hot"] if uneven else 0.0,
        "uneven": float(uneven),
        "draws": shared["uneven"],
    }


def law(v: dict[str, Any], op: Any) -> tuple[Any, Any]:
    """Return expected seconds and the roofline at datasheet rates."""
    tokens, ranks, experts = v["tokens"], v["expert_parallel"], v["experts"]
    each = 3.0 * v["d_model"] * v["expert_hidden"] / v["expert_tp"]
    local, slots = experts / ranks, tokens * v["top_k"] / ranks
    even = op.minimum(local, op.maximum(slots, 1.0))
    drawn = local * (1.0 - (1.0 - op.minimum(v["top_k"] / experts, 1.0)) ** (v["draws"] * tokens))
    touched = even + v["uneven"] * (drawn - even)
    hot = op.minimum(ranks ** v["hot"], ranks)
    weights, work = each * v["width"] / v["memory"], 2.0 * each * slots / v["peak"]
    moved = 2.0 * tokens * v["d_model"] / v["memory"]
    seconds = v["start"] + (touched * weights + hot * work) / v["share"] + v["passes"] * moved
    # With uneven routing nothing but one expert is sure to be touched.
    least = even + v["uneven"] * (op.minimum(even, 1.0) - even)
    return seconds, op.maximum(least * weights, work)
