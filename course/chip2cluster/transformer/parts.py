"""Parts of a layer that some models replace: latent attention and mixture of experts."""

from __future__ import annotations

from dataclasses import dataclass

from .._validate import flag, one_whole, set_fields


@dataclass(frozen=True, kw_only=True)
class LatentAttention:
    """Multi-head latent attention (MLA): keys and values compressed into one small vector.

    Parameters
    ----------
    kv_lora_rank : int
        Width of the latent from which keys and values are rebuilt; the KV cache holds it.
    qk_nope_head_dim, qk_rope_head_dim : int
        Width of each query and key head without and with rotary position; the
        rotary part of the key is one vector for all heads.
    v_head_dim : int
        Width of each value head.
    q_lora_rank : int
        Width of the query latent; 0 projects the queries directly.

    Notes
    -----
    The names are those of the published configuration files.
    Source: DeepSeek-AI, "DeepSeek-V2", arXiv:2405.04434, section 2.1.

    Examples
    --------
    >>> latent = LatentAttention(kv_lora_rank=512, qk_nope_head_dim=128, qk_rope_head_dim=64, v_head_dim=128)
    >>> latent.cached_width
    576
    """

    kv_lora_rank: int
    qk_nope_head_dim: int
    qk_rope_head_dim: int
    v_head_dim: int
    q_lora_rank: int = 0

    def __post_init__(self) -> None:
        """Validate the fields."""
        set_fields(self, one_whole, "kv_lora_rank", "qk_nope_head_dim", "qk_rope_head_dim", "v_head_dim")
        set_fields(self, one_whole, "q_lora_rank", minimum=0)

    @property
    def cached_width(self) -> int:
        """Elements of one token in the KV cache of one layer."""
        return self.kv_lora_rank + self.qk_rope_head_dim


@dataclass(frozen=True, kw_only=True)
class Experts:
    """Mixture of experts (MoE): a feed-forward block split into experts, with each token routed to a few.

    Parameters
    ----------
    routed, per_token : int
        Routed experts of each layer, and how many of them each token uses (top-k), at most ``routed``.
    d_hidden : int
        Hidden width of one expert.
    shared : int
        Experts of that width that every token uses.
    dense_layers : int
        Layers with one ordinary block of width ``Config.d_hidden``.
    router_bias : bool
        Whether the router adds a value for each expert.

    Notes
    -----
    Ignores load imbalance: each token uses exactly ``per_token`` experts.
    Source: Shazeer et al., "Outrageously large neural networks", arXiv:1701.06538.

    Examples
    --------
    >>> Experts(routed=8, per_token=2, d_hidden=14336).shared
    0
    """

    routed: int
    per_token: int
    d_hidden: int
    shared: int = 0
    dense_layers: int = 0
    router_bias: bool = False

    def __post_init__(self) -> None:
        """Validate the fields."""
        set_fields(self, one_whole, "routed", "per_token", "d_hidden")
        set_fields(self, one_whole, "shared", "dense_layers", minimum=0)
        set_fields(self, flag, "router_bias")
        if self.per_token > self.routed:
            raise ValueError(f"per_token must be at most routed={self.routed}, got {self.per_token}")
