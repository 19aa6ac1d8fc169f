"""Layouts and the memory of their devices: other tools' numbers, published figures, counts that must add up.

``parallelism_tool_megatron.csv``: Megatron-LM's ``theoretical_memory_usage.py`` at commit d98e8a6, run unchanged.
``parallelism_tool_calculon.csv``: Calculon at commit caa4b11, nothing recomputed. ``parallelism_tool_llm_analysis.csv``:
llm-analysis 0.2.2. ``parallelism_korthikanti.json``: arXiv:2205.05198. ``parallelism_tool_deepspeed.csv``: the ZeRO
estimators of DeepSpeed 0.16.5. ``parallelism_measured_torchtitan.csv``: torchtitan's benchmarks of 2024-12 (BSD-3).
"""

import csv
import json
from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chip2cluster import specs, transformer
from chip2cluster.parallelism import Layout, StageMemory, memory, memory_by_stage, published_layouts, schedule
from tests.tables import every_row

DATA = Path(__file__).parent / "data"
LLAMA = transformer.model("Llama 3 8B").config
MIXTRAL, DEEPSEEK = (transformer.model(name).config for name in ("Mixtral 8x7B", "DeepSeek-V3"))


def rows(tool):
    with (DATA / f"parallelism_{tool}.csv").open(encoding="utf-8") as lines:
        return [{name: _read(value) for name, value in row.items()} for row in csv.DictReader(lines)]


def _read(value):
    if value in ("True", "False"):
        return value == "True"
    try:
        return int(value) if value.isdigit() else float(value)
    except ValueError:
        return value


def named(row):
    return row["id"]


@every_row("row", rows("tool_megatron"))
def test_megatron_lm(row):
    config = transformer.Config(
        layers=row["layers"], d_model=row["d_model"], heads=row["heads"], kv_heads=row["kv_heads"],
        d_hidden=row["d_hidden"], vocab_size=row["vocab_size"], gated=row["gated"],
        norm_bias=row["norm"] == "LayerNorm", tied_embeddings=row["tied_embeddings"],
    )  # fmt: skip
    stages = row["pipeline_parallel"]
    chunks = row["pipeline_chunks"] if stages > 1 else 1
    layout = Layout(
        row["tensor_parallel"], stages, row["data_parallel"], chunks=chunks, micro_batch=row["micro_batch"],
        zero_stage=int(row["distributed_optimizer"]),
    )  # fmt: skip
    # The tool knows no few micro-batches where the schedule is interleaved.
    need = memory(
        config, layout, row["sequence"], row["micro_batches"] if chunks == 1 else 4 * stages, gradient_bytes=4
    )
    # It spreads the final norm, of one vector or two, over all stages; here it stands on the last.
    per_parameter = 6 + 12 / layout.data if layout.zero_stage else 18
    norm = config.d_model * (2 if config.norm_bias else 1) * per_parameter
    spread = need.states + norm / stages - (norm if stages == 1 else 0)
    assert spread == pytest.approx(row["weight_gradient_optimizer_bytes"], rel=1e-9)
    if row["activation_comparable"]:
        assert need.activations + need.logits == pytest.approx(row["activation_bytes"], rel=1e-4)


@every_row("row", rows("tool_calculon"))
def test_calculon(row):
    # Calculon knows no embedding.
    shape = dict(layers=row["layers"], d_model=row["d_model"], heads=row["heads"], bias=True)
    config = transformer.Config(**shape, vocab_size=1)
    layout = Layout(
        row["tensor_parallel"], row["pipeline_parallel"], row["data_parallel"], chunks=row["pipeline_chunks"],
        micro_batch=row["micro_batch"], sequence_parallel=row["sequence_parallel"], recompute="none",
        zero_stage=int(row["optimizer_sharding"]),
    )  # fmt: skip
    stages = memory_by_stage(config, layout, row["sequence"], row["micro_batches"], include_ends=False)
    assert max(stage.activations for stage in stages) == pytest.approx(row["activation_bytes"], rel=0.006)
    assert max(stage.weights for stage in stages) == pytest.approx(row["weight_bytes"], rel=0.001)
    assert max(stage.optimizer for stage in stages) == pytest.approx(row["optimizer_bytes"], rel=0.001)


@every_row("row", rows("tool_llm_analysis"))
def test_llm_analysis(row):
    # It counts one table, as if the head were tied, and splits the norms.
    config = transformer.Config(
        layers=row["layers"], d_model=row["d_model"], heads=row["heads"], vocab_size=row["vocab_size"],
        tied_embeddings=True,
    )  # fmt: skip
    layout = Layout(
        row["tensor_parallel"], row["pipeline_parallel"], row["data_parallel"], zero_stage=row["zero_stage"],
        recompute=row["recompute"], sequence_parallel=row["sequence_parallel"],
    )  # fmt: skip
    need = memory(config, layout, row["sequence"], 64, gradient_bytes=4, include_ends=False)
    for part in ("weight", "gradient", "optimizer"):
        have = getattr(need, part if part == "optimizer" else f"{part}s")
        assert have == pytest.approx(row[f"{part}_bytes"], rel=3e-4)
    if row["activation_bytes_layers"] != "":
        # The tool forgets the mask of the last dropout.
        expected = row["activation_bytes_layers"] + row["add_mlp_dropout_mask_bytes"]
        assert need.activations == pytest.approx(expected, rel=1e-9)


METHODS = {
    "none": dict(sequence_parallel=False, recompute="none"),
    "sequence_parallel": dict(sequence_parallel=True, recompute="none"),
    "selective": dict(sequence_parallel=False, recompute="selective"),
    "both": dict(sequence_parallel=True, recompute="selective"),
    "full": dict(sequence_parallel=False, recompute="full"),
}
PAPER = json.loads((DATA / "parallelism_korthikanti.json").read_text(encoding="utf-8"))["rows"]


@pytest.mark.parametrize("row", [r for r in PAPER if r["quantity"].startswith("activation")], ids=named)
def test_korthikanti(row):
    config = transformer.Config(layers=row["layers"], d_model=row["d_model"], heads=row["heads"], vocab_size=51200)
    layout = Layout(
        row["tensor_parallel"], row["pipeline_parallel"], chunks=row["pipeline_chunks"],
        micro_batch=row["micro_batch"], **METHODS[row["method"]],
    )  # fmt: skip
    need = memory(config, layout, row["sequence"], 4 * layout.pipeline, include_ends=False)
    assert need.activations == pytest.approx(row["formula_bytes"], rel=1e-12)


@every_row("row", [r for r in rows("tool_deepspeed") if not r["offload_optimizer"]])
def test_deepspeed_estimators(row):
    """They count 20 bytes a parameter, not the paper's 16, and at stage 3 gather two copies of the largest layer."""
    devices = row["devices_per_node"] * row["nodes"]
    optimizer = 16 if row["stage"] == 2 else 14
    states = transformer.state_memory(
        row["parameters"], zero_stage=row["stage"], data_parallel=devices, optimizer_bytes=optimizer
    ).total
    gathered = 4 * row["largest_layer_parameters"] if row["stage"] == 3 else 0
    assert states + gathered == pytest.approx(row["device_bytes"], abs=2)  # printed as a whole number


# What is measured includes what no formula here knows: the fullest device.
@every_row("row", rows("measured_torchtitan"))
def test_measured_memory_is_not_far(row):
    config = transformer.model(row["model"]).config
    stages = row["pipeline_parallel"]
    layout = Layout(
        row["tensor_parallel"], stages, row["fsdp"], context=row["context_parallel"], zero_stage=1 if stages > 1 else 3,
        recompute=row["recompute"], micro_batch=max(1, row["local_batch"] // stages),
        chunks=2 if "interleaved" in row["technique"] else 1,
    )  # fmt: skip
    # Without a word the tool cuts a batch into as many micro-batches as there are stages, and a pipeline keeps weights
    # that it has gathered. The loss is made of separate operations, each with 32-bit logits.
    sizes = dict(weight_bytes=2, optimizer_bytes=12) if stages > 1 else dict(weight_bytes=4, optimizer_bytes=8)
    needs = memory_by_stage(
        config, layout, row["sequence"], stages, dropout=False, gradient_bytes=4, logit_bytes=12, **sizes
    )
    fullest = max(need.total for need in needs)
    seen = fullest / (row["memory_GiB"] * 2**30)
    if row["recompute"] == "full":  # less than was measured: buffers, what was gathered ahead, the allocator's reserve
        assert 0.7 < seen < 1
    else:  # this tool's "selective" drops every second product, which is not the selection counted here
        assert 1 < seen < 1.6


def legal_layouts(config, *, zero=(0, 1, 2, 3)):
    return st.builds(
        Layout,
        tensor=st.sampled_from([1, 2, 4, 8]),
        pipeline=st.sampled_from([1, 2, 4, 8]),
        data=st.sampled_from([8, 16]),
        context=st.sampled_from([1, 2, 4]),
        expert=st.sampled_from([1, 2, 8]) if config.experts else st.just(1),
        zero_stage=st.sampled_from(zero),
        sequence_parallel=st.booleans(),
        recompute=st.sampled_from(["none", "selective", "full"]),
        micro_batch=st.integers(1, 3),
        schedule=st.sampled_from([None, "gpipe", "zb_h1", "zb_h2"]),
    )


@pytest.mark.parametrize("config", [LLAMA, MIXTRAL, DEEPSEEK], ids=["Llama", "Mixtral", "DeepSeek"])
@given(data=st.data())
def test_nothing_is_lost_and_nothing_counted_twice(config, data):
    layout = data.draw(legal_layouts(config, zero=(0,)))
    stages = memory_by_stage(config, layout, 4096, 16)
    assert all(type(value) is float and value >= 0 for stage in stages for value in stage.parts.values())
    # Weights of one copy, whole: split ones times tensor, experts times expert, copies once.
    alone = memory_by_stage(config, replace(layout, tensor=1, expert=1), 4096, 16)
    assert sum(stage.weights for stage in alone) == pytest.approx(2 * transformer.parameters(config), rel=1e-12)
    assert sum(stage.weights for stage in stages) * layout.tensor * layout.expert >= 2 * transformer.parameters(config) * (1 - 1e-12)  # fmt: skip
    for stage in stages:
        assert stage.optimizer == pytest.approx(6 * stage.weights) and stage.gradients == stage.weights
        assert stage.gathered == 0
        assert stage.total == pytest.approx(sum(getattr(stage, part.name) for part in fields(stage)))
    assert all(not stage.logits for stage in stages[:-1])


@pytest.mark.parametrize("config", [LLAMA, MIXTRAL, DEEPSEEK], ids=["Llama", "Mixtral", "DeepSeek"])
@given(data=st.data())
def test_what_is_monotone(config, data):
    layout = data.draw(legal_layouts(config))

    def fullest(one, m=16):
        return max(stage.total for stage in memory_by_stage(config, one, 4096, m))

    need = fullest(layout)
    assert fullest(replace(layout, micro_batch=layout.micro_batch + 1)) > need
    assert fullest(layout, 32) >= need  # more micro-batches are never less memory
    assert fullest(replace(layout, data=2 * layout.data)) <= need * (1 + 1e-12)
    assert fullest(replace(layout, context=2 * layout.context)) <= need * (1 + 1e-12)
    states = [sum(s.states for s in memory_by_stage(config, replace(layout, zero_stage=z), 4096, 16)) for z in range(4)]
    assert states == sorted(states, reverse=True)
    kept = [
        memory(config, replace(layout, recompute=how), 4096, 16).activations for how in ("none", "selective", "full")
    ]
    assert kept == sorted(kept, reverse=True)
    few, as_in_1f1b = (memory(config, replace(layout, schedule=name), 4096, 16) for name in ("1f1b", "zb_h1"))
    assert few.activations == pytest.approx(as_in_1f1b.activations)  # the first stage holds p in both


@given(
    st.sampled_from([2, 4, 8]),
    st.sampled_from(["gpipe", "1f1b", "zb_h1", "zb_h2", "interleaved_1f1b", "dualpipe"]),
    st.integers(1, 4),
)
def test_each_stage_holds_what_its_schedule_has_in_flight(p, name, turns):
    chunks, m = (2, p * turns) if name == "interleaved_1f1b" else (1, 2 * p + 2 * turns)
    layout = Layout(pipeline=p, chunks=chunks, schedule=name)
    run = schedule(name, p, m, chunks if chunks > 1 else None, forward_seconds=1, backward_seconds=1, weight_seconds=1)
    stages = memory_by_stage(LLAMA, layout, 2048, m, dropout=False, include_ends=False)
    layer = transformer.activation_memory_per_layer(LLAMA, 2048, recompute="selective", dropout=False)
    assert [stage.activations for stage in stages] == pytest.approx([held * layer * 32 / p for held in run.in_flight])
    weights = [stage.weights for stage in stages]
    total = 2 * transformer.parameters(LLAMA)
    assert sum(weights) == pytest.approx(2 * total if name == "dualpipe" else total)  # two copies


def test_few_micro_batches_are_few_in_flight():
    layout = Layout(pipeline=8)
    one, many = (memory_by_stage(LLAMA, layout, 2048, m, include_ends=False) for m in (1, 64))
    assert [round(b.activations / a.activations) for a, b in zip(one, many, strict=True)] == [8, 7, 6, 5, 4, 3, 2, 1]


def test_layers_that_do_not_divide_leave_the_ends_short():
    """Llama 3 405B has 126 layers in 16 stages; its paper gives the first and the last one layer less."""
    stages = memory_by_stage(
        transformer.model("Llama 3.1 405B").config, Layout(8, 16, 128), 8192, 16, include_ends=False
    )
    layer = stages[1].weights / 8
    table = 2 * 128256 * 16384 / 8
    assert all(stage.weights == pytest.approx(8 * layer) for stage in stages[1:-1])
    assert stages[0].weights == pytest.approx(7 * layer + table)
    assert stages[-1].weights == pytest.approx(7 * layer + table, rel=1e-4)


def test_zero_3_gathers_its_largest_layer():
    whole = memory(LLAMA, Layout(data=8), 2048, 1)
    split = memory(LLAMA, Layout(data=8, zero_stage=3), 2048, 1)
    table = 128256 * 4096  # larger than a layer of 218 million
    assert split.gathered == 4 * table + 4 * 4096 and whole.gathered == 0
    assert split.states == pytest.approx(whole.states / 8)
    assert memory(LLAMA, Layout(zero_stage=3), 2048, 1).gathered == 0  # nobody to gather from


def test_experts_by_hand():
    """Mixtral, 8 experts over 8 devices: each holds one, and all the rest."""
    parts = transformer.parameter_breakdown(MIXTRAL)
    need = memory(MIXTRAL, Layout(data=16, expert=8, zero_stage=1), 4096, 1)
    rest = sum(parts.values()) - parts["feed_forward"]
    assert need.weights == 2 * (rest + parts["feed_forward"] / 8)
    # Their optimizer states are split over the two copies of each expert, the others over all sixteen.
    assert need.optimizer == pytest.approx(12 * (rest / 16 + parts["feed_forward"] / 8 / 2))


def test_full_recomputation_has_one_layer_back():
    need = memory(LLAMA, Layout(recompute="full"), 4096, 1, dropout=False)
    assert need.rerun == transformer.activation_memory_per_layer(LLAMA, 4096, recompute="selective", dropout=False)
    assert memory(LLAMA, Layout(), 4096, 1).rerun == 0


def test_a_layout_says_what_is_wrong_with_it():
    config = transformer.model("Llama 3.1 405B").config
    assert Layout(8, 16, 128).problems(config, 2048, sequence=8192, devices=16384) == ()
    assert Layout(8, 16, 8, 16).problems(config, 128, sequence=131072, devices=16384) == ()
    wrong = Layout(tensor=48, pipeline=200, data=3, expert=2, chunks=2, schedule="1f1b")
    said = "\n".join(wrong.problems(config, 8, sequence=100, devices=64))
    for words in (
        "is 28800 devices, not devices=64",
        "tensor=48 must divide the heads, 128",
        "pipeline=200 times chunks=2 must be at most the layers, 126",
        "chunks=2 need a pipeline of at least 2 and the schedule 'interleaved_1f1b'",
        "expert=2 must be 1 for a model without experts",
        "expert=2 must divide data=3",
        "tensor=48 must divide the 100 tokens of a device for sequence_parallel",
        "data=3 times micro_batch=1 must divide global_batch=8",
    ):
        assert words in said


@every_row("layout, given, words", [
    (Layout(context=3), dict(sequence=8192), "context=3 must divide sequence=8192"),
    (Layout(pipeline=4, chunks=2), dict(global_batch=6), "multiple of the stages, 4"),
    (Layout(pipeline=3, schedule="dualpipe"), dict(global_batch=6), "pipeline=3 must be even"),
    (Layout(pipeline=4, schedule="dualpipe"), dict(global_batch=6), "at least 8"),
    (Layout(pipeline=4, schedule="interleaved_1f1b"), dict(), "needs chunks of at least 2"),
    (Layout(pipeline=2, schedule="zb_h1", chunks=2), dict(), "the schedule 'interleaved_1f1b'"),
])  # fmt: skip
def test_a_problem_has_a_sentence(layout, given, words):
    found = layout.problems(LLAMA, **given)
    assert len(found) == 1 and words in found[0]


def test_experts_that_do_not_divide():
    assert "must divide the routed experts, 8" in Layout(data=12, expert=3).problems(MIXTRAL)[0]
    assert "must divide data=4" in Layout(data=4, expert=8).problems(MIXTRAL)[0]


@every_row("name, value, words", [
    ("tensor", 0, "tensor must be at least 1"),
    ("pipeline", 1.5, "pipeline must be a whole number"),
    ("data", -8, "data must be at least 1"),
    ("context", True, "context must be a number"),
    ("expert", [2, 4], "expert must be one whole number"),
    ("chunks", "2", "chunks must be a number"),
    ("micro_batch", float("nan"), "micro_batch must be finite"),
    ("zero_stage", 4, "zero_stage must be one of 0, 1, 2, 3, got 4"),
    ("sequence_parallel", 1, "sequence_parallel must be True or False"),
    ("recompute", "some", "recompute must be one of 'none', 'selective', 'full', got 'some'"),
    ("schedule", "zb_v", "schedule must be one of 'gpipe'"),
])  # fmt: skip
def test_a_wrong_degree_is_named(name, value, words):
    with pytest.raises((ValueError, TypeError), match=words):
        Layout(**{name: value})


@every_row("change, words", [
    (dict(config=7e9), "config must be a transformer.Config"),
    (dict(layout=8), "layout must be a parallelism.Layout"),
    (dict(layout=Layout(tensor=3)), "tensor=3 must divide the heads, 32"),
    (dict(layout=Layout(pipeline=4, chunks=2), micro_batches=6), "multiple of the stages, 4"),
    (dict(sequence=0), "sequence must be at least 1"),
    (dict(sequence=[1, 2]), "sequence must be one whole number"),
    (dict(micro_batches=0), "micro_batches must be at least 1"),
    (dict(stage=1), "stage must be at most 0"),
    (dict(stage=-1), "stage must be at least 0"),
    (dict(dropout=1), "dropout must be True or False"),
    (dict(include_ends=1), "include_ends must be True or False"),
    (dict(weight_bytes=0), "weight_bytes must be greater than zero"),
    (dict(gradient_bytes=-1), "gradient_bytes must be zero or more"),
    (dict(optimizer_bytes=-1), "optimizer_bytes must be zero or more"),
    (dict(bytes_per_element=0), "bytes_per_element must be greater than zero"),
    (dict(logit_bytes=0), "logit_bytes must be greater than zero"),
    (dict(expert_load=0), "expert_load must be greater than zero"),
])  # fmt: skip
def test_bad_input_of_memory_is_named(change, words):
    with pytest.raises((ValueError, TypeError), match=words):
        memory(**(dict(config=LLAMA, layout=Layout(), sequence=2048, micro_batches=4) | change))


def test_micro_batches_of_a_batch():
    assert Layout(data=4, micro_batch=2).micro_batches(np.int64(64)) == 8
    with pytest.raises(ValueError, match="global_batch must be a multiple of data=4 times micro_batch=2, got 65"):
        Layout(data=4, micro_batch=2).micro_batches(65)


def test_a_stage_is_the_sum_of_its_parts():
    need = StageMemory(1.0, 2.0, 3.0, 4.0, 5.0, 6.0)
    assert (need.states, need.total) == (6.0, 21.0) and list(need.parts) == [part.name for part in fields(need)]


def test_published_layouts():
    wrong = [one for one in published_layouts() if not one.multiplies_out]
    assert [one.layout.devices for one in wrong] == [8192]  # printed beside 16,384
    for one in published_layouts():
        assert one.source("devices").citation and one.layout.devices <= one.devices
        specs.accelerator(one.device)
        if one.model in {other.name for other in transformer.models()}:
            config = transformer.model(one.model).config
            assert one in wrong or not one.layout.problems(
                config, one.global_batch, sequence=one.sequence, devices=one.devices
            )
    # Tokens of a step as the same tables print them: 16M, 62.9M, 3.9M.
    tokens = {one.name: one.sequence * one.global_batch for one in published_layouts()}
    assert tokens["Llama 3 405B, 8K"] == tokens["Llama 3 405B, 128K"] == 2**24
    assert tokens["DeepSeek-V3"] == 62_914_560 and tokens["Megatron-Turing NLG, 2,240"] == 3_932_160
    with pytest.raises(ValueError, match="value must be one of name, model, .*got 'colour'"):
        published_layouts()[0].source("colour")


@pytest.mark.parametrize("shape, words", [
    (dict(heads=7, d_model=56, d_hidden=100), "tensor=7 must divide the width of the feed-forward block, 100"),
    (dict(heads=42, kv_heads=6, d_model=336, d_hidden=700), "tensor=14 must divide the key-value heads, 6, or be a multiple of them"),
    (dict(heads=14, kv_heads=2, d_model=56, d_hidden=140), ""),
    (dict(heads=14, kv_heads=7, d_model=56, d_hidden=140), ""),
])  # fmt: skip
def test_tensor_parallelism_splits_more_than_heads(shape, words):
    config = transformer.Config(layers=4, vocab_size=100, positions=64, **shape)
    tensor = 7 if shape["heads"] == 7 else 14
    assert "; ".join(Layout(tensor).problems(config)) == words


@pytest.mark.parametrize("stage", [True, 1.5, "1", 4, -1])
def test_a_zero_stage_is_one_of_four_whole_numbers(stage):
    with pytest.raises((TypeError, ValueError), match="zero_stage must be"):
        Layout(zero_stage=stage)
    assert Layout(zero_stage=1.0) == Layout(zero_stage=np.int64(1)) and type(Layout(zero_stage=1.0).zero_stage) is int
