"""Timings of `chip2cluster.economics`: one call on scalars, and a year of hours at once beside bare NumPy."""

import numpy as np

from chip2cluster import economics

RATES = economics.Rates(
    dollars_per_device_hour=2.0, mean_watts_per_device=700.0, node_over_device=1.5, pue=1.2,
    grams_per_kwh=400.0, contracted_fraction=0.3, embodied_kg_per_device=150.0,
)  # fmt: skip
HOURS = np.random.default_rng(1).uniform(1.0, 3600.0, 8760)


def _bare():
    kwh = 8 * 700.0 * HOURS * 1.5 * 1.2 / 3.6e6
    return 8 * HOURS / 3600 * 2.0, kwh, kwh * 0.4, kwh * 0.28, 8 * 150.0 * HOURS / RATES.life_seconds


def rows():
    """(name, ours, bare NumPy or None, note) for `make bench`."""
    owned = {"used_fraction": 0.5, "mean_watts": 1300, "pue": 1.3, "dollars_per_kwh": 0.12}
    return [
        ("economics.bill, scalars", lambda: economics.bill(8, 3600.0, RATES), None, "10 µs"),
        ("economics.bill, 8,760 hours", lambda: economics.bill(8, HOURS, RATES), _bare, ""),
        (
            "economics.training_bill, scalars",
            lambda: economics.training_bill(1e24, 1024, 989e12, 0.4, RATES),
            None,
            "10 µs",
        ),
        ("economics.own_cost, scalars", lambda: economics.own_cost(35e3, 4, **owned), None, "10 µs"),
        ("economics.grid_intensity", lambda: economics.grid_intensity("France"), None, ""),
        (
            "economics.audit of every published run",
            lambda: [economics.audit(run.claim) for run in economics.published_runs()],
            None,
            "",
        ),
    ]
