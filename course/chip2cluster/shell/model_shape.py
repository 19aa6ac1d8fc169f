"""Custom model of the option ``--shape``: fields of `transformer.Config`, experts, and the names of the Hugging Face hub."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from .shared_options import UsageError, fields_of, option_errors

if TYPE_CHECKING:
    from ..transformer import Config

# Names of a config.json, and the field that means the same.
_HUB = {
    "num_hidden_layers": "layers", "n_layer": "layers", "hidden_size": "d_model", "n_embd": "d_model",
    "num_attention_heads": "heads", "n_head": "heads", "num_key_value_heads": "kv_heads",
    "intermediate_size": "d_hidden", "moe_intermediate_size": "expert_d_hidden", "sliding_window": "window",
    "tie_word_embeddings": "tied_embeddings", "num_experts": "experts", "num_local_experts": "experts",
    "n_routed_experts": "experts", "num_experts_per_tok": "per_token", "n_shared_experts": "shared_experts",
}  # fmt: skip
_GATED = {"num_hidden_layers", "intermediate_size", "moe_intermediate_size"}  # families with these names have a gate
_EXPERTS = {"experts": 1, "per_token": 1, "shared_experts": 1, "expert_d_hidden": 1, "dense_layers": 1}


def shape(text: str) -> Config:
    """Return the model of the fields.

    >>> shape("layers=32 d_model=4096 heads=32 kv_heads=8 d_hidden=14336 vocab_size=128256 gated=1").layers
    32
    """
    from .. import transformer

    known = transformer.Config.__dataclass_fields__
    # Parts and patterns of layers are not numbers; --config has them.
    types = {name: str(one.type) for name, one in known.items() if "int" in str(one.type) or "bool" in str(one.type)}
    kinds: dict[str, Any] = {name: False if "bool" in kind else 1 for name, kind in types.items()} | _EXPERTS
    hub = {name: kinds[field] for name, field in _HUB.items() if name not in kinds}
    given = fields_of("--shape", text, kinds | hub)
    fields: dict[str, Any] = {}
    for name, value in given.items():
        field = name if name in kinds else _HUB[name]
        if field in fields:
            raise UsageError(f"argument --shape: {field} is given twice, also by the name {name}")
        fields[field] = value
    if _GATED & given.keys():
        fields.setdefault("gated", True)
    with option_errors("--shape"):
        experts = _experts(fields)
        return transformer.Config(**fields, experts=experts)


def _experts(fields: dict[str, Any]) -> Any:
    """Take the fields of experts out, and return them; None for a dense model."""
    from .. import transformer

    given: Mapping[str, int] = {name: fields.pop(name) for name in _EXPERTS if name in fields}
    if not given:
        return None
    if missing := [name for name in ("experts", "per_token") if name not in given]:
        raise ValueError(f"a model with experts needs {' and '.join(missing)} as well, as in experts=128 per_token=8")
    width = given.get("expert_d_hidden", fields.get("d_hidden"))
    if width is None:
        raise ValueError("a model with experts needs expert_d_hidden, the width of one expert, or d_hidden")
    return transformer.Experts(
        routed=given["experts"], per_token=given["per_token"], d_hidden=width,
        shared=given.get("shared_experts", 0), dense_layers=given.get("dense_layers", 0),
    )  # fmt: skip
