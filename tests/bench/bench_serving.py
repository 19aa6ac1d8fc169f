"""Timings of serving and economics: scalars, arrays next to bare NumPy, and simulated requests."""

import numpy as np

from chip2cluster import economics, serving
from tests.bench.rows import call_row

POINTS = 1_000_000


def rows():
    """Return the rows of this module."""
    rng = np.random.default_rng(0)
    context = rng.integers(1, 131072, POINTS).astype(float)
    watts, hours = rng.uniform(100, 1000, POINTS), rng.uniform(1, 1e4, POINTS)
    llama = serving.deploy("Llama 3 8B", "H100 SXM")
    chip = serving.replica(llama, serving.Efficiency(0.5, 0.7, overhead_seconds=2e-3))
    requests = serving.poisson_requests(20, 2000, 1000, 200, seed=1)
    chats = serving.poisson_requests(60, 2000, 1000, 100, seed=1, prefixes=20, prefix_tokens=800)
    rates = economics.Rates(dollars_per_device_hour=2.0, mean_watts_per_device=500.0, pue=1.1, grams_per_kwh=400.0)
    owned = dict(used_fraction=0.7, mean_watts=1000, pue=1.2, dollars_per_kwh=0.1)
    weights, each, peak, rate = 2 * 7504924672.0, 131072.0, 989.4e12, 3.35e12
    flops, pair = 2 * 7504924672.0, 2.0 * 32 * 2 * 4096

    def bare_step():
        return np.maximum((flops + pair * context) / peak, (weights + each * context) / rate)

    return [
        call_row("time_to_first_token, scalar", lambda: serving.time_to_first_token(llama, 1000), budget=10e-6),
        call_row("time_between_tokens, scalar", lambda: serving.time_between_tokens(llama, 4096, 8), budget=10e-6),
        call_row(
            "time_between_tokens, 10^6 (checking the arguments dominates)",
            lambda: serving.time_between_tokens(llama, context),
            bare_step,
            max_ratio=2,
        ),
        call_row("stream_rate, scalar", lambda: serving.stream_rate(llama, 1000, 1000), budget=10e-6),
        call_row("throughput_bound, scalar", lambda: serving.throughput_bound(llama, 1000, 1000), budget=10e-6),
        call_row("simulate, 2,000 requests of 1,200 tokens", lambda: serving.simulate(requests, chip)),
        call_row(
            "simulate, four replicas, prefix-aware routing", lambda: serving.simulate(chats, [chip] * 4, "cache_aware")
        ),
        call_row(
            "disaggregate, one prefill and one decode instance",
            lambda: serving.disaggregate(requests, chip, chip, 0.003),
        ),
        call_row("economics.facility_energy, scalar", lambda: economics.facility_energy(1e9, 1.1), budget=10e-6),
        call_row(
            "economics.device_energy, 10^6 (checking the arguments dominates)",
            lambda: economics.device_energy(8, hours, watts),
            lambda: 8 * hours * watts,
            max_ratio=2,
        ),
        call_row("economics.own_cost, scalar", lambda: economics.own_cost(35e3, 4, **owned), budget=10e-6),
        call_row("economics.bill, scalar (seven models in one)", lambda: economics.bill(8, 3600, rates), budget=10e-6),
    ]
