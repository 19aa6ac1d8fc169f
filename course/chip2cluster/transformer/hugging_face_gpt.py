"""Translate ``config.json`` of the early decoders: GPT-2, GPT-NeoX, OPT, Falcon, MPT and GPT-BigCode.

Source: the configuration and modelling classes of the ``transformers`` library, release 5.24.
"""

from __future__ import annotations

from typing import Any

from .hugging_face_families import Fields


def gpt(fields: Fields) -> dict[str, Any]:
    """GPT-2 and StarCoder (GPT-BigCode): learned positions, biases everywhere."""
    d_model, heads = fields.take("n_embd"), fields.take("n_head")
    fields.refuse("add_cross_attention", False, "it is a decoder alone")
    shape = {
        "layers": fields.take("n_layer"),
        "d_model": d_model,
        "heads": heads,
        "vocab_size": fields.take("vocab_size"),
        "positions": fields.take("n_positions", 1024),
        "d_hidden": fields.take("n_inner", 4 * d_model),
        "tied_embeddings": fields.take("tie_word_embeddings", True),
        "bias": True,
    }
    if fields.family == "gpt_bigcode":
        shape["kv_heads"] = 1 if fields.take("multi_query", True) else heads
        fields.take("num_key_value_heads", None)
    return shape


def gpt_neox(fields: Fields) -> dict[str, Any]:
    """GPT-NeoX and Pythia: biases everywhere, and two norms although the blocks work side by side."""
    fields.refuse("attention_bias", True, "the released models have biases")
    fields.take("use_parallel_residual", True)
    return {
        "layers": fields.take("num_hidden_layers"),
        "d_model": fields.take("hidden_size"),
        "heads": fields.take("num_attention_heads"),
        "vocab_size": fields.take("vocab_size"),
        "d_hidden": fields.take("intermediate_size"),
        "tied_embeddings": fields.take("tie_word_embeddings", False),
        "bias": True,
    }


def opt(fields: Fields) -> dict[str, Any]:
    """OPT: learned positions, two more than the context has, biases everywhere."""
    hidden = fields.take("hidden_size")
    fields.refuse("word_embed_proj_dim", hidden, "projections between the embedding and the layers")
    fields.refuse("do_layer_norm_before", True, "norms after the blocks, and none at the end")
    fields.refuse("_remove_final_layer_norm", False, "a model without its last norm")
    fields.refuse("enable_bias", True, "the released models have biases")
    fields.refuse("layer_norm_elementwise_affine", True, "norms without weights")
    return {
        "layers": fields.take("num_hidden_layers"),
        "d_model": hidden,
        "heads": fields.take("num_attention_heads"),
        "vocab_size": fields.take("vocab_size"),
        "positions": fields.take("max_position_embeddings") + 2,
        "d_hidden": fields.take("ffn_dim"),
        "tied_embeddings": fields.take("tie_word_embeddings", True),
        "bias": True,
    }


def falcon(fields: Fields) -> dict[str, Any]:
    """Falcon: one key-value head or a few; attention and feed-forward share a norm in the smaller models."""
    d_model = fields.take("hidden_size", None, "n_embed")
    heads = fields.take("num_attention_heads", None, "n_head")
    new, parallel = fields.take("new_decoder_architecture", False), fields.take("parallel_attn", True)
    kv_heads = fields.take("num_kv_heads", None, "n_head_kv")
    several = fields.take("multi_query", True)
    fields.refuse("activation", "gelu", "another feed-forward block")
    fields.take("alibi", None)
    norms = fields.take("num_ln_in_parallel_attn", 2) if new else 1 if parallel else 2
    return {
        "layers": fields.take("num_hidden_layers", None, "n_layer"),
        "d_model": d_model,
        "heads": heads,
        "kv_heads": (kv_heads or heads) if new else 1 if several else heads,
        "vocab_size": fields.take("vocab_size"),
        "d_hidden": fields.take("ffn_hidden_size", 4 * d_model),
        "tied_embeddings": fields.take("tie_word_embeddings", True),
        "norms_per_layer": norms,
        "bias": fields.take("bias", False),
        "norm_bias": True,
    }


def mpt(fields: Fields) -> dict[str, Any]:
    """MPT: no biases at all, positions by ALiBi."""
    fields.refuse("no_bias", True, "the released models have no biases")
    attention = fields.take("attn_config", {})
    for name, allowed in (("qk_ln", False), ("alibi", True)):
        if attention.get(name, allowed) != allowed:
            raise ValueError(f"attn_config.{name}={attention[name]!r} is not modelled for 'mpt'")
    fields.refuse("norm_type", "low_precision_layernorm", "other norms")
    for unused in ("learned_pos_emb", "embedding_fraction"):
        fields.take(unused, None)
    d_model, heads = fields.take("d_model"), fields.take("n_heads")
    return {
        "layers": fields.take("n_layers"),
        "d_model": d_model,
        "heads": heads,
        "kv_heads": attention.get("kv_n_heads") or heads,
        "vocab_size": fields.take("vocab_size"),
        "d_hidden": int(fields.take("expansion_ratio", 4) * d_model),
        "tied_embeddings": fields.take("tie_word_embeddings", True),
    }
