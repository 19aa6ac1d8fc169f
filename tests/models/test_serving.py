"""Bounds of serving without queues, against other models, published systems and counting by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chip2cluster import collectives, roofline, serving, specs, transformer
from chip2cluster.serving import Batch, Efficiency, deploy
from tests.tables import every_row

DENSE = ["Llama 3 8B", "Llama 3.1 70B", "GPT-3 175B", "Qwen2.5 72B", "PaLM 540B"]
ONE_BIG_CHIP = dict(peak_flops_dense=989.4e12, memory_bandwidth=3.35e12, memory_bytes=4e12, devices=1)


def alone(name, **changes):
    """Deploy a model on one chip large enough for it."""
    return serving.Deployment(config=transformer.model(name).config, **(ONE_BIG_CHIP | changes))


@every_row("name", DENSE)
@every_row("context", [1, 777, 8192])
def test_decode_of_one_sequence_matches_roofline_decode_step(name, context):
    config = transformer.model(name).config
    parts = transformer.parameter_breakdown(config)
    looked_up = parts["positions"] + (0 if config.tied_embeddings else parts["embedding"])
    read = transformer.parameters(config) - looked_up
    step = roofline.decode_step(read, 1, transformer.kv_cache_memory(config, context))
    scores = roofline.attention_decode(context, config.heads, config.head_dim, config.kv_heads).flops * config.layers
    ours = serving.step_kernel(alone(name), Batch(decoding=1, context=context))
    assert serving.parameters_read(config) == read
    assert ours.bytes_moved == pytest.approx(step.bytes_moved, rel=1e-12)
    assert ours.flops == pytest.approx(step.flops + scores, rel=1e-12)
    assert serving.time_between_tokens(alone(name), context) == pytest.approx(step.time(989.4e12, 3.35e12), rel=1e-12)


def test_tied_model_reads_all_parameters_but_positions():
    config = transformer.model("GPT-2 124M").config
    assert serving.parameters_read(config) == transformer.parameters(config) - 1024 * 768


@pytest.mark.parametrize("name", ["Mixtral 8x7B", "DeepSeek-V3"])
def test_parameters_read_counts_active_experts(name):
    config = transformer.model(name).config
    table = config.vocab_size * config.d_model
    assert serving.parameters_read(config) == pytest.approx(transformer.active_parameters(config) - table, rel=1e-12)
    assert serving.parameters_read(config, 10**6) == pytest.approx(transformer.parameters(config) - table, rel=1e-9)
    # Even routing, simulated: eight tokens of Mixtral.
    if name == "Mixtral 8x7B":
        rng = np.random.default_rng(0)
        seen = np.mean([len({e for _ in range(8) for e in rng.choice(8, 2, replace=False)}) for _ in range(4000)])
        expert = 3 * 4096 * 14336 * 32
        expected = transformer.active_parameters(config) - table + (seen - 2) * expert
        assert serving.parameters_read(config, 8) == pytest.approx(expected, rel=0.005)


@pytest.mark.parametrize("name", DENSE)
def test_prefill_is_a_forward_pass(name):
    # The forward pass is a third of the training arithmetic; the head is needed for the last token alone.
    config, prompt = transformer.model(name).config, 2048
    whole = transformer.training_flops_per_token(config, prompt, "megatron", causal=True) / 3 * prompt
    head = 2 * config.vocab_size * config.d_model * (prompt - 1)
    mask = 2.0 * config.layers * (config.qk_width + config.v_width) * prompt / 2  # a token attends to itself
    ours = serving.step_kernel(alone(name), serving.batch.prompt_batch(prompt)).flops
    assert ours == pytest.approx(whole - head + mask, rel=2e-4)  # norms and biases


@given(st.integers(2, 5000), st.data())
def test_chunked_prefill_conserves_flops(prompt, data):
    llama, cut = alone("Llama 3 8B"), data.draw(st.integers(1, prompt - 1))
    flops = serving.step_kernel(llama, serving.batch.prompt_batch(prompt)).flops
    first = Batch(prompt=cut, pairs=cut * (cut + 1) / 2)
    parts = serving.step_kernel(llama, first).flops
    parts += serving.step_kernel(llama, serving.batch.prompt_batch(prompt, cached=cut)).flops
    assert parts == pytest.approx(flops, rel=1e-12)


def test_latent_is_expanded_in_prefill_and_absorbed_in_decode():
    config = transformer.model("DeepSeek-V3").config
    deepseek = serving.Deployment(config=config, **ONE_BIG_CHIP, weight_bytes=1)
    token = serving.step_kernel(deepseek, Batch(decoding=1, context=10_000)).flops
    assert token - serving.step_kernel(deepseek, Batch(decoding=1)).flops == 61 * 128 * 2 * (576 + 512) * 10_000
    prompt = serving.step_kernel(deepseek, Batch(prompt=4000, pairs=8e6)).flops
    assert prompt - serving.step_kernel(deepseek, Batch(prompt=4000)).flops == 61 * 128 * 2 * (192 + 128) * 8e6


@given(st.integers(1, 512), st.integers(1, 100_000))
def test_step_time_is_monotone(sequences, context):
    llama = alone("Llama 3 8B")
    now = serving.time_between_tokens(llama, context, sequences)
    assert now <= serving.time_between_tokens(llama, context, sequences + 1)
    assert now <= serving.time_between_tokens(llama, context + 1, sequences)
    assert serving.decode_rate(llama, context, sequences) <= serving.decode_rate(llama, context, sequences + 1) * (
        1 + 1e-12
    )


def test_arrays_and_scalars_agree():
    llama = alone("Llama 3 8B")
    contexts, batches = np.array([[128], [4096]]), np.array([1, 8, 300])
    grid = serving.time_between_tokens(llama, contexts, batches)
    assert grid.shape == (2, 3) and grid[1, 2] == serving.time_between_tokens(llama, 4096, 300)
    assert isinstance(serving.time_between_tokens(llama, np.int64(4096), 300), float)
    bounds = serving.throughput_bound(llama, contexts, 512)
    assert bounds[1, 0] == serving.throughput_bound(llama, 4096, 512)


def test_efficiency_slows_steps_and_adds_ring_messages():
    llama = deploy("Llama 3 70B", "H100 SXM", devices=4)
    batch = Batch(decoding=32, context=32 * 1000)
    bound = serving.step_seconds(llama, batch)
    message = 32 * 8192 * 2.0
    ring = 160 * collectives.ring_all_reduce_time(message, 4, 450e9)
    assert serving.message_seconds(llama, batch) == pytest.approx(ring, rel=1e-12)
    assert serving.step_seconds(llama, batch, Efficiency()) == pytest.approx(bound + ring, rel=1e-12)
    slower = serving.step_seconds(llama, batch, Efficiency(memory=0.5, overhead_seconds=0.001))
    assert slower == pytest.approx(2 * bound + ring + 0.001, rel=1e-12)
    late = deploy("Llama 3 70B", "H100 SXM", devices=4, link_latency=1e-6)
    assert serving.message_seconds(late, batch) == pytest.approx(
        160 * collectives.ring_all_reduce_time(message, 4, 450e9, 1e-6), rel=1e-12
    )


def test_unshardable_state_is_replicated():
    eight = {name: deploy(name, "H200", 8, "fp8") for name in ("Llama 3 70B", "DeepSeek-V3", "PaLM 540B")}
    assert [one.cache_copies for one in eight.values()] == [1, 8, 8]
    assert deploy("Llama 3 70B", "H200", 16, "fp8").cache_copies == 2
    parted = deploy("DeepSeek-V3", "H200", 8, "fp8", attention="data")
    attention = transformer.parameter_breakdown(parted.config)["attention"]
    assert parted.cache_copies == 1
    assert parted.weight_memory == transformer.parameters(parted.config) + 7 * attention
    assert parted.cache_tokens > 5 * eight["DeepSeek-V3"].cache_tokens


@given(st.integers(1, 64), st.integers(1, 20_000))
def test_the_largest_batch_fits_and_one_more_does_not(block, context):
    llama = deploy("Llama 3 8B", "H100 SXM", memory_share=0.9)
    found = serving.largest_batch(llama, context, block_tokens=block)
    room = 0.9 * 81559 * 2**20 - 16060522496  # MiB, as nvidia-smi prints
    taken = -(-context // block) * block * 131072
    assert found * taken <= room < (found + 2) * taken + block * 131072
    assert (found + 1) * taken > room - block * 131072


@pytest.mark.sampled(60)
@pytest.mark.parametrize("row", serving.measured_rows(), ids=lambda row: f"{row.printed_model} {row.chip} {row.prompt}")
def test_no_published_system_beats_the_bound(row):
    assert 0 < row.share < 1


def test_bounds_are_tight_for_known_batch_and_shape():
    # Early TensorRT-LLM rows with a printed batch: the best reach most of the bound.
    named = [
        row.share for row in serving.measured_rows("throughput") if row.sequences and row.prompt == row.output > 2000
    ]
    assert max(named) > 0.7 and np.median(named) > 0.4


def test_measured_rows_name_their_source_and_known_shapes():
    for row in serving.measured_rows():
        assert row.source.citation and row.source.confidence in ("confirmed", "secondary")
        assert specs.accelerator(row.chip).name == row.chip
    table = serving.measured_table()
    assert (table["rows"] > 0).all() and ("decode", "H800", "fp8") in table.index


@pytest.mark.parametrize("name", ["GPT-J 6B", "Falcon 180B", "Mistral 7B", "Qwen3 235B-A22B"])
def test_shapes_of_measured_models_have_published_size(name):
    from chip2cluster.serving import published_measurements

    shape = published_measurements._file()["shapes"][name]
    row = next(row for row in serving.measured_rows() if row.model == name)
    where = row.model, row.chip, row.devices, row.precision, row.attention
    counted = transformer.parameters(serving.served_deployment(*where).config)
    assert counted == pytest.approx(shape["published_parameters"], rel=0.001)


def test_first_token_bounds_of_the_published_table():
    # Printed bound: 2 N n over the peak. Ours adds scores and leaves out embedding tables.
    printed = {"LLaMA 7B": 13.95e-3, "LLaMA 70B": 35.7e-3, "GPT-J 6B": 12.52e-3, "Falcon 180B": 46.57e-3}
    for row in serving.measured_rows("first_token"):
        if row.chip == "H100 SXM" and row.prompt == 2048:
            assert row.bound == pytest.approx(printed[row.printed_model], rel=0.06)


def test_throughput_bound_includes_step_time():
    # One long request at a time can be no faster than a token a step.
    llama = deploy("Llama 3 8B", "H100 SXM")
    bound = serving.throughput_bound(llama, 1, 2000, sequences=1)
    steps = serving.time_between_tokens(llama, np.arange(2, 2001))
    assert bound == pytest.approx(2000 / steps.sum(), rel=0.001)


LLAMA = deploy("Llama 3 8B", "H100 SXM")
SHAPE = dict(config=LLAMA.config, peak_flops_dense=1e15, memory_bandwidth=1e12, memory_bytes=80e9)


@every_row(
    ("call", "words"),
    [
        (lambda: deploy("Llama 3 405", "H100 SXM"), "Llama 3.1 405B"),
        (lambda: deploy("Llama 3 8B", "H1000"), "H100"),
        (lambda: deploy("Llama 3 8B", "A100 SXM 80GB", precision="fp8"), "fp8"),
        (lambda: deploy("Llama 3 8B", "H100 SXM", cache_precision="fp3"), "precision"),
        (lambda: deploy("Llama 3 70B", "H100 SXM"), "at least 2 devices are needed"),
        (lambda: deploy("DeepSeek-V3", "H100 SXM", 7, "fp8"), "at least 8 devices are needed"),
        (lambda: serving.Deployment(**SHAPE | {"config": "Llama"}), "config must be a transformer.Config"),
        (lambda: serving.Deployment(**SHAPE, devices=0), "devices must be at least 1"),
        (lambda: serving.Deployment(**SHAPE, devices=1.5), "devices must be a whole number"),
        (lambda: serving.Deployment(**SHAPE, devices=[1, 2]), "devices must be a single whole number"),
        (lambda: serving.Deployment(**SHAPE | {"peak_flops_dense": 0}), "peak_flops_dense must be greater"),
        (lambda: serving.Deployment(**SHAPE | {"memory_bandwidth": float("nan")}), "memory_bandwidth must be finite"),
        (lambda: serving.Deployment(**SHAPE | {"memory_bytes": -1}), "memory_bytes must be greater"),
        (lambda: serving.Deployment(**SHAPE, weight_bytes=0), "weight_bytes must be greater"),
        (lambda: serving.Deployment(**SHAPE, cache_bytes=True), "cache_bytes must be a number"),
        (lambda: serving.Deployment(**SHAPE, attention="expert"), "attention must be one of 'tensor', 'data'"),
        (lambda: serving.Deployment(**SHAPE, memory_share=1.1), "memory_share must be at most 1"),
        (lambda: serving.Deployment(**SHAPE, link_bandwidth_one_way=0), "link_bandwidth_one_way must be greater"),
        (lambda: serving.Deployment(**SHAPE, link_latency=-1), "link_latency must be zero or more"),
        (lambda: Efficiency(compute=1.2), "compute must be at most 1"),
        (lambda: Efficiency(memory=0), "memory must be greater"),
        (lambda: Efficiency(link=2), "link must be at most 1"),
        (lambda: Efficiency(overhead_seconds=-1), "overhead_seconds must be zero or more"),
        (lambda: serving.step_kernel("Llama", Batch(1, 1)), "deployment must be a serving.Deployment"),
        (lambda: serving.step_kernel(LLAMA, (1, 100)), "batch must be a serving.Batch"),
        (lambda: serving.step_kernel(LLAMA, Batch(context=100)), "batch must hold at least one token"),
        (lambda: serving.step_seconds(LLAMA, Batch(decoding=1, context=-5)), "context must be zero or more"),
        (lambda: serving.step_seconds(LLAMA, Batch(prompt=-1)), "prompt must be zero or more"),
        (lambda: serving.message_seconds(LLAMA, Batch()), "batch must hold at least one token"),
        (lambda: serving.message_seconds("Llama", Batch()), "deployment must be a serving.Deployment"),
        (lambda: serving.time_between_tokens(LLAMA, 10, efficiency=0.5), "efficiency must be a serving.Efficiency"),
        (lambda: serving.time_to_first_token("Llama", 10), "deployment must be a serving.Deployment"),
        (lambda: serving.step_seconds(LLAMA, Batch(decoding=1), 0.5), "efficiency must be a serving.Efficiency"),
        (lambda: serving.parameters_read(7e9), "config must be a transformer.Config"),
        (lambda: serving.parameters_read(LLAMA.config, 0), "tokens must be at least 1"),
        (lambda: serving.time_to_first_token(LLAMA, 0), "prompt must be at least 1"),
        (lambda: serving.time_to_first_token(LLAMA, 10, 0), "sequences must be at least 1"),
        (lambda: serving.time_to_first_token(LLAMA, 10, cached=10), "cached must be less than the prompt"),
        (lambda: serving.time_between_tokens(LLAMA, 0.5), "context must be a whole number"),
        (lambda: serving.decode_rate(LLAMA, 10, -1), "sequences must be at least 1"),
        (lambda: serving.largest_batch(LLAMA, 0), "context must be at least 1"),
        (lambda: serving.largest_batch(LLAMA, 10, block_tokens=0), "block_tokens must be at least 1"),
        (lambda: serving.throughput_bound(LLAMA, 10**6, 1), "must fit into the cache of 529,940 tokens"),
        (lambda: serving.throughput_bound(LLAMA, 10, 0), "output must be at least 1"),
        (lambda: serving.throughput_bound(LLAMA, 10, 10, sequences=0), "sequences must be at least 1"),
        (lambda: serving.measured_rows("latency"), "quantity must be one of 'throughput'"),
    ],
)
def test_bad_arguments_are_named(call, words):
    with pytest.raises((ValueError, TypeError), match=words):
        call()
