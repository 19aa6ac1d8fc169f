"""Layouts: broken rules, and published layouts."""

import numpy as np
import pytest

from chip2cluster import specs, transformer
from chip2cluster.parallelism import Layout, published_layouts
from tests.models.machines import LLAMA, MIXTRAL
from tests.tables import every_row


def test_layout_problems_name_each_broken_rule():
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
def test_layout_problem_is_a_sentence(layout, given, words):
    found = layout.problems(LLAMA, **given)
    assert len(found) == 1 and words in found[0]


def test_layout_problems_with_experts_that_do_not_divide():
    assert "must divide the routed experts, 8" in Layout(data=12, expert=3).problems(MIXTRAL)[0]
    assert "must divide data=4" in Layout(data=4, expert=8).problems(MIXTRAL)[0]


@every_row("name, value, words", [
    ("tensor", 0, "tensor must be at least 1"),
    ("pipeline", 1.5, "pipeline must be a whole number"),
    ("data", -8, "data must be at least 1"),
    ("context", True, "context must be a number"),
    ("expert", [2, 4], "expert must be a single whole number"),
    ("chunks", "2", "chunks must be a number"),
    ("micro_batch", float("nan"), "micro_batch must be finite"),
    ("zero_stage", 4, "zero_stage must be one of 0, 1, 2, 3, got 4"),
    ("sequence_parallel", 1, "sequence_parallel must be True or False"),
    ("recompute", "some", "recompute must be one of 'none', 'selective', 'full', got 'some'"),
    ("schedule", "zb_v", "schedule must be one of 'gpipe'"),
])  # fmt: skip
def test_layout_refuses_wrong_degree(name, value, words):
    with pytest.raises((ValueError, TypeError), match=words):
        Layout(**{name: value})


def test_micro_batches_of_a_batch():
    assert Layout(data=4, micro_batch=2).micro_batches(np.int64(64)) == 8
    with pytest.raises(ValueError, match="global_batch must be a multiple of data=4 times micro_batch=2, got 65"):
        Layout(data=4, micro_batch=2).micro_batches(65)


def test_published_layouts():
    wrong = [one for one in published_layouts() if not one.multiplies_out]
    assert [one.layout.devices for one in wrong] == [8192]  # printed next to 16,384
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
def test_tensor_parallelism_shards_more_than_heads(shape, words):
    config = transformer.Config(layers=4, vocab_size=100, positions=64, **shape)
    tensor = 7 if shape["heads"] == 7 else 14
    assert "; ".join(Layout(tensor).problems(config)) == words


@pytest.mark.parametrize("stage", [True, 1.5, "1", 4, -1])
def test_layout_refuses_unknown_zero_stage(stage):
    with pytest.raises((TypeError, ValueError), match="zero_stage must be"):
        Layout(zero_stage=stage)
    assert Layout(zero_stage=1.0) == Layout(zero_stage=np.int64(1)) and type(Layout(zero_stage=1.0).zero_stage) is int
