"""Traffic of the axes of a layout, against definitions, other models of the package and conservation."""

import csv
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chip2cluster import collectives, transformer, utilization
from chip2cluster.parallelism import Exchange, Layout, Volume, volumes
from tests.tables import every_row

TABLE = Path(__file__).parent / "data/parallelism_communication_volumes.csv"
LLAMA = transformer.model("Llama 3 8B").config
MIXTRAL, DEEPSEEK = (transformer.model(name).config for name in ("Mixtral 8x7B", "DeepSeek-V3"))


def rows():
    with TABLE.open(encoding="utf-8") as lines:
        return list(csv.DictReader(lines))


def sent(config, axis, layout, sequence, m=3, **options):
    return volumes(config, layout, sequence, m, **options)[axis].bytes_sent_one_way_per_step


@every_row("row", rows())
def test_volumes_match_collective_traffic(row):
    name = "Llama 3.1 405B" if row["model"] == "Llama 3 405B" else row["model"]
    config, n, axis = transformer.model(name).config, int(row["n"]), row["axis"]
    micro_batch, sequence = int(row["micro_batch"] or 1), int(row["sequence"] or 2048)
    m = 3
    if axis.startswith("tensor"):
        full = "full recomputation" in row["quantity"]
        layout = Layout(tensor=n, micro_batch=micro_batch, sequence_parallel=axis == "tensor+sequence",
                        recompute="full" if full else "selective")  # fmt: skip
        found = sent(config, "tensor", layout, sequence) / config.layers / m
    elif axis == "pipeline":  # at the ends of a pipeline a device sends over one boundary in one direction
        found = sent(config, axis, Layout(pipeline=n, micro_batch=micro_batch), sequence) / m
    elif axis == "data":
        found = sent(config, axis, Layout(data=n, zero_stage=int(row["zero_stage"])), sequence, 1)
    elif (
        axis == "context"
    ):  # a third forward: in the backward pass keys and values go round again, with their gradients
        found = sent(config, axis, Layout(context=n, micro_batch=micro_batch), sequence) / 3 / config.layers / m
    else:  # forward half
        layout = Layout(data=n, expert=n)
        found = sent(config, axis, layout, int(row["tokens"])) / 2 / config.moe_layers / m
    assert found == pytest.approx(float(row["value"]), rel=1e-12)


@given(st.sampled_from([2, 4, 16]), st.sampled_from([0, 1, 2, 3]), st.integers(1, 8))
def test_data_agrees_with_the_exchange_of_a_data_parallel_step(n, stage, m):
    whole = utilization.exchanged_bytes(transformer.parameters(LLAMA), n, zero_stage=stage, passes=m).total
    assert sent(LLAMA, "data", Layout(data=n, zero_stage=stage), 2048, m) == pytest.approx(whole, rel=1e-12)
    # Devices that share a sequence have the same weights and are in the same group.
    context = sent(LLAMA, "data", Layout(data=n // 2, context=2, zero_stage=stage), 2048, m)
    assert context == pytest.approx(whole, rel=1e-12)


def test_expert_gradients_have_fewer_replicas():
    parts = transformer.parameter_breakdown(MIXTRAL)
    rest = sum(parts.values()) - parts["feed_forward"]
    found = volumes(MIXTRAL, Layout(data=16, expert=8), 4096, 1)["data"]
    assert found.bytes_sent_one_way_per_step == pytest.approx(4 * (rest * 15 / 16 + parts["feed_forward"] / 8 / 2))
    assert [one.group for one in found.exchanges] == [16, 2]


def test_volumes_by_hand():
    """DeepSeek-V3's own layout: 61 layers in 16 stages, so four on the fullest; expert parallelism of 64 within 128."""
    layout = Layout(pipeline=16, data=128, expert=64, zero_stage=1, schedule="dualpipe")
    found = volumes(DEEPSEEK, layout, 4096, 120)
    assert found["expert"].bytes_sent_one_way_per_step == 4 * 120 * 4 * (4096 * 8 * 7168 * 2) * 63 / 64
    assert found["pipeline"].bytes_sent_one_way_per_step == 2 * 120 * 4096 * 7168 * 2
    assert found["tensor"].bytes_sent_one_way_per_step == found["context"].bytes_sent_one_way_per_step == 0
    assert (found["expert"].collective, found["expert"].messages, found["expert"].group) == (
        "all_to_all",
        4 * 120 * 4,
        64,
    )
    loaded = sent(DEEPSEEK, "expert", layout, 4096, 120, expert_load=1.5)
    assert loaded == 1.5 * found["expert"].bytes_sent_one_way_per_step


def test_pipeline_volume_of_each_boundary():
    for p, chunks, passes in ((2, 1, 1), (4, 1, 2), (2, 2, 3), (4, 2, 4)):
        layout = Layout(pipeline=p, chunks=chunks)
        assert sent(LLAMA, "pipeline", layout, 2048, 8) == passes * 8 * 2048 * 4096 * 2
        assert sent(LLAMA, "pipeline", replace(layout, tensor=4), 2048, 8) == passes * 8 * 2048 * 4096 * 2 / 4
        split = replace(layout, tensor=4, sequence_parallel=False)
        assert sent(LLAMA, "pipeline", split, 2048, 8) == passes * 8 * 2048 * 4096 * 2


def test_context_volume_replicates_few_key_value_heads():
    width = [sent(LLAMA, "context", Layout(tensor=t, context=4), 8192) for t in (1, 8, 16, 32)]
    assert width[0] == 8 * width[1] == 8 * width[2] == 8 * width[3]


def test_latent_attention_sends_latents():
    found = sent(DEEPSEEK, "context", Layout(context=4), 8192, 1)
    assert found == 3 * 61 * 8192 * 576 * 2 * 3 / 4


CASES = st.builds(
    Layout, tensor=st.sampled_from([1, 2, 8]), pipeline=st.sampled_from([1, 2, 4]), data=st.sampled_from([2, 8]),
    context=st.sampled_from([1, 2, 4]), zero_stage=st.sampled_from([0, 1, 2, 3]), sequence_parallel=st.booleans(),
    recompute=st.sampled_from(["none", "selective", "full"]), micro_batch=st.integers(1, 2),
)  # fmt: skip


@pytest.mark.parametrize("config", [LLAMA, MIXTRAL, DEEPSEEK], ids=["Llama", "Mixtral", "DeepSeek"])
@given(layout=CASES, m=st.integers(1, 6))
def test_volume_invariants_for_every_layout(config, layout, m):
    found = volumes(config, layout, 4096, m)
    assert list(found) == ["tensor", "context", "pipeline", "data", "expert"]
    for axis, volume in found.items():
        assert isinstance(volume, Volume) and volume.axis == axis
        assert type(volume.bytes_sent_one_way_per_step) is float
        assert (volume.bytes_sent_one_way_per_step > 0) == (volume.group > 1) == (volume.messages > 0)
        for one in volume.exchanges:
            assert isinstance(one, Exchange) and one.algorithm in collectives.algorithms(one.collective)
    # The volume does not depend on the number of micro-batches, except in ZeRO 2 and 3.
    doubled = volumes(config, layout, 4096, 2 * m)
    of_data = {0: 1, 1: 1, 2: (1 + 2 * m) / (1 + m), 3: 2}[layout.zero_stage]
    for axis in found:
        grows = of_data if axis == "data" else 2
        assert doubled[axis].bytes_sent_one_way_per_step == pytest.approx(
            grows * found[axis].bytes_sent_one_way_per_step
        )
    if not config.experts:  # an all-reduce is a reduce-scatter and an all-gather
        other = volumes(config, replace(layout, sequence_parallel=not layout.sequence_parallel), 4096, m)["tensor"]
        assert other.bytes_sent_one_way_per_step == pytest.approx(found["tensor"].bytes_sent_one_way_per_step)


@every_row("change, words", [
    (dict(config=7e9), "config must be a transformer.Config"),
    (dict(layout=(8, 1, 1)), "layout must be a parallelism.Layout"),
    (dict(layout=Layout(tensor=5)), "tensor=5 must divide the heads"),
    (dict(layout=Layout(pipeline=4, chunks=2), micro_batches=6), "multiple of the stages"),
    (dict(sequence=0), "sequence must be at least 1"),
    (dict(micro_batches=2.5), "micro_batches must be a whole number"),
    (dict(weight_bytes=0), "weight_bytes must be greater than zero"),
    (dict(gradient_bytes=-2), "gradient_bytes must be greater than zero"),
    (dict(bytes_per_element=None), "bytes_per_element must be a number"),
    (dict(expert_load=0), "expert_load must be greater than zero"),
])  # fmt: skip
def test_bad_input_is_named(change, words):
    with pytest.raises((ValueError, TypeError), match=words):
        volumes(**(dict(config=LLAMA, layout=Layout(), sequence=2048, micro_batches=4) | change))
