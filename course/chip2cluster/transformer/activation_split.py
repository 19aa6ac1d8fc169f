"""Activations of one token in one layer that are stored for the backward pass, by how they are sharded."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .config import Config

if TYPE_CHECKING:
    from .._typing import FloatOrArray, IntOrArray

MASK_BYTES, ROUTER_BYTES = 1, 4


def replicated_bytes(
    config: Config, size: FloatOrArray, dropout: bool, per_token: FloatOrArray | None, kinds: tuple[str, str]
) -> FloatOrArray:
    """Bytes that tensor parallelism (TP) replicates: inputs of norms and blocks, latents, masks, dispatched tokens.

    ``per_token`` is the number of experts of a token, None for a dense layer; ``kinds`` are the mixer
    and the feed-forward block of the layer.
    """
    blocks = min(config.norms_per_layer, 2)
    mixer = kinds[0]
    width = config.d_model
    stored = size * width * (config.norms_per_layer + blocks) + (2 * MASK_BYTES * width if dropout else 0)
    if config.latent and mixer in ("full", "window"):  # each latent before and after its norm
        stored = stored + 2 * size * (config.latent.q_lora_rank + config.latent.kv_lora_rank)
    if config.experts and per_token is not None:
        # Inputs of the experts, results that the router weighs, and its 32-bit choice.
        stored = stored + 2 * size * width * per_token + ROUTER_BYTES * config.experts.routed
    return stored


def sharded_bytes(
    config: Config, size: FloatOrArray, per_token: FloatOrArray | None, kinds: tuple[str, str]
) -> FloatOrArray:
    """Bytes that tensor parallelism shards evenly: queries, attention result, hidden vectors, MLA keys and values."""
    mixer, block = kinds
    hidden = 3 if config.gated else 2
    if block == "none":
        vectors: FloatOrArray = 0
    elif config.experts and per_token is not None:
        vectors = hidden * config.experts.d_hidden * (per_token + config.experts.shared)
    else:
        vectors = hidden * config.d_hidden
    if mixer == "none":
        return size * vectors
    if config.linear and mixer == "linear":
        # Queries, keys and values before and after the convolution; the gate, the result, the gated result.
        inner = 2 * config.linear.conv_width or config.linear.value_width + 2 * (
            config.linear.key_heads * config.linear.key_dim
        )
        return size * (inner + 3 * config.linear.value_width + vectors)
    attention = config.qk_width + config.v_width
    gate = 2 * config.v_width if config.attention_gate else 0  # the gate, and the gated result
    return size * ((2 * attention if config.latent else attention) + gate + vectors)


def key_value_bytes(config: Config, size: FloatOrArray, tensor: IntOrArray, kinds: tuple[str, str]) -> FloatOrArray:
    """Bytes of keys and values on one device: sharded by heads until each device has one, then replicated."""
    # A latent is rebuilt for every head and counted with the queries.
    if config.latent or kinds[0] not in ("full", "window"):
        return 0.0
    heads = config.kv_heads / tensor
    heads = np.maximum(heads, 1) if isinstance(heads, np.ndarray) else max(heads, 1)
    return 2 * size * config.head_dim * heads


def score_bytes(config: Config, size: FloatOrArray, dropout: bool) -> FloatOrArray:
    """Bytes per key that a token attends to: the softmax, with dropout a mask and the dropped-out copy as well."""
    return config.heads * (2 * size + MASK_BYTES if dropout else size)
