"""Cost of a stream of requests, against the sum of its steps, the bound, and published rows."""

import numpy as np
import pytest

from chip2cluster import reality, serving
from chip2cluster.serving import Batch, Efficiency, deploy
from tests.tables import every_row

SERVED = [
    deploy("Llama 3 8B", "H100 SXM"),
    deploy("Llama 3 70B", "H100 SXM", 4, "fp8"),
    deploy("Mixtral 8x7B", "H200 SXM"),
    deploy("DeepSeek-V3", "H200 SXM", 8, "fp8", attention="data"),
]
each = pytest.mark.parametrize("deployment", SERVED, ids=lambda one: f"{one.config.layers} layers")


@each
def test_request_kernel_is_the_sum_of_its_steps(deployment):
    prompt, output, together = 300, 41, 6
    kernel = serving.request_kernel(deployment, prompt, output, together)
    read = serving.step_kernel(deployment, Batch(prompt=prompt, pairs=prompt * (prompt + 1) / 2, finished=1))
    steps = [
        serving.step_kernel(deployment, Batch(decoding=together, context=together * (prompt + written)))
        for written in range(1, output)
    ]
    assert kernel.flops == pytest.approx(read.flops + sum(step.flops for step in steps) / together)
    assert kernel.bytes_moved == pytest.approx(sum(step.bytes_moved for step in steps) / together)


@each
def test_stream_rate_never_exceeds_throughput_bound(deployment):
    rng = np.random.default_rng(3)
    for prompt, output in zip(rng.integers(10, 6000, 30), rng.integers(1, 3000, 30), strict=True):
        rate, bound = (call(deployment, prompt, output) for call in (serving.stream_rate, serving.throughput_bound))
        assert rate <= bound * (1 + 1e-9)
        shared = serving.stream_rate(
            deployment, prompt, output, sequences=4, efficiency=Efficiency(0.5, 0.9, 0.8, 1e-3)
        )
        assert shared < rate
        both = serving.throughput_bound(deployment, prompt, output, sequences=4)
        assert serving.stream_rate(deployment, prompt, output, sequences=4) <= both * (1 + 1e-9)


def test_stream_rate_of_one_output_token_is_prefill():
    chip = SERVED[0]
    rate = serving.stream_rate(chip, 2000, 1)
    assert 1 / rate == pytest.approx(serving.time_to_first_token(chip, 2000))


def test_request_kernel_of_one_sequence_is_its_steps():
    chip, prompt, output = SERVED[0], 1000, 50
    kernel = serving.request_kernel(chip, prompt, output, 1)
    reading = sum(serving.time_between_tokens(chip, prompt + written) for written in range(1, output))
    assert kernel.bytes_moved / chip.memory_bandwidth == pytest.approx(reading)


def test_arrays_agree_with_scalars():
    prompts, outputs = np.array([100, 2000]), np.array([400, 30])
    both = serving.stream_rate(SERVED[0], prompts, outputs)
    assert both.tolist() == [
        serving.stream_rate(SERVED[0], int(p), int(o)) for p, o in zip(prompts, outputs, strict=True)
    ]


def test_compared_rows_are_those_with_known_shape():
    known = [row for row in serving.measured_rows("throughput") if row.has_model_shape]
    compared = reality.kind("serving").rows
    shown = [(row.model, row.chip, row.devices, row.precision, row.prompt, row.output or 1, row.value) for row in known]
    names = ("model", "chip", "devices", "precision", "prompt", "output")
    assert sorted(shown) == sorted((*(row.given[name] for name in names), row.measured) for row in compared)


def test_dense_models_are_forecast_from_two_rows():
    factors = {
        point.row.id: point.factor for point in reality.counted("serving")
        if point.row.given["model"] in ("Llama 3.1 70B", "Llama 3.1 405B") and point.row.given["precision"] == "fp8"
        and point.row.given["sequences"] is None
    }  # fmt: skip
    assert len(factors) > 40 and np.median(list(factors.values())) < 1.1 and max(factors.values()) < 1.5


@every_row("call, says", [
    (lambda: serving.stream_rate(SERVED[0], 10**6, 1000), "must fit into the cache"),
    (lambda: serving.stream_rate("Llama", 10, 10), "deployment must be"),
    (lambda: serving.stream_rate(SERVED[0], 10, 10, efficiency=0.5), "efficiency"),
    (lambda: serving.stream_rate(SERVED[0], 10, 10, sequences=0), "sequences"),
    (lambda: serving.request_kernel(SERVED[0], 0, 10, 1), "prompt"),
    (lambda: serving.request_kernel(SERVED[0], 10, 1.5, 1), "output"),
    (lambda: serving.served_deployment("GPT-OSS 120B", "B200", 2, "fp4"), "only the active parameters"),
])  # fmt: skip
def test_bad_arguments_are_named(call, says):
    with pytest.raises((ValueError, TypeError), match=says):
        call()
