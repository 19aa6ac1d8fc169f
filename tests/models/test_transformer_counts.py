"""Parameter counts against published checkpoints."""

from dataclasses import FrozenInstanceError, replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chip2cluster import transformer
from chip2cluster.transformer import Config, Experts, LatentAttention
from tests.tables import every_row

LATENT = dict(kv_lora_rank=512, qk_nope_head_dim=128, qk_rope_head_dim=64, v_head_dim=128)
SMALL = dict(layers=2, d_model=64, heads=4, vocab_size=100)


@st.composite
def configs(draw):
    """Small decoder-only models of every kind."""
    kv_heads, groups = draw(st.integers(1, 4)), draw(st.integers(1, 4))
    shape = dict(
        layers=draw(st.integers(1, 6)),
        d_model=draw(st.integers(1, 64)),
        heads=kv_heads * groups,
        vocab_size=draw(st.integers(1, 500)),
        kv_heads=kv_heads,
        head_dim=draw(st.integers(1, 16)),
        d_hidden=draw(st.integers(1, 128)),
        positions=draw(st.integers(0, 64)),
        norms_per_layer=draw(st.integers(1, 2)),
        **{flag: draw(st.booleans()) for flag in ("gated", "tied_embeddings", "bias", "qkv_bias", "qk_norm")},
    )
    if draw(st.booleans()):
        routed = draw(st.integers(1, 8))
        shape["experts"] = Experts(
            routed=routed,
            per_token=draw(st.integers(1, routed)),
            d_hidden=draw(st.integers(1, 64)),
            shared=draw(st.integers(0, 2)),
            dense_layers=draw(st.integers(0, shape["layers"])),
        )
    return Config(**shape)


# Exact counts given by the authors or by the header of the checkpoint.
EXACT = {
    "Llama 2 7B": 6_738_415_616,
    "Llama 2 13B": 13_015_864_320,
    "Llama 2 70B": 68_976_648_192,
    "Llama 3 8B": 8_030_261_248,
    "Llama 3 70B": 70_553_706_496,
    "Llama 3.1 405B": 405_853_388_800,
    "GPT-2 124M": 124_439_808,
    "Mixtral 8x7B": 46_702_792_704,
    "Qwen2.5 72B": 72_706_203_648,
    "DeepSeek-V3": 671_026_419_200,
}


@every_row("name, count", EXACT.items())
def test_published_models_to_the_last_parameter(name, count):
    counted = transformer.parameters(transformer.model(name).config)
    assert counted == count
    assert type(counted) is int


# MosaicML llm-foundry, benchmarking README, column NumParams: the position table
# grows with the sequence.
MPT = [
    ("MPT 125M", 2048, 125_311_488),
    ("MPT 350M", 512, 354_412_544),
    ("MPT 350M", 32768, 387_442_688),
    ("MPT 760M", 16384, 782_490_624),
    ("MPT 1B", 65536, 1_445_974_016),
    ("MPT 3B", 1024, 2_649_216_000),
    ("MPT 7B", 8192, 6_684_024_832),
    ("MPT 13B", 16384, 12_927_354_880),
    ("MPT 30B", 1024, 29_967_874_048),
    ("MPT 30B", 8192, 30_019_254_272),
    ("MPT 70B", 2048, 64_862_437_376),
]


@every_row("name, sequence, count", MPT)
def test_mpt_benchmark_models(name, sequence, count):
    config = replace(transformer.model(name).config, positions=sequence)
    assert transformer.parameters(config) == count


# Models outside the package that the options cover.
OTHERS = {
    # Qwen2.5-7B: biased projections, 7 query heads to a key head.
    7_615_616_512: dict(
        layers=28, d_model=3584, heads=28, kv_heads=4, d_hidden=18944, vocab_size=152064, gated=True, qkv_bias=True
    ),
    # Qwen3-8B: norms on queries and keys.
    8_190_735_360: dict(
        layers=36, d_model=4096, heads=32, kv_heads=8, d_hidden=12288, vocab_size=151936, gated=True, qk_norm=True
    ),
}


@pytest.mark.parametrize("count, shape", OTHERS.items())
def test_further_published_models(count, shape):
    assert transformer.parameters(Config(**shape)) == count


# Biderman et al. 2023, Pythia, table 1: parameters without the two embedding tables.
@every_row(
    "layers, d_model, heads, count",
    [
        (6, 512, 8, 18_915_328),
        (12, 768, 12, 85_056_000),
        (24, 1024, 16, 302_311_424),
        (32, 2560, 32, 2_517_652_480),
        (32, 4096, 32, 6_444_163_072),
        (36, 5120, 40, 11_327_027_200),
    ],
)
def test_pythia_without_embeddings(layers, d_model, heads, count):
    config = Config(layers=layers, d_model=d_model, heads=heads, vocab_size=50304, bias=True)
    parts = transformer.parameter_breakdown(config)
    assert sum(parts.values()) - parts["embedding"] - parts["head"] == count


# Narayanan et al. 2021, table 1, in billions (V = 51,200, s = 2,048).
@pytest.mark.parametrize(
    "layers, d_model, heads, billions",
    [
        (40, 6144, 48, 18.4),
        (48, 8192, 64, 39.1),
        (80, 12288, 96, 145.6),
        (96, 16384, 128, 310.1),
        (128, 25600, 160, 1008.0),
    ],
)
def test_megatron_table(layers, d_model, heads, billions):
    config = Config(
        layers=layers,
        d_model=d_model,
        heads=heads,
        vocab_size=51200,
        positions=2048,
        bias=True,
        tied_embeddings=True,
    )
    assert transformer.parameters(config) / 1e9 == pytest.approx(billions, abs=0.051)
    # Their equation leaves out the final norm, 2 h.
    h = d_model
    printed = 12 * layers * h * h + 13 * layers * h + (51200 + 2048) * h
    assert transformer.parameters(config) == printed + 2 * h


def test_rounded_published_counts():
    # PaLM prints 540.35 billion, cut off rather than rounded; GPT-3 174,600 million.
    assert transformer.parameters(transformer.model("PaLM 540B").config) / 1e9 == pytest.approx(540.35, abs=0.01)
    assert round(transformer.parameters(transformer.model("GPT-3 175B").config) / 1e6, -2) == 174_600
    assert round(transformer.parameters(transformer.model("Megatron 530B").config) / 1e9, 1) == 529.6
    assert round(transformer.parameters(transformer.model("Megatron 1T").config) / 1e9, 1) == 1008.0
    assert round(transformer.parameters(transformer.model("DeepSeek-V3").config) / 1e9) == 671


def test_active_parameters_of_published_models():
    mixtral, deepseek = (transformer.model(name).config for name in ("Mixtral 8x7B", "DeepSeek-V3"))
    assert round(transformer.active_parameters(mixtral) / 1e9, 1) == 12.9  # its paper: 12.9 billion (13B)
    # Model card: 37 billion; that leaves out the input table (0.9 billion).
    table = transformer.parameter_breakdown(deepseek)["embedding"]
    assert round(table / 1e9, 1) == 0.9
    assert round((transformer.active_parameters(deepseek) - table) / 1e9) == 37


# Worked problems of the JAX scaling book, counted exactly: matrices without norms.
def test_scaling_book_counts():
    def without_norms(**shape):
        parts = transformer.parameter_breakdown(Config(gated=True, **shape))
        return sum(parts.values()) - parts["norms"]

    lamda = dict(layers=64, d_model=4096, heads=32, d_hidden=16384)
    assert without_norms(**lamda, vocab_size=32000) == 17_442_275_328 - 64 * 4096
    assert without_norms(layers=40, d_model=5120, heads=40, d_hidden=13824, vocab_size=32000) == 13_015_449_600
    assert without_norms(**lamda, kv_heads=8, head_dim=256, vocab_size=32128, tied_embeddings=True) == 18_385_207_296


@settings(deadline=None)
@given(configs())
def test_breakdown_is_complete_and_not_negative(config):
    parts = transformer.parameter_breakdown(config)
    assert min(parts.values()) >= 0
    assert sum(parts.values()) == transformer.parameters(config)
    assert 0 < transformer.active_parameters(config) <= transformer.parameters(config)
    if not config.experts:
        assert transformer.active_parameters(config) == transformer.parameters(config)


@settings(deadline=None)
@given(configs())
def test_layers_add(config):
    """Each further layer costs the same; the tables and the final norm come once."""
    if config.experts:
        config = replace(config, experts=replace(config.experts, dense_layers=0))
    one, two, nine = (transformer.parameters(replace(config, layers=layers)) for layers in (1, 2, 9))
    assert nine - one == 8 * (two - one)


@settings(deadline=None)
@given(configs(), st.sampled_from(["d_hidden", "vocab_size", "positions", "head_dim"]))
def test_more_of_anything_is_never_less(config, field):
    larger = replace(config, **{field: getattr(config, field) + 3})
    assert transformer.parameters(larger) >= transformer.parameters(config)


@settings(deadline=None)
@given(configs())
def test_grouping_lies_between_multi_query_and_multi_head(config):
    multi_query, some, all_heads = (
        transformer.parameters(replace(config, kv_heads=count)) for count in (1, config.kv_heads, config.heads)
    )
    assert multi_query <= some <= all_heads


@settings(deadline=None)
@given(configs())
def test_every_expert_at_work_is_the_whole_model(config):
    if config.experts:
        busy = replace(config, experts=replace(config.experts, per_token=config.experts.routed))
        assert transformer.active_parameters(busy) == transformer.parameters(busy)


def test_defaults_are_filled_in():
    config = Config(**SMALL)
    assert (config.kv_heads, config.head_dim, config.d_hidden) == (4, 16, 256)
    assert (config.qkv_bias, config.norm_bias) == (False, False)
    assert Config(**SMALL, bias=True).norm_bias is True
    assert config == Config(**SMALL, kv_heads=4) and hash(config) == hash(Config(**SMALL))


def test_numpy_scalars_are_numbers():
    config = Config(layers=np.int64(2), d_model=np.float32(64), heads=np.int32(4), vocab_size=100.0)
    assert config == Config(**SMALL)
    assert type(config.d_model) is int


def test_a_config_does_not_change():
    with pytest.raises(FrozenInstanceError):
        Config(**SMALL).layers = 3


@every_row("field", ["layers", "d_model", "heads", "vocab_size", "kv_heads", "head_dim", "d_hidden"])
@every_row("value", [0, -1, 1.5, float("nan"), float("inf")])
def test_counts_must_be_whole_and_positive(field, value):
    with pytest.raises(ValueError, match=field):
        Config(**{**SMALL, field: value})


@every_row("field", ["layers", "d_model", "heads", "vocab_size", "positions", "norms_per_layer"])
@every_row("value", [True, "8", None, [2, 4], np.array([2, 4])])
def test_counts_must_be_single_numbers(field, value):
    with pytest.raises(TypeError, match=field):
        Config(**{**SMALL, field: value})


@every_row("field", ["gated", "tied_embeddings", "bias", "qkv_bias", "norm_bias", "qk_norm"])
@every_row("value", [1, 0, "yes"])
def test_flags_must_be_truth_values(field, value):
    with pytest.raises(TypeError, match=field):
        Config(**SMALL, **{field: value})


@every_row(
    "more, message",
    [
        (dict(kv_heads=3), "kv_heads must divide heads, got kv_heads=3 and heads=4"),
        (dict(heads=5), "heads must divide d_model"),
        (dict(positions=-1), "positions"),
        (dict(norms_per_layer=0), "norms_per_layer"),
        (dict(latent=LatentAttention(**LATENT), kv_heads=2), "kv_heads and latent exclude"),
        (dict(latent=LatentAttention(**LATENT), head_dim=2), "head_dim and latent exclude"),
        (dict(latent=LatentAttention(**LATENT), bias=True), "not modelled"),
        (dict(experts=Experts(routed=4, per_token=1, d_hidden=8, dense_layers=3)), "dense_layers"),
    ],
)
def test_options_that_do_not_fit(more, message):
    with pytest.raises(ValueError, match=message):
        Config(**{**SMALL, **more})


@pytest.mark.parametrize("field, kind", [("latent", "LatentAttention"), ("experts", "Experts")])
def test_parts_must_be_of_their_class(field, kind):
    with pytest.raises(TypeError, match=f"{field} must be a transformer.{kind}"):
        Config(**SMALL, **{field: {}})


@pytest.mark.parametrize("field", list(LATENT))
def test_latent_fields(field):
    with pytest.raises(ValueError, match=field):
        LatentAttention(**{**LATENT, field: 0})
    with pytest.raises(TypeError, match=field):
        LatentAttention(**{**LATENT, field: True})


@pytest.mark.parametrize("field, value", [("routed", 0), ("per_token", 0), ("d_hidden", 0.5), ("shared", -1)])
def test_expert_fields(field, value):
    with pytest.raises(ValueError, match=field):
        Experts(**{"routed": 8, "per_token": 2, "d_hidden": 64, field: value})


def test_experts_refuse_more_per_token_than_routed():
    with pytest.raises(ValueError, match="per_token must be at most routed=4, got 5"):
        Experts(routed=4, per_token=5, d_hidden=8)
    with pytest.raises(TypeError, match="router_bias"):
        Experts(routed=4, per_token=2, d_hidden=8, router_bias=1)


@every_row("function", [transformer.parameters, transformer.active_parameters, transformer.parameter_breakdown])
@every_row("value", [None, 7e9, b"Llama 3 8B", {}])
def test_counts_need_a_config(function, value):
    with pytest.raises(TypeError, match="config must be a transformer.Config"):
        function(value)


def test_active_must_be_a_truth_value():
    with pytest.raises(TypeError, match="active"):
        transformer.parameter_breakdown(Config(**SMALL), active=1)


def test_every_model_can_be_found_and_says_where_it_is_from():
    names = [model.name for model in transformer.models()]
    assert len(names) == len(set(names))
    for model in transformer.models():
        assert transformer.model(model.name) is model
        assert transformer.model(model.name.upper().replace(" ", "-")) is model
        for field in ("layers", "sequence", "published_parameters"):
            source = model.source(field)
            assert len(source.citation) > 10 and source.confidence in ("confirmed", "secondary", "memory")
            assert source.as_of[4] == source.as_of[7] == "-"


def test_published_and_counted_agree_for_every_model():
    """Exact where the published figure is exact, else within its rounding."""
    for model in transformer.models():
        count, published = transformer.parameters(model.config), model.published_parameters
        exact = published % 1_000_000 != 0
        assert count == published if exact else count == pytest.approx(published, rel=0.01), model.name


def test_unknown_models_and_fields():
    with pytest.raises(transformer.UnknownModel, match="Llama 3 8B"):
        transformer.model("llama 3 9b")
    with pytest.raises(ValueError, match="DeepSeek-V3"):
        transformer.model("zzz")
    with pytest.raises(TypeError, match="name must be a string"):
        transformer.model(8)
    with pytest.raises(ValueError, match="value must be one of layers"):
        transformer.model("Llama 3 8B").source("colour")
