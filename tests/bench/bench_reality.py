"""Timings of expected times: scalars, arrays next to the same law in bare NumPy, and a whole service."""

import numpy as np

from chip2cluster import reality
from chip2cluster.reality.expectation.constants import choose
from tests.bench.rows import call_row

POINTS = 1_000_000
SERVICE = {"chip": "H100 SXM", "model": "Llama 3.1 70B", "precision": "fp8", "chips": 4, "prompt_tokens": 1024.0,
           "output_tokens": 1024.0, "users": 16.0}  # fmt: skip


def rows():
    """Return the rows of this module."""
    product = {"chip": "H100 SXM", "precision": "bf16", "m": 64.0, "n": 4096.0, "k": 4096.0}
    message = {"chip": "H100 SXM", "collective": "all_reduce", "ranks": 8, "bytes": 2.0**20}
    sizes = np.random.default_rng(0).uniform(1e3, 1e9, POINTS)
    known = choose("nccl", "H100 SXM")
    start = known.own["start"] * (1.0 + 14.0 * known.shared["step"])
    rate = 450e9 * known.own["efficiency"] * known.shared["nvls"]

    def bare():
        sent = 1.75 * sizes
        wire = sent / rate
        seconds = start + wire + np.sqrt(known.shared["root"] * start * wire)
        return np.maximum(seconds, np.minimum(sent, sizes) / 450e9)

    return [
        call_row("expected_seconds of a product, scalar", lambda: reality.expected_seconds("gemm", product), budget=10e-6),
        call_row("expected_seconds of a collective, scalar", lambda: reality.expected_seconds("nccl", message), budget=10e-6),
        call_row("expected_seconds of a serving step, scalar", lambda: reality.expected_seconds("serving_step", SERVICE), budget=10e-6),
        call_row(
            "expected_seconds of a collective, 10^6 sizes",
            lambda: reality.expected_seconds("nccl", {**message, "bytes": sizes}),
            bare,
            max_ratio=2,
        ),
        call_row("forecast of a service: first token, token time, intervals", forecast, budget=5e-3),
    ]  # fmt: skip


def forecast():
    """Return time to first token and time per output token with their intervals."""
    return [reality.expected(kind, SERVICE) for kind in ("first_token", "serving_step")]
