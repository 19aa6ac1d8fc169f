"""Shape of a transformer: the inputs of all its counts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .._validate import flag, one_whole, set_fields
from .parts import Experts, LatentAttention


@dataclass(frozen=True, kw_only=True)
class Config:
    """Shape of a decoder-only transformer.

    Omitted fields are filled in when the object is made, so ``config.kv_heads``
    is always a number; `dataclasses.replace` keeps these numbers.

    Parameters
    ----------
    layers, d_model, heads, vocab_size : int
        Depth, width, query heads, rows of the embedding table (padding included).
    kv_heads : int, optional
        Key and value heads: ``heads`` (multi-head, MHA) when left out, 1 for
        multi-query (MQA), between the two for grouped-query (GQA); must divide ``heads``.
    head_dim : int, optional
        Width of a head; ``d_model / heads`` when left out.
    d_hidden : int, optional
        Hidden width of the feed-forward block; ``4 * d_model`` when left out.
    gated : bool
        Whether there are three feed-forward matrices (SwiGLU and its kin) instead of two.
    tied_embeddings : bool
        Whether the output head is the embedding table.
    positions : int
        Rows of a learned position table; 0 for rotary, ALiBi or none.
    bias : bool
        Whether every linear layer but the head adds a bias.
    qkv_bias, norm_bias : bool, optional
        Whether the query, key and value projections, and the norms, have a bias;
        the value of ``bias`` when left out.
    norms_per_layer : int
        2, or 1 if attention and feed-forward share a norm.
    qk_norm : bool
        Whether queries and keys pass a norm of width ``head_dim``.
    latent : LatentAttention, optional
        Multi-head latent attention (MLA), instead of ``kv_heads`` and ``head_dim``.
    experts : Experts, optional
        Mixture of experts (MoE), instead of the feed-forward block in all but some layers.

    Raises
    ------
    ValueError
        If heads do not divide, or options exclude each other.

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

    # Optional fields are numbers once the object is made, so their type does not include None.
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
        """Validate the fields."""
        set_fields(self, one_whole, "layers", "d_model", "heads", "vocab_size", "norms_per_layer")
        set_fields(self, one_whole, "positions", minimum=0)
        self._set_default("qkv_bias", self.bias)
        self._set_default("norm_bias", self.bias)
        set_fields(self, flag, "gated", "tied_embeddings", "bias", "qkv_bias", "norm_bias", "qk_norm")
        for name, kind in (("latent", LatentAttention), ("experts", Experts)):
            value = getattr(self, name)
            if value is not None and not isinstance(value, kind):
                raise TypeError(f"{name} must be a transformer.{kind.__name__} or None, got {value!r}")
        self._set_default("d_hidden", 4 * self.d_model)
        set_fields(self, one_whole, "d_hidden")
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
                f"heads must divide d_model if head_dim is left out, got heads={self.heads} and d_model={self.d_model}"
            )
        self._set_default("head_dim", self.d_model // self.heads)
        self._set_default("kv_heads", self.heads)
        set_fields(self, one_whole, "head_dim", "kv_heads")
        if self.heads % self.kv_heads:
            raise ValueError(f"kv_heads must divide heads, got kv_heads={self.kv_heads} and heads={self.heads}")

    def _set_default(self, name: str, value: object) -> None:
        if getattr(self, name) is None:
            object.__setattr__(self, name, value)

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
    """Return ``config`` as a Config, looked up if it is the name of a published model; otherwise say what was given."""
    if isinstance(config, Config):
        return config
    if isinstance(config, str):
        from .published import model  # imported here because it imports this module

        return model(config).config
    raise TypeError(f"config must be a transformer.Config or the name of a published model, got {config!r}")
