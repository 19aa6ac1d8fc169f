"""Time per output token (TPOT) of a server with continuous batching: one replica on N chips, ``users`` in flight.

::

    roofline = max(arithmetic, traffic)              touched experts E (1 - (1 - k/E)^batch), cache at half the output
    fixed    = c * (layers + m * MoE layers) * framework
    messages = 2 layers * (a + 2 (t-1)/t bytes / (0.65 link))         t-way tensor parallel, the server's own all-reduce
    prompts  = batch / output * prefill of one prompt                 prefilled between the tokens of the others
    time     = s * roofline + fixed + messages + prompts

The slowdown ``s`` and a layer's fixed time ``c`` belong to the chip. ``m``, the factors of the frameworks, the wait of an
all-reduce and the slowdown of a prefill are shared. The batch is at most what fits in the memory, and 512.
"""

from __future__ import annotations

from math import ceil
from typing import Any

from .. import chips
from ..models import Shape, shape

SWEPT = ("users",)
CHIP = {"slowdown": 1.4, "layer": 30e-6}
SHARED = {"moe": 0.9, "prefill": 1.6, "skew": 1.8, "vllm": 1.1, "sglang": 1.4}
ACCEPTED = ("bf16", "fp16", "fp8", "fp8_block", "fp4", "int4")  # int4: weights alone, multiplied in 16 bits
FRAMEWORKS = ("trtllm", "vllm", "sglang")
ALL_REDUCE = {"Hopper": 3.5e-6, "Blackwell": 5.9e-6}  # TensorRT-LLM, 16 KiB on eight GPUs, in a CUDA graph
OTHER_ALL_REDUCE = 5e-6
LINK_SHARE = 0.65
DRAWN = 0.9  # benchmarks draw lengths evenly from 80 to 100 % of those printed
SHORTEST = 0.8
USABLE, MOST = 0.97, 512.0  # fraction of the memory for weights and cache; sequences of a batch


def figures(text: tuple[Any, ...], chip: dict[str, float], shared: dict[str, float]) -> dict[str, float]:
    """Return the numbers that chip, model, precision and framework stand for."""
    device, model, precision, framework = text
    if framework not in FRAMEWORKS:
        raise ValueError(f"framework must be one of {', '.join(FRAMEWORKS)}, got {framework!r}")
    if precision not in ACCEPTED:
        raise ValueError(f"precision of a service must be one of {', '.join(ACCEPTED)}, got {precision!r}")
    found, of = chips.accelerator(device), shape(model)
    wide = precision in ("bf16", "fp16")
    weights = of.dense_parameters + of.expert_parameters
    return {
        "domain": chips.domain(device),
        "memory": found.memory_bandwidth,
        "link": found.scale_up_bandwidth_one_way or float("inf"),
        "dense_bytes": of.dense_parameters * chips.width(precision),
        "expert_bytes": of.expert_parameters * chips.width(precision),
        "dense_work": 2.0 * of.dense_parameters / _peak(found, precision),
        "expert_work": 2.0 * of.expert_parameters * of.top_k / of.experts / _peak(found, precision),
        "score_work": 2.0 * of.score_width / _peak(found, "bf16" if wide else "fp8"),
        "token_bytes": of.cache_elements * (2.0 if wide else 1.0),
        "room": USABLE * found.driver_memory_bytes,
        "weights": weights * chips.width(precision),
        "hit": of.top_k / of.experts,
        "latent": float(of.latent),
        "window": of.window,
        "d_model": float(of.d_model),
        "layers": float(of.layers),
        "slowdown": chip["slowdown"],
        "fixed": layer_seconds(of, framework, chip, shared),
        "prefill": shared["prefill"] * chip["slowdown"],
        "all_reduce": all_reduce_seconds(device, shared),
    }


def layer_seconds(of: Shape, framework: str, chip: dict[str, float], shared: dict[str, float]) -> float:
    """Return the fixed time of all layers in a step."""
    return chip["layer"] * (of.layers + shared["moe"] * of.moe_layers) * shared.get(framework, 1.0)


def all_reduce_seconds(device: Any, shared: dict[str, float]) -> float:
    """Return the time of the server's own all-reduce beside its bytes, with the wait for the slowest rank."""
    return shared["skew"] * ALL_REDUCE.get(chips.family(device), OTHER_ALL_REDUCE)


def _peak(found: Any, precision: str) -> float:
    """Return the peak in a precision; a chip without units for it multiplies its weights in the next wider one."""
    for name in {"fp4": ("fp4", "fp8"), "fp8": ("fp8",), "fp8_block": ("fp8_block",)}.get(precision, ()):
        try:
            return chips.peak(found, name)
        except (LookupError, ValueError):
            continue
    return chips.peak(found, "bf16")


def _check_fit(beyond: Any, v: dict[str, Any]) -> None:
    """Raise if the weights exceed the memory of a replica."""
    if beyond is True or (beyond is not False and beyond.any()):
        raise ValueError(
            f"chips={v['chips']!r}: weights of {v['weights'] / 1e9:.0f} GB do not fit; a replica needs at least "
            f"{ceil(v['weights'] / v['room'])} chips, or a narrower precision"
        )


def parts(v: dict[str, Any], op: Any) -> dict[str, Any]:
    """Return the parts of a step: roofline, fixed time, messages, one prompt, and what the bound needs."""
    count, lanes = v["chips"], v["attention_dp"]
    chips.check_domain("serving_step", "chips", count, v["domain"])
    split = op.maximum(v["tp"], (v["tp"] == 0) * count / lanes)
    split = op.maximum(split, 1.0)
    prompt, output = DRAWN * v["prompt_tokens"], DRAWN * v["output_tokens"]
    kept = count + v["latent"] * (lanes - count)
    sequence = op.maximum(v["token_bytes"] * op.minimum(prompt + output, v["window"]), 1.0)
    _check_fit(v["weights"] > v["room"] * count, v)
    room = op.maximum(v["room"] * count - v["weights"], sequence)
    batch = op.minimum(op.minimum(v["users"], MOST), op.maximum(room * kept / count / sequence, 1.0))
    touched = 1.0 - (1.0 - v["hit"]) ** batch
    context = op.minimum(prompt + output / 2.0, v["window"])
    cache = batch * v["token_bytes"] / kept
    traffic = (v["dense_bytes"] / split + touched * v["expert_bytes"] / count + cache * context) / v["memory"]
    work = batch * (v["dense_work"] + v["expert_work"] + context * v["score_work"]) / count
    wire = 2.0 * v["layers"] * 4.0 * (split - 1.0) / split * v["d_model"] / (LINK_SHARE * v["link"])
    start = (split > 1.0) * 2.0 * v["layers"] * v["all_reduce"]
    attended = op.minimum(prompt, v["window"])
    pairs = attended * (1.0 - attended / (2.0 * prompt))  # keys of a query in the mean
    ingest = prompt * (v["dense_work"] + v["expert_work"] + pairs * v["score_work"]) / count
    least = (
        (v["dense_bytes"] + touched * v["expert_bytes"]) / count
        + cache * op.minimum(SHORTEST * v["prompt_tokens"], v["window"])
    ) / v["memory"]
    return {
        "roofline": op.maximum(work, traffic),
        "messages": start + wire * batch,
        "prompt": v["prefill"] * ingest + wire * prompt,
        "between": batch / output,
        "bound": op.maximum(least, batch * (v["dense_work"] + v["expert_work"]) / count),
        "ingest": ingest,
        "batch": batch,
    }


def law(v: dict[str, Any], op: Any) -> tuple[Any, Any]:
    """Return expected seconds, and the least time to read weights and cache and to multiply."""
    p = parts(v, op)
    seconds = v["slowdown"] * p["roofline"] + v["fixed"] + p["messages"] + p["between"] * p["prompt"]
    return seconds, p["bound"]
