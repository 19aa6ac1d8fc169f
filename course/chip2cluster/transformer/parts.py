"""The two parts of a layer that some models replace: attention and feed-forward block."""

from __future__ import annotations

from dataclasses import dataclass

from ._fields import set_count, set_flag


@dataclass(frozen=True, kw_only=True)
class LatentAttention:
    """Multi-head latent attention: keys and values squeezed through one small vector.

    Parameters
    ----------
    kv_lora_rank : int
        Width of the latent that keys and values are rebuilt from; it is what the cache holds.
    qk_nope_head_dim, qk_rope_head_dim : int
        Width of each query and key head without and with rotary position; the
        rotary part of the key is one vector for all heads.
    v_head_dim : int
        Width of each value head.
    q_lora_rank : int
        Width of the query latent; 0 projects the queries directly.

    Raises
    ------
    ValueError, TypeError
        For anything but whole numbers; only ``q_lora_rank`` may be 0.

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
        for name in ("kv_lora_rank", "qk_nope_head_dim", "qk_rope_head_dim", "v_head_dim"):
            set_count(self, name)
        set_count(self, "q_lora_rank", minimum=0)

    @property
    def cached_width(self) -> int:
        """Elements that one token leaves in the cache of one layer."""
        return self.kv_lora_rank + self.qk_rope_head_dim


@dataclass(frozen=True, kw_only=True)
class Experts:
    """A feed-forward block split into experts, of which each token visits a few.

    Parameters
    ----------
    routed, per_token : int
        Experts to choose from in each layer, and how many a token visits.
    d_hidden : int
        Hidden width of one expert.
    shared : int
        Experts of that width that every token visits.
    dense_layers : int
        Layers that keep one ordinary block of width ``Config.d_hidden``.
    router_bias : bool
        Whether the router adds a value for each expert.

    Raises
    ------
    ValueError, TypeError
        For counts that are not whole, and more visits than experts.

    Notes
    -----
    Ignores load balance: each token visits exactly ``per_token`` experts.
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
        for name in ("routed", "per_token", "d_hidden"):
            set_count(self, name)
        for name in ("shared", "dense_layers"):
            set_count(self, name, minimum=0)
        set_flag(self, "router_bias")
        if self.per_token > self.routed:
            raise ValueError(f"per_token must be at most routed={self.routed}, got {self.per_token}")
