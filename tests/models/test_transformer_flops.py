"""Arithmetic of training: published totals, the four conventions, recomputation."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chip2cluster import transformer
from chip2cluster.transformer import Config, recomputed_flops_per_token, training_flops_per_token
from tests.tables import every_row

CONVENTIONS = ("6n", "palm", "torchtitan", "megatron")
LLAMA = transformer.model("Llama 3 8B").config
SEQUENCES = st.integers(1, 2**20)


def test_torchtitan_prints_this_for_llama_3_1_8b():
    # pytorch/torchtitan, get_dense_model_nparams_and_flops at sequence 8,192.
    assert training_flops_per_token(LLAMA, 8192, "torchtitan") == 57_914_449_920
    # and from the count of parameters that it logs
    trained = 8_030_261_248 - 525_336_576
    assert training_flops_per_token(LLAMA, 8192, "palm", parameters=trained) == 57_914_449_920


def test_palm_540b():
    palm = transformer.model("PaLM 540B").config
    assert training_flops_per_token(palm, convention="6n", parameters=540.35e9) == 3_242_100_000_000
    assert training_flops_per_token(palm, 2048, parameters=540.35e9) == pytest.approx(3_277_734_806_784, rel=1e-12)
    assert training_flops_per_token(palm, 2048) == pytest.approx(3_277_734_806_784, rel=2e-5)


def test_mt_nlg_530b():
    config = transformer.model("Megatron 530B").config
    assert training_flops_per_token(config, 2048, parameters=530e9) == pytest.approx(3_232_848_230_400, rel=1e-12)


# Narayanan et al. 2021, table 1 and eq. 3: FLOP of an iteration with full recomputation.
@pytest.mark.parametrize(
    "layers, d_model, heads, batch, flops",
    [
        (40, 6144, 48, 1024, 3.2483971531014144e17),
        (48, 8192, 64, 1536, 1.0212263998783488e18),
        (80, 12288, 96, 2304, 5.641682123048877e18),
        (96, 16384, 128, 2160, 1.1194006936108399e19),
        (128, 25600, 160, 3072, 5.139051377527358e19),
    ],
)
def test_megatron_iterations_with_full_recomputation(layers, d_model, heads, batch, flops):
    config = Config(layers=layers, d_model=d_model, heads=heads, vocab_size=51200)
    per_token = transformer.hardware_flops_per_token(config, 2048, "full", "megatron")
    assert batch * 2048 * per_token == pytest.approx(flops, rel=1e-12)


# Korthikanti et al. 2022, appendix A: model and hardware FLOP of an iteration.
@pytest.mark.parametrize(
    "name, batch, model_flops, hardware_flops",
    [
        ("Megatron 22B", 4, 1143560812363776.0, 1202934440263680.0),
        ("Megatron 1T", 512, 6.425875806211277e18, 6.510318299224473e18),
    ],
)
def test_megatron_iterations_with_selective_recomputation(name, batch, model_flops, hardware_flops):
    config = transformer.model(name).config
    tokens = batch * 2048
    assert tokens * training_flops_per_token(config, 2048, "megatron") == pytest.approx(model_flops, rel=1e-12)
    hardware = transformer.hardware_flops_per_token(config, 2048, "selective", "megatron")
    assert tokens * hardware == pytest.approx(hardware_flops, rel=1e-12)


def test_selective_paper_rule_is_three_times_rerun():
    """s/3h in the published equation, 2s/9h by counting the two products that are rerun."""
    config = transformer.model("Megatron 22B").config
    printed, counted = (
        recomputed_flops_per_token(config, 2048, "selective", "palm", selective_rule=rule)
        for rule in ("paper", "rerun")
    )
    assert recomputed_flops_per_token(config, 2048, "selective", "megatron") == printed  # a convention brings its rule
    assert recomputed_flops_per_token(config, 2048, "selective", "torchtitan") == counted
    assert printed == 3 * counted
    layers, width = config.layers, config.d_model
    base = 72 * layers * width**2
    assert printed == pytest.approx(base * (2048 / (3 * width) - 2048 / (6 * width)), rel=1e-12)
    assert counted == pytest.approx(base * (2 * 2048 / (9 * width) - 2048 / (6 * width)), rel=1e-12)


def test_deepseek_v3_published_arithmetic():
    """250 GFLOP a token at sequence 4,096 (arXiv:2505.09343, table 2), causal; its two
    utilizations, 43.73 % counting the whole square and 38.94 % half of it, have this ratio.
    """
    config = transformer.model("DeepSeek-V3").config
    half = training_flops_per_token(config, 4096, "torchtitan", causal=True)
    whole = training_flops_per_token(config, 4096, "torchtitan")
    assert half / 1e9 == pytest.approx(250, abs=0.5)
    assert whole / half == pytest.approx(43.73 / 38.94, abs=0.001)


def test_another_counter_agrees_on_llama_2_7b():
    """The calflops tool counts 1,700.06 GFLOP for a forward pass over 128 tokens."""
    config = transformer.model("Llama 2 7B").config
    forward = 128 * training_flops_per_token(config, 128, "megatron") / 3
    assert forward / 1e9 == pytest.approx(1700.06, rel=1e-4)


def test_whole_runs():
    assert transformer.training_flops(405e9, 15.6e12) == pytest.approx(3.7908e25, rel=1e-12)
    assert round(transformer.training_flops(70e9, 15e12) / 1e24, 1) == 6.3
    # "80 TFLOP for an iteration of a 70B model", a published example, is the work of 190 tokens.
    assert 80e12 / transformer.training_flops(70e9, 1) == pytest.approx(190, abs=0.5)


@pytest.mark.parametrize("heads, kv_heads", [(32, 32), (32, 8)])
def test_where_scores_cost_as_much_as_projections(heads, kv_heads):
    """Multi-head: at T = 2 d; grouped queries have less to project, so earlier."""
    config = Config(layers=1, d_model=4096, heads=heads, kv_heads=kv_heads, vocab_size=1000)
    sequence = 4096 * (1 + kv_heads / heads)
    parts = transformer.flops_breakdown(config, sequence)
    assert parts["attention_scores"] == parts["attention_projections"]


@settings(deadline=None)
@given(SEQUENCES, st.sampled_from(["palm", "torchtitan", "megatron"]))
def test_arithmetic_grows_by_the_same_for_each_position(sequence, convention):
    work = [training_flops_per_token(LLAMA, length, convention) for length in (sequence, sequence + 1)]
    assert work[1] - work[0] == pytest.approx(12 * 32 * 32 * 128, rel=1e-6)


@settings(deadline=None)
@given(SEQUENCES)
def test_conventions_are_ordered(sequence):
    flops = {name: training_flops_per_token(LLAMA, sequence, name) for name in CONVENTIONS}
    assert flops["megatron"] < flops["torchtitan"] < flops["palm"]  # norms, then the input table
    assert flops["6n"] < flops["palm"]
    for name in CONVENTIONS:
        causal = training_flops_per_token(LLAMA, sequence, name, causal=True)
        assert causal == flops[name] if name == "6n" else causal < flops[name]


@every_row("name", CONVENTIONS)
@every_row("model", ["Llama 2 70B", "GPT-3 175B", "Mixtral 8x7B", "DeepSeek-V3"])
def test_array_and_scalar_agree(name, model):
    config = transformer.model(model).config
    lengths = np.array([[1, 2048], [4096, 131072]])
    many = training_flops_per_token(config, lengths, name)
    assert many.shape == lengths.shape
    for place in np.ndindex(lengths.shape):
        scalar = training_flops_per_token(config, np.int64(lengths[place]), name)
        assert type(scalar) is float and scalar == many[place]


def test_parameters_broadcast_against_sequence():
    table = training_flops_per_token(LLAMA, [[1024], [8192]], parameters=np.array([8e9, 8.03e9, 9e9]))
    assert table.shape == (2, 3)


def test_tied_table_is_still_a_product():
    tied, untied = (
        Config(layers=2, d_model=64, heads=4, vocab_size=100, tied_embeddings=tied) for tied in (True, False)
    )
    # The head multiplies in both, the lookup in neither.
    assert training_flops_per_token(tied, 8, "torchtitan") == training_flops_per_token(untied, 8, "torchtitan")
    assert training_flops_per_token(tied, 8, "megatron") == training_flops_per_token(untied, 8, "megatron")
    assert training_flops_per_token(tied, 8) < training_flops_per_token(untied, 8)


@settings(deadline=None)
@given(SEQUENCES, st.sampled_from(["palm", "torchtitan", "megatron"]))
def test_recomputing_more_costs_more(sequence, convention):
    kinds = ("none", "selective", "full")
    none, selective, full = (recomputed_flops_per_token(LLAMA, sequence, kind, convention) for kind in kinds)
    total = training_flops_per_token(LLAMA, sequence, convention)
    assert none == 0 < selective
    assert 0 < full <= total / 3 * (1 + 1e-12)
    if convention != "megatron":  # which overcounts the selective kind at long sequences
        assert selective < full
    hardware = transformer.hardware_flops_per_token(LLAMA, sequence, "full", convention)
    assert hardware == pytest.approx(total + full, rel=1e-12)


def test_recomputation_takes_arrays():
    lengths = np.array([1024, 8192])
    for recompute in ("none", "selective", "full"):
        many = recomputed_flops_per_token(LLAMA, lengths, recompute)
        assert many.tolist() == [recomputed_flops_per_token(LLAMA, int(n), recompute) for n in lengths]
    assert recomputed_flops_per_token(LLAMA, 8192, "full", "6n") == 2 * transformer.parameters(LLAMA)


@every_row("sequence", [0, -1, 1.5, float("nan"), float("inf"), [8, 0]])
def test_sequence_must_be_whole_and_positive(sequence):
    for call in (training_flops_per_token, transformer.flops_breakdown):
        with pytest.raises(ValueError, match="sequence"):
            call(LLAMA, sequence)
    with pytest.raises(ValueError, match="sequence"):
        training_flops_per_token(LLAMA, sequence, "6n")


@pytest.mark.parametrize("sequence", [True, "8192", [True, False], ["a"], 1j])
def test_sequence_must_be_a_number(sequence):
    with pytest.raises(TypeError, match="sequence"):
        training_flops_per_token(LLAMA, sequence)


def test_sequence_cannot_be_left_out():
    for convention in ("palm", "torchtitan", "megatron"):
        with pytest.raises(TypeError, match="sequence is needed"):
            training_flops_per_token(LLAMA, convention=convention)


def test_unknown_names_list_the_choices():
    with pytest.raises(ValueError, match="'6n', 'palm', 'torchtitan', 'megatron', got 'chinchilla'"):
        training_flops_per_token(LLAMA, 8192, "chinchilla")
    for function in (recomputed_flops_per_token, transformer.hardware_flops_per_token):
        with pytest.raises(ValueError, match="'none', 'selective', 'full', got 'some'"):
            function(LLAMA, 8192, "some")
        with pytest.raises(ValueError, match="does not count"):
            function(LLAMA, 8192, "selective", "6n")
        for kind in ("none", "selective", "full"):
            with pytest.raises(ValueError, match="selective_rule must be one of 'rerun', 'paper', got 'half'"):
                function(LLAMA, 8192, kind, selective_rule="half")


def test_other_arguments_are_checked():
    with pytest.raises(ValueError, match="parameters has no meaning"):
        training_flops_per_token(LLAMA, 8192, "megatron", parameters=8e9)
    with pytest.raises(ValueError, match="parameters must be greater than zero"):
        training_flops_per_token(LLAMA, 8192, parameters=0)
    with pytest.raises(TypeError, match="causal"):
        training_flops_per_token(LLAMA, 8192, causal=1)
    with pytest.raises(TypeError, match="causal"):
        training_flops_per_token(LLAMA, convention="6n", causal="half")
    with pytest.raises(TypeError, match="config must be a transformer.Config"):
        training_flops_per_token(8e9, 8192)
    with pytest.raises(TypeError, match="config must be a transformer.Config"):
        transformer.flops_breakdown(8e9, 8192)
    for bad in (0, -1, float("nan")):
        with pytest.raises(ValueError, match="parameters"):
            transformer.training_flops(bad, 1e9)
        with pytest.raises(ValueError, match="tokens"):
            transformer.training_flops(1e9, bad)
