"""Activations of one token in one layer that are stored for the backward pass, by how they are sharded."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .config import Config

if TYPE_CHECKING:
    from .._typing import FloatOrArray, IntOrArray

MASK_BYTES, ROUTER_BYTES = 1, 4


def replicated_bytes(config: Config, size: FloatOrArray, dropout: bool, per_token: FloatOrArray | None) -> FloatOrArray:
    """Bytes that tensor parallelism (TP) replicates: inputs of norms and blocks, latents, masks, dispatched tokens.

    ``per_token`` is the number of experts of a token, None for a dense layer.
    """
    blocks = min(config.norms_per_layer, 2)
    width = config.d_model
    stored = size * width * (config.norms_per_layer + blocks) + (2 * MASK_BYTES * width if dropout else 0)
    if config.latent:  # each latent before and after its norm
        stored = stored + 2 * size * (config.latent.q_lora_rank + config.latent.kv_lora_rank)
    if config.experts and per_token is not None:
        # Inputs of the experts, results that the router weighs, and its 32-bit choice.
        stored = stored + 2 * size * width * per_token + ROUTER_BYTES * config.experts.routed
    return stored


def sharded_bytes(config: Config, size: FloatOrArray, per_token: FloatOrArray | None) -> FloatOrArray:
    """Bytes that tensor parallelism shards evenly: queries, attention result, hidden vectors, MLA keys and values."""
    hidden = 3 if config.gated else 2
    if config.experts and per_token is not None:
        vectors = hidden * config.experts.d_hidden * (per_token + config.experts.shared)
    else:
        vectors = hidden * config.d_hidden
    attention = config.qk_width + config.v_width
    return size * ((2 * attention if config.latent else attention) + vectors)


def key_value_bytes(config: Config, size: FloatOrArray, tensor: IntOrArray) -> FloatOrArray:
    """Bytes of keys and values on one device: sharded by heads until each device has one, then replicated."""
    if config.latent:  # rebuilt for every head and counted with the queries
        return 0.0
    heads = config.kv_heads / tensor
    heads = np.maximum(heads, 1) if isinstance(heads, np.ndarray) else max(heads, 1)
    return 2 * size * config.head_dim * heads


def score_bytes(config: Config, size: FloatOrArray, dropout: bool) -> FloatOrArray:
    """Bytes per key that a token attends to: the softmax, with dropout a mask and the dropped-out copy as well."""
    return config.heads * (2 * size + MASK_BYTES if dropout else size)
