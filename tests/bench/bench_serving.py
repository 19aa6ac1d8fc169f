"""Timings of serving and economics: scalars, arrays beside bare NumPy, and simulated requests."""

import numpy as np

from chip2cluster import economics, serving

POINTS = 1_000_000
CHECK = "one or two operations: the check of the arguments takes longer"


def rows():
    """Return (name, ours, bare NumPy or None, note)."""
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
        ("serving.time_to_first_token, scalar", lambda: serving.time_to_first_token(llama, 1000), None, ""),
        ("serving.time_between_tokens, scalar", lambda: serving.time_between_tokens(llama, 4096, 8), None, ""),
        (
            "serving.time_between_tokens, 10^6",
            lambda: serving.time_between_tokens(llama, context),
            bare_step,
            CHECK,
        ),
        ("serving.stream_rate, scalar", lambda: serving.stream_rate(llama, 1000, 1000), None, ""),
        ("serving.throughput_bound, scalar", lambda: serving.throughput_bound(llama, 1000, 1000), None, ""),
        ("serving.simulate, 2,000 requests of 1,200 tokens", lambda: serving.simulate(requests, chip), None, ""),
        (
            "serving.simulate, four replicas, routed by prefix",
            lambda: serving.simulate(chats, [chip] * 4, "cache_aware"),
            None,
            "",
        ),
        (
            "serving.disaggregate, one reads and one writes",
            lambda: serving.disaggregate(requests, chip, chip, 0.003),
            None,
            "",
        ),
        ("economics.facility_energy, scalar", lambda: economics.facility_energy(1e9, 1.1), None, ""),
        (
            "economics.device_energy, 10^6",
            lambda: economics.device_energy(8, hours, watts),
            lambda: 8 * hours * watts,
            CHECK,
        ),
        ("economics.own_cost, scalar", lambda: economics.own_cost(35e3, 4, **owned), None, ""),
        ("economics.bill, scalar", lambda: economics.bill(8, 3600, rates), None, "seven models in one"),
    ]
