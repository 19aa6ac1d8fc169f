"""Training step: model arithmetic over a fraction of peak that falls with a narrow model.

::

    1 / share = x / e + k peak / (h memory bandwidth)
    time      = (FLOP of the products / share * alignment + FLOP of the scores * c * peak / 16-bit peak)
                * recomputation / (chips * peak)

Norms, residuals and activations move bytes with the width h, products work with h^2. Attention
multiplies in 16 bits in every precision, ``c`` times longer than at the peak. ``e`` belongs to the chip and the precision
(16 bits, FP8, FP4). ``k``, ``c`` and ``x``, the factor of a mixture of experts, are shared. FP8 doubles the peak, not the
memory, so it is hit harder. A width that is no multiple of 128 costs ``alignment`` (BLOOM's 14,400 against 13,824 on the same machine).
"""

from __future__ import annotations

from typing import Any

from .. import chips
from ..models import ALIASES

SWEPT = ("chips", "global_batch", "sequence")
CHIP = {"efficiency": 0.62, "efficiency_fp8": 0.5, "efficiency_fp4": 0.3}
SHARED = {"width": 3.0, "experts": 1.6, "scores": 2.0}
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
    peak = chips.peak(device, precision)
    short, long = (float(transformer.training_flops_per_token(config, tokens)) for tokens in (1024, 2048))
    again = 4.0 / 3.0 if recompute == "full" else 1.0
    if recompute == "selective":
        again += float(transformer.recomputed_flops_per_token(config, 2048, "selective")) / long
    name = {"fp8": "efficiency_fp8", "fp8_block": "efficiency_fp8", "fp4": "efficiency_fp4"}.get(
        precision, "efficiency"
    )
    inverse = inverse_share(chip[name], config, device, precision, shared)
    return {
        "token": 2.0 * short - long,
        "pair": (long - short) / 1024.0,
        "inverse": inverse * again,
        "scores": shared["scores"] * again * peak / chips.peak(device, "bf16"),
        "peak": peak,
    }


def inverse_share(efficiency: float, config: Any, device: Any, precision: str, shared: dict[str, float]) -> float:
    """Return the time of a step over that of its arithmetic at the peak, at least 1."""
    mixture = shared["experts"] if config.experts else 1.0
    inverse = mixture / efficiency + shared["width"] * narrowness(config.d_model, device, precision)
    return max(inverse, 1.0) * alignment(config.d_model)


def narrowness(width: int, device: Any, precision: str) -> float:
    """Return the time to move an element of each token over that to multiply it with a row of a square matrix."""
    return chips.peak(device, precision) / (width * chips.accelerator(device).memory_bandwidth)


def alignment(width: int) -> float:
    """Return the factor on the time of a model whose width fills no whole number of tiles."""
    return ODD if width % 128 else 1.0


def law(v: dict[str, Any], op: Any) -> tuple[Any, Any]:
    """Return expected seconds, and the model arithmetic at the peak."""
    tokens = v["global_batch"] * v["sequence"]
    bound = tokens * (v["token"] + v["pair"] * v["sequence"]) / (v["chips"] * v["peak"])
    linear = tokens * v["token"] / (v["chips"] * v["peak"])
    return linear * v["inverse"] + (bound - linear) * v["scores"], bound
