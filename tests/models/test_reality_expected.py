"""Expected times: bounds, monotonicity and scaling with the rates."""

import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

from chip2cluster import reality, specs, transformer
from chip2cluster.reality.expectation import scoring
from tests.models.expected_times import GROWING, QUESTIONS, every, rows_of


@every
def test_expected_is_at_least_its_bound(kind):
    rows, _ = rows_of(kind)
    for one in scoring.score(rows[::3], kind):
        assert one.bound <= one.low <= one.seconds <= one.high
        assert one.bound > 0 or kind in ("nccl", "custom_all_reduce")


@every
def test_expected_grows_with_every_size(kind):
    for name in GROWING[kind]:
        start = QUESTIONS[kind].get(name, 1)
        most = 256 / start if name == "top_k" else 512  # no more than the experts
        sizes = np.unique(np.round(start * np.geomspace(1, most, 60)))
        found = reality.expected(kind, {**QUESTIONS[kind], name: sizes})
        assert np.all(np.diff(found.seconds) >= -1e-15), name
        assert np.all(np.diff(found.bound) >= -1e-15), name


@every
def test_expected_arrays_equal_scalars(kind):
    name = GROWING[kind][0]
    sizes = np.array([[1.0, 2.0, 3.0], [128.0, 1000.0, 4096.0]]) * (2**26 if kind == "nccl_nodes" else 1)
    array = reality.expected_seconds(kind, {**QUESTIONS[kind], name: sizes})
    assert array.shape == sizes.shape
    each = [reality.expected_seconds(kind, {**QUESTIONS[kind], name: float(size)}) for size in sizes.ravel()]
    assert np.allclose(array.ravel(), each, rtol=1e-12)
    assert all(type(value) is float for value in each)


def twice_as_fast(chip, factor=2.0):
    """Return a custom chip whose rates are those of a chip times a factor."""
    found = specs.accelerator(chip)
    return specs.own(
        "custom", dense={name: factor * found.peak_flops_dense(name) for name in ("bf16", "fp8")},
        memory=found.memory_bytes, memory_bandwidth=factor * found.memory_bandwidth,
        scale_up_one_way=factor * found.scale_up_bandwidth_one_way, scale_up_link="NVLink",
    )  # fmt: skip


@pytest.mark.parametrize("kind", ["gemm", "attention_decode", "nccl", "experts", "serving_step", "training_step"])
def test_bound_halves_when_every_rate_doubles(kind):
    slow = reality.expected(kind, {**QUESTIONS[kind], "chip": twice_as_fast("H100 SXM", 1.0)})
    fast = reality.expected(kind, {**QUESTIONS[kind], "chip": twice_as_fast("H100 SXM")})
    assert fast.bound == pytest.approx(slow.bound / 2)
    # What does not shrink with the rates is the fixed time.
    assert slow.seconds / 2 <= fast.seconds <= slow.seconds
    assert slow.basis == fast.basis == "all chips"


def test_more_chips_shrink_all_but_fixed_time_and_messages():
    """Roofline and prefill fall with the chips; what may grow is the all-reduce, by its steps alone."""
    cases = (("Llama 3.1 70B", 1, 80), ("Llama 3.1 70B", 64, 80), ("Qwen3 32B", 8, 64), ("gpt-oss-120b", 32, 36))
    for model, users, layers in cases:
        load = {"model": model, "precision": "fp8", "users": users, "prompt_tokens": 1024, "output_tokens": 1024}
        found = reality.expected("serving_step", chip="B200", chips=[1, 2, 4, 8], **load)
        assert np.all(np.diff(found.bound) < 0)
        # From two chips on the number of messages is constant: no more than their bytes can be added.
        assert np.all(np.diff(found.seconds[1:]) <= 2 * layers * 2e-6)
    training = {**QUESTIONS["training_step"], "chips": np.array([8, 64, 512])}
    assert np.all(np.diff(reality.expected_seconds("training_step", training)) < 0)


def test_chip_without_constants_takes_its_family_and_says_so():
    own, lent, strange = (
        reality.expected("gemm", {**QUESTIONS["gemm"], "chip": chip}) for chip in ("H100 SXM", "H200 SXM", "MI300X")
    )
    assert (own.basis, lent.basis, strange.basis) == ("chip", "family", "all chips")
    spread = [found.high / found.seconds for found in (own, lent, strange)]
    assert spread == sorted(spread) and spread[2] > spread[0]


def test_nccl_with_nodes_is_the_law_of_several_nodes():
    """One node is the law of one node; AWS prints 487 GB/s for 16 GiB on two p5, and 33.6 ms for 8 GiB."""
    one = QUESTIONS["nccl"]
    assert reality.expected("nccl", {**one, "nodes": 1, "network_per_node": 4e11}) == reality.expected("nccl", one)
    with pytest.raises(TypeError, match="nodes must be a number"):
        reality.expected("nccl", {**one, "nodes": "two", "network_per_node": 4e11})
    large = {"chip": "H100 SXM", "ranks": 8, "bytes": 2**30}
    single = reality.expected("nccl_nodes", large, nodes=1, network_per_node=4e11)
    assert single.seconds == pytest.approx(reality.expected_seconds("nccl", large, collective="all_reduce"))
    several = {**large, "collective": "all_reduce", "ranks": 16, "nodes": 2, "network_per_node": 4e11}
    assert reality.expected("nccl", several) == reality.expected("nccl_nodes", several)
    for size, seconds in ((2**33, 0.033605), (2**34, 2**34 * 1.875 / 487.09e9)):
        low, high = reality.expected_interval("nccl", {**several, "bytes": size})
        assert low <= seconds <= high


def test_more_nodes_and_slower_adapters_never_help_an_all_reduce():
    base = {"chip": "H100 SXM", "bytes": 2**30, "network_per_node": 4e11}
    nodes = np.array([1, 2, 3, 4, 8, 64, 512])
    found = reality.expected("nccl_nodes", base, ranks=8 * nodes, nodes=nodes)
    assert np.all(np.diff(found.seconds) >= 0)
    rates = reality.expected("nccl_nodes", base | {"network_per_node": np.array([5e10, 2e11, 4e11])}, ranks=32, nodes=4)
    assert np.all(np.diff(rates.seconds) < 0) and np.all(np.diff(rates.bound) < 0)
    # A rack of 72 sends over 8 of its adapters.
    rack = {"chip": "GB200", "ranks": 144, "nodes": 2, "bytes": 2**34}
    assert reality.expected_seconds("nccl_nodes", rack, network_per_node=72 * 5e10) > 2**34 / (8 * 5e10)


def test_tensor_parallel_gains_less_than_the_roofline_promises():
    """Measured over eight users: the roofline promises 8 times from 8 chips, servers reach a third to a half of it."""
    load = {**QUESTIONS["serving_step"], "users": 8}
    one, eight = (reality.expected("serving_step", {**load, "chips": chips}) for chips in (1, 8))
    assert one.bound / eight.bound == pytest.approx(8, rel=0.05)
    assert 2 < one.seconds / eight.seconds < 5


def test_import_of_reality_stays_light():
    code = (
        "import sys, chip2cluster.reality; print([m for m in ('pandas', 'networkx', 'matplotlib') if m in sys.modules])"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"


def test_cache_of_windowed_layers_grows_to_the_window():
    """Mistral 7B attends to 4,096 tokens: a longer prompt adds no traffic to a token, and a shorter one does."""
    load = {"chip": "H100 SXM", "model": "Mistral 7B", "precision": "bf16", "users": 16, "output_tokens": 100}
    bound = [
        reality.expected("serving_step", load, prompt_tokens=tokens).bound for tokens in (1000, 4000, 6000, 60_000)
    ]
    assert bound[0] < bound[1] < bound[2] == bound[3]
    state = replace(transformer.model("Nemotron-H 8B").config, mixers=("linear",))
    assert 0 < reality.expected_seconds("serving_step", load, model=state, prompt_tokens=1000) < 1


def test_expected_takes_a_custom_model_and_chip():
    config = replace(transformer.model("Llama 3.1 70B").config, layers=40)
    half = reality.expected("serving_step", {**QUESTIONS["serving_step"], "model": config})
    whole = reality.expected("serving_step", QUESTIONS["serving_step"])
    assert half.seconds == pytest.approx(whole.seconds / 2, rel=0.1)
