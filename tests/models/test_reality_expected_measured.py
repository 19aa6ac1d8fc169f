"""Expected times against measurements that no fit has seen and against other publications."""

import numpy as np
import pytest

from chip2cluster import reality
from chip2cluster.reality.expectation import constants, fitting
from tests.models.expected_times import QUESTIONS, TARGETS, every, factors, rows_of


@every
def test_expected_meets_its_target_on_unseen_rows(kind):
    rows, seen = rows_of(kind)
    ratios = fitting.ratios(kind, constants.load()["kinds"][kind], rows)[~seen]
    median, share = TARGETS[kind]
    found = factors(ratios)
    assert np.median(found) <= median
    assert np.mean(found <= 1.5) >= share


@pytest.mark.parametrize(
    ("m", "n", "k", "tflops"), [(2048, 2048, 2048, 641), (8192, 50304, 4096, 800), (8192, 50264, 4096, 764)]
)
def test_expected_gemm_matches_cublas_on_another_h100(m, n, k, tflops):
    """By hand, on an H100 with cuBLAS 13.1: no row of the fit, another library."""
    seconds = reality.expected_seconds("gemm", chip="H100 SXM", precision="bf16", m=m, n=n, k=k)
    assert 2 * m * n * k / seconds == pytest.approx(tflops * 1e12, rel=0.15)


def test_expected_times_match_other_publications():
    """InferenceX issue 870: DeepSeek-R1, 8 H200, 8 users: 597 tokens/s; nccl-tests: 16 GiB on 8 H200 at 482 GB/s."""
    low, high = reality.expected_interval(
        "serving_step", chip="H200 SXM", model="DeepSeek-R1", precision="fp8", chips=8, users=8, prompt_tokens=1024,
        output_tokens=1024,
    )  # fmt: skip
    assert low <= 8 / 597 <= high
    low, high = reality.expected_interval("nccl", chip="H200 SXM", collective="all_reduce", ranks=8, bytes=2**34)
    assert low <= 2**34 * 1.75 / 482e9 <= high


def test_servers_all_reduce_starts_sooner_than_nccl():
    """TensorRT-LLM and vLLM take 3.5 to 8 us for 16 KiB on eight H100, NCCL 16 to 26."""
    for framework in ("trtllm", "vllm"):
        seconds = reality.expected_seconds(
            "custom_all_reduce", chip="H100 SXM", framework=framework, ranks=8, bytes=2**14
        )
        assert 3.5e-6 <= seconds <= 8.1e-6
    assert 15e-6 <= reality.expected_seconds("nccl", {**QUESTIONS["nccl"], "bytes": 2**14}) <= 26e-6


def test_fewest_chips_is_right_and_rarely_too_few():
    """Each wished token time against the counts that were measured: chosen, right and too few."""
    groups = {}
    for row in rows_of("serving_step")[0]:
        names = ("chip", "model", "precision", "prompt_tokens", "output_tokens", "users", "framework")
        measured = groups.setdefault(tuple(row[name] for name in names), {})
        count = int(row["chips"])
        measured[count] = min(measured.get(count, 1.0), row["seconds"])
    right, few, asked = 0, 0, 0
    for (chip, model, precision, prompt, output, users, framework), measured in groups.items():
        if len(measured) < 2:
            continue
        for wish in (0.005, 0.0075, 0.01, 0.015, 0.02, 0.03, 0.05, 0.1):
            found = reality.fewest_chips(
                chip, model, precision, wish, prompt_tokens=prompt, output_tokens=output, users=users,
                framework=framework, counts=sorted(measured),
            )  # fmt: skip
            best = min((count for count, seconds in measured.items() if seconds <= wish), default=None)
            asked += 1
            right += found == best
            few += found is not None and (best is None or found < best)
    assert asked >= 200
    assert right / asked >= 0.75
    assert few / asked <= 0.03
