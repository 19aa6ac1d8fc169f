"""Timings of `chip2cluster.economics`: one call on scalars, and a year of hours next to bare NumPy."""

import numpy as np

from chip2cluster import economics
from tests.bench.rows import call_row

RATES = economics.Rates(
    dollars_per_device_hour=2.0, mean_watts_per_device=700.0, node_over_device=1.5, pue=1.2,
    grams_per_kwh=400.0, contracted_fraction=0.3, embodied_kg_per_device=150.0,
)  # fmt: skip
HOURS = np.random.default_rng(1).uniform(1.0, 3600.0, 8760)


def _bare():
    kwh = 8 * 700.0 * HOURS * 1.5 * 1.2 / 3.6e6
    return 8 * HOURS / 3600 * 2.0, kwh, kwh * 0.4, kwh * 0.28, 8 * 150.0 * HOURS / RATES.life_seconds


def rows():
    """Return the rows of this module."""
    owned = {"used_fraction": 0.5, "mean_watts": 1300, "pue": 1.3, "dollars_per_kwh": 0.12}
    return [
        call_row("bill, scalars", lambda: economics.bill(8, 3600.0, RATES), budget=10e-6),
        call_row("bill, 8,760 hours", lambda: economics.bill(8, HOURS, RATES), _bare, max_ratio=2),
        call_row(
            "training_bill, scalars", lambda: economics.training_bill(1e24, 1024, 989e12, 0.4, RATES), budget=10e-6
        ),
        call_row("own_cost, scalars", lambda: economics.own_cost(35e3, 4, **owned), budget=10e-6),
        call_row("grid_intensity", lambda: economics.grid_intensity("France")),
        call_row(
            "audit of every published run", lambda: [economics.audit(run.claim) for run in economics.published_runs()]
        ),
    ]
