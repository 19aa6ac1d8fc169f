"""Memory of training and decoding: published figures, bounds, bad input."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chip2cluster import transformer
from chip2cluster.transformer import activation_memory, activation_memory_per_layer, state_memory
from tests.tables import every_row

GIB = 2**30
GPT = transformer.model("GPT-3 175B").config
LLAMA = transformer.model("Llama 3 8B").config

# Korthikanti et al. 2022, table 3: micro-batch, tensor and pipeline parallelism, and
# chunks of the interleaved schedule.
RUNS = {
    "Megatron 22B": dict(batch=4, tensor_parallel=8),
    "Megatron 175B": dict(batch=1, tensor_parallel=8, pipeline_parallel=8, pipeline_chunks=3),
    "Megatron 530B": dict(batch=1, tensor_parallel=8, pipeline_parallel=35, pipeline_chunks=3),
    "Megatron 1T": dict(batch=1, tensor_parallel=8, pipeline_parallel=64),
}
BOTH = dict(sequence_parallel=True, recompute="selective")


# Figure 1, GiB, as kept with the Calculon tool; states are 18 bytes for each of 12 h^2 L weights.
@pytest.mark.parametrize(
    "name, plain, both, states",
    [
        ("Megatron 22B", 59.25, 9.5625, 45.5625),
        ("Megatron 175B", 66.84375, 12.3515625, 45.5625),
        ("Megatron 530B", 114.0234375, 23.076171875, 31.640625),
        ("Megatron 1T", 131.25, 26.5625, 32.958984375),
    ],
)
def test_figure_1_of_korthikanti(name, plain, both, states):
    config, run = transformer.model(name).config, RUNS[name]
    assert activation_memory(config, 2048, **run) / GIB == pytest.approx(plain, rel=1e-12)
    assert activation_memory(config, 2048, **run, **BOTH) / GIB == pytest.approx(both, rel=1e-12)
    matrices = 12 * config.layers * config.d_model**2
    parts = transformer.parameter_breakdown(replace(config, bias=False, qkv_bias=False))
    assert parts["attention"] + parts["feed_forward"] == matrices
    devices = run["tensor_parallel"] * run.get("pipeline_parallel", 1)
    assert state_memory(matrices / devices, gradient_bytes=4).total / GIB == pytest.approx(states, rel=1e-12)


# Figure 7, per cent of what tensor parallelism alone keeps, read off the bars.
@pytest.mark.parametrize(
    "name, sequence_only, selective_only, both, full",
    [
        ("Megatron 22B", 66.84, 49.42, 16.18, 7.64),
        ("Megatron 175B", 62.04, 56.53, 18.49, 8.71),
        ("Megatron 530B", 58.31, 62.04, 20.27, 9.42),
        ("Megatron 1T", 58.31, 62.04, 20.27, 9.42),
    ],
)
def test_figure_7_of_korthikanti(name, sequence_only, selective_only, both, full):
    config = transformer.model(name).config

    def percent(**options):
        base = activation_memory_per_layer(config, 2048, tensor_parallel=8)
        return 100 * activation_memory_per_layer(config, 2048, tensor_parallel=8, **options) / base

    near = dict(abs=0.15)  # the bars were read to about 0.1
    assert percent(sequence_parallel=True) == pytest.approx(sequence_only, **near)
    assert percent(recompute="selective") == pytest.approx(selective_only, **near)
    assert percent(**BOTH) == pytest.approx(both, **near)
    assert percent(recompute="full") == pytest.approx(full, **near)


def test_table_2_of_korthikanti():
    s, b, t, a, h = 1024, 2, 4, GPT.heads, GPT.d_model
    unit, scores = s * b * h, 5 * a * s / h
    for options, factor in (
        (dict(), 34 + scores),
        (dict(tensor_parallel=t), 10 + 24 / t + scores / t),
        (dict(tensor_parallel=t, sequence_parallel=True), 34 / t + scores / t),
        (dict(tensor_parallel=t, recompute="selective"), 10 + 24 / t),
        (dict(tensor_parallel=t, **BOTH), 34 / t),
        (dict(tensor_parallel=t, recompute="full"), 2),
    ):
        assert activation_memory_per_layer(GPT, s, b, **options) == pytest.approx(unit * factor, rel=1e-12)


def test_memory_matches_megatron_lm_report():
    """Its sequence-parallel selective estimate: 18 h + 4 f a layer, embedding dropout, logits."""
    s, b, t, h = 2048, 1, 8, GPT.d_model
    report = (s * b * h * 34 * GPT.layers + s * b * h + 4 * s * b * h * (1 + GPT.vocab_size / h)) / t
    mine = activation_memory(GPT, s, b, tensor_parallel=t, include_ends=True, **BOTH)
    assert mine == pytest.approx(report, rel=1e-12)
    # With a pipeline only the masks of the embedding are left, for each micro-batch held.
    piped = dict(tensor_parallel=t, pipeline_parallel=4, **BOTH)
    ends = activation_memory(GPT, s, b, include_ends=True, **piped) - activation_memory(GPT, s, b, **piped)
    assert ends == pytest.approx(4 * s * b * h / t, rel=1e-9)


def test_ends_without_sequence_parallelism_are_not_split():
    options = dict(tensor_parallel=4, dropout=False)
    ends = activation_memory(GPT, 512, include_ends=True, **options) - activation_memory(GPT, 512, **options)
    assert ends == pytest.approx(512 * (4 * GPT.d_model + 4 * GPT.vocab_size / 4), rel=1e-9)


def test_unfused_loss_stores_three_copies_of_logits():
    """Logarithm of the softmax, gradient in, gradient out: 12 bytes; 32,768 tokens over 128,256 words are 50 GB."""
    options = dict(sequence_parallel=True, recompute="full", include_ends=True)
    more = activation_memory(LLAMA, 32768, logit_bytes=12, **options) - activation_memory(LLAMA, 32768, **options)
    assert more == 32768 * 128_256 * 8
    with pytest.raises(ValueError, match="logit_bytes"):
        activation_memory(LLAMA, 32768, logit_bytes=0, **options)


def test_keys_and_values_are_repeated_once_each_device_has_one():
    """Eight heads of keys and values: what they cost beyond a single one is gone where each device has one."""

    def memory(config, tensor):
        return activation_memory_per_layer(config, 1, tensor_parallel=tensor, dropout=False, recompute="selective")

    single = replace(LLAMA, kv_heads=1)
    more_heads = [memory(LLAMA, tensor) - memory(single, tensor) for tensor in (1, 2, 4, 8, 32)]
    key_and_value = 2 * 2 * 128  # bytes of one head for a token
    assert more_heads == [heads * key_and_value for heads in (7, 3, 1, 0, 0)]


SIZES = st.integers(1, 8192)
RECOMPUTE = st.sampled_from(["none", "selective", "full"])
FLAGS = st.booleans()


@settings(deadline=None)
@given(SIZES, SIZES, RECOMPUTE, FLAGS, FLAGS, st.sampled_from([1, 2, 4, 8, 16, 32]))
def test_activations_scale_and_shrink(sequence, batch, recompute, split, dropout, tensor):
    options = dict(recompute=recompute, sequence_parallel=split, dropout=dropout)
    memory = activation_memory(LLAMA, sequence, batch, tensor_parallel=tensor, **options)
    assert activation_memory(LLAMA, sequence, 2 * batch, tensor_parallel=tensor, **options) == 2 * memory
    longer = activation_memory(LLAMA, 2 * sequence, batch, tensor_parallel=tensor, **options)
    assert longer >= 2 * memory * (1 - 1e-12)  # the scores grow with the square
    alone = activation_memory(LLAMA, sequence, batch, **options)
    assert alone / tensor <= memory * (1 + 1e-12) and memory <= alone * (1 + 1e-12)
    assert memory <= activation_memory(LLAMA, sequence, batch, tensor_parallel=tensor, recompute=recompute)
    wide = activation_memory(LLAMA, sequence, batch, tensor_parallel=tensor, bytes_per_element=4, **options)
    assert memory < wide <= 2 * memory


@settings(deadline=None)
@given(SIZES, FLAGS)
def test_recomputing_more_keeps_less(sequence, split):
    none, selective, full = (
        activation_memory(GPT, sequence, tensor_parallel=8, sequence_parallel=split, recompute=recompute)
        for recompute in ("none", "selective", "full")
    )
    assert full < selective < none


def test_pipeline_stages_cancel_until_they_interleave():
    plain = activation_memory(GPT, 2048, pipeline_parallel=np.array([1, 2, 8, 96]))
    assert np.unique(plain).size == 1
    chunks = np.array([1, 2, 3, 6])
    held = activation_memory(GPT, 2048, pipeline_parallel=8, pipeline_chunks=chunks) / plain[0]
    assert held.tolist() == pytest.approx([1, 1 + 7 / 16, 1 + 7 / 24, 1 + 7 / 48])
    assert activation_memory(GPT, 2048, pipeline_parallel=1, pipeline_chunks=6) == plain[0]


@settings(deadline=None)
@given(st.floats(1, 1e13), st.integers(1, 10**5), st.sampled_from([2, 4]))
def test_zero_stages_save_and_conserve(parameters, copies, gradient_bytes):
    by_stage = [
        state_memory(parameters, zero_stage=stage, data_parallel=copies, gradient_bytes=gradient_bytes)
        for stage in range(4)
    ]
    totals = [memory.total for memory in by_stage]
    assert all(later <= earlier * (1 + 1e-12) for earlier, later in pairwise(totals))
    assert totals[0] == pytest.approx((14 + gradient_bytes) * parameters)
    # Stage 3 keeps one copy of everything among all devices.
    assert copies * totals[3] == pytest.approx(totals[0], rel=1e-12)
    assert by_stage[1].weights == by_stage[0].weights and by_stage[2].weights == by_stage[0].weights
    assert by_stage[1].gradients == by_stage[0].gradients


def test_zero_paper_figure_1():
    # Rajbhandari et al. 2020: 7.5 billion parameters on 64 devices, GB.
    totals = state_memory(7.5e9, zero_stage=np.arange(4), data_parallel=64).total / 1e9
    assert totals.tolist() == pytest.approx([120.0, 31.40625, 16.640625, 1.875], rel=1e-12)
    assert totals.round(1).tolist() == [120.0, 31.4, 16.6, 1.9]


def test_megatron_lm_distributed_optimizer():
    """6 + 12 / d bytes for each parameter, with 32-bit gradients."""
    bytes_each = state_memory(1.0, zero_stage=1, data_parallel=np.array([1, 4, 64]), gradient_bytes=4).total
    assert bytes_each.tolist() == [18.0, 9.0, 6.1875]


def test_adam_for_70_billion_parameters():
    """A published example says that Adam takes "2x the model size"; its states take 6x."""
    plain, wide = state_memory(70e9), state_memory(70e9, gradient_bytes=4)
    assert (plain.total, wide.total) == (1120e9, 1260e9)
    assert plain.optimizer == 840e9 == 6 * transformer.weight_memory(70e9)


def test_gigabytes_are_not_gibibytes():
    """Weights of 70 billion parameters: 140 GB, which a published formula calls 130.4 GB."""
    weights = transformer.weight_memory(70e9)
    assert weights / 1e9 == 140
    assert weights / GIB == pytest.approx(130.4, abs=0.05)
    assert transformer.weight_memory(np.array([1, 2]), [2, 0.5]).tolist() == [2.0, 1.0]


def test_training_memory_is_the_sum_of_its_parts():
    options = dict(recompute="selective", sequence_parallel=True, include_ends=True, bytes_per_element=2)
    need = transformer.training_memory(
        LLAMA, 8192, 2, tensor_parallel=4, pipeline_parallel=2, data_parallel=8, zero_stage=1, **options
    )
    states = state_memory(transformer.parameters(LLAMA) / 8, zero_stage=1, data_parallel=8)
    assert need.states == states.total
    assert need.activations == activation_memory(LLAMA, 8192, 2, tensor_parallel=4, pipeline_parallel=2, **options)
    assert need.total == need.states + need.activations
    assert need.total == need.weights + need.gradients + need.optimizer + need.activations
    assert all(type(part) is float for part in (need.weights, need.gradients, need.optimizer, need.activations))


@every_row("recompute", ["none", "selective", "full"])
@every_row("split", [False, True])
@every_row("function", [activation_memory, activation_memory_per_layer])
def test_every_argument_takes_arrays(function, split, recompute):
    """An array in any one place gives an array, and the same numbers as one by one."""
    options = dict(sequence=64, batch=2, tensor_parallel=2, bytes_per_element=2)
    if function is activation_memory:
        options.update(pipeline_parallel=2, pipeline_chunks=2)
    flags = dict(sequence_parallel=split, recompute=recompute)
    if function is activation_memory:
        flags["include_ends"] = True
    for name, value in options.items():
        values = [value, 2 * value]
        many = function(GPT, **{**options, name: np.array(values)}, **flags)
        each = [function(GPT, **{**options, name: scalar}, **flags) for scalar in values]
        assert many.tolist() == each, name
        assert all(type(scalar) is float for scalar in each)


def test_state_memory_takes_arrays():
    options = dict(parameters=7e9, zero_stage=1, data_parallel=8, weight_bytes=2, gradient_bytes=2, optimizer_bytes=12)
    for name, value in options.items():
        values = [value, 2 * value]
        many = state_memory(**{**options, name: np.array(values)}).total
        assert many.tolist() == [state_memory(**{**options, name: scalar}).total for scalar in values]


def test_training_memory_takes_arrays():
    need = transformer.training_memory(LLAMA, [1024, 8192], tensor_parallel=[[1], [8]], zero_stage=3, data_parallel=8)
    assert need.activations.shape == need.total.shape == (2, 2)
    single = transformer.training_memory(LLAMA, 8192, tensor_parallel=8, zero_stage=3, data_parallel=8)
    assert need.total[1, 1] == single.total


@pytest.mark.parametrize("name", ["sequence", "batch", "tensor_parallel", "pipeline_parallel", "pipeline_chunks"])
def test_activation_sizes_must_be_whole(name):
    for value in (0, -2, 1.5, float("nan"), [2, 0]):
        with pytest.raises(ValueError, match=name):
            activation_memory(LLAMA, **{"sequence": 8, name: value})
    for value in (True, "8", None):
        with pytest.raises(TypeError, match=name):
            activation_memory(LLAMA, **{"sequence": 8, name: value})


@pytest.mark.parametrize("name", ["sequence_parallel", "dropout", "include_ends"])
def test_activation_flags(name):
    with pytest.raises(TypeError, match=name):
        activation_memory(LLAMA, 8, **{name: 1})


@every_row(
    "options, message",
    [
        (dict(recompute="some"), "'none', 'selective', 'full', got 'some'"),
        (dict(tensor_parallel=3), "tensor_parallel must divide heads=32, got 3"),
        (dict(tensor_parallel=[2, 5]), "tensor_parallel must divide"),
        (dict(tensor_parallel=64), "tensor_parallel must divide"),
        (dict(pipeline_parallel=33), "at most layers=32"),
        (dict(pipeline_parallel=8, pipeline_chunks=[2, 5]), "at most layers=32"),
        (dict(bytes_per_element=0), "bytes_per_element"),
    ],
)
def test_activation_options(options, message):
    with pytest.raises(ValueError, match=message):
        activation_memory(LLAMA, 8, **options)


def test_expert_activations_by_hand():
    """Mixtral, one token of one layer, 16 bits, fused attention, no dropout; each vector with its width."""
    config = transformer.model("Mixtral 8x7B").config
    attention = 4096 + 4096 + 4096 + 2 * 1024 + 4096  # into the norm, into the block, q, k and v, result
    block = 4096 + 4096  # into the norm, into router and experts
    experts = 2 * (4096 + 3 * 14336 + 4096)  # the copy, gate, up and product, what comes back
    router = 4 * 8  # 32-bit
    options = dict(recompute="selective", dropout=False)
    kept = activation_memory_per_layer(config, 4096, **options) / 4096
    assert kept == 2 * (attention + block + experts) + router
    # Split over 4: heads and hidden vectors; with sequence parallelism everything.
    both = activation_memory_per_layer(config, 4096, tensor_parallel=4, sequence_parallel=True, **options) / 4096
    assert both == kept / 4
    split = activation_memory_per_layer(config, 4096, tensor_parallel=4, **options) / 4096
    within = 4096 + 2 * 1024 + 4096 + 2 * 3 * 14336
    assert split == kept - 2 * within * 3 / 4
    # A device that more tokens reach keeps more, in its experts alone.
    loaded = activation_memory_per_layer(config, 4096, expert_load=1.5, **options) / 4096
    assert loaded == kept + 0.5 * 2 * experts
    assert transformer.training_memory(config, 4096, **options).activations == 32 * 4096 * kept


def test_latent_attention_activations_by_hand():
    config = transformer.model("DeepSeek-V3").config
    options = dict(recompute="selective", dropout=False)
    q = k = 128 * (128 + 64)
    attention = 7168 + 7168 + 2 * 1536 + 2 * 512 + q + k + 128 * 128 + 128 * 128
    dense = 7168 + 7168 + 3 * 18432
    experts = 7168 + 7168 + 8 * (7168 + 3 * 2048 + 7168) + 3 * 2048
    layers = [activation_memory_per_layer(config, 4096, dense_layer=one, **options) / 4096 for one in (True, False)]
    assert layers == [2 * (attention + dense), 2 * (attention + experts) + 4 * 256]
    whole = activation_memory(config, 4096, **options) / 4096
    assert whole == 3 * layers[0] + 58 * layers[1]
    scores = activation_memory_per_layer(config, 4096, dropout=False) - 4096 * layers[1]
    assert scores == 2 * 128 * 4096**2


def test_context_parallelism_splits_the_tokens_and_each_sees_all():
    for recompute in ("none", "selective", "full"):
        whole = activation_memory(LLAMA, 8192, recompute=recompute)
        assert activation_memory(LLAMA, 8192, recompute=recompute, context_parallel=[1, 2, 8]).tolist() == [
            whole, whole / 2, whole / 8
        ]  # fmt: skip
    ends = activation_memory(LLAMA, 8192, include_ends=True, context_parallel=4)
    assert ends == activation_memory(LLAMA, 8192, include_ends=True) / 4


@pytest.mark.parametrize(
    "options, message",
    [
        (dict(context_parallel=3), "context_parallel must divide sequence=8192, got 3"),
        (dict(context_parallel=0), "context_parallel must be at least 1"),
        (dict(context_parallel=True), "context_parallel must be a number"),
        (dict(dense_layer=1), "dense_layer must be True or False"),
        (dict(expert_load=0), "expert_load must be greater than zero"),
    ],
)
def test_options_of_contexts_and_experts(options, message):
    with pytest.raises((ValueError, TypeError), match=message):
        activation_memory_per_layer(LLAMA, 8192, **options)


def test_memory_functions_need_a_config():
    for function in (activation_memory, activation_memory_per_layer, transformer.training_memory):
        with pytest.raises(TypeError, match="transformer.Config"):
            function(7e9, 8)
    with pytest.raises(TypeError, match="transformer.Config"):
        transformer.kv_cache_per_token(7e9)
    with pytest.raises(TypeError, match="unexpected keyword"):
        transformer.training_memory(LLAMA, 8, colour="red")


@pytest.mark.parametrize("stage", [4, -1, 1.5, [0, 4]])
def test_zero_stages_that_do_not_exist(stage):
    with pytest.raises(ValueError, match="zero_stage"):
        state_memory(7e9, zero_stage=stage)
    with pytest.raises(ValueError, match="0, 1, 2, 3"):
        state_memory(7e9, zero_stage=4)


@pytest.mark.parametrize(
    "name, value",
    [("parameters", 0), ("data_parallel", 0), ("weight_bytes", 0), ("gradient_bytes", -1), ("optimizer_bytes", -1)],
)
def test_state_sizes(name, value):
    with pytest.raises(ValueError, match=name):
        state_memory(**{"parameters": 7e9, name: value})
    with pytest.raises(TypeError, match=name):
        state_memory(**{"parameters": 7e9, name: True})
