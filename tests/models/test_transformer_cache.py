"""Memory of weights and KV cache: published sizes, proportions, bad input."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chip2cluster import transformer
from chip2cluster.transformer import Config

GIB = 2**30
GPT = transformer.model("GPT-3 175B").config
LLAMA = transformer.model("Llama 3 8B").config
SIZES = st.integers(1, 8192)


# DeepSeek-AI, "Insights into DeepSeek-V3", arXiv:2505.09343, table 1: bytes a token, 16 bits.
@pytest.mark.parametrize("name, size", [("DeepSeek-V3", 70_272), ("Qwen2.5 72B", 327_680), ("Llama 3.1 405B", 516_096)])
def test_published_cache_sizes(name, size):
    config = transformer.model(name).config
    assert transformer.kv_cache_per_token(config) == size
    assert transformer.kv_cache_memory(config, np.array([1, 1000]), 4).tolist() == [4 * size, 4000 * size]


def test_cache_of_the_kinds_of_attention():
    heads = {kind: replace(GPT, kv_heads=count) for kind, count in (("all", 96), ("groups", 8), ("one", 1))}
    sizes = {kind: transformer.kv_cache_per_token(config) for kind, config in heads.items()}
    assert sizes["all"] == 12 * sizes["groups"] == 96 * sizes["one"] == 4 * 96 * 12288
    # Multi-query, PaLM: one key and one value of 256 in 118 layers.
    assert transformer.kv_cache_per_token(transformer.model("PaLM 540B").config) == 2 * 2 * 256 * 118
    # OPT 6.7B: half a MiB for each token.
    opt = Config(layers=32, d_model=4096, heads=32, vocab_size=50272)
    assert transformer.kv_cache_per_token(opt) == GIB / 2048


@settings(deadline=None)
@given(SIZES, SIZES, st.sampled_from([0.5, 1, 2, 4]))
def test_cache_is_proportional(context, batch, size):
    whole = transformer.kv_cache_memory(LLAMA, context, batch, size)
    assert whole == context * batch * size / 2 * transformer.kv_cache_per_token(LLAMA)
    assert type(whole) is float


@pytest.mark.parametrize("name", ["context", "batch", "bytes_per_element"])
def test_cache_sizes(name):
    for value in (0, -1, float("nan")):
        with pytest.raises(ValueError, match=name):
            transformer.kv_cache_memory(LLAMA, **{"context": 8, name: value})
    with pytest.raises(TypeError, match=name):
        transformer.kv_cache_memory(LLAMA, **{"context": 8, name: "8"})


@pytest.mark.parametrize("name", ["parameters", "bytes_per_parameter"])
def test_weight_sizes(name):
    with pytest.raises(ValueError, match=name):
        transformer.weight_memory(**{"parameters": 7e9, name: 0})
    with pytest.raises(TypeError, match=name):
        transformer.weight_memory(**{"parameters": 7e9, name: None})
