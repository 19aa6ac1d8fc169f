"""Compute against communication: published thresholds, measured runs, counting and playing it out."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chip2cluster import collectives, specs, transformer, utilization
from chip2cluster.utilization import critical_tokens, exchange_step, exchanged_bytes, ring_bandwidth
from tests.tables import every_row

H100, MANY = 990e12, 10**9


# J. Austin et al., "How to scale your model" (2025): chapter 5 (TPU v5p, one axis of the torus and
# three), chapter 12 (H100 inside a node and over nodes, H800, two nodes, 4 of 128 experts).
@every_row("stage", utilization.gradient_exchange.ZERO_STAGES)
@every_row(
    "replicas, peak, bandwidth, active, printed",
    [
        (MANY, 4.6e14, 2 * 9e10, 1, 2550),
        (MANY, 4.6e14, 3 * 2 * 9e10, 1, 850),
        (MANY, H100, 450e9, 1, 2200),
        (MANY, H100, 400e9, 1, 2475),
        (MANY, H100, 300e9, 1, 3300),
        (2, H100, 400e9, 1, 1237),
        (MANY, H100, 400e9, 4 / 128, 79200),
    ],
)
def test_published_thresholds(stage, replicas, peak, bandwidth, active, printed):
    tokens = critical_tokens(replicas, peak, bandwidth, zero_stage=stage, active_share=active)
    assert tokens == pytest.approx(printed, rel=0.003)


def test_the_published_limit_of_chips_for_a_batch():
    """The same book: 16 million tokens fit 18,823 chips of a TPU v5p pod, 40 million tokens 47,000."""
    least = critical_tokens(MANY, 4.59e14, 3 * 2 * 9e10)
    assert 16e6 / least == pytest.approx(18_823, rel=0.001)
    assert 40e6 / least == pytest.approx(47_000, rel=0.005)


# Brute force: the collectives, played on arrays, and their times.
@pytest.mark.parametrize("replicas", [1, 2, 5, 8])
def test_the_bytes_are_those_of_the_collectives(replicas):
    parameters = 40 * replicas
    sent = {}
    for collective in ("all_reduce", "reduce_scatter"):
        simulator = collectives.Simulator(
            collective, "ring", np.ones((replicas, parameters), np.float16)
        )  # 2 bytes each
        simulator.run()
        sent[collective] = sum(int(step.sent[0]) for step in simulator.history)
    all_reduce, one_way_round = sent["all_reduce"], sent["reduce_scatter"]
    for stage, expected in {0: all_reduce, 1: 2 * one_way_round, 2: 2 * one_way_round, 3: 3 * one_way_round}.items():
        assert exchanged_bytes(parameters, replicas, zero_stage=stage).total == pytest.approx(expected)


@settings(deadline=None, max_examples=30)
@given(st.integers(1, 2000), st.floats(1e8, 1e12), st.floats(1e9, 1e12), st.sampled_from([2.0, 4.0]))
def test_the_times_are_those_of_the_collectives(replicas, parameters, bandwidth, each):
    def seconds(collective, size):
        return collectives.time(collective, "ring", size, replicas, bandwidth)

    step = exchange_step(parameters, 1e4, replicas, H100, bandwidth, gradient_bytes=each)
    assert step.exchange == pytest.approx(seconds("all_reduce", each * parameters))
    step = exchange_step(parameters, 1e4, replicas, H100, bandwidth, zero_stage=3, gradient_bytes=each, passes=3)
    gathered = seconds("all_gather", 2 * parameters)
    assert step.forward_exchange == pytest.approx(3 * gathered)
    assert step.backward_exchange == pytest.approx(3 * (gathered + seconds("reduce_scatter", each * parameters)))


def played(parameters, tokens, replicas, rate, wire, stage, passes, layers=2000):
    """A step layer by layer: each sends when it may, and may send while others compute; exposed seconds."""
    each = parameters / layers * 2 * (replicas - 1) / replicas / wire  # one layer around the ring once
    forward, backward = (flops * parameters / layers * tokens / passes / rate for flops in (2, 4))
    exposed = 0.0
    for number in range(passes):
        first, last = number == 0, number == passes - 1
        gathers = (stage == 3) or (stage in (1, 2) and first)
        exposed += max(0.0, layers * (each * gathers - forward))
        sends = {0: 2 * last, 1: last, 2: 1, 3: 2}[stage]
        # The backward pass hands out its gradients one layer after another.
        ready = np.cumsum(np.full(layers, backward))
        exposed += collectives.exposed_time(ready, np.full(layers, each * sends))
    return exposed


@every_row("stage", utilization.gradient_exchange.ZERO_STAGES)
@every_row("tokens, passes", [(500, 1), (3000, 1), (6000, 4), (30_000, 4), (200_000, 4)])
def test_exposed_time_matches_layer_by_layer_simulation(stage, tokens, passes):
    run = 7e9, tokens, 64, 400e12, 50e9
    step = exchange_step(*run, zero_stage=stage, passes=passes)
    # The model lets sending begin with the first layer; really it begins when that is done.
    assert step.exposed == pytest.approx(played(*run, stage, passes), abs=2e-3 * step.seconds)


@settings(deadline=None, max_examples=60)
@given(
    st.integers(2, 4096), st.floats(1e13, 5e15), st.floats(1e9, 1e12), st.sampled_from([0, 1, 2, 3]),
    st.floats(0.1, 1), st.sampled_from([2.0, 4.0]), st.floats(0.02, 1), st.floats(1e8, 1e12), st.integers(1, 16),
)  # fmt: skip
def test_critical_tokens_are_where_exposure_begins(n, peak, wire, stage, kernels, each, active, parameters, devices):
    how = dict(zero_stage=stage, kernel_efficiency=kernels, gradient_bytes=each, active_share=active)
    least = critical_tokens(n, peak, wire, **how)
    above, below = (
        exchange_step(parameters, factor * least, n, peak, wire, devices_per_replica=devices, **how)
        for factor in (1.001, 0.999)
    )
    assert above.exposed == pytest.approx(0, abs=1e-12 * above.seconds) and below.exposed > 0
    assert above.seconds == pytest.approx(above.arithmetic) and above.busy_share == pytest.approx(1)
    assert below.seconds_in_turn == pytest.approx(below.arithmetic + below.exchange)


def test_critical_tokens_ignore_model_size():
    small, large = (exchange_step(size, 2000, 64, H100, 50e9, devices_per_replica=8) for size in (1e9, 1e12))
    assert small.busy_share == pytest.approx(large.busy_share) and large.seconds == pytest.approx(1000 * small.seconds)


def test_micro_batches_help_an_all_reduce_and_not_full_sharding():
    """The same tokens in eight passes: gradients are exchanged once for all, weights gathered for each."""
    once, eight = (exchange_step(7e9, 16e3, 64, 400e12, 50e9, zero_stage=3, passes=k) for k in (1, 8))
    assert once.exposed == 0 and eight.exchange == pytest.approx(8 * once.exchange) and eight.exposed > 0
    replicated = [exchange_step(7e9, 16e3, 64, 400e12, 50e9, passes=k) for k in (1, 8)]
    assert replicated[0].exchange == replicated[1].exchange


# A ring through all devices, put together edge by edge: g rings, each leaving the nodes by another adapter.
@pytest.mark.parametrize("devices, nodes", [(1, 4), (2, 3), (4, 2), (8, 3)])
def test_rings_over_all_adapters(devices, nodes):
    inside, outside, message = 450e9, 50e9, 1.0
    load = {}
    for ring in range(devices):
        order = [(node, (ring + place) % devices) for node in range(nodes) for place in range(devices)]
        for here, there in zip(order, order[1:] + order[:1], strict=True):
            wire = ("out", here) if here[0] != there[0] else ("in", here)
            load[wire] = load.get(wire, 0.0) + message / devices
            if wire[0] == "out":
                load["arrives", there] = load.get(("arrives", there), 0.0) + message / devices
    slowest = max(bytes_ / (inside if wire[0] == "in" else outside) for wire, bytes_ in load.items())
    assert message / slowest >= ring_bandwidth(devices, inside, outside) * (1 - 1e-12)
    if devices * outside < inside:
        assert message / slowest == pytest.approx(ring_bandwidth(devices, inside, outside))


def test_measured_bus_bandwidth_is_below_ring_bound():
    """4 x AWS P6-B200 (8 adapters of 50 GB/s a node), NCCL 2.27.7, 16 GiB: 381.8 GB/s."""
    assert 0.9 < 381.8e9 / ring_bandwidth(8, 900e9, 50e9) < 1


# MosaicML, llm-foundry, training benchmarks: 70B, full sharding, micro-batches of 8 sequences of 2,048 tokens,
# 8 adapters of 50 GB/s a node assumed.
@pytest.mark.parametrize("devices, tokens_per_second", [(128, 1058), (256, 1035), (512, 1007)])
def test_published_full_sharding_is_not_bound_by_the_network(devices, tokens_per_second):
    parameters = transformer.parameters(transformer.model("MPT 70B").config)
    peak = specs.accelerator("H100 SXM").peak_flops_dense("bf16")
    wire, tokens = ring_bandwidth(8, 450e9, 50e9), 8 * 2048
    step = exchange_step(parameters, tokens, devices, peak, wire, zero_stage=3)
    assert critical_tokens(devices, peak, wire, zero_stage=3) < tokens / 6
    assert step.exposed == 0 and tokens / tokens_per_second > step.seconds_in_turn > step.seconds


def test_llama_3_405b_hides_its_gradients():
    """128 replicas of 128 chips, 16 million tokens a step, one adapter of 50 GB/s a chip (Llama Team 2024, table 4)."""
    least = critical_tokens(128, 989.4e12, 50e9, kernel_efficiency=0.43)
    assert least < 16e6 / 128 / 10
    # Without model parallelism the same batch on the same chips would not have: 16,384 replicas of a chip.
    assert critical_tokens(16_384, 989.4e12, ring_bandwidth(8, 450e9, 50e9)) > 16e6 / 16_384


ARGUMENTS = dict(
    parameters=7e9, tokens_per_replica=4096.0, replicas=64, peak_flops_dense=400e12, bandwidth_one_way=50e9,
    kernel_efficiency=0.5, devices_per_replica=2, passes=2, weight_bytes=2.0, gradient_bytes=4.0, active_share=0.5,
)  # fmt: skip


@every_row("name", ARGUMENTS)
@every_row("stage", [0, 3])
def test_scalars_and_arrays(name, stage):
    single = exchange_step(**ARGUMENTS, zero_stage=stage)
    assert all(type(getattr(single, part)) is float for part in ("exposed", "seconds", "exchange", "busy_share"))
    many = exchange_step(**{**ARGUMENTS, name: np.array([ARGUMENTS[name]] * 3)}, zero_stage=stage)
    assert many.seconds.shape == (3,) and np.allclose(many.seconds, single.seconds)


@every_row("name", ARGUMENTS)
def test_bad_arguments_are_named(name):
    counts = {"replicas", "devices_per_replica", "passes"}
    shares = {"kernel_efficiency", "active_share"}
    for value in [0, -1, float("nan"), float("inf")] + [1.5] * (name in counts | shares):
        with pytest.raises(ValueError, match=name):
            exchange_step(**{**ARGUMENTS, name: value})
    for value in (True, "1", None):
        with pytest.raises(TypeError, match=name):
            exchange_step(**{**ARGUMENTS, name: value})


def test_unknown_zero_stage_raises():
    for call in (lambda: exchanged_bytes(1e9, 8, zero_stage=4), lambda: critical_tokens(8, 1e15, 1e10, zero_stage=4)):
        with pytest.raises(ValueError, match="zero_stage must be one of 0, 1, 2, 3, got 4"):
            call()
    for wrong in (("devices_per_node", 0, 1e9, 1e9), ("scale_up_one_way", 8, 0, 1e9)):
        with pytest.raises(ValueError, match=wrong[0]):
            ring_bandwidth(*wrong[1:])
