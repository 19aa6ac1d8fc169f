"""Parts of a layer that some models replace: latent, sparse and linear attention, mixture of experts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from .._validate import choice, flag, one_whole, set_fields

if TYPE_CHECKING:
    from .._typing import FloatOrArray

SCALE_BYTES, SCALE_ELEMENTS, ROPE_BYTES = 4, 128, 2
LINEAR_KINDS = ("mamba2", "gated_delta", "lightning")


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

    def cached_bytes(self, bytes_per_element: FloatOrArray) -> FloatOrArray:
        """Bytes of one token in the KV cache of one layer.

        Parameters
        ----------
        bytes_per_element : float or array
            Bytes of an element of the latent.

        Returns
        -------
        float or array
            Bytes. Below 16 bits, the rotary key stays in 16 bits and each 128 elements of the latent
            have a 32-bit scale.

        Notes
        -----
        Source: DeepSeek-AI, FlashMLA, README (fp8 cache: 512 + 16 + 128 = 656 bytes).

        Examples
        --------
        >>> latent = LatentAttention(kv_lora_rank=512, qk_nope_head_dim=128, qk_rope_head_dim=64, v_head_dim=128)
        >>> latent.cached_bytes(2), latent.cached_bytes(1)
        (1152, 656)
        """
        scaled = self.kv_lora_rank * bytes_per_element + -(-self.kv_lora_rank // SCALE_ELEMENTS) * SCALE_BYTES
        scaled = scaled + self.qk_rope_head_dim * ROPE_BYTES
        unscaled = self.cached_width * bytes_per_element
        if isinstance(bytes_per_element, np.ndarray):
            return np.where(bytes_per_element < ROPE_BYTES, scaled, unscaled)
        return scaled if bytes_per_element < ROPE_BYTES else unscaled


@dataclass(frozen=True, kw_only=True)
class SparseIndex:
    """Indexer of sparse attention: cheap heads score all tokens, attention reads the best ones (DSA).

    Parameters
    ----------
    heads, head_dim : int
        Heads of the indexer and their width. Each layer caches one index key of width ``head_dim`` for a token.
    tokens : int
        Cached tokens that attention reads at most (top-k).

    Notes
    -----
    The index keys are 8-bit with one 32-bit scale each, whatever the precision of the cache.
    Source: DeepSeek-AI 2025, DeepSeek-V3.2-Exp, section 2.1 and the released ``inference/model.py``.

    Examples
    --------
    >>> SparseIndex(heads=64, head_dim=128, tokens=2048).cached_bytes
    132
    """

    heads: int
    head_dim: int
    tokens: int

    def __post_init__(self) -> None:
        """Validate the fields."""
        set_fields(self, one_whole, "heads", "head_dim", "tokens")

    @property
    def cached_bytes(self) -> int:
        """Bytes of the index key of one token in one layer."""
        return self.head_dim + SCALE_BYTES

    def matrices(self, d_model: int, query_width: int) -> int:
        """Elements of the projections: queries (from the query latent), key and weight of each head."""
        return self.heads * self.head_dim * query_width + d_model * (self.head_dim + self.heads)


@dataclass(frozen=True, kw_only=True)
class LinearAttention:
    """Attention with a state of constant size instead of a KV cache: state-space model or linear attention.

    Parameters
    ----------
    kind : {"mamba2", "gated_delta", "lightning"}
        Mamba-2 (Nemotron-H), gated delta rule (Qwen3-Next, Qwen3.5) or lightning attention (MiniMax-Text-01).
    heads, head_dim : int
        Value heads and their width (``mamba_num_heads`` and ``mamba_head_dim``).
    key_heads, key_dim : int
        Heads of queries and keys and their width (``n_groups`` and ``ssm_state_size`` of Mamba-2).
    conv_kernel : int
        Tokens that the short convolution before the recurrence spans; 1 without a convolution.
    conv_bias : bool
        Whether the convolution adds a bias.

    Notes
    -----
    Source: Dao and Gu 2024, "Transformers are SSMs", arXiv:2405.21060 (a state-space model is linear
    attention with a decay); Yang et al. 2024, arXiv:2412.06464 (gated delta rule).

    Examples
    --------
    >>> mamba = LinearAttention(kind="mamba2", heads=128, head_dim=64, key_heads=8, key_dim=128, conv_kernel=4)
    >>> mamba.state_elements, mamba.conv_width
    (1048576, 10240)
    """

    kind: Literal["mamba2", "gated_delta", "lightning"]
    heads: int
    head_dim: int
    key_heads: int
    key_dim: int
    conv_kernel: int = 1
    conv_bias: bool = False

    def __post_init__(self) -> None:
        """Validate the fields."""
        choice("kind", self.kind, LINEAR_KINDS)
        set_fields(self, one_whole, "heads", "head_dim", "key_heads", "key_dim", "conv_kernel")
        set_fields(self, flag, "conv_bias")
        if self.heads % self.key_heads:
            raise ValueError(f"key_heads must divide heads, got key_heads={self.key_heads} and heads={self.heads}")

    @property
    def value_width(self) -> int:
        """Elements of all value heads of a token."""
        return self.heads * self.head_dim

    @property
    def state_elements(self) -> int:
        """Elements of the state of one sequence in one layer: a matrix of key by value width for each head."""
        return self.heads * self.key_dim * self.head_dim

    @property
    def conv_width(self) -> int:
        """Channels of the convolution: queries, keys and values; 0 without one."""
        return self.value_width + 2 * self.key_heads * self.key_dim if self.conv_kernel > 1 else 0

    @property
    def state_flops(self) -> int:
        """FLOP of one token in one layer for the state: update and readout, and the delta rule's prediction."""
        return (6 if self.kind == "gated_delta" else 4) * self.state_elements

    def matrices(self, d_model: int) -> int:
        """Elements of the input and output projections."""
        queries_and_keys = 2 * self.key_heads * self.key_dim
        gates = {"mamba2": 1, "gated_delta": 2, "lightning": 0}[self.kind] * self.heads
        # Values, the gate of the output and the output projection have the width of the values.
        return d_model * (queries_and_keys + 3 * self.value_width + gates)

    def vectors(self) -> int:
        """Elements of convolution, decay, skip connection and norm."""
        convolution = self.conv_width * (self.conv_kernel + self.conv_bias)
        if self.kind == "mamba2":  # decay, skip, step bias
            return convolution + 3 * self.heads + self.value_width
        if self.kind == "gated_delta":  # decay, step bias; one norm for all heads
            return convolution + 2 * self.heads + self.head_dim
        return self.value_width


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
    shared_gate : bool
        Whether a learned scalar weighs the shared experts of a token.

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
    shared_gate: bool = False

    def __post_init__(self) -> None:
        """Validate the fields."""
        set_fields(self, one_whole, "routed", "per_token", "d_hidden")
        set_fields(self, one_whole, "shared", "dense_layers", minimum=0)
        set_fields(self, flag, "router_bias", "shared_gate")
        if self.per_token > self.routed:
            raise ValueError(f"per_token must be at most routed={self.routed}, got {self.per_token}")


class AttentionReach(NamedTuple):
    """Layers whose queries reach equally far back.

    Attributes
    ----------
    layers : int
        Number of these layers.
    reach : int or None
        Tokens that a query reads at most; None for all.
    pair_elements : int
        Multiply-accumulates of one query with one token in one layer: scores and weighted sum of all heads.
    stores_all : bool
        Whether the cache keeps tokens out of reach (sparse attention) or drops them (window).
    """

    layers: int
    reach: int | None
    pair_elements: int
    stores_all: bool
