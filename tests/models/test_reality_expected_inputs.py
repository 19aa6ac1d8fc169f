"""Expected times refuse unknown, missing and contradictory inputs, and accept every spelling."""

import pytest

from chip2cluster import reality
from tests.models.expected_times import GROWING, QUESTIONS, every


@every
def test_expected_refuses_an_unknown_key_with_the_list(kind):
    with pytest.raises(ValueError, match="no input 'colour'.*chip"):
        reality.expected_seconds(kind, {**QUESTIONS[kind], "colour": 3})
    with pytest.raises(ValueError, match="no input 'seconds'"):
        reality.expected_seconds(kind, {**QUESTIONS[kind], "seconds": 1e-6})


@every
def test_expected_names_a_missing_or_bad_input(kind):
    name = GROWING[kind][0]
    with pytest.raises(ValueError, match=r"needs .*chip"):
        reality.expected_seconds(kind, {key: value for key, value in QUESTIONS[kind].items() if key != "chip"})
    for bad, error in ((-1, ValueError), (float("nan"), ValueError), (True, TypeError), ("3", TypeError)):
        with pytest.raises(error, match=name):
            reality.expected_seconds(kind, {**QUESTIONS[kind], name: bad})
    with pytest.raises(LookupError, match="there are|fits"):
        reality.expected_seconds(kind, {**QUESTIONS[kind], "chip": "no such chip"})


@pytest.mark.parametrize(
    ("kind", "changed", "match"),
    [
        ("gemm", {"precision": "fp3"}, "bf16, fp16, fp8"),
        ("gemm", {"chip": "A100 SXM 80GB", "precision": "fp8"}, "A100.*no dense peak for 'fp8'"),
        ("nccl", {"collective": "shuffle"}, "all_reduce, all_gather"),
        ("nccl", {"ranks": 16}, "at most 8 GPUs.*network_per_node"),
        ("serving_step", {"chips": 16}, "at most 8 GPUs"),
        ("serving_step", {"model": "DeepSeek-R1", "chips": 4}, "at least 9 chips"),
        ("gemm", {"chip": ["H100 SXM", "B200"]}, "one text each"),
        ("serving_step", {"model": "Nameless 7B"}, "not a published model here; similar names"),
        ("experts", {"routing": "zipf"}, "balanced, power_law"),
        # Inputs that a law lacks are refused, not ignored.
        ("nccl", {"ranks": 32, "nodes": 4}, "needs network_per_node"),
        ("nccl", {"ranks": 32, "nodes": 4, "network_per_node": 4e11}, "64 MiB.*hierarchical_all_reduce_time"),
        ("nccl_nodes", {"collective": "all_gather"}, "must be all_reduce"),
        ("nccl_nodes", {"nodes": 3}, "multiple of nodes"),
        ("nccl_nodes", {"nodes": 2}, "ranks / nodes"),
        ("custom_all_reduce", {"nodes": 2}, "no input 'nodes'"),
        ("attention_decode", {"window": 128}, "no input 'window'.*cached=window"),
        # Numbers that contradict each other.
        ("attention_decode", {"heads": 8, "kv_heads": 16}, "kv_heads must be at most heads"),
        ("experts", {"top_k": 9, "experts": 8, "expert_parallel": 8}, "top_k must be at most experts"),
        ("expert_all_to_all", {"top_k": 9, "experts": 8}, "top_k must be at most experts"),
        ("serving_step", {"tp": 16}, "tp must be at most chips, got tp=16"),
        ("first_token", {"attention_dp": 8}, "attention_dp must be at most chips"),
    ],
)
def test_expected_names_the_fix_for_unknown_text(kind, changed, match):
    with pytest.raises((ValueError, TypeError, LookupError), match=match):
        reality.expected_seconds(kind, {**QUESTIONS[kind], **changed})
    with pytest.raises(ValueError, match="gemm, attention_prefill"):
        reality.expected_seconds("stencil", {})


def test_expected_accepts_every_spelling():
    given = {key: value for key, value in QUESTIONS["nccl"].items() if key != "bytes"}
    assert reality.expected("nccl", given, message_bytes=2**20) == reality.expected("nccl", given, bytes=2**20)
    product = {key: value for key, value in QUESTIONS["gemm"].items() if key != "precision"}
    assert reality.expected("gemm", **product, kernel_precision="bf16") == reality.expected("gemm", QUESTIONS["gemm"])
    for phase in ("prefill", "decode"):
        kind = f"attention_{phase}"
        assert reality.expected("attention", QUESTIONS[kind], phase=phase) == reality.expected(kind, QUESTIONS[kind])
    assert isinstance(reality.expected("gemm", QUESTIONS["gemm"]), reality.Expected)
    assert all(isinstance(key, reality.Key) and key.unit for key in reality.expected_keys("gemm"))
    names = {key.name for key in reality.expected_keys("serving_step")}
    assert {"chip", "model", "precision", "chips", "users", "prompt_tokens", "output_tokens", "tp"} <= names
