"""Time to first token (TTFT) of the same server in a closed loop: all users start at once, so a mean holds a burst.

::

    time = w * (layers + m * MoE layers) * framework + step + prefill of one prompt * (1 + burst * users)

A prefill is launched kernel by kernel, without a CUDA graph, so it waits for each layer: ``w``. It and the slowdown of a
prefill belong to the chip; ``m``, ``burst`` and the factors of the frameworks are shared. The
spread is wide: whether prompts are chunked, and how many are admitted at once, is a setting of the server.
"""

from __future__ import annotations

from typing import Any

from ..models import shape
from . import serving_step

SWEPT = ("users",)
CHIP = {"wait": 1e-3, "slowdown": 2.0}
SHARED = {"burst": 0.07, "moe": 0.9, "vllm": 1.0, "sglang": 2.0}


def figures(text: tuple[Any, ...], chip: dict[str, float], shared: dict[str, float]) -> dict[str, float]:
    """Return the numbers that chip, model, precision and framework stand for."""
    common = {"moe": 0.9, "prefill": 1.0, "skew": 1.8}
    of = shape(text[1])
    waits = (of.layers + shared["moe"] * of.moe_layers) * shared.get(text[3], 1.0)
    known = serving_step.figures(text, {"slowdown": chip["slowdown"], "layer": serving_step.CHIP["layer"]}, common)
    return {**known, "wait": chip["wait"] * waits, "burst": shared["burst"]}


def law(v: dict[str, Any], op: Any) -> tuple[Any, Any]:
    """Return expected seconds, and the arithmetic of one prompt at the peak."""
    p = serving_step.parts(v, op)
    step = v["slowdown"] * p["roofline"] + v["fixed"] + p["messages"]
    return v["wait"] + step + p["prompt"] * (1.0 + v["burst"] * v["users"]), 0.8 * p["ingest"]
