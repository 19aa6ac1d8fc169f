"""KV-cache memory held by sequences, and attention types, against counting by hand and the table of DeepSeek-V2."""

import numpy as np
import pytest

from chip2cluster import serving, transformer
from chip2cluster.serving import deploy

LLAMA, DEEPSEEK = (transformer.model(name).config for name in ("Llama 3 8B", "DeepSeek-V3"))


def test_tokens_held_matches_block_allocation():
    rng = np.random.default_rng(7)
    for block in (1, 7, 16, 256):
        lengths = rng.integers(1, 3000, 50)
        blocks = 0
        for length in lengths:
            filled = 0
            while filled < length:
                blocks, filled = blocks + 1, filled + block
        held = serving.tokens_held(lengths, block)
        assert held == blocks * block
        assert 0 <= held - lengths.sum() < block * len(lengths)
    assert serving.tokens_held(lengths, 1) == lengths.sum()
    assert serving.tokens_held(lengths, 4096) == 4096 * len(lengths)  # a contiguous cache


def test_half_a_block_is_wasted_for_each_sequence_on_average():
    lengths = np.random.default_rng(0).integers(1, 100_001, 20_000)
    wasted = serving.tokens_held(lengths, 16) - lengths.sum()
    assert wasted / len(lengths) == pytest.approx(7.5, rel=0.02)


def test_attention_types_cache_as_in_deepseek_v2_table():
    """Table 1 there, elements a token: 2 n_h d_h l, 2 n_g d_h l, 2 d_h l, (d_c + d_h^R) l."""
    heads, wide, layers = 128, 128, 61
    wanted = {
        "multi_head": 2 * heads * wide * layers, "grouped": 2 * 8 * wide * layers,
        "multi_query": 2 * wide * layers, "latent": (4 * wide + wide // 2) * layers,
    }  # fmt: skip
    for kind, elements in wanted.items():
        config = serving.with_heads(DEEPSEEK, kind)
        assert transformer.kv_cache_per_token(config, 2) == 2 * elements
        assert serving.kind_of_heads(config) == kind


@pytest.mark.parametrize("name", ["Llama 2 7B", "Llama 3 70B", "DeepSeek-V3", "GPT-3 175B"])
def test_with_heads_keeps_other_fields(name):
    config = transformer.model(name).config
    assert serving.with_heads(config, serving.kind_of_heads(config)) is config
    for kind in ("multi_head", "grouped", "multi_query", "latent"):
        other = serving.with_heads(config, kind)
        assert (other.layers, other.d_model, other.heads) == (config.layers, config.d_model, config.heads)


def test_cache_copies_with_more_devices_than_heads():
    for devices in (1, 2, 4, 8):
        assert serving.cache_copies(LLAMA, devices) == 1
        assert serving.cache_copies(DEEPSEEK, devices) == devices
    assert serving.cache_copies(LLAMA, 16) == 2
    one, eight = (deploy("Llama 3 8B", "H100 SXM", devices) for devices in (1, 8))
    assert one.cache_per_token == eight.cache_per_token == transformer.kv_cache_per_token(LLAMA)


@pytest.mark.parametrize("call, says", [
    (lambda: serving.tokens_held([0, 3]), "lengths"),
    (lambda: serving.tokens_held([3], 0), "block_tokens"),
    (lambda: serving.with_heads(LLAMA, "three"), "heads must be one of"),
    (lambda: serving.with_heads(transformer.model("Llama 2 7B").config, "grouped", 5), "divide heads"),
    (lambda: serving.with_heads(7e9, "grouped"), "config must be"),
    (lambda: serving.cache_copies(LLAMA, 0), "devices"),
])  # fmt: skip
def test_bad_arguments_are_named(call, says):
    with pytest.raises((ValueError, TypeError), match=says):
        call()
