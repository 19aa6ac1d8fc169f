"""Timings of transformer and utilization against the same arithmetic in bare NumPy."""

import numpy as np

from chip2cluster import transformer, utilization

POINTS = 1_000_000
CHECK = "one or two operations: the check that lengths are whole takes longer"


def rows():
    """Return (name, ours, bare NumPy or None, note) for one point and for 10**6 points."""
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
        ("transformer.parameters, scalar", lambda: transformer.parameters(llama), None, ""),
        ("transformer.training_flops_per_token, scalar", lambda: flops(llama, 8192), None, ""),
        (
            "transformer.training_flops_per_token, 10^6",
            lambda: flops(llama, length),
            lambda: 6 * n + 12.0 * 32 * 32 * 128 * length,
            CHECK,
        ),
        (
            "transformer.recomputed_flops_per_token, scalar",
            lambda: transformer.recomputed_flops_per_token(llama, 8192, "selective"),
            None,
            "",
        ),
        (
            "transformer.activation_memory, scalar",
            lambda: transformer.activation_memory(gpt, 2048, **split),
            None,
            "",
        ),
        (
            "transformer.activation_memory, 10^6",
            lambda: transformer.activation_memory(gpt, length, **split),
            lambda: layers * (length * (width * (10 + 24 / 8) + 5 * 96 / 8 * length)),
            "",
        ),
        ("transformer.state_memory, scalar", lambda: transformer.state_memory(7e9, **zero), None, ""),
        (
            "transformer.state_memory, 10^6",
            lambda: transformer.state_memory(size, **zero),
            lambda: (2 * size, 2 * size, 12 / 64 * size),
            "",
        ),
        (
            "transformer.training_memory, scalar",
            lambda: transformer.training_memory(gpt, 2048, **split, **zero),
            None,
            "three models in one",
        ),
        ("transformer.kv_cache_memory, scalar", lambda: transformer.kv_cache_memory(llama, 8192, 4), None, ""),
        (
            "transformer.kv_cache_memory, 10^6",
            lambda: transformer.kv_cache_memory(llama, length, 4),
            lambda: 4 * 131072.0 * length,
            CHECK,
        ),
        ("utilization.mfu, scalar", lambda: utilization.mfu(1e5, **run), None, ""),
        ("utilization.mfu, 10^6", lambda: utilization.mfu(speed, **run), lambda: speed * 5e10 / (64 * 312e12), ""),
        ("utilization.hfu, scalar", lambda: utilization.hfu(1e5, **run, recompute="full"), None, ""),
        (
            "utilization.hfu, 10^6",
            lambda: utilization.hfu(speed, **run, recompute="full"),
            lambda: speed * (4 / 3 * 5e10) / (64 * 312e12),
            "",
        ),
        ("utilization.training_time, scalar", lambda: utilization.training_time(1e12, 1e5), None, ""),
        (
            "utilization.training_time, 10^6",
            lambda: utilization.training_time(1e12, speed),
            lambda: 1e12 / speed,
            "",
        ),
        ("utilization.critical_tokens, scalar", lambda: utilization.critical_tokens(64, 990e12, 400e9), None, ""),
        (
            "utilization.critical_tokens, 10^6",
            lambda: utilization.critical_tokens(64, 990e12, size),
            lambda: 63 / 64 * 990e12 / size,
            CHECK,
        ),
        (
            "utilization.exchange_step, scalar",
            lambda: utilization.exchange_step(7e9, 4096, 64, 990e12, 50e9),
            None,
            "",
        ),
        (
            "utilization.exchange_step, 10^6",
            lambda: utilization.exchange_step(7e9, length, 64, 990e12, 50e9),
            lambda: (
                forward := 2 * 7e9 * length / 990e12,
                2 * forward,
                np.maximum(4 * 7e9 * 63 / 64 / 50e9 - 2 * forward, 0),
            ),
            "",
        ),
    ]
