"""Read the precisions of a quantized checkpoint from its ``quantization_config``."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from .stored_weights import StoredWeights

if TYPE_CHECKING:
    from .config import Config

_LAYER = re.compile(r"layers\.(\d+)")
_SCALE_BITS = 16


def stored_weights(quantization: Mapping[str, Any], config: Config) -> StoredWeights:
    """Return the bytes of the weights that a ``quantization_config`` describes."""
    method = quantization.get("quant_method")
    if method not in _BITS:
        raise ValueError(
            f"quantization_config with quant_method={method!r} was not tried; there are {', '.join(_BITS)}. "
            "Leave the field out and pass stored_weights to dataclasses.replace instead"
        )
    kept = [str(name) for name in (_listed(quantization) or ())]
    blocks = config.dense_layers + config.moe_layers
    mixing = config.layers - config.mixer_counts.get("none", 0)
    return StoredWeights(
        linear_bytes=_BITS[method](quantization) / 8,
        attention_layers_kept=_layers(kept, ("attn", "attention", "mixer"), mixing),
        # With experts, nearly all of the feed-forward weights are in the routed ones.
        feed_forward_layers_kept=_layers(kept, (".experts",) if config.experts else ("mlp", "feed_forward"), blocks),
    )


def _listed(quantization: Mapping[str, Any]) -> Any:
    """Return the modules that are not quantized, by the name of each tool."""
    names = ("modules_to_not_convert", "ignore", "ignored_layers", "exclude_modules", "llm_int8_skip_modules")
    return next((quantization[name] for name in names if quantization.get(name)), None)


def _layers(kept: list[str], words: tuple[str, ...], most: int) -> int:
    """Return in how many layers a part is left as it was; a name without a number stands for all."""
    mine = [name for name in kept if any(word in name for word in words) and not _is_router(name)]
    if any(_LAYER.search(name) is None for name in mine):
        return most
    return min(len({_LAYER.search(name).group(1) for name in mine}), most)  # type: ignore[union-attr]


def _is_router(name: str) -> bool:
    """Return whether a module is the router of experts, which is never quantized."""
    return name.endswith((".router", "mlp.gate", "moe.gate", ".gate", "shared_expert_gate"))


def _fp8(quantization: Mapping[str, Any]) -> float:
    block = quantization.get("weight_block_size")
    return 8.0 + (32.0 / (block[0] * block[1]) if block else 0.0)


def _integer(quantization: Mapping[str, Any]) -> float:
    bits, group = quantization.get("bits", quantization.get("w_bit", 4)), quantization.get("group_size", 128)
    # A 16-bit scale for each group, and a zero of the width of a weight.
    return bits + ((_SCALE_BITS + bits) / group if group and group > 0 else 0.0)


def _compressed(quantization: Mapping[str, Any]) -> float:
    groups = quantization.get("config_groups") or {}
    found = [group.get("weights") for group in groups.values() if group.get("weights")]
    if len({str(one) for one in found}) != 1:
        raise ValueError(f"quantization_config.config_groups must describe one precision of weights, got {found!r}")
    weights = found[0]
    group = weights.get("group_size") or 0
    # NVFP4 has an 8-bit scale for 16 values.
    scale = 8 if weights.get("type") == "float" and weights["num_bits"] == 4 else _SCALE_BITS
    return weights["num_bits"] + (scale / group if group > 0 else 0.0)


def _modelopt(quantization: Mapping[str, Any]) -> float:
    kind = str(quantization.get("quant_algo", "")).upper()
    if kind not in ("FP8", "NVFP4"):
        raise ValueError(f"quantization_config with quant_algo={kind!r} was not tried; there are FP8 and NVFP4")
    return 8.0 if kind == "FP8" else 4.5


def _bits_and_bytes(quantization: Mapping[str, Any]) -> float:
    if quantization.get("load_in_8bit"):
        return 8.0
    # A 32-bit scale for 64 values; double quantization stores it in 8 bits, with a scale for 256 of them.
    return 4 + (8 / 64 + 32 / (64 * 256) if quantization.get("bnb_4bit_use_double_quant") else 32 / 64)


_BITS = {
    "fp8": _fp8,
    "fbgemm_fp8": _fp8,
    "awq": _integer,
    "gptq": _integer,
    "mxfp4": lambda quantization: 4 + 8 / 32,
    "compressed-tensors": _compressed,
    "modelopt": _modelopt,
    "bitsandbytes": _bits_and_bytes,
}
