"""Shapes of models read from their config.json, compared with published counts."""

import json
from pathlib import Path

import pytest

from chip2cluster import transformer
from chip2cluster.transformer import Config

MODELS = json.loads((Path(__file__).parent / "data/hugging_face_configs.json").read_text(encoding="utf-8"))["models"]
CONFIGS = {one["name"]: one["config"] for one in MODELS}
LLAMA = CONFIGS["Llama 3.1 8B"]


def read(name, **changes):
    return Config.from_hugging_face({**CONFIGS[name], **changes})


@pytest.mark.parametrize("one", MODELS, ids=lambda one: one["name"])
def test_config_json_has_the_published_count(one):
    config = Config.from_hugging_face(one["config"])
    assert transformer.parameters(config) == pytest.approx(one["parameters"], rel=one["tolerance"])


def test_config_json_counts_are_mostly_exact():
    exact = [one for one in MODELS if transformer.parameters(read(one["name"])) == one["parameters"]]
    assert len(exact) >= 25  # the other published numbers are rounded


def test_config_json_is_read_from_file_and_folder(tmp_path):
    path = tmp_path / "config.json"
    path.write_text(json.dumps(LLAMA), encoding="utf-8")
    assert Config.from_hugging_face(path) == Config.from_hugging_face(str(tmp_path)) == read("Llama 3.1 8B")
    path.write_text("{", encoding="utf-8")
    with pytest.raises(ValueError, match="is not JSON"):
        Config.from_hugging_face(path)
    with pytest.raises(ValueError, match="cannot be read"):
        Config.from_hugging_face(tmp_path / "none.json")


@pytest.mark.parametrize(
    "name, total, active",  # billions without the input table, as the model cards print them
    [
        ("gpt-oss-120b", 116.83, 5.13),
        ("gpt-oss-20b", 20.91, 3.61),
        ("Nemotron 3 Nano 30B-A3B", 31.6, 3.2),
        ("DeepSeek-V3", 671, 36.6),
    ],
)
def test_active_parameters_of_model_cards(name, total, active):
    config = read(name)
    assert transformer.parameters(config) / 1e9 == pytest.approx(total, rel=0.002)
    assert transformer.active_parameters(config, input_table=False) / 1e9 == pytest.approx(active, rel=0.01)


def test_input_table_of_a_tied_model_stays():
    tied = read("Qwen3 0.6B")
    assert transformer.parameters(tied, input_table=False) == transformer.parameters(tied)


@pytest.mark.parametrize(
    "name, gigabytes",  # sizes of the published checkpoints
    [("gpt-oss-120b", 65.25), ("gpt-oss-20b", 13.76)],
)
def test_mxfp4_checkpoints_have_the_published_size(name, gigabytes):
    config = read(name)
    assert config.stored_weights.memory(config) / 1e9 == pytest.approx(gigabytes, rel=0.002)


def test_fp8_checkpoint_of_405b_keeps_attention_in_16_bits():
    """Loading the official checkpoint takes 57.75 GiB on each of eight GPUs; eight bits throughout would be 47.2."""
    layers = [f"model.layers.{layer}.self_attn.q_proj" for layer in range(126)]
    kept = ["lm_head", *layers, "model.layers.0.mlp.up_proj", "model.layers.125.mlp.up_proj"]
    big = dict(hidden_size=16384, intermediate_size=53248, num_hidden_layers=126, num_attention_heads=128)
    fp8 = {"quant_method": "fbgemm_fp8", "modules_to_not_convert": kept}
    config = read("Llama 3.1 8B", **big, quantization_config=fp8)
    assert config.stored_weights.memory(config) == pytest.approx(8 * 57.75 * 2**30, rel=0.02)


def test_awq_checkpoint_of_70b_has_the_published_size():
    big = dict(hidden_size=8192, intermediate_size=28672, num_hidden_layers=80, num_attention_heads=64)
    config = read("Llama 3.1 8B", **big, quantization_config={"quant_method": "awq", "bits": 4, "group_size": 128})
    assert config.stored_weights.memory(config) / 1e9 == pytest.approx(39.8, abs=0.1)


def test_int4_checkpoint_of_kimi_keeps_all_but_the_experts():
    """Kimi-K2-Thinking takes 594 GB; 1,029 if only eight bits were saved."""
    weights = {"num_bits": 4, "type": "int", "group_size": 32, "symmetric": True, "strategy": "group"}
    ignored = ["lm_head", "re:.*self_attn.*", "re:.*shared_experts.*", "re:.*mlp\\.(gate|up|gate_up|down)_proj.*"]
    packed = {
        "quant_method": "compressed-tensors",
        "config_groups": {"group_0": {"weights": weights}},
        "ignore": ignored,
    }
    config = read("Kimi K2", quantization_config=packed)
    assert config.stored_weights.memory(config) / 1e9 == pytest.approx(594, rel=0.02)


def test_untried_family_is_refused_by_name():
    with pytest.raises(ValueError, match="model_type='falcon_h1' was not tried.*gemma3_text"):
        Config.from_hugging_face({**LLAMA, "model_type": "falcon_h1"})
    with pytest.raises(ValueError, match="model_type=None"):
        Config.from_hugging_face({"hidden_size": 4096})


@pytest.mark.parametrize(
    "name, changes, field",
    [
        ("Llama 3.1 8B", {"cross_attention_layers": [3, 8]}, "cross_attention_layers"),
        ("Llama 3.1 8B", {"mlp_bias": True}, "mlp_bias"),
        ("DeepSeek-V3", {"moe_layer_freq": 2}, "moe_layer_freq"),
        ("Nemotron-H 8B", {"moe_latent_size": 1024}, "moe_latent_size"),
        ("Nemotron-H 8B", {"hybrid_override_pattern": "M-X" * 20}, "hybrid_override_pattern"),
        ("gpt-oss-20b", {"layer_types": ["chunked_attention"] * 24}, "layer_types"),
        ("Gemma 2 9B", {"layer_types": ["sliding_attention"] * 3}, "layer_types"),
        ("MiniMax-M2", {"qk_norm_type": "per_head"}, "qk_norm_type"),
        ("Llama 3.1 8B", {"quantization_config": {"quant_method": "aqlm"}}, "aqlm"),
        ("GLM-5", {"indexer_types": ["shared"] * 78}, "indexer_types"),
    ],
)
def test_config_that_is_not_modelled_names_the_field(name, changes, field):
    with pytest.raises(ValueError, match=field):
        read(name, **changes)


# Names of a family around or beside another one that has a count: the same fields in a multimodal model, or another spelling.
SAME = {
    "gemma3": "gemma3_text", "qwen3_5_moe": "qwen3_5_moe_text", "minimax": "minimax_text_01", "llama4": "llama4_text",
    "qwen2_vl": "qwen2", "qwen2_vl_text": "qwen2", "qwen2_5_vl": "qwen2", "qwen2_5_vl_text": "qwen2",
    "qwen3_vl": "qwen3", "qwen3_vl_text": "qwen3", "qwen3_vl_moe": "qwen3_moe", "qwen3_vl_moe_text": "qwen3_moe",
}  # fmt: skip


def test_every_family_has_a_count_or_says_that_it_has_none():
    tried = {one["config"].get("text_config", one["config"])["model_type"] for one in MODELS}
    families = transformer.HUGGING_FACE_FAMILIES
    assert tried | set(SAME) <= set(families) and set(SAME.values()) <= tried
    for name, models in families.items():
        assert (name in tried or name in SAME) != ("no count compared" in models), name


@pytest.mark.parametrize(("outer", "inner"), SAME.items())
def test_family_around_another_has_its_shape(outer, inner):
    texts = [one["config"].get("text_config", one["config"]) for one in MODELS]
    config = next(text for text in texts if text["model_type"] == inner)
    bare = Config.from_hugging_face(config)
    assert Config.from_hugging_face({"model_type": outer, "text_config": config}) == bare
    alone = {**config, "model_type": outer}
    assert transformer.parameters(Config.from_hugging_face(alone)) == transformer.parameters(bare)


def test_unknown_field_can_be_declared_harmless():
    with pytest.raises(ValueError, match="pass ignore=\\('my_note',\\)"):
        read("Llama 3.1 8B", my_note=7)
    assert Config.from_hugging_face({**LLAMA, "my_note": 7}, ignore=("my_note",)) == read("Llama 3.1 8B")
    assert read("Llama 3.1 8B", my_note=None, rope_scaling={"factor": 8.0}) == read("Llama 3.1 8B")


def test_missing_field_is_named():
    with pytest.raises(ValueError, match="no field 'vocab_size'"):
        Config.from_hugging_face({name: value for name, value in LLAMA.items() if name != "vocab_size"})


def test_catalogue_models_agree_with_their_config_json():
    for name in ("gpt-oss-120b", "GLM-5", "Nemotron-H 8B", "Qwen3-Next 80B-A3B", "MiniMax-M2"):
        config, fixture = transformer.model(name).config, read(name)
        assert config.layer_kinds == fixture.layer_kinds
        assert transformer.parameter_breakdown(config) == transformer.parameter_breakdown(fixture)


@pytest.mark.parametrize(
    ("name", "bytes_per_token"),
    [
        ("GPT-2 XL", 2 * 48 * 1600 * 2),
        ("Falcon-7B", 2 * 32 * 1 * 64 * 2),
        ("Falcon-40B", 2 * 60 * 8 * 64 * 2),
        ("StarCoder", 2 * 40 * 1 * 128 * 2),
        ("Command R+", 2 * 64 * 8 * 128 * 2),
        ("GLM-4-9B-0414", 2 * 40 * 2 * 128 * 2),
        ("MPT-7B", 2 * 32 * 32 * 128 * 2),
        ("dots.llm1", 2 * 62 * 32 * 128 * 2),
    ],
)
def test_kv_cache_has_the_heads_of_the_family(name, bytes_per_token):
    """Twice the layers, the heads of keys and values, their width, and two bytes."""
    assert transformer.kv_cache_memory(read(name), 1000) == 1000 * bytes_per_token


def test_layers_of_llama_4_keep_a_chunk_of_the_context():
    config, one = read("Llama 4 Scout (text)"), 2 * 8 * 128 * 2
    assert config.layer_kinds.count(("window", "experts")) == 36
    assert transformer.kv_cache_memory(config, 100_000) == one * (12 * 100_000 + 36 * 8192)


def test_exaone_names_its_windows_by_letters():
    small = {
        **CONFIGS["EXAONE 4.0 1.2B"],
        "sliding_window": 4096,
        "sliding_window_pattern": "LLLG",
        "num_hidden_layers": 8,
    }
    assert Config.from_hugging_face(small).mixer_counts == {"window": 6, "full": 2}
