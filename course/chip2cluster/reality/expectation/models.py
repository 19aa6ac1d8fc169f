"""Shapes of served models as numbers: parameters read, experts, cache; the catalogue's, and a few beyond it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

from ... import transformer
from ...transformer import Config, Experts, LatentAttention

_LATENT = {"qk_rope_head_dim": 64, "kv_lora_rank": 512}
# From the config.json of each checkpoint on Hugging Face, read in 2026. A tuple has the layers whose cache grows with
# the context: the others keep a window (128 tokens in gpt-oss) or a state (linear attention in Qwen3.5).
BEYOND: dict[str, tuple[Config, int]] = {
    "Qwen3 32B": (Config(
        layers=64, d_model=5120, heads=64, kv_heads=8, head_dim=128, d_hidden=25600, gated=True, vocab_size=151936,
        qk_norm=True), 64),
    "gpt-oss-120b": (Config(
        layers=36, d_model=2880, heads=64, kv_heads=8, head_dim=64, d_hidden=2880, gated=True, vocab_size=201088,
        experts=Experts(routed=128, per_token=4, d_hidden=2880)), 18),
    "MiniMax-M2.5": (Config(
        layers=62, d_model=3072, heads=48, kv_heads=8, head_dim=128, d_hidden=1536, gated=True, vocab_size=200064,
        experts=Experts(routed=256, per_token=8, d_hidden=1536)), 62),
    "Kimi-K2.5": (Config(
        layers=61, d_model=7168, heads=64, d_hidden=18432, gated=True, vocab_size=163840,
        latent=LatentAttention(q_lora_rank=1536, qk_nope_head_dim=128, v_head_dim=128, **_LATENT),
        experts=Experts(routed=384, per_token=8, d_hidden=2048, shared=1, dense_layers=1)), 61),
    "GLM-5": (Config(
        layers=78, d_model=6144, heads=64, d_hidden=12288, gated=True, vocab_size=154880,
        latent=LatentAttention(q_lora_rank=2048, qk_nope_head_dim=192, v_head_dim=256, **_LATENT),
        experts=Experts(routed=256, per_token=8, d_hidden=2048, shared=1, dense_layers=3)), 78),
    "Qwen3.5-397B-A17B": (Config(
        layers=60, d_model=4096, heads=32, kv_heads=2, head_dim=256, d_hidden=1024, gated=True, vocab_size=248320,
        experts=Experts(routed=512, per_token=10, d_hidden=1024, shared=1)), 15),
}  # fmt: skip
ALIASES = {"DeepSeek-R1": "DeepSeek-V3"}


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


def config_of(model: Any) -> tuple[Config, int]:
    """Return the shape of a model and the number of layers whose cache grows."""
    if isinstance(model, Config):
        return model, model.layers
    name = ALIASES.get(model, model)
    if name in BEYOND:
        return BEYOND[name]
    try:
        config = transformer.model(name).config
    except (LookupError, ValueError) as error:
        raise ValueError(f"{error}; served models beyond the catalogue are {', '.join(BEYOND)}") from None
    return config, config.layers


@cache
def shape(model: Any) -> Shape:
    """Return the numbers of a model.

    >>> found = shape("DeepSeek-R1")
    >>> round((found.dense_parameters + found.expert_parameters) / 1e9), found.experts
    (670, 256)
    """
    config, growing = config_of(model)
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
        float(growing * width), latent is not None, float(growing * scores),
    )  # fmt: skip
