"""Shapes of served models as numbers: parameters read, experts, cache."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from math import inf
from typing import Any

from ... import transformer
from ...transformer import Config

# Names of checkpoints whose shape the catalogue has under another name.
ALIASES = {"DeepSeek-R1": "DeepSeek-V3", "Kimi-K2.5": "Kimi K2.5"}


@dataclass(frozen=True)
class Shape:
    """Numbers of a model that a serving step needs.

    Attributes
    ----------
    layers, moe_layers, d_model : int
        Depth, layers with experts, width.
    dense_parameters : float
        Parameters that every token is multiplied with: all but routed experts and the input table.
    expert_parameters : float
        Parameters of all routed experts.
    experts, top_k : int
        Routed experts of a layer, and how many a token takes; 1 and 1 without experts.
    cache_elements : float
        Elements of one token in the cache, all layers.
    latent : bool
        Whether the cache is one latent for all heads, which tensor parallelism repeats.
    score_width : float
        Sum over the layers of what one query multiplies with one cached token, in elements.
    window : float
        Tokens that are cached at most; infinite if a layer attends to all tokens. Windows beside such layers are left out.
    """

    layers: int
    moe_layers: int
    d_model: int
    dense_parameters: float
    expert_parameters: float
    experts: int
    top_k: int
    cache_elements: float
    latent: bool
    score_width: float
    window: float = inf


def config_of(model: Any) -> Config:
    """Return the configuration of a model of the catalogue, or the one that is given."""
    return model if isinstance(model, Config) else transformer.model(ALIASES.get(model, model)).config


@cache
def shape(model: Any) -> Shape:
    """Return the numbers of a model.

    >>> found = shape("DeepSeek-R1")
    >>> round((found.dense_parameters + found.expert_parameters) / 1e9), found.experts
    (670, 256)
    """
    config = config_of(model)
    # Layers that keep a state, or a window beside layers that keep all, do not grow with the context.
    growing, window = config.mixer_counts.get("full", 0), inf
    if not growing and config.window is not None:
        growing, window = config.mixer_counts["window"], float(config.window)
    parts = transformer.parameter_breakdown(config)
    total = sum(parts.values()) - parts["embedding"] - parts["positions"] + (0 if parts["head"] else parts["embedding"])
    experts = config.experts
    routed = 3.0 * config.d_model * experts.d_hidden * experts.routed * config.moe_layers if experts else 0.0
    latent = config.latent
    width = latent.cached_width if latent else 2 * config.kv_heads * config.head_dim
    scores = config.heads * (latent.cached_width + latent.kv_lora_rank) if latent else config.qk_width + config.v_width
    return Shape(
        config.layers, config.moe_layers, config.d_model, float(total) - routed, routed,
        experts.routed if experts else 1, experts.per_token if experts else 1,
        float(growing * width), latent is not None, float(growing * scores), window,
    )  # fmt: skip
