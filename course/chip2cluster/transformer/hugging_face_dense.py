"""Translate ``config.json`` of dense decoders that differ from Llama in norms, biases, gate or windows.

Source: the configuration and modelling classes of the ``transformers`` library, release 5.24.
"""

from __future__ import annotations

from typing import Any

from .hugging_face_families import Fields, add_attention, add_windows, base_shape

# What a family has whatever its file says.
_FIXED: dict[str, dict[str, Any]] = {
    "apertus": {"gated": False, "qk_norm": True},  # its activation has two parameters a layer, which are not counted
    "arcee": {"gated": False},
    "cohere": {"norms_per_layer": 1},
    "cohere2": {"norms_per_layer": 1},
    "exaone4": {"qk_norm": True},
    "glm4": {"norms_per_layer": 4},
    "hunyuan_v1_dense": {"qk_norm": True},
    "jais2": {"gated": False, "norm_bias": True},
    "nemotron": {"gated": False, "norm_bias": True},
    "olmo2": {"qk_norm": True, "qk_norm_each_head": True},
    "olmo3": {"qk_norm": True, "qk_norm_each_head": True},
    "stablelm": {"norm_bias": True},
    "starcoder2": {"gated": False, "norm_bias": True},
}
_QKV_ONLY = ("glm", "glm4")  # attention_bias does not reach the output projection
_EVERY = {"cohere2": 4, "exaone4": 4, "olmo3": 4}  # a layer of so many has no window


def dense(fields: Fields) -> dict[str, Any]:
    """Granite, OLMo 2 and 3, Command, GLM-4, StarCoder2, StableLM, SmolLM3, ERNIE 4.5, EXAONE 4, Seed-OSS and others."""
    family = fields.family
    shape = base_shape(fields)
    add_attention(fields, shape)
    shape.update(d_hidden=fields.take("intermediate_size"), **_FIXED.get(family, {}))
    _add_biases(fields, shape)
    if family == "cohere" and fields.take("use_qk_norm", False):
        shape.update(qk_norm=True, qk_norm_each_head=True)
    if family == "stablelm":
        fields.refuse("qk_layernorm", False, "norms of single heads")
        if fields.take("use_parallel_residual", False):
            shape["norms_per_layer"] = 1
    for unused in ("no_rope_layers", "no_rope_layer_interval"):
        fields.take(unused, None)
    if family == "smollm3":
        fields.refuse("use_sliding_window", False, "no released model has a window")
        for unused in ("layer_types", "sliding_window"):
            fields.take(unused, None)
        return shape
    every = fields.take("sliding_window_pattern", _EVERY.get(family, 0), "_sliding_window_pattern")
    layers = range(shape["layers"])
    if isinstance(every, str):  # EXAONE 4 names the kinds of its layers by letters
        mixers = ["window" if every[one % len(every)] == "L" else "full" for one in layers]
    else:
        mixers = ["full" if every and (one + 1) % every == 0 else "window" for one in layers]
    add_windows(fields, shape, mixers)
    return shape


def _add_biases(fields: Fields, shape: dict[str, Any]) -> None:
    family = fields.family
    everywhere = fields.take("use_bias", family == "starcoder2")
    bias = fields.take("attention_bias", family in ("seed_oss", "jais2"), "use_qkv_bias")
    if family == "jais2" and bias and fields.take("mlp_bias", True):
        everywhere = True
    else:
        fields.refuse("mlp_bias", False, "its feed-forward block has no biases here")
    if everywhere:
        shape.update(bias=True, norm_bias=shape.get("norm_bias", False))
        return
    output = fields.take("attention_out_bias", bias and family not in (*_QKV_ONLY, "seed_oss", "stablelm"))
    shape.update(qkv_bias=bool(bias), output_bias=bool(output))
