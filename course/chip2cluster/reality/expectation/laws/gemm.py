"""Matrix product C[m, n] = A[m, k] B[k, n] as an inference library runs it, input quantization included.

::

    roofline = max(2 m n k / (e p peak), bytes / (0.85 memory bandwidth))
    walk     = k w                            a block walks along k, one step after another
    cast     = (2 + b) m k / (0.85 memory bandwidth)    read in 16 bits, written in b bytes; 0 for 16 bits
    time     = start * kernels + walk + roofline + cast

``start`` and ``e`` belong to the chip, ``e4`` takes the place of ``e p`` in FP4. The factors of a precision (``kernels``,
``w``, ``p``) are shared by all chips.
"""

from __future__ import annotations

from typing import Any

from .. import chips

SWEPT = ("m",)
CHIP = {"start": 4e-6, "efficiency": 0.72, "efficiency_fp4": 0.37}
SHARED = {
    "kernels_fp8": 3.5, "kernels_fp8_block": 1.3, "kernels_fp4": 1.7,
    "walk_bf16": 0.12e-9, "walk_fp8": 0.45e-9, "walk_fp8_block": 0.57e-9, "walk_fp4": 1.25e-9,
    "relative_fp8": 0.88, "relative_fp8_block": 0.92,
}  # fmt: skip
ACCEPTED = ("bf16", "fp16", "fp8", "fp8_block", "fp4")


def figures(text: tuple[Any, ...], chip: dict[str, float], shared: dict[str, float]) -> dict[str, float]:
    """Return the numbers that chip and precision stand for."""
    device, precision = text
    if precision not in ACCEPTED:
        raise ValueError(f"precision of a product must be one of {', '.join(ACCEPTED)}, got {precision!r}")
    key = "bf16" if precision == "fp16" else precision
    wide = key == "bf16"
    return {
        "peak": chips.peak(device, precision),
        "memory": chips.accelerator(device).memory_bandwidth,
        "width": chips.width(precision),
        "fixed": chip["start"] * (1.0 if wide else shared[f"kernels_{key}"]),
        "share": chip["efficiency_fp4"] if key == "fp4" else chip["efficiency"] * (1.0 if wide else shared[f"relative_{key}"]),
        "walk": shared[f"walk_{key}"],
        "cast": 0.0 if wide else 2.0 + chips.width(precision),
    }  # fmt: skip


def law(v: dict[str, Any], op: Any) -> tuple[Any, Any]:
    """Return expected seconds and the roofline at datasheet rates."""
    m, n, k = v["m"], v["n"], v["k"]
    arithmetic = 2.0 * m * n * k / v["peak"]
    traffic = (v["width"] * k * (m + n) + 2.0 * m * n) / v["memory"]
    roofline = op.maximum(arithmetic / v["share"], traffic / chips.MEMORY_SHARE)
    cast = v["cast"] * m * k / (chips.MEMORY_SHARE * v["memory"])
    return v["fixed"] + v["walk"] * k + roofline + cast, op.maximum(arithmetic, traffic)
