"""The shape of a transformer: everything that its counts depend on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ._fields import check_type, fill, set_count, set_flag
from .parts import Experts, LatentAttention


@dataclass(frozen=True, kw_only=True)
class Config:
    """A decoder-only transformer.

    What is left out is filled in when the object is made, so ``config.kv_heads``
    is always a number; `dataclasses.replace` keeps the numbers filled in.

    Parameters
    ----------
    layers, d_model, heads, vocab_size : int
        Depth, width, query heads, rows of the embedding table (padding included).
    kv_heads : int, optional
        Key and value heads: ``heads`` (multi-head) when left out, 1 for
        multi-query, between the two for grouped-query; must divide ``heads``.
    head_dim : int, optional
        Width of a head; ``d_model / heads`` when left out.
    d_hidden : int, optional
        Hidden width of the feed-forward block; ``4 * d_model`` when left out.
    gated : bool
        Three feed-forward matrices (SwiGLU and its kin) instead of two.
    tied_embeddings : bool
        Whether the output head is the embedding table.
    positions : int
        Rows of a learned position table; 0 for rotary, ALiBi or none.
    bias : bool
        Whether every linear layer but the head adds a bias.
    qkv_bias, norm_bias : bool, optional
        The same for the query, key and value projections and for the norms
        alone; as ``bias`` when left out.
    norms_per_layer : int
        2, or 1 where attention and feed-forward share a norm.
    qk_norm : bool
        Whether queries and keys pass a norm of width ``head_dim``.
    latent : LatentAttention, optional
        Takes the place of ``kv_heads`` and ``head_dim``.
    experts : Experts, optional
        Takes the place of the feed-forward block in all but some layers.

    Raises
    ------
    ValueError, TypeError
        For counts that are not whole numbers of at least 1, heads that do not
        divide, and options that exclude each other.

    Notes
    -----
    One model, so the fields are single numbers, not arrays. Ignores encoders,
    cross-attention and attention windows.
    Source: Vaswani et al. 2017; Shazeer 2019, 2020 (multi-query, gated); Ainslie
    et al. 2023 (grouped-query).

    Examples
    --------
    >>> gpt2 = Config(layers=12, d_model=768, heads=12, vocab_size=50257, positions=1024, bias=True,
    ...               tied_embeddings=True)
    >>> gpt2.head_dim, gpt2.d_hidden
    (64, 3072)
    """

    # What may be left out is a number once the object is made, and so reads as one.
    layers: int
    d_model: int
    heads: int
    vocab_size: int
    kv_heads: int | Any = None
    head_dim: int | Any = None
    d_hidden: int | Any = None
    gated: bool = False
    tied_embeddings: bool = False
    positions: int = 0
    bias: bool = False
    qkv_bias: bool | Any = None
    norm_bias: bool | Any = None
    norms_per_layer: int = 2
    qk_norm: bool = False
    latent: LatentAttention | None = None
    experts: Experts | None = None

    def __post_init__(self) -> None:
        for name in ("layers", "d_model", "heads", "vocab_size", "norms_per_layer"):
            set_count(self, name)
        set_count(self, "positions", minimum=0)
        fill(self, "qkv_bias", self.bias)
        fill(self, "norm_bias", self.bias)
        for name in ("gated", "tied_embeddings", "bias", "qkv_bias", "norm_bias", "qk_norm"):
            set_flag(self, name)
        check_type(self, "latent", LatentAttention)
        check_type(self, "experts", Experts)
        fill(self, "d_hidden", 4 * self.d_model)
        set_count(self, "d_hidden")
        self._set_heads()
        if self.experts and self.experts.dense_layers > self.layers:
            raise ValueError(
                f"experts.dense_layers must be at most layers={self.layers}, got {self.experts.dense_layers}"
            )

    def _set_heads(self) -> None:
        if self.latent:
            for name in ("kv_heads", "head_dim"):
                if getattr(self, name) is not None:
                    raise ValueError(f"{name} and latent exclude each other, got {name}={getattr(self, name)!r}")
            if self.bias or self.qkv_bias or self.qk_norm:
                raise ValueError("bias, qkv_bias and qk_norm are not modelled together with latent")
            return
        if self.head_dim is None and self.d_model % self.heads:
            raise ValueError(
                f"heads must divide d_model where head_dim is left out, got heads={self.heads} "
                f"and d_model={self.d_model}"
            )
        fill(self, "head_dim", self.d_model // self.heads)
        fill(self, "kv_heads", self.heads)
        set_count(self, "head_dim")
        set_count(self, "kv_heads")
        if self.heads % self.kv_heads:
            raise ValueError(f"kv_heads must divide heads, got kv_heads={self.kv_heads} and heads={self.heads}")

    @property
    def qk_width(self) -> int:
        """Elements of all query heads of a token together."""
        if self.latent:
            return self.heads * (self.latent.qk_nope_head_dim + self.latent.qk_rope_head_dim)
        return self.heads * self.head_dim

    @property
    def v_width(self) -> int:
        """Elements of all attention outputs of a token together."""
        return self.heads * (self.latent.v_head_dim if self.latent else self.head_dim)

    @property
    def moe_layers(self) -> int:
        """Layers with experts."""
        return self.layers - self.experts.dense_layers if self.experts else 0


def check_config(config: object) -> Config:
    """Return ``config`` if it is a `Config`, that of a published model by its name; otherwise say what was given."""
    if isinstance(config, Config):
        return config
    if isinstance(config, str):
        from .published import model  # here, because it imports this file

        return model(config).config
    raise TypeError(f"config must be a transformer.Config or the name of a published model, got {config!r}")
