"""Translate ``config.json`` of further models with experts: OLMoE, Granite, ERNIE 4.5, dots.llm1, Llama 4.

Source: the configuration and modelling classes of the ``transformers`` library, release 5.24.
"""

from __future__ import annotations

from typing import Any

from .hugging_face_families import Fields, add_attention, add_windows, base_shape, dense_layers, read_experts
from .layer_variants import Experts


def olmoe(fields: Fields) -> dict[str, Any]:
    """OLMoE and Granite with experts in each layer."""
    shape = base_shape(fields)
    add_attention(fields, shape)
    bias = fields.take("attention_bias", False)
    width = fields.take("intermediate_size")
    shared = fields.take("shared_intermediate_size", 0)
    if shared % width:
        raise ValueError(f"shared_intermediate_size={shared} is no multiple of intermediate_size={width}")
    experts = Experts(
        routed=fields.take("num_local_experts", None, "num_experts"),
        per_token=fields.take("num_experts_per_tok"),
        d_hidden=width,
        shared=shared // width,
    )
    norm = fields.family == "olmoe"
    shape.update(qkv_bias=bias, output_bias=bias, experts=experts, qk_norm=norm, qk_norm_each_head=norm)
    return shape


def ernie_moe(fields: Fields) -> dict[str, Any]:
    """ERNIE 4.5: experts between a first and a last layer, shared experts."""
    shape = base_shape(fields)
    add_attention(fields, shape)
    fields.refuse("use_bias", False, "no released model has one")
    start, interval = fields.take("moe_layer_start_index", 1), fields.take("moe_layer_interval", 1)
    end = fields.take("moe_layer_end_index", -1)
    last = shape["layers"] - 1 if end == -1 else end
    kinds = tuple(
        "experts" if start <= one <= last and (one + 1) % interval == 0 else "dense" for one in range(shape["layers"])
    )
    experts = Experts(
        routed=fields.take("moe_num_experts"),
        per_token=fields.take("moe_k", None, "num_experts_per_tok"),
        d_hidden=fields.take("moe_intermediate_size"),
        shared=fields.take("moe_num_shared_experts", 0),
        router_bias=True,
    )
    shape.update(d_hidden=fields.take("intermediate_size"), experts=experts, feed_forwards=kinds)
    return shape


def dots(fields: Fields) -> dict[str, Any]:
    """dots.llm1 and Solar Open: grouped-query attention, shared experts, a bias of the router."""
    shape = base_shape(fields)
    add_attention(fields, shape)
    bias = fields.take("attention_bias", False)
    first = dense_layers(fields, shape["layers"])
    shape.update(
        qkv_bias=bias,
        output_bias=bias and fields.family == "dots1",
        qk_norm=fields.family == "dots1",
        experts=read_experts(fields, dense_layers=first, router_bias=True),
    )
    width = fields.take("intermediate_size", None)
    if first:
        shape["d_hidden"] = width
    add_windows(fields, shape, ["full"] * shape["layers"])
    return shape


def llama4(fields: Fields) -> dict[str, Any]:
    """Llama 4: one routed and one shared expert, in all layers or every second one; attention within chunks."""
    shape = base_shape(fields)
    add_attention(fields, shape)
    fields.refuse("attention_bias", False, "no released model has one")
    fields.take("use_qk_norm", None)  # its norm has no weights
    layers, step = shape["layers"], fields.take("interleave_moe_layer_step", 1)
    routed = set(fields.take("moe_layers", None) or range(step - 1, layers, step))
    experts = Experts(
        routed=fields.take("num_local_experts"),
        per_token=fields.take("num_experts_per_tok"),
        d_hidden=fields.take("intermediate_size"),
        shared=1,
    )
    shape.update(
        d_hidden=fields.take("intermediate_size_mlp"),
        experts=experts,
        feed_forwards=tuple("experts" if one in routed else "dense" for one in range(layers)),
    )
    every = fields.take("no_rope_layer_interval", 4)
    rotary = fields.take("no_rope_layers", None) or [(one + 1) % every for one in range(layers)]
    fields.take("layer_types", None)
    # Attention within a chunk reads at most a chunk, as a window of its length does.
    if chunk := fields.take("attention_chunk_size", None):
        shape.update(mixers=tuple("window" if one else "full" for one in rotary), window=chunk)
    return shape
