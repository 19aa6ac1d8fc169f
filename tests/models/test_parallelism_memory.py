"""Memory of each device: conservation, monotonicity, and numbers by hand."""

from dataclasses import fields, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chip2cluster import transformer
from chip2cluster.parallelism import Layout, StageMemory, memory, memory_by_stage, schedule
from tests.models.machines import LLAMA, MIXTRAL
from tests.tables import every_row

DEEPSEEK = transformer.model("DeepSeek-V3").config


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
def test_memory_by_stage_conserves_states(config, data):
    layout = data.draw(legal_layouts(config, zero=(0,)))
    stages = memory_by_stage(config, layout, 4096, 16)
    assert all(type(value) is float and value >= 0 for stage in stages for value in stage.parts.values())
    # Weights of one replica: sharded ones times tensor, experts times expert, replicated ones once.
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
def test_memory_is_monotone(config, data):
    layout = data.draw(legal_layouts(config))

    def fullest(one, m=16):
        return max(stage.total for stage in memory_by_stage(config, one, 4096, m))

    need = fullest(layout)
    assert fullest(replace(layout, micro_batch=layout.micro_batch + 1)) > need
    assert fullest(layout, 32) >= need  # more micro-batches never need less memory
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


def test_memory_counts_few_micro_batches_in_flight():
    layout = Layout(pipeline=8)
    one, many = (memory_by_stage(LLAMA, layout, 2048, m, include_ends=False) for m in (1, 64))
    assert [round(b.activations / a.activations) for a, b in zip(one, many, strict=True)] == [8, 7, 6, 5, 4, 3, 2, 1]


def test_layers_that_do_not_divide_leave_the_ends_short():
    """Llama 3 405B has 126 layers in 16 stages; its paper gives one layer less to the first and the last."""
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
    assert memory(LLAMA, Layout(zero_stage=3), 2048, 1).gathered == 0  # no other replica to gather from


def test_memory_of_experts_by_hand():
    """Mixtral, 8 experts over 8 devices: each holds one expert and all other weights."""
    parts = transformer.parameter_breakdown(MIXTRAL)
    need = memory(MIXTRAL, Layout(data=16, expert=8, zero_stage=1), 4096, 1)
    rest = sum(parts.values()) - parts["feed_forward"]
    assert need.weights == 2 * (rest + parts["feed_forward"] / 8)
    # Optimizer states of an expert are sharded over its two replicas, all others over sixteen.
    assert need.optimizer == pytest.approx(12 * (rest / 16 + parts["feed_forward"] / 8 / 2))


def test_full_recomputation_keeps_one_layer_of_activations():
    need = memory(LLAMA, Layout(recompute="full"), 4096, 1, dropout=False)
    assert need.rerun == transformer.activation_memory_per_layer(LLAMA, 4096, recompute="selective", dropout=False)
    assert memory(LLAMA, Layout(), 4096, 1).rerun == 0


@every_row("change, words", [
    (dict(config=7e9), "config must be a transformer.Config"),
    (dict(layout=8), "layout must be a parallelism.Layout"),
    (dict(layout=Layout(tensor=3)), "tensor=3 must divide the heads, 32"),
    (dict(layout=Layout(pipeline=4, chunks=2), micro_batches=6), "multiple of the stages, 4"),
    (dict(sequence=0), "sequence must be at least 1"),
    (dict(sequence=[1, 2]), "sequence must be a single whole number"),
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


def test_a_stage_is_the_sum_of_its_parts():
    need = StageMemory(1.0, 2.0, 3.0, 4.0, 5.0, 6.0)
    assert (need.states, need.total) == (6.0, 21.0) and list(need.parts) == [part.name for part in fields(need)]
