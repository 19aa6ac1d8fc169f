"""Training step: model arithmetic over a fraction of peak that falls with a narrow model.

::

    1 / share = x / e + k peak / (h memory bandwidth)
    time      = FLOP of the batch * recomputation / (chips * peak * share) * alignment

Norms, residuals and activations move bytes with the width h, products work with h^2. ``e`` belongs to the chip and the precision (16 bits, FP8, FP4). ``k`` and ``x``, the factor of a mixture of experts, are
shared. FP8 doubles the peak, not the memory, so it is hit harder. A width that is no multiple of 128 costs ``odd``
(BLOOM's 14,400 against 13,824 on the same machine).
"""

from __future__ import annotations

from typing import Any

from .. import chips
from ..models import ALIASES

SWEPT = ("chips", "global_batch", "sequence")
CHIP = {"efficiency": 0.62, "efficiency_fp8": 0.5, "efficiency_fp4": 0.3}
SHARED = {"width": 3.0, "experts": 1.6}
RECOMPUTE = ("none", "selective", "full")
ODD = 1.33


def figures(text: tuple[Any, ...], chip: dict[str, float], shared: dict[str, float]) -> dict[str, float]:
    """Return the numbers that chip, model, precision and recomputation stand for."""
    from .... import transformer

    device, model, precision, recompute = text
    if recompute not in RECOMPUTE:
        raise ValueError(f"recompute must be one of {', '.join(RECOMPUTE)}, got {recompute!r}")
    if precision not in ("bf16", "fp16", "fp8", "fp8_block", "fp4"):
        raise ValueError(f"precision of a training must be one of bf16, fp16, fp8, fp8_block, fp4, got {precision!r}")
    config = model if isinstance(model, transformer.Config) else transformer.model(ALIASES.get(model, model)).config
    found, peak = chips.accelerator(device), chips.peak(device, precision)
    short, long = (float(transformer.training_flops_per_token(config, tokens)) for tokens in (1024, 2048))
    again = 4.0 / 3.0 if recompute == "full" else 1.0
    if recompute == "selective":
        again += float(transformer.recomputed_flops_per_token(config, 2048, "selective")) / long
    share = chip[
        {"fp8": "efficiency_fp8", "fp8_block": "efficiency_fp8", "fp4": "efficiency_fp4"}.get(precision, "efficiency")
    ]
    inverse = (shared["experts"] if config.experts else 1.0) / share
    inverse += shared["width"] * peak / (config.d_model * found.memory_bandwidth)
    return {
        "token": 2.0 * short - long,
        "pair": (long - short) / 1024.0,
        "inverse": max(inverse, 1.0) * again * (ODD if config.d_model % 128 else 1.0),
        "peak": peak,
    }


def law(v: dict[str, Any], op: Any) -> tuple[Any, Any]:
    """Return expected seconds, and the model arithmetic at the peak."""
    tokens = v["global_batch"] * v["sequence"]
    bound = tokens * (v["token"] + v["pair"] * v["sequence"]) / (v["chips"] * v["peak"])
    return bound * v["inverse"], bound
