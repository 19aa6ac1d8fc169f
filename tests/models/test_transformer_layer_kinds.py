"""Windows, hybrids, sparse and latent attention: cache, arithmetic and activations."""

from dataclasses import replace

import numpy as np
import pytest

from chip2cluster import parallelism, serving, transformer
from chip2cluster.transformer import Config, LinearAttention, kv_cache_memory

SMALL = dict(layers=12, d_model=256, heads=8, kv_heads=2, vocab_size=1000, gated=True)
MAMBA = LinearAttention(kind="mamba2", heads=8, head_dim=64, key_heads=2, key_dim=32, conv_kernel=4)
CHANGED = [
    Config(**SMALL),
    Config(**SMALL, mixers=("window", "full"), window=100),
    Config(**SMALL, mixers=("window",), window=64),
    Config(**SMALL, mixers=("linear", "linear", "full"), linear=MAMBA),
    Config(**SMALL, mixers=("linear", "none", "full"), feed_forwards=("none", "dense", "none"), linear=MAMBA),
    transformer.model("DeepSeek-V3.2").config,
]


# Published: configs of Gemma 3 27B and gpt-oss-120b (arithmetic on their layers); logs of SGLang for Nemotron-H 8B
# (K and V of 19.98 GB each) and for DeepSeek-V3.2 in fp8, without and with the index keys.
@pytest.mark.parametrize(
    "model, tokens, size, gib",
    [
        ("Gemma 3 27B", 131_072, 2, 10.41),
        ("gpt-oss-120b", 131_072, 2, 4.50),
        ("Nemotron-H 8B", 2_618_868, 2, 39.96),
        ("DeepSeek-V3", 1_462_784, 1, 54.52),
        ("DeepSeek-V3.2", 975_424, 1, 43.67),
        ("Qwen3 235B-A22B", 367_404, 2, 4 * 2 * 8.23),
    ],
)
def test_cache_of_published_servers(model, tokens, size, gib):
    assert kv_cache_memory(model, tokens, 1, size) / 2**30 == pytest.approx(gib, rel=0.002)


def test_fp8_latent_takes_656_bytes():
    latent = transformer.model("DeepSeek-V3").config.latent
    assert latent.cached_bytes(1) == 656
    assert latent.cached_bytes(np.array([1, 2])).tolist() == [656, 1152]


@pytest.mark.parametrize("config", CHANGED, ids=range(len(CHANGED)))
def test_cache_grows_with_the_context_and_the_batch(config):
    contexts = np.unique(np.geomspace(1, 1e6, 60).astype(int))
    stored = kv_cache_memory(config, contexts)
    assert np.all(np.diff(stored) >= 0) and np.all(stored <= kv_cache_memory(replace_full(config), contexts))
    assert kv_cache_memory(config, 777, 5) == pytest.approx(5 * kv_cache_memory(config, 777))
    assert kv_cache_memory(config, 1) == pytest.approx(transformer.kv_cache_per_token(config))


def replace_full(config):
    return replace(config, mixers=("full",), feed_forwards=None, window=None, linear=None)


@pytest.mark.parametrize("config", CHANGED, ids=range(len(CHANGED)))
def test_parameters_add_up_layer_by_layer(config):
    """The whole is what its layers hold one at a time, less the tables counted with each."""
    one_by_one = 0
    for mixer, block in config.layer_kinds:
        layer = replace(
            config, layers=1, mixers=(mixer,), feed_forwards=(block,),
            window=config.window if mixer == "window" else None,
            linear=config.linear if mixer == "linear" else None,
            experts=replace(config.experts, dense_layers=0) if block == "experts" else None,
        )  # fmt: skip
        parts = transformer.parameter_breakdown(layer)
        final = config.d_model  # norm after the last layer
        one_by_one += sum(parts[name] for name in ("attention", "feed_forward", "router", "norms")) - final
    ends = config.d_model + 2 * config.vocab_size * config.d_model
    assert transformer.parameters(config) == one_by_one + ends


@pytest.mark.parametrize("causal", [False, True])
def test_window_flops_are_a_sum_over_queries(causal):
    sequence, window = 500, 64
    windowed = Config(**SMALL, mixers=("window",), window=window)
    reach = [min(i, window) for i in range(1, sequence + 1)] if causal else [window] * sequence
    scores = transformer.flops_breakdown(windowed, sequence, causal=causal)["attention_scores"]
    expected = 3 * 2 * 2 * windowed.layers * windowed.qk_width * np.mean(reach)  # 2 products, 2 FLOP, backward twice
    assert scores == pytest.approx(expected, rel=0.01)


@pytest.mark.parametrize("config", CHANGED, ids=range(len(CHANGED)))
def test_flops_grow_with_the_sequence_and_windows_save(config):
    lengths = np.array([16, 64, 65, 100, 101, 1000, 4096])
    work = transformer.training_flops_per_token(config, lengths, causal=True)
    assert np.all(np.diff(work) >= 0)
    scores = transformer.flops_breakdown(config, lengths)["attention_scores"]
    if config.window:
        assert np.all(scores <= transformer.flops_breakdown(replace_full(config), lengths)["attention_scores"])
    assert scores.shape == lengths.shape


def test_wide_window_equals_full_attention():
    wide, full = Config(**SMALL, mixers=("window",), window=10**6), Config(**SMALL)
    for count in (kv_cache_memory, transformer.training_flops_per_token):
        assert count(wide, 8192) == count(full, 8192)
    assert transformer.activation_memory(wide, 512) == transformer.activation_memory(full, 512)


def test_recurrent_states_do_not_grow_with_the_context():
    config = transformer.model("Nemotron-H 8B").config
    assert transformer.recurrent_state_memory(config) == 24 * (128 * 64 * 128 * 4 + 3 * 10240 * 2)
    assert transformer.recurrent_state_memory("Llama 3 8B", [1, 2]).tolist() == [0, 0]


@pytest.mark.parametrize("config", CHANGED[:5], ids=range(5))
def test_activations_are_a_sum_over_the_layers(config):
    total = transformer.activation_memory(config, 256, include_ends=False, fused_attention=True)
    layers = [
        transformer.activation_memory_per_layer(
            config, 256, fused_attention=True, mixer=mixer, feed_forward=block != "none"
        )
        for mixer, block in config.layer_kinds
    ]
    assert total == pytest.approx(sum(layers)) and all(one > 0 for one in layers)


def test_training_memory_keeps_no_scores_unless_asked():
    """FSDP on 8 chips, two sequences of 8,192: torchtitan measured 77 to 82 GiB."""
    run = dict(data_parallel=8, zero_stage=3, weight_bytes=4, gradient_bytes=4, optimizer_bytes=8)
    fused = transformer.training_memory("Llama 3.1 8B", 8192, 2, **run)
    assert fused.total / 2**30 == pytest.approx(82.4, rel=0.1)
    unfused = transformer.training_memory("Llama 3.1 8B", 8192, 2, **run, fused_attention=False)
    assert unfused.total / 2**30 == pytest.approx(727, rel=0.01)


@pytest.mark.parametrize(
    "name", ["Gemma 3 27B", "gpt-oss-120b", "Nemotron-H 8B", "DeepSeek-V3.2", "Qwen3-Next 80B-A3B"]
)
def test_served_batch_fills_the_memory_and_no_more(name):
    chip = serving.deploy(name, "H200 SXM", 8, "fp8")
    for context in (1000, 8192, 100_000):
        users = serving.largest_batch(chip, context)
        assert users * chip.sequence_cache(context) <= chip.cache_room
        assert (users + 1) * chip.sequence_cache(context + 16) > chip.cache_room
        bound = serving.throughput_bound(chip, context, 100, sequences=users)
        assert serving.stream_rate(chip, context, 100, sequences=users) <= bound


def test_windows_read_less_cache_in_a_step():
    gemma = serving.deploy("Gemma 3 27B", "H100 SXM")
    per_token = transformer.kv_cache_per_token("Gemma 3 27B")
    assert gemma.cache_bytes_read(1000, 1) == 1000 * per_token
    assert gemma.cache_bytes_read(131_072, 1) == pytest.approx(10.40625 * 2**30)
    full = serving.deploy(replace_full(gemma.config), "H100 SXM")
    long = serving.time_between_tokens(gemma, 100_000)
    assert long < serving.time_between_tokens(full, 100_000)


def test_stored_weights_decide_what_is_read():
    int4 = serving.deploy("Llama 3 70B", "H100 SXM", weight_precision="int4")
    assert int4.weight_memory / 1e9 == pytest.approx(39.8, abs=0.1)
    plain = serving.deploy("Llama 3 70B", "H100 SXM", 4)
    assert int4.peak_flops_dense == plain.peak_flops_dense
    assert int4.weight_bytes_read(1) < plain.weight_bytes_read(1) / 3.4
    experts = serving.deploy("gpt-oss-120b", "H100 SXM", 2)
    assert experts.weight_bytes_read(1) < experts.weight_bytes_read(10**6) <= experts.weight_memory


@pytest.mark.parametrize(
    "fields, message",
    [
        (dict(mixers=("window",)), "window"),
        (dict(window=128), "window=128"),
        (dict(mixers=("linear",)), "linear"),
        (dict(linear=MAMBA), "linear"),
        (dict(mixers="full"), "mixers must be a tuple"),
        (dict(mixers=("global",)), "'global'"),
        (dict(feed_forwards=("experts",)), "experts"),
        (dict(index=transformer.SparseIndex(heads=2, head_dim=8, tokens=9)), "index"),
    ],
)
def test_layer_kinds_that_contradict_are_refused(fields, message):
    with pytest.raises((ValueError, TypeError), match=message):
        Config(**SMALL, **fields)


@pytest.mark.parametrize("devices", [2, 8, 32, 64])
def test_expert_exchange_agrees_with_routed_tokens(devices):
    """Expected copies of a token against 4,096 tokens that are routed at random, each sent once a device."""
    chip = serving.deploy("DeepSeek-V3", "H200 SXM", devices, "fp8", attention="data", memory_bytes=10e12)
    sent = parallelism.route(4096, 256, 8, seed=1).sent(devices, 7168 * 3, once=True)
    expected = serving.expert_exchange_bytes(chip, 4096) / 58
    assert expected == pytest.approx(np.sum(sent) / devices, rel=0.02)
    assert serving.expert_exchange_seconds(chip, 4096) == pytest.approx(58 * expected / chip.link_bandwidth_one_way)


def test_expert_exchange_needs_experts_and_devices():
    assert serving.expert_exchange_bytes(serving.deploy("Llama 3 8B", "H200 SXM", 8), [1, 2]).tolist() == [0, 0]
    assert serving.expert_exchange_seconds(serving.deploy("gpt-oss-20b", "H200 SXM"), 64) == 0
