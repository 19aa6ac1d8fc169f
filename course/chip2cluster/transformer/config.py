"""Shape of a transformer: the inputs of all its counts."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from os import PathLike
from typing import Any

from .._validate import choice, flag, one_whole, set_fields
from .layer_variants import AttentionReach, Experts, LatentAttention, LinearAttention, SparseIndex
from .stored_weights import StoredWeights

MIXERS = ("full", "window", "linear", "none")
FEED_FORWARDS = ("dense", "experts", "none")


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
    output_bias : bool
        Whether the output projection of attention has a bias even without ``bias``.
    norms_per_layer : int
        2, or 1 if attention and feed-forward share a norm.
    qk_norm : bool
        Whether queries and keys pass a norm of width ``head_dim``.
    latent : LatentAttention, optional
        Multi-head latent attention (MLA), instead of ``kv_heads`` and ``head_dim``.
    experts : Experts, optional
        Mixture of experts (MoE), instead of the feed-forward block in all but some layers.
    mixers : tuple of {"full", "window", "linear", "none"}
        How the tokens of each layer exchange information, from the first layer on; a shorter tuple
        repeats: ``("window",) * 5 + ("full",)`` is Gemma 3.
    feed_forwards : tuple of {"dense", "experts", "none"}, optional
        Feed-forward block of each layer, a shorter tuple repeats; when left out, ``experts.dense_layers``
        dense ones and then experts.
    window : int, optional
        Tokens that a ``"window"`` layer attends to (sliding-window attention).
    linear : LinearAttention, optional
        State-space model or linear attention of the ``"linear"`` layers.
    index : SparseIndex, optional
        Indexer of sparse attention, in all layers with attention.
    attention_gate : bool
        Whether attention multiplies its output with a learned gate of the width of the queries.
    attention_sinks : bool
        Whether each head has a learned sink, one number.
    qk_norm_each_head : bool
        Whether the norm of queries and keys has weights of its own for each head.
    head_bias : bool
        Whether the output head adds a bias.
    stored_weights : StoredWeights, optional
        Precisions in which a quantized checkpoint stores its weights.

    Raises
    ------
    ValueError
        If heads do not divide, or options exclude each other.

    Notes
    -----
    One model, so the fields are single numbers, not arrays. Ignores encoders and
    cross-attention, and prediction heads for more than one token (MTP).
    Source: Vaswani et al. 2017; Shazeer 2019, 2020 (multi-query, gated); Ainslie
    et al. 2023 (grouped-query); Beltagy et al. 2020, arXiv:2004.05150 (windows).

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
    output_bias: bool = False
    norms_per_layer: int = 2
    qk_norm: bool = False
    latent: LatentAttention | None = None
    experts: Experts | None = None
    mixers: tuple[str, ...] = ("full",)
    feed_forwards: tuple[str, ...] | Any = None
    window: int | None = None
    linear: LinearAttention | None = None
    index: SparseIndex | None = None
    attention_gate: bool = False
    attention_sinks: bool = False
    qk_norm_each_head: bool = False
    head_bias: bool = False
    stored_weights: StoredWeights | None = None

    def __post_init__(self) -> None:
        """Validate the fields."""
        set_fields(self, one_whole, "layers", "d_model", "heads", "vocab_size", "norms_per_layer")
        set_fields(self, one_whole, "positions", minimum=0)
        self._set_default("qkv_bias", self.bias)
        self._set_default("norm_bias", self.bias)
        set_fields(self, flag, "gated", "tied_embeddings", "bias", "qkv_bias", "norm_bias", "output_bias", "qk_norm")
        set_fields(self, flag, "attention_gate", "attention_sinks", "qk_norm_each_head", "head_bias")
        for name, kind in PARTS.items():
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
        self._set_layer_kinds()

    @classmethod
    def from_hugging_face(cls, source: str | PathLike[str] | dict[str, Any], *, ignore: tuple[str, ...] = ()) -> Config:
        """Read the shape of a model from a ``config.json`` of the Hugging Face hub.

        Parameters
        ----------
        source : str, path or dict
            Path of the file, or its content.
        ignore : tuple of str
            Fields that are known not to matter, besides those that this function knows.

        Returns
        -------
        Config
            Shape of the language model; vision and audio towers and prediction heads (MTP) are left out.

        Raises
        ------
        ValueError
            If the family was not tried, or a field is unknown or asks for something that is not modelled.

        Notes
        -----
        Families: see `transformer.HUGGING_FACE_FAMILIES`, which names those whose count was not compared. Missing fields take the defaults of the
        ``transformers`` library. Source: the configuration classes of that library and the repositories
        of the models.

        Examples
        --------
        >>> shape = {"model_type": "llama", "num_hidden_layers": 32, "hidden_size": 4096, "vocab_size": 128256,
        ...          "num_attention_heads": 32, "num_key_value_heads": 8, "intermediate_size": 14336}
        >>> Config.from_hugging_face(shape).head_dim
        128
        """
        from .hugging_face import read_config  # imported here because it imports this module

        return read_config(source, ignore)

    def _set_layer_kinds(self) -> None:
        mixers = _pattern("mixers", self.mixers, MIXERS)
        object.__setattr__(self, "mixers", mixers)
        if "window" in self.mixer_counts:
            set_fields(self, one_whole, "window")
        elif self.window is not None:
            raise ValueError(f"window={self.window!r} has no meaning without a 'window' layer in mixers={mixers}")
        if ("linear" in self.mixer_counts) != (self.linear is not None):
            raise ValueError(f"linear and 'linear' layers in mixers need each other, got linear={self.linear!r}")
        if self.index and not (self.latent and self.latent.q_lora_rank):
            raise ValueError("index is only modelled together with a latent whose q_lora_rank is not 0")
        if self.latent and (self.attention_gate or self.attention_sinks):
            raise ValueError("attention_gate and attention_sinks are not modelled together with latent")
        if self.feed_forwards is None:
            return
        kinds = _pattern("feed_forwards", self.feed_forwards, FEED_FORWARDS)
        object.__setattr__(self, "feed_forwards", kinds)
        if self.experts and self.experts.dense_layers:
            raise ValueError("feed_forwards and experts.dense_layers exclude each other; use feed_forwards alone")
        if ("experts" in kinds) != (self.experts is not None):
            raise ValueError(f"experts and 'experts' layers in feed_forwards need each other, got {self.experts!r}")

    @cached_property
    def layer_kinds(self) -> tuple[tuple[str, str], ...]:
        """Mixer and feed-forward block of each layer."""
        feed_forwards = self.feed_forwards
        if feed_forwards is None:
            dense = self.experts.dense_layers if self.experts else self.layers
            feed_forwards = ("dense",) * dense + ("experts",) * (self.layers - dense)
        return tuple(
            (self.mixers[layer % len(self.mixers)], feed_forwards[layer % len(feed_forwards)])
            for layer in range(self.layers)
        )

    @cached_property
    def mixer_counts(self) -> dict[str, int]:
        """Layers of each mixer that occurs."""
        return _count_kinds(self.mixers, self.layers)

    @cached_property
    def attention_layers(self) -> int:
        """Layers with attention, full or in a window."""
        return self.mixer_counts.get("full", 0) + self.mixer_counts.get("window", 0)

    @cached_property
    def kind_counts(self) -> dict[tuple[str, str], int]:
        """Layers of each pair of mixer and feed-forward block."""
        return dict(Counter(self.layer_kinds))

    @cached_property
    def attention_reaches(self) -> tuple[AttentionReach, ...]:
        """Layers with attention, by how far their queries reach."""
        pair = self.qk_width + self.v_width
        groups = []
        if full := self.mixer_counts.get("full", 0):
            groups.append(AttentionReach(full, self.index.tokens if self.index else None, pair, stores_all=True))
        if windowed := self.mixer_counts.get("window", 0):
            groups.append(AttentionReach(windowed, self.window, pair, stores_all=False))
        if self.index:
            every = self.index.heads * self.index.head_dim
            groups.append(AttentionReach(self.attention_layers, None, every, stores_all=True))
        return tuple(groups)

    @cached_property
    def is_uniform(self) -> bool:
        """Whether each layer has attention and a feed-forward block, so that layers differ in experts alone."""
        return self.attention_layers == self.layers and self.feed_forwards is None

    def _set_heads(self) -> None:
        if self.latent:
            for name in ("kv_heads", "head_dim"):
                if getattr(self, name) is not None:
                    raise ValueError(f"{name} and latent exclude each other, got {name}={getattr(self, name)!r}")
            if self.bias or self.qkv_bias or self.output_bias or self.qk_norm:
                raise ValueError("bias, qkv_bias, output_bias and qk_norm are not modelled together with latent")
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

    @cached_property
    def moe_layers(self) -> int:
        """Layers with experts."""
        if self.feed_forwards is not None:
            return _count_kinds(self.feed_forwards, self.layers).get("experts", 0)
        return self.layers - self.experts.dense_layers if self.experts else 0

    @cached_property
    def dense_layers(self) -> int:
        """Layers with an ordinary feed-forward block."""
        if self.feed_forwards is not None:
            return _count_kinds(self.feed_forwards, self.layers).get("dense", 0)
        return self.layers - self.moe_layers


PARTS: dict[str, type] = {
    "latent": LatentAttention,
    "experts": Experts,
    "linear": LinearAttention,
    "index": SparseIndex,
    "stored_weights": StoredWeights,
}


def _pattern(name: str, kinds: object, choices: tuple[str, ...]) -> tuple[str, ...]:
    """Return the kinds of the layers as a tuple."""
    if isinstance(kinds, str) or not isinstance(kinds, (tuple, list)) or not kinds:
        raise TypeError(f"{name} must be a tuple of {', '.join(choices)}, got {kinds!r}")
    return tuple(choice(name, kind, choices) for kind in kinds)


def _count_kinds(pattern: tuple[str, ...], layers: int) -> dict[str, int]:
    """Return how often each kind occurs if the pattern repeats over the layers."""
    times, rest = divmod(layers, len(pattern))
    every = pattern * times + pattern[:rest] if len(set(pattern)) > 1 else ()
    return {kind: every.count(kind) for kind in dict.fromkeys(every)} if every else {pattern[0]: layers}


def check_config(config: object) -> Config:
    """Return ``config`` as a Config, looked up if it is the name of a published model; otherwise say what was given."""
    if isinstance(config, Config):
        return config
    if isinstance(config, str):
        from .model_catalogue import model  # imported here because it imports this module

        return model(config).config
    raise TypeError(f"config must be a transformer.Config or the name of a published model, got {config!r}")
