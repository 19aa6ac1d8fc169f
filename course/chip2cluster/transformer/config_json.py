"""Fields of a ``config.json``, with the library's defaults, and the parts of a shape that many families share.

Source: the configuration classes of the ``transformers`` library, release 4.57.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .layer_variants import Experts

MISSING = object()
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
_TIED = ("gemma", "gemma2", "gemma3", "gemma3_text")
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

    def take(self, name: str, default: Any = MISSING, *others: str) -> Any:
        """Return a field under its name or another one; the default if it is missing or null."""
        for one in (name, *others):
            self._used.add(one)
            if self._content.get(one) is not None:
                return self._content[one]
        known = _DEFAULTS.get(self.family, {})
        if name in known:
            return known[name]
        if default is MISSING:
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


def base_shape(fields: Fields) -> dict[str, Any]:
    """Return the fields that all families share."""
    heads = fields.take("num_attention_heads")
    hidden = fields.take("hidden_size")
    return {
        "layers": fields.take("num_hidden_layers"),
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
        mixers = [layer_mixer(kind) for kind in kinds]
        if len(mixers) != shape["layers"]:
            raise ValueError(
                f"layer_types must name each of num_hidden_layers={shape['layers']} layers, got {len(mixers)}"
            )
    if window and mixers and "window" in mixers:
        shape.update(mixers=tuple(mixers), window=window)


def layer_mixer(kind: str) -> str:
    """Return the mixer of a kind of layer that a file names."""
    if kind not in _MIXERS:
        raise ValueError(f"layer_types has {kind!r}, which is not modelled; there are {', '.join(_MIXERS)}")
    return _MIXERS[kind]


def experts_of(fields: Fields, **options: Any) -> Experts:
    """Return the experts; the shared ones as a multiple of a routed one."""
    width = options.pop("width", None) or fields.take("moe_intermediate_size")
    shared = fields.take("shared_expert_intermediate_size", 0, "moe_shared_expert_intermediate_size")
    count = fields.take("n_shared_experts", None, "num_shared_experts")
    if shared and shared % width:
        raise ValueError(f"shared_expert_intermediate_size={shared} is no multiple of moe_intermediate_size={width}")
    return Experts(
        routed=fields.take("n_routed_experts", MISSING, "num_experts", "num_local_experts"),
        per_token=fields.take("num_experts_per_tok", MISSING, "num_experts_per_token"),
        d_hidden=width,
        shared=shared // width if shared else (count or 0),
        **options,
    )


def moe_pattern(fields: Fields, layers: int) -> tuple[str, ...] | None:
    """Return the feed-forward blocks if only some layers have experts, None if all have."""
    step, only = fields.take("decoder_sparse_step", 1), fields.take("mlp_only_layers", [])
    kinds = tuple("experts" if one not in only and (one + 1) % step == 0 else "dense" for one in range(layers))
    return None if "dense" not in kinds else kinds
