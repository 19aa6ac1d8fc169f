"""What one layer keeps of one token for its backward pass, and over which devices it is split."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .config import Config

if TYPE_CHECKING:
    from .._typing import FloatOrArray, IntOrArray

MASK_BYTES, ROUTER_BYTES = 1, 4


def outside(config: Config, size: FloatOrArray, dropout: bool, visits: FloatOrArray | None) -> FloatOrArray:
    """Bytes that tensor parallelism does not split: what enters norms and blocks, latents, masks, dispatched tokens.

    ``visits`` is how many experts a token goes to, None for a layer without.
    """
    blocks = min(config.norms_per_layer, 2)
    width = config.d_model
    kept = size * width * (config.norms_per_layer + blocks) + (2 * MASK_BYTES * width if dropout else 0)
    if config.latent:  # each latent before and after its norm
        kept = kept + 2 * size * (config.latent.q_lora_rank + config.latent.kv_lora_rank)
    if config.experts and visits is not None:
        # Copies that the experts read, results that the router weighs, and its 32-bit choice.
        kept = kept + 2 * size * width * visits + ROUTER_BYTES * config.experts.routed
    return kept


def inside(config: Config, size: FloatOrArray, visits: FloatOrArray | None) -> FloatOrArray:
    """Bytes that it splits evenly: queries, attention result, hidden vectors; latent keys and values."""
    hidden = 3 if config.gated else 2
    if config.experts and visits is not None:
        vectors = hidden * config.experts.d_hidden * (visits + config.experts.shared)
    else:
        vectors = hidden * config.d_hidden
    attention = config.qk_width + config.v_width
    return size * ((2 * attention if config.latent else attention) + vectors)


def keys_and_values(config: Config, size: FloatOrArray, tensor: IntOrArray) -> FloatOrArray:
    """Bytes of keys and values on one device: split by heads until each has one, then repeated."""
    if config.latent:  # rebuilt for every head, and counted with the queries
        return 0.0
    heads = config.kv_heads / tensor
    heads = np.maximum(heads, 1) if isinstance(heads, np.ndarray) else max(heads, 1)
    return 2 * size * config.head_dim * heads


def scores(config: Config, size: FloatOrArray, dropout: bool) -> FloatOrArray:
    """Bytes for each key that a token meets: the softmax, with dropout a mask and the dropped-out copy as well."""
    return config.heads * (2 * size + MASK_BYTES if dropout else size)
