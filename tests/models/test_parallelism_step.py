"""Time of a step, against other models of the package, numbers by hand and published steps."""

import csv
import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chip2cluster import collectives, transformer, utilization
from chip2cluster.parallelism import Layout, Tier, axis_times, pass_seconds, schedule, step_time
from tests.models.machines import A100, CLUSTER, H100, LLAMA, MIXTRAL, SMALL
from tests.tables import every_row

GPT = transformer.model("Megatron 175B").config
FREE = (Tier("everything", 16384, 1e30),)


def flops(config, sequence, tokens):
    return tokens * transformer.training_flops_per_token(config, sequence, "megatron")


@given(
    st.sampled_from([(1, 1), (2, 1), (4, 1), (8, 1), (4, 2), (8, 4)]),
    st.integers(1, 4),
    st.sampled_from(["none", "full"]),
)
def test_step_time_with_free_network_is_step_breakdown(pipeline, turns, recompute):
    p, chunks = pipeline
    m = p * turns
    layout = Layout(tensor=2, pipeline=p, data=4, chunks=chunks, recompute=recompute)
    step = step_time(LLAMA, layout, H100, FREE, sequence=4096, global_batch=4 * m, kernel_efficiency=0.5)
    tokens = 4 * m * 4096
    again = tokens * transformer.recomputed_flops_per_token(LLAMA, 4096, recompute, "megatron")
    whole = utilization.step_breakdown(
        flops(LLAMA, 4096, tokens), layout.devices, H100.peak_flops_dense("bf16"), 0.5, recomputed_flops=again,
        stages=p, micro_batches=m, chunks=chunks,
    )  # fmt: skip
    for name, seconds in whole.parts.items():
        assert step.parts[name] == pytest.approx(seconds, rel=1e-9, abs=1e-12)


@every_row("name, p, m", [("1f1b", 4, 12), ("zb_h1", 4, 12), ("zb_h2", 4, 3), ("zb_h2", 4, 12), ("dualpipe", 4, 12), ("gpipe", 4, 2)])  # fmt: skip
def test_the_bubble_is_that_of_the_schedule(name, p, m):
    step = step_time(LLAMA, Layout(pipeline=p, schedule=name), H100, FREE, sequence=4096, global_batch=m)
    each = (step.seconds - step.pipeline_bubble) / m / 3
    run = schedule(name, p, m, forward_seconds=each, backward_seconds=each, weight_seconds=each)
    assert step.seconds == pytest.approx(max(run.span_seconds))


def test_axis_times_by_hand():
    """Tensor parallelism over a node without overlap: 4 all-reduces a layer."""
    layout = Layout(tensor=8, data=2, sequence_parallel=False, recompute="none")
    times = dict(sequence=2048, global_batch=8, overlap=())
    found = axis_times(GPT, layout, A100, CLUSTER, **times)
    message = 2048 * GPT.d_model * 2
    each = collectives.time("all_reduce", "ring", message, 8, 450e9, 2e-6)
    assert found["tensor"].seconds == found["tensor"].exposed_seconds == pytest.approx(4 * GPT.layers * 4 * each)
    assert found["data"].tier == "rack" and found["tensor"].tier == "node"
    step = step_time(GPT, layout, A100, CLUSTER, **times)
    assert step.exposed_communication == pytest.approx(sum(one.exposed_seconds for one in found.values()))
    assert [found[axis].seconds for axis in ("context", "pipeline", "expert")] == [0, 0, 0]


@pytest.mark.parametrize("stage", [0, 1, 2, 3])
def test_data_axis_overlap_matches_exchange_step(stage):
    """Same arithmetic and bytes as another model of the package: 6 FLOP a parameter, no scores."""
    config = transformer.Config(layers=2, d_model=1024, heads=8, vocab_size=1024, norm_bias=False, tied_embeddings=True)
    layout = Layout(data=16, zero_stage=stage, recompute="none")
    slow = (Tier("all", 16, 1e8),)
    for m in (1, 4):
        found = axis_times(config, layout, H100, slow, sequence=8, global_batch=16 * m)["data"]
        per_token = transformer.training_flops_per_token(config, 8, "megatron")
        same = utilization.exchange_step(
            transformer.parameters(config), 8 * m, 16, H100.peak_flops_dense("bf16") * 6 * transformer.parameters(config) / per_token,
            1e8, zero_stage=stage, passes=m,
        )  # fmt: skip
        assert found.seconds == pytest.approx(same.exchange) and found.exposed_seconds == pytest.approx(same.exposed)


PAPER = json.loads((Path(__file__).parent / "data/parallelism_korthikanti.json").read_text(encoding="utf-8"))["rows"]
RUNS = {"22B": (8, 1, 1, 4), "175B": (8, 8, 3, 1), "530B": (8, 35, 3, 1), "1T": (8, 64, 1, 1)}


@pytest.mark.parametrize("row", [r for r in PAPER if r["quantity"] == "iteration_seconds"], ids=lambda row: row["id"])
def test_no_published_step_is_faster_than_the_bound(row):
    tensor, pipeline, chunks, micro_batch = RUNS[row["model"]]
    config = transformer.model(f"Megatron {row['model']}").config
    cluster = Tier("node", 8, 300e9), Tier("network", 4096, 25e9)
    for recompute, parallel, seconds in (("full", False, "full_recompute_seconds"), ("selective", True, "selective_sequence_seconds")):  # fmt: skip
        layout = Layout(tensor, pipeline, row["devices"] // tensor // pipeline, chunks=chunks, micro_batch=micro_batch,
                        recompute=recompute, sequence_parallel=parallel)  # fmt: skip
        step = step_time(config, layout, A100, cluster, sequence=2048, global_batch=row["global_batch"])
        assert 0.5 * row[seconds] < step.seconds < row[seconds]


with (Path(__file__).parent / "data/parallelism_measured_torchtitan.csv").open(encoding="utf-8") as lines:
    MEASURED = list(csv.DictReader(lines))


@every_row("row", MEASURED)
def test_no_measured_step_is_faster_than_the_bound(row):
    names = ("tensor_parallel", "pipeline_parallel", "fsdp", "context_parallel")
    degrees = tensor, stages, data, context = [int(row[name]) for name in names]
    batch, sequence = int(row["local_batch"]), int(row["sequence"])
    layout = Layout(
        *degrees, zero_stage=3, recompute=row["recompute"], micro_batch=max(1, batch // stages),
        chunks=2 if "interleaved" in row["technique"] else 1,
    )  # fmt: skip
    precision = "fp8" if "float8" in row["technique"] else "bf16"
    config = transformer.model(row["model"]).config
    step = step_time(config, layout, H100, CLUSTER, sequence=sequence, global_batch=batch * data, precision=precision)
    measured = batch * sequence / (tensor * stages * context) / float(row["tokens_per_second_per_device"])
    assert 0.1 < step.seconds / measured < 1


@given(SMALL, st.sampled_from([0, 1, 3]))
def test_step_time_is_monotone(layout, stage):
    layout = Layout(layout.tensor, layout.pipeline, layout.data, layout.context, zero_stage=stage)
    given_ = dict(sequence=4096, global_batch=96)
    step = step_time(LLAMA, layout, H100, CLUSTER, **given_)
    assert all(type(part) is float and part >= 0 for part in step.parts.values()) and step.mfu <= 1
    least = step.seconds * (1 - 1e-12)
    slower = [Tier(tier.name, tier.devices, tier.bandwidth_one_way / 2, 2 * tier.latency_seconds) for tier in CLUSTER]
    assert step_time(LLAMA, layout, H100, slower, **given_).seconds >= least
    assert step_time(LLAMA, layout, H100, CLUSTER, overlap=(), **given_).seconds >= least
    assert step_time(LLAMA, layout, H100, CLUSTER, kernel_efficiency=0.5, **given_).seconds >= least
    everything = ("tensor", "context", "pipeline", "data", "expert")
    assert step_time(LLAMA, layout, H100, CLUSTER, overlap=everything, **given_).seconds * (1 - 1e-12) <= step.seconds


STEP = dict(config=LLAMA, layout=Layout(data=8), device=H100, tiers=CLUSTER, sequence=4096, global_batch=64)


@every_row("change, words", [
    (dict(config=None), "config must be a transformer.Config"),
    (dict(layout="tensor"), "layout must be a parallelism.Layout"),
    (dict(device=8), "device must be a specs.Accelerator or the name of one, got 8"),
    (dict(tiers=()), "tiers must hold at least one"),
    (dict(tiers=CLUSTER[0]), "tiers must be a sequence"),
    (dict(tiers=[8, 64]), "tiers must hold parallelism.Tier, got 8"),
    (dict(tiers=CLUSTER[::-1]), "tiers must grow from the innermost out"),
    (dict(tiers=(Tier("pair", 2, 1e9),)), "the last of tiers must hold the 8 devices of the layout, got 2"),
    (dict(tiers=(Tier("a", 8, 1e9), Tier("b", 12, 1e9))), "each a multiple of the one before"),
    (dict(sequence=0), "sequence must be at least 1"),
    (dict(global_batch=20), "must divide global_batch=20"),
    (dict(global_batch=[8, 16]), "global_batch must be a single whole number"),
    (dict(precision="int3"), "int3"),
    (dict(kernel_efficiency=1.5), "kernel_efficiency must be at most 1"),
    (dict(overlap=("wires",)), "overlap must hold axes among"),
    (dict(overlap="wires"), "overlap must hold axes among"),
    (dict(order=("tensor", "data")), "order must hold each of"),
    (dict(order="tensor"), "order must hold each of"),
    (dict(causal=1), "causal must be True or False"),
    (dict(weight_bytes=0), "weight_bytes must be greater than zero"),
    (dict(colour=1), "sizes must be among"),
])  # fmt: skip
@every_row("function", [step_time, axis_times])
def test_bad_input_of_a_step_is_named(function, change, words):
    with pytest.raises((ValueError, TypeError), match=words):
        function(**(STEP | change))


@every_row("recompute", ["none", "selective", "full"])
@every_row("config, layout", [
    (LLAMA, Layout(2, 4, 4, context=2)), (LLAMA, Layout(1, 4, 2, chunks=2)), (MIXTRAL, Layout(4, 3, 2)),
    (transformer.model("DeepSeek-V3").config, Layout(1, 8, 8, expert=8, schedule="dualpipe")),
])  # fmt: skip
def test_passes_add_up_to_the_arithmetic_of_a_step(config, layout, recompute):
    layout = replace(layout, recompute=recompute)
    seconds = pass_seconds(config, layout, H100, sequence=4096, kernel_efficiency=0.5, causal=True)
    chunks = layout.pipeline * layout.chunks
    assert [len(one) for one in seconds.values()] == [chunks] * 3
    m = 16 if layout.schedule else 4 * layout.pipeline
    step = step_time(
        config, layout, H100, FREE, sequence=4096, global_batch=m * layout.data, kernel_efficiency=0.5, causal=True
    )
    busy = step.seconds - step.pipeline_bubble
    assert sum(map(sum, seconds.values())) * m / layout.pipeline == pytest.approx(busy, rel=1e-9)
    run = schedule(layout.schedule_name, layout.pipeline, m, layout.chunks if layout.chunks > 1 else None, **seconds)
    assert sum(run.busy_seconds) / layout.pipeline == pytest.approx(busy, rel=1e-9)
    # Unequal stages wait for the slowest: no step is shorter than its busiest device.
    assert run.makespan_seconds >= max(run.busy_seconds) > busy


@every_row("change, words", [
    (dict(config=1), "config must be a transformer.Config"),
    (dict(layout=1), "layout must be a parallelism.Layout"),
    (dict(layout=Layout(tensor=3)), "tensor=3 must divide the heads"),
    (dict(device=1e15), "device must be a specs.Accelerator"),
    (dict(sequence=-1), "sequence must be at least 1"),
    (dict(precision="fp3"), "fp3"),
    (dict(kernel_efficiency=0), "kernel_efficiency must be greater than zero"),
    (dict(causal=1), "causal must be True or False"),
])  # fmt: skip
def test_bad_input_of_passes_is_named(change, words):
    with pytest.raises((ValueError, TypeError), match=words):
        pass_seconds(**(dict(config=LLAMA, layout=Layout(), device=H100, sequence=4096) | change))


# Narayanan et al. 2021, table 2: layers, width, devices, TFLOP/s of a device, days for 300 billion tokens as printed.
@pytest.mark.parametrize("layers, d_model, devices, tera, days", [
    (96, 12288, 1536, 44, 74), (105, 20480, 640, 138, 169), (105, 20480, 560, 171, 156),
])  # fmt: skip
def test_printed_days_include_recomputation(layers, d_model, devices, tera, days):
    config = transformer.Config(layers=layers, d_model=d_model, heads=128, vocab_size=51200)
    each = transformer.hardware_flops_per_token(config, 2048, "full", "megatron")
    assert 300e9 * each / (devices * tera * 1e12) / 86400 == pytest.approx(days, abs=1)


@pytest.mark.parametrize("name", ["zb_h1", "zb_h2", "dualpipe"])
def test_bubble_formula_matches_simulated_step(name):
    from chip2cluster.parallelism import costs

    for m in (2, 4, 7, 8, 12, 16, 40):
        if name == "dualpipe" and (m % 2 or m < 8):
            continue
        layout = Layout(pipeline=4, schedule=name)
        assert costs._bubble(layout, m) == pytest.approx(costs._simulated(name, 4, m), rel=1e-9, abs=1e-12)
