"""Published carbon of training runs: accounting with hours, watts, PUE and grid as inputs."""

from __future__ import annotations

from collections.abc import Mapping

from ... import economics
from ..validation_model import Row

HOUR, MWH = 3600.0, 3.6e9


def predict(row: Row, fitted: Mapping[str, float]) -> float:
    """Predict kg of CO2 equivalent."""
    given = row.given

    def scaled(name: str, unit: float = 1.0) -> float | None:
        return None if given[name] is None else unit * given[name]

    claim = economics.Claim(
        device_seconds=scaled("hours", HOUR),
        mean_watts_per_device=scaled("watts"),
        pue=scaled("pue"),
        grams_per_kwh=scaled("grams"),
        it_joules=scaled("before_mwh", MWH),
        facility_joules=scaled("mwh", MWH),
    )
    found = claim.recomputed_carbon_kg
    assert found is not None  # every included row has all inputs
    return found
