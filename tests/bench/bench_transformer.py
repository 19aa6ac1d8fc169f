"""Timings of transformer and utilization against the same arithmetic in bare NumPy."""

import numpy as np

from chip2cluster import transformer, utilization
from tests.bench.rows import call_row

POINTS = 1_000_000


def rows():
    """Return the rows of this module."""
    rng = np.random.default_rng(0)
    length = rng.integers(1, 131072, POINTS).astype(float)
    speed, size = rng.uniform(1e3, 1e7, POINTS), rng.uniform(1e8, 1e12, POINTS)
    llama, gpt = (transformer.model(name).config for name in ("Llama 3 8B", "GPT-3 175B"))
    run = dict(flops_per_token=5e10, devices=64, peak_flops_dense=312e12)
    split = dict(tensor_parallel=8)
    zero = dict(zero_stage=1, data_parallel=64)
    flops = transformer.training_flops_per_token
    # The same constants, as a bare script would hold them.
    n, width, layers = float(transformer.parameters(llama)), float(gpt.d_model), float(gpt.layers)
    return [
        call_row("parameters, scalar", lambda: transformer.parameters(llama), budget=10e-6),
        call_row("training_flops_per_token, scalar", lambda: flops(llama, 8192), budget=10e-6),
        call_row(
            "training_flops_per_token, 10^6 (checking the arguments dominates)",
            lambda: flops(llama, length),
            lambda: 6 * n + 12.0 * 32 * 32 * 128 * length,
            max_ratio=2,
        ),
        call_row(
            "recomputed_flops_per_token, scalar",
            lambda: transformer.recomputed_flops_per_token(llama, 8192, "selective"),
            budget=10e-6,
        ),
        call_row("activation_memory, scalar", lambda: transformer.activation_memory(gpt, 2048, **split), budget=10e-6),
        call_row(
            "activation_memory, 10^6",
            lambda: transformer.activation_memory(gpt, length, **split),
            lambda: layers * (length * (width * (10 + 24 / 8) + 5 * 96 / 8 * length)),
            max_ratio=2,
        ),
        call_row("state_memory, scalar", lambda: transformer.state_memory(7e9, **zero), budget=10e-6),
        call_row(
            "state_memory, 10^6",
            lambda: transformer.state_memory(size, **zero),
            lambda: (2 * size, 2 * size, 12 / 64 * size),
            max_ratio=2,
        ),
        call_row(
            "training_memory, scalar (three models in one)",
            lambda: transformer.training_memory(gpt, 2048, **split, **zero),
            budget=10e-6,
        ),
        call_row("kv_cache_memory, scalar", lambda: transformer.kv_cache_memory(llama, 8192, 4), budget=10e-6),
        call_row(
            "kv_cache_memory, 10^6 (checking the arguments dominates)",
            lambda: transformer.kv_cache_memory(llama, length, 4),
            lambda: 4 * 131072.0 * length,
            max_ratio=2,
        ),
        call_row("utilization.mfu, scalar", lambda: utilization.mfu(1e5, **run), budget=10e-6),
        call_row(
            "utilization.mfu, 10^6",
            lambda: utilization.mfu(speed, **run),
            lambda: speed * 5e10 / (64 * 312e12),
            max_ratio=2,
        ),
        call_row("utilization.hfu, scalar", lambda: utilization.hfu(1e5, **run, recompute="full"), budget=10e-6),
        call_row(
            "utilization.hfu, 10^6",
            lambda: utilization.hfu(speed, **run, recompute="full"),
            lambda: speed * (4 / 3 * 5e10) / (64 * 312e12),
            max_ratio=2,
        ),
        call_row("utilization.training_time, scalar", lambda: utilization.training_time(1e12, 1e5), budget=10e-6),
        call_row(
            "utilization.training_time, 10^6",
            lambda: utilization.training_time(1e12, speed),
            lambda: 1e12 / speed,
            max_ratio=2,
        ),
        call_row(
            "utilization.critical_tokens, scalar", lambda: utilization.critical_tokens(64, 990e12, 400e9), budget=10e-6
        ),
        call_row(
            "utilization.critical_tokens, 10^6 (checking the arguments dominates)",
            lambda: utilization.critical_tokens(64, 990e12, size),
            lambda: 63 / 64 * 990e12 / size,
            max_ratio=2,
        ),
        call_row(
            "utilization.exchange_step, scalar",
            lambda: utilization.exchange_step(7e9, 4096, 64, 990e12, 50e9),
            budget=10e-6,
        ),
        call_row(
            "utilization.exchange_step, 10^6",
            lambda: utilization.exchange_step(7e9, length, 64, 990e12, 50e9),
            lambda: (
                forward := 2 * 7e9 * length / 990e12,
                2 * forward,
                np.maximum(4 * 7e9 * 63 / 64 / 50e9 - 2 * forward, 0),
            ),
            max_ratio=2,
        ),
    ]
