"""Translate the fields of each family of ``config.json`` into those of `Config`.

Source: the configuration and modelling classes of the ``transformers`` library, release 4.57, and the
modelling files in the repositories of the models.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .layer_variants import Experts, LatentAttention, LinearAttention, SparseIndex

_MISSING = object()
# Values that the library fills in and the files leave out.
_DEFAULTS: dict[str, dict[str, Any]] = {
    "gemma3_text": {
        "vocab_size": 262208, "hidden_size": 2304, "intermediate_size": 9216, "num_hidden_layers": 26,
        "num_attention_heads": 8, "num_key_value_heads": 4, "head_dim": 256, "sliding_window": 4096,
    },
    "gemma2": {"head_dim": 256, "sliding_window": 4096},
    "gemma": {"head_dim": 256},
    "mixtral": {"num_key_value_heads": 8},
    "mistral": {"num_key_value_heads": 8},
    "qwen3": {"head_dim": 128, "num_key_value_heads": 32},
    "qwen3_next": {"head_dim": 256, "linear_conv_kernel_dim": 4, "linear_key_head_dim": 128, "linear_value_head_dim": 128},
    "gpt_oss": {"head_dim": 64, "sliding_window": 128},
    "glm4_moe": {"head_dim": 128},
}  # fmt: skip
_DEFAULTS["gemma3"] = _DEFAULTS["gemma3_text"]
for _name in ("qwen3_5", "qwen3_5_text", "qwen3_5_moe", "qwen3_5_moe_text"):
    _DEFAULTS[_name] = _DEFAULTS["qwen3_next"]
_TIED = (
    "gemma", "gemma2", "gemma3", "gemma3_text", "cohere", "cohere2", "starcoder2", "smollm3", "ernie4_5", "ernie4_5_moe",
)  # fmt: skip
_MIXERS = {
    "full_attention": "full",
    "sliding_attention": "window",
    "linear_attention": "linear",
    "attention": "full",
}


class Fields:
    """Fields of a file; remembers which were used."""

    def __init__(self, family: str, content: Mapping[str, Any]) -> None:
        self.family = family
        self._content = content
        self._used: set[str] = set()

    def take(self, name: str, default: Any = _MISSING, *others: str) -> Any:
        """Return a field under its name or another one; the default if it is missing or null."""
        for one in (name, *others):
            self._used.add(one)
            if self._content.get(one) is not None:
                return self._content[one]
        known = _DEFAULTS.get(self.family, {})
        if name in known:
            return known[name]
        if default is _MISSING:
            raise ValueError(f"config.json of model_type={self.family!r} has no field {name!r}")
        return default

    def refuse(self, name: str, allowed: Any, why: str) -> None:
        """Raise a ValueError that names the field unless it is missing, null or has the allowed value."""
        if (value := self.take(name, allowed)) != allowed:
            raise ValueError(f"{name}={value!r} is not modelled for {self.family!r}: {why}")

    def unused(self) -> list[str]:
        """Return the fields that were not used and ask for something: not null, false, 0 or empty."""
        return [name for name, value in self._content.items() if name not in self._used and value not in _NOTHING]


_NOTHING: tuple[Any, ...] = (None, False, 0, "", [], {})


def base_shape(fields: Fields, layers: int | None = None) -> dict[str, Any]:
    """Return the fields that all families share; the layers only if the file need not say them."""
    heads = fields.take("num_attention_heads")
    hidden = fields.take("hidden_size")
    return {
        "layers": fields.take("num_hidden_layers", _MISSING if layers is None else layers),
        "d_model": hidden,
        "heads": heads,
        "vocab_size": fields.take("vocab_size"),
        "tied_embeddings": fields.take("tie_word_embeddings", fields.family in _TIED),
        "gated": True,
    }


def add_attention(fields: Fields, shape: dict[str, Any]) -> None:
    """Add heads and their biases."""
    shape["kv_heads"] = fields.take("num_key_value_heads", shape["heads"])
    if head_dim := fields.take("head_dim", None, "attention_head_dim"):
        shape["head_dim"] = head_dim


def add_windows(fields: Fields, shape: dict[str, Any], mixers: list[str] | None) -> None:
    """Add the windows of the layers; without a width there are none."""
    window = fields.take("sliding_window", None)
    kinds = fields.take("layer_types", None)
    if kinds is not None:
        mixers = [_mixer(kind) for kind in kinds]
        if len(mixers) != shape["layers"]:
            raise ValueError(
                f"layer_types must name each of num_hidden_layers={shape['layers']} layers, got {len(mixers)}"
            )
    if window and mixers and "window" in mixers:
        shape.update(mixers=tuple(mixers), window=window)


def _mixer(kind: str) -> str:
    if kind not in _MIXERS:
        raise ValueError(f"layer_types has {kind!r}, which is not modelled; there are {', '.join(_MIXERS)}")
    return _MIXERS[kind]


def read_experts(fields: Fields, **options: Any) -> Experts:
    """Return the experts; the shared ones as a multiple of a routed one."""
    width = options.pop("width", None) or fields.take("moe_intermediate_size")
    shared = fields.take("shared_expert_intermediate_size", 0, "moe_shared_expert_intermediate_size")
    count = fields.take("n_shared_experts", None, "num_shared_experts")
    if shared and shared % width:
        raise ValueError(f"shared_expert_intermediate_size={shared} is no multiple of moe_intermediate_size={width}")
    return Experts(
        routed=fields.take("n_routed_experts", _MISSING, "num_experts", "num_local_experts"),
        per_token=fields.take("num_experts_per_tok", _MISSING, "num_experts_per_token"),
        d_hidden=width,
        shared=shared // width if shared else (count or 0),
        **options,
    )


def _moe_pattern(fields: Fields, layers: int) -> tuple[str, ...] | None:
    """Return the feed-forward blocks if only some layers have experts, None if all have."""
    step, only = fields.take("decoder_sparse_step", 1), fields.take("mlp_only_layers", [])
    kinds = tuple("experts" if one not in only and (one + 1) % step == 0 else "dense" for one in range(layers))
    return None if "dense" not in kinds else kinds


def llama(fields: Fields) -> dict[str, Any]:
    """Llama, Mistral, Qwen2, Qwen3, Phi-3 and Phi-4: gated, grouped-query, with or without a window."""
    shape = base_shape(fields)
    add_attention(fields, shape)
    shape["d_hidden"] = fields.take("intermediate_size")
    bias = fields.take("attention_bias", False)
    fields.refuse("mlp_bias", False, "its feed-forward block has no biases here")
    # Qwen2 has biases of queries, keys and values whatever the file says, and none of the output.
    shape.update(qkv_bias=bias or fields.family == "qwen2", output_bias=bias, qk_norm=fields.family == "qwen3")
    if fields.family in ("qwen2", "qwen3"):
        first = fields.take("max_window_layers", 28)
        if fields.take("use_sliding_window", False):
            add_windows(fields, shape, ["full" if one < first else "window" for one in range(shape["layers"])])
        else:
            fields.take("sliding_window", None), fields.take("layer_types", None)
    elif fields.family == "phi3" and (fields.take("sliding_window", None) or 0) >= fields.take(
        "max_position_embeddings", 0
    ):
        pass  # a window as long as the context is none
    else:
        add_windows(fields, shape, ["window"] * shape["layers"])
    return shape


def mixtral(fields: Fields) -> dict[str, Any]:
    """Mixtral: experts in each layer."""
    shape = base_shape(fields)
    add_attention(fields, shape)
    shape["experts"] = read_experts(fields, width=fields.take("intermediate_size"))
    add_windows(fields, shape, ["window"] * shape["layers"])
    return shape


def phi(fields: Fields) -> dict[str, Any]:
    """Phi 1 and 2: biases everywhere, attention and feed-forward share a norm."""
    shape = base_shape(fields)
    add_attention(fields, shape)
    fields.refuse("qk_layernorm", False, "the released models have none")
    shape.update(d_hidden=fields.take("intermediate_size"), gated=False, bias=True, norms_per_layer=1, head_bias=True)
    return shape


def phi_moe(fields: Fields) -> dict[str, Any]:
    """Phi 3.5 MoE: norms with biases, biases of attention and head."""
    shape = base_shape(fields)
    add_attention(fields, shape)
    bias = fields.take("attention_bias", False)
    experts = read_experts(fields, width=fields.take("intermediate_size"))
    add_windows(fields, shape, ["window"] * shape["layers"])
    if shape.get("window", 0) >= fields.take("max_position_embeddings", 0):
        shape.pop("window", None), shape.pop("mixers", None)
    head_bias = fields.take("lm_head_bias", False)
    shape.update(qkv_bias=bias, output_bias=bias, norm_bias=True, experts=experts, head_bias=head_bias)
    return shape


def qwen_moe(fields: Fields) -> dict[str, Any]:
    """Qwen2 and Qwen3 with experts."""
    second = fields.family == "qwen2_moe"
    shape = base_shape(fields)
    add_attention(fields, shape)
    fields.refuse("use_sliding_window", False, "no released model has a window")
    for unused in ("sliding_window", "layer_types", "max_window_layers"):
        fields.take(unused, None)
    bias = not second and fields.take("attention_bias", False)
    shape.update(
        d_hidden=fields.take("intermediate_size", 4 * shape["d_model"]),
        qkv_bias=fields.take("qkv_bias", True) if second else bias,
        output_bias=bias,
        qk_norm=not second,
        experts=read_experts(fields, shared_gate=second),
        feed_forwards=_moe_pattern(fields, shape["layers"]),
    )
    return shape


def qwen_next(fields: Fields) -> dict[str, Any]:
    """Qwen3-Next and Qwen3.5: three layers of gated delta rule, one of gated attention."""
    shape = base_shape(fields)
    add_attention(fields, shape)
    every = fields.take("full_attention_interval", 4)
    kinds = fields.take("layer_types", None)
    mixers = [_mixer(kind) for kind in kinds] if kinds else ["linear"] * (every - 1) + ["full"]
    fields.refuse("attn_output_gate", True, "attention of this family has a gate")
    fields.refuse("attention_bias", False, "no released model has one")
    shape.update(
        mixers=tuple(mixers),
        qk_norm=True,
        attention_gate=True,
        linear=LinearAttention(
            kind="gated_delta",
            heads=fields.take("linear_num_value_heads"),
            head_dim=fields.take("linear_value_head_dim"),
            key_heads=fields.take("linear_num_key_heads"),
            key_dim=fields.take("linear_key_head_dim"),
            conv_kernel=fields.take("linear_conv_kernel_dim"),
        ),
        d_hidden=fields.take("intermediate_size", 4 * shape["d_model"]),
    )
    if fields.take("num_experts", 0):
        shape.update(
            experts=read_experts(fields, shared_gate=True), feed_forwards=_moe_pattern(fields, shape["layers"])
        )
    return shape


def gemma(fields: Fields) -> dict[str, Any]:
    """Gemma 1 to 3: wide heads; norms after the blocks too and windows from Gemma 2 on."""
    shape = base_shape(fields)
    add_attention(fields, shape)
    third = fields.family in ("gemma3", "gemma3_text")
    fields.refuse("attention_bias", False, "no released model has one")
    shape.update(d_hidden=fields.take("intermediate_size"), qk_norm=third)
    if fields.family == "gemma":
        return shape
    every = fields.take("sliding_window_pattern", 6 if third else 2, "_sliding_window_pattern")
    shape["norms_per_layer"] = 4
    add_windows(fields, shape, ["full" if (one + 1) % every == 0 else "window" for one in range(shape["layers"])])
    return shape


def gpt_oss(fields: Fields) -> dict[str, Any]:
    """gpt-oss: windows in every second layer, sinks, biases, experts in each layer."""
    shape = base_shape(fields)
    add_attention(fields, shape)
    fields.refuse("attention_bias", True, "the released models have biases")
    fields.take("experts_per_token", None)
    experts = read_experts(fields, width=fields.take("intermediate_size"), router_bias=True)
    shape.update(bias=True, norm_bias=False, attention_sinks=True, experts=experts)
    add_windows(fields, shape, ["window" if one % 2 == 0 else "full" for one in range(shape["layers"])])
    return shape


def deepseek(fields: Fields) -> dict[str, Any]:
    """DeepSeek-V2 to V3.2, Kimi K2, GLM-5: latent attention, some with an indexer."""
    shape = base_shape(fields)
    for unused in ("num_key_value_heads", "head_dim", "qk_head_dim"):
        fields.take(unused, None)
    fields.refuse("attention_bias", False, "no released model has one")
    fields.refuse("moe_layer_freq", 1, "experts in each layer after the first dense ones")
    fields.refuse("indexer_types", None, "every layer has its own indexer here")
    third = fields.family != "deepseek_v2"
    shape["latent"] = LatentAttention(
        kv_lora_rank=fields.take("kv_lora_rank"),
        q_lora_rank=fields.take("q_lora_rank", 0),
        qk_nope_head_dim=fields.take("qk_nope_head_dim"),
        qk_rope_head_dim=fields.take("qk_rope_head_dim"),
        v_head_dim=fields.take("v_head_dim"),
    )
    if tokens := fields.take("index_topk", 0):
        shape["index"] = SparseIndex(
            heads=fields.take("index_n_heads"), head_dim=fields.take("index_head_dim"), tokens=tokens
        )
    shape.update(
        d_hidden=fields.take("intermediate_size"),
        experts=read_experts(fields, dense_layers=dense_layers(fields, shape["layers"]), router_bias=third),
    )
    return shape


def dense_layers(fields: Fields, layers: int) -> int:
    """Return the number of dense layers at the beginning, by either name."""
    kinds = fields.take("mlp_layer_types", None)
    first = fields.take("first_k_dense_replace", 0 if kinds is None else kinds.count("dense"))
    if kinds is not None and kinds != ["dense"] * first + ["sparse"] * (layers - first):
        raise ValueError("mlp_layer_types is not modelled unless the dense layers come first")
    return first


def glm_moe(fields: Fields) -> dict[str, Any]:
    """GLM-4.5 to 4.7: grouped-query attention, shared experts."""
    shape = base_shape(fields)
    add_attention(fields, shape)
    dense = dense_layers(fields, shape["layers"])
    shape.update(
        d_hidden=fields.take("intermediate_size"),
        qkv_bias=fields.take("attention_bias", False),
        qk_norm=fields.take("use_qk_norm", False),
        experts=read_experts(fields, dense_layers=dense, router_bias=True),
    )
    return shape


def minimax(fields: Fields) -> dict[str, Any]:
    """MiniMax: lightning attention in seven of eight layers (Text-01, M1), full attention (M2)."""
    shape = base_shape(fields)
    add_attention(fields, shape)
    second = fields.family == "minimax_m2"
    fields.refuse("shared_intermediate_size", 0, "no released model has shared experts")
    kinds = fields.take("attn_type_list", None)
    if kinds is not None:
        mixers = ["full" if kind else "linear" for kind in kinds]
    elif types := fields.take("layer_types", None):
        mixers = [_mixer(kind) for kind in types]
    else:
        mixers = ["full"] if second else ["linear", "full"]
    width = fields.take("intermediate_size")
    routing_bias = second and fields.take("use_routing_bias", True)
    shape.update(mixers=tuple(mixers), experts=read_experts(fields, width=width, router_bias=routing_bias))
    if second:
        fields.refuse("qk_norm_type", "per_layer", "norms of the released model have the width of all heads")
        shape["qk_norm"] = shape["qk_norm_each_head"] = fields.take("use_qk_norm", True)
    if "linear" in mixers:
        heads, head_dim = shape["heads"], shape.get("head_dim") or shape["d_model"] // shape["heads"]
        shape["linear"] = LinearAttention(
            kind="lightning", heads=heads, head_dim=head_dim, key_heads=heads, key_dim=head_dim
        )
    return shape


_BLOCKS = {"M": ("linear", "none"), "*": ("full", "none"), "-": ("none", "dense"), "E": ("none", "experts")}
_BLOCK_NAMES = {
    "mamba": "M", "linear_attention": "M", "attention": "*", "full_attention": "*", "mlp": "-", "moe": "E",
}  # fmt: skip


def nemotron_h(fields: Fields) -> dict[str, Any]:
    """Nemotron-H and Nemotron 3: each layer is one block of Mamba-2, attention, feed-forward or experts."""
    named = fields.take("layers_block_type", None)
    shape = base_shape(fields, layers=named and len(named))
    add_attention(fields, shape)
    for name in ("use_bias", "mamba_proj_bias", "mlp_bias", "attention_bias"):
        fields.refuse(name, False, "no released model has one")
    fields.refuse("moe_latent_size", None, "experts that work in a latent")
    fields.refuse("mlp_hidden_act", "relu2", "its feed-forward block is not gated")
    letters = fields.take("hybrid_override_pattern", None) or "".join(_BLOCK_NAMES.get(one, "?") for one in named or ())
    if unknown := sorted(set(letters) - set(_BLOCKS)):
        raise ValueError(
            f"hybrid_override_pattern has {unknown}, which is not modelled; there are {', '.join(_BLOCKS)}"
        )
    if len(letters) != shape["layers"]:
        raise ValueError(
            f"hybrid_override_pattern must name each of num_hidden_layers={shape['layers']}, got {len(letters)}"
        )
    mixers, blocks = zip(*(_BLOCKS[one] for one in letters), strict=True)
    shape.update(
        gated=False,
        norms_per_layer=1,
        d_hidden=fields.take("intermediate_size", 4 * shape["d_model"]),
        mixers=mixers,
        feed_forwards=blocks,
    )
    mamba = {
        "heads": fields.take("mamba_num_heads", 0),
        "head_dim": fields.take("mamba_head_dim", 0),
        "key_heads": fields.take("n_groups", 0, "mamba_n_groups"),
        "key_dim": fields.take("ssm_state_size", 0, "mamba_state_dim"),
    }
    convolution = fields.take("conv_kernel", 4, "mamba_d_conv"), fields.take("use_conv_bias", True)
    if "linear" in mixers:
        shape["linear"] = LinearAttention(kind="mamba2", conv_kernel=convolution[0], conv_bias=convolution[1], **mamba)
    if "experts" in blocks:
        shape["experts"] = read_experts(fields, router_bias=True)
    else:
        for unused in ("n_routed_experts", "n_shared_experts", "num_experts_per_tok", "moe_intermediate_size",
                       "moe_shared_expert_intermediate_size"):  # fmt: skip
            fields.take(unused, None)
    return shape
