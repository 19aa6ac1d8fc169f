"""Physics is answered for every chip, whether or not its price and power are known."""

import json

import pytest

from chip2cluster import shell, specs

CHIPS = [chip for chip in specs.accelerators() if "bf16" in chip.precisions_dense]
LLAMA = '--model "Llama 3 8B"'
PRICED = ("H100 SXM", "B200", "A100 SXM 40GB", "TPU v5e")


def numbers(line):
    return {one.name: one for one in shell.ask(line).numbers}


@pytest.mark.parametrize("chip", CHIPS, ids=lambda chip: chip.name)
def test_every_chip_serves_without_a_price(chip):
    found = numbers(f'serve {LLAMA} --chip "{chip.name}" --chips 8')
    assert found["tokens_per_second"].value > 0 and found["token_seconds"].value > 0
    assert ("dollars_per_million_tokens" in found) == _is_priced(f'serve {LLAMA} --chip "{chip.name}" --chips 8')
    given = numbers(f'serve {LLAMA} --chip "{chip.name}" --chips 8 --price 3')
    assert given["dollars_per_million_tokens"].value > 0
    assert given["tokens_per_second"] == found["tokens_per_second"]


def _is_priced(line):
    return not any("no price of" in remark for remark in shell.ask(line).remarks)


@pytest.mark.parametrize("chip", PRICED)
def test_offers_are_found_under_the_name_of_the_catalogue(chip):
    """Offers of "B200 SXM" and "A100 40GB" are for the catalogue's B200 and A100 SXM 40GB."""
    assert _is_priced(f'serve {LLAMA} --chip "{chip}" --chips 8')
    assert "rent_dollars" in numbers(f'cost --chip "{chip}" --chips 8 --time "1 h"')


def test_offers_do_not_cross_capacities():
    assert not _is_priced(f'serve {LLAMA} --chip "A100 SXM 80GB" --chips 8')


@pytest.mark.parametrize("chip", ["A40", "MI210", "TPU v6e", "Trainium2", "RTX 4090"])
def test_plan_answers_without_price_and_power(chip):
    line = f'plan {LLAMA} --chip "{chip}" --chips 64 --tokens 1T'
    answer, found = shell.ask(line), numbers(line)
    assert found["seconds"].value > 0 and found["mfu"].value > 0 and "dollars" not in found
    assert any("--chip-price" in remark for remark in answer.remarks)
    has_power = specs.accelerator(chip).tdp_watts is not None
    assert ("joules" in found) == has_power == (not any("--watts" in remark for remark in answer.remarks))
    priced = numbers(f'{line} --chip-price 9e3 --watts "400 W"')
    assert {"dollars", "joules", "watts"} <= set(priced)
    assert priced["seconds"] == found["seconds"]


def test_cost_without_price_and_power_keeps_what_is_known():
    found = numbers('cost --chip "TPU v6e" --chips 8 --time "1 h"')
    assert set(found) == {"capital_dollars", "chip_hours"}
    power = numbers('cost --chip "MI300X" --chips 8 --time "1 h"')
    assert "facility_joules" in power and "own_dollars" in power and "rent_dollars" not in power


@pytest.mark.parametrize("chip", ["V100 SXM2", "T4"])
def test_allreduce_needs_no_peak(chip):
    found = numbers(f'allreduce --bytes "1 GB" --nodes 4 --chip "{chip}" --chips-per-node 1')
    assert found["flat_seconds"].value > 0 and "critical_tokens" not in found


# Measured: nccl-tests issue 290 (8 x H100, 4 GiB in 15,870 us); two nodes at 470 GB/s of bus bandwidth, 8 GiB.
@pytest.mark.parametrize("size, nodes, measured", [("4 GiB", 1, 15.87e-3), ("8 GiB", 2, 34.27e-3)])
def test_allreduce_is_at_least_is_below_measured_times(size, nodes, measured):
    found = numbers(f'allreduce --bytes "{size}" --nodes {nodes} --chip "H100 SXM"')
    times = [one for name, one in found.items() if name.endswith("_seconds")]
    assert all(one.low < measured for one in times)
    assert found["in_switch_seconds"].value == pytest.approx(measured, rel=0.1)
    assert min(times, key=lambda one: one.value).name == "in_switch_seconds"


def test_allreduce_without_reducing_switches_has_no_such_row():
    found = numbers('allreduce --bytes "1 GB" --nodes 2 --chip "A100 SXM 80GB"')
    assert "in_switch_seconds" not in found
    assert found["sharded_seconds"].low == found["sharded_seconds"].value


def test_config_file_is_a_model(tmp_path):
    """Qwen3-30B-A3B: 30,532,122,624 parameters by its checkpoint."""
    config = dict(
        model_type="qwen3_moe", hidden_size=2048, intermediate_size=6144, num_hidden_layers=48, num_attention_heads=32,
        num_key_value_heads=4, head_dim=128, vocab_size=151936, num_experts=128, num_experts_per_tok=8,
        moe_intermediate_size=768,
    )  # fmt: skip
    path = tmp_path / "config.json"
    path.write_text(json.dumps(config), encoding="utf-8")
    chip = '--chip "H100 SXM" --chips 8'
    assert numbers(f'size --config "{path}" {chip}')["state_bytes"].value == 16 * 30_532_122_624
    by_file, by_name = (numbers(f"serve {one} {chip}") for one in (f'--config "{path}"', '--model "Qwen3 30B-A3B"'))
    assert by_file == by_name
    path.write_text(json.dumps({**config, "model_type": "bloom"}), encoding="utf-8")
    with pytest.raises(shell.UsageError, match="--config: model_type='bloom' was not tried"):
        shell.ask(f'size --config "{path}" {chip}')


def test_config_of_a_multimodal_model_names_what_is_left_out(tmp_path):
    text = dict(
        model_type="qwen2_5_vl_text", hidden_size=2048, intermediate_size=11008, num_hidden_layers=36, num_attention_heads=16,
        num_key_value_heads=2, vocab_size=151936, tie_word_embeddings=True,
    )  # fmt: skip
    path = tmp_path / "config.json"
    path.write_text(json.dumps({"model_type": "qwen2_5_vl", "text_config": text, "vision_config": {"depth": 32}}))
    answer = shell.ask(f'memory --config "{path}" --chip "H100 SXM" --recipe bf16')
    assert answer.remarks[-1] == "Without the vision tower of the model."
    path.write_text(json.dumps({"model_type": "qwen2_5_vl", "text_config": text}))
    assert "tower" not in str(shell.ask(f'memory --config "{path}" --chip "H100 SXM" --recipe bf16').remarks)


def test_int4_means_weights_alone():
    answer = shell.ask('serve --model "Llama 3 70B" --chip "H100 SXM" --chips 1 --precision int4')
    assert answer.met and answer["weight_bytes"] == pytest.approx(37e9, rel=0.1)
    assert any("weights alone" in one.source for one in answer.assumptions)


def test_data_parallel_attention_holds_more_sequences():
    """TensorRT-LLM serves DeepSeek-R1 on 8 H200 at 13,016 tokens/s, which a cache copied eight times cannot."""
    line = 'serve --model "DeepSeek-R1" --chip "H200 SXM" --chips 8 --precision fp8 --prompt 1000 --output 1000'
    shared, split = numbers(line), numbers(f"{line} --attention data")
    assert split["users"].value > 4 * shared["users"].value
    assert shared["tokens_per_second"].value < 13_016 < split["tokens_per_second"].high


# Served by others: Qwen2.5 72B in bf16 on two H100 (TPOT 30.9 ms).
def test_two_h100_hold_qwen_72b():
    answer = shell.ask('serve --model "Qwen2.5 72B" --chip "H100 SXM" --chips 2')
    assert answer.met and answer["token_seconds"] < 30.9e-3


def test_network_counts_switches_without_a_chip():
    """DGX SuperPOD: 64 nodes have 16 leaves and 8 spines; 2,048 nodes three tiers of 512, 512 and 256."""
    for nodes, group, counts in ((64, 32, (2, 16, 8, 0)), (2048, 32, (3, 512, 512, 256))):
        found = numbers(f"network --nodes {nodes} --nodes-per-group {group}")
        assert tuple(found[name].value for name in ("tiers", "leaves", "spines", "cores")) == counts
