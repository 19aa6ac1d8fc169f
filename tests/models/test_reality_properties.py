"""Properties of expected times over drawn inputs: all chips of the catalogue, all kinds, all precisions."""

import timeit

import numpy as np
import pytest

from chip2cluster import reality, shell, specs
from chip2cluster.reality.expectation import chips
from chip2cluster.reality.expectation.keys import KEYS
from chip2cluster.reality.expectation.laws import LAWS, serving_step

KINDS = sorted(LAWS)
TEXTS = {
    "precision": ("bf16", "fp16", "fp8", "fp8_block", "fp4", "int4"),
    "cache_precision": ("bf16", "fp8"),
    "collective": ("all_reduce", "all_gather", "reduce_scatter", "all_to_all"),
    "framework": ("trtllm", "vllm", "sglang"),
    "launch": ("graph", "eager"),
    "routing": ("balanced", "power_law_1.2"),
    "mode": ("low latency", "normal", "NVLink one-sided"),
    "phase": ("dispatch", "combine"),
    "model": ("Llama 3.1 8B", "Llama 3.1 70B", "gpt-oss-120b", "DeepSeek-V3", "MPT 7B"),
    "recompute": ("none", "selective", "full"),
}
COUNTS = ("ranks", "chips", "expert_parallel", "expert_tp", "attention_dp", "tp", "nodes")


def drawn(kind, chip, generator):
    """Return a question of a kind with drawn inputs."""
    question = {}
    for key in KEYS[kind]:
        if key.name == "chip":
            question["chip"] = chip
        elif key.name in TEXTS:
            question[key.name] = str(generator.choice(TEXTS[key.name]))
        elif key.name in COUNTS:
            question[key.name] = int(2 ** generator.integers(key.smallest > 1, 4))
        elif key.name not in ("head_dim",):
            question[key.name] = int(2 ** generator.uniform(1, 13))
    question.pop("tp", None)
    question.pop("nodes", None)
    if kind == "nccl_nodes":
        question |= {
            "collective": "all_reduce",
            "nodes": question["ranks"] // 2,
            "bytes": int(2 ** generator.uniform(26, 34)),
        }
        question["network_per_node"] = float(2 ** generator.uniform(34, 42))
    if "kv_heads" in question:
        question["heads"], question["kv_heads"] = 32, 8
    if "experts" in question:
        question["experts"], question["top_k"] = 64, 4
    return question


@pytest.mark.parametrize("kind", KINDS)
def test_expected_exceeds_its_bound_on_every_chip(kind):
    generator, answered = np.random.default_rng(39), 0
    for name in (one.name for one in specs.accelerators()):
        for _ in range(12):
            question = drawn(kind, name, generator)
            try:
                found = reality.expected(kind, question)
            except (LookupError, ValueError):
                continue  # a precision or a link that the chip has not; the tests of refusals have their texts
            answered += 1
            assert 0 < found.seconds < np.inf and found.bound <= found.low <= found.seconds <= found.high, question
    assert answered >= 40, kind


@pytest.mark.parametrize("model", ["Llama 3.1 8B", "Llama 3.1 70B", "gpt-oss-120b", "DeepSeek-V3"])
@pytest.mark.parametrize("chip", ["A100 SXM 80GB", "H100 SXM", "H200 SXM", "B200", "GB300", "MI300X"])
def test_more_chips_add_only_all_reduces_to_a_step(chip, model):
    """A step on more chips may grow by the server's all-reduces, and by nothing else."""
    precision = "bf16" if chip.startswith("A100") else "fp8"
    shape = serving_step.shape(model)
    for users in (1, 16, 128):
        load = {
            "chip": chip,
            "model": model,
            "precision": precision,
            "users": users,
            "prompt_tokens": 1024,
            "output_tokens": 512,
        }
        text = (chip, model, precision, "trtllm")
        choice = reality.expectation.constants.choose("serving_step", chip)
        all_reduce = serving_step.figures(text, choice.own, choice.shared)["all_reduce"]
        earlier = None
        for count in (1, 2, 4, 8):
            try:
                found = reality.expected("serving_step", {**load, "chips": count}).seconds
            except ValueError:
                continue  # the weights do not fit
            wire = 2 * shape.layers * 4 * shape.d_model / (serving_step.LINK_SHARE * chips.link(chip))
            # A replica with more memory runs more sequences, which take their own time; one user has no such batch.
            if earlier is not None and users == 1:
                assert found <= earlier + 2 * shape.layers * all_reduce + wire * (1 + 1024 / 512)
            earlier = found


@pytest.mark.parametrize("kind", KINDS)
def test_unknown_keys_are_refused_with_the_nearest_name(kind):
    question = drawn(kind, "B200", np.random.default_rng(1))
    for key in KEYS[kind]:
        wrong = key.name + "x"
        with pytest.raises(ValueError, match=f"no input '{wrong}', did you mean '{key.name}'"):
            reality.expected(kind, {**question, wrong: 1})


@pytest.mark.parametrize("kind", [kind for kind in KINDS if any(key.name == "precision" for key in KEYS[kind])])
@pytest.mark.parametrize("precision", ["fp6", "int8", "fp64", "nvfp4", "fp3"])
def test_precision_without_a_law_is_refused(kind, precision):
    apart = ("attention_dp", "expert_tp", "expert_parallel")  # drawn apart from the number of chips
    question = {
        name: value for name, value in drawn(kind, "B200", np.random.default_rng(2)).items() if name not in apart
    }
    with pytest.raises(ValueError, match=f"must be .*bf16.*got '{precision}'"):
        reality.expected(kind, {**question, "precision": precision})


def test_plan_names_the_share_that_fp6_lacks():
    answers = {
        name: str(shell.ask(f'plan --model "Llama 3 8B" --tokens 1e12 --chip B200 --chips 64 --precision {name}'))
        for name in ("fp6", "fp8")
    }
    assert "No training run in fp6 is published" in answers["fp6"] and "--kernel-share" in answers["fp6"]
    assert "No training run" not in answers["fp8"]


def test_scalar_expectation_takes_microseconds():
    question = {"chip": "H100 SXM", "precision": "bf16", "m": 1, "n": 8192, "k": 8192}
    best = min(timeit.repeat(lambda: reality.expected_seconds("gemm", question), number=2000, repeat=5)) / 2000
    assert best < 30e-6  # 10 microseconds on an idle machine
