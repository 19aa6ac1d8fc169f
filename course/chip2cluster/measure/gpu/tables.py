"""Tables of GPU experiments: your machine beside the recorded ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from .experiments import EXPERIMENTS
from .records import CARDS, recorded_gpus
from .series import GpuSeries

if TYPE_CHECKING:
    from pandas import DataFrame

NEAR = 0.1  # relative distance in x up to which a recorded point is beside a measured one


def nearest(series: GpuSeries, row: Mapping[str, Any]) -> float | None:
    """Return the value of a series at the point that is most like a row, or None if none is within a tenth.

    The name of the series is the same; size and, for products, all three dimensions are alike.

    Examples
    --------
    >>> from chip2cluster.measure import recorded_gpu
    >>> nearest(recorded_gpu("attention"), {"series": "flash forward", "x": 1000}) > 3e14
    True
    """
    found = [(_distance(row, other), float(other["y"])) for other in series.rows if other["series"] == row["series"]]
    distance, value = min(found, default=(NEAR + 1, 0.0))
    return value if distance <= NEAR else None


def _distance(row: Mapping[str, Any], other: Mapping[str, Any]) -> float:
    keys = [key for key in ("x", "m", "n", "k") if key in row and key in other]
    return max(abs(float(row[key]) - float(other[key])) / max(abs(float(row[key])), 1e-300) for key in keys)


def beside_table(series: GpuSeries, others: Sequence[GpuSeries] = ()) -> DataFrame:
    """Tabulate a series beside others; see `GpuSeries.table`."""
    import pandas  # imported here because the models do not need it

    experiment = EXPERIMENTS[series.experiment]
    compared = list(others) or ([] if series.recorded else list(recorded_gpus(series.experiment)))
    names = [
        CARDS[number] if one.recorded and number < len(CARDS) and not others else one.device
        for number, one in enumerate(compared)
    ]
    rows = []
    for row in series.rows:
        line = {
            "series": row["series"],
            f"{experiment.x_name} ({experiment.x_unit})" if experiment.x_unit else experiment.x_name: row["x"],
            f"{experiment.y_name} ({experiment.y_unit})" if experiment.y_unit else experiment.y_name: row["y"],
        }
        line |= {f"{name}, recorded": nearest(one, row) for name, one in zip(names, compared, strict=True)}
        rows.append(line | {key: value for key, value in row.items() if key not in ("series", "x", "y")})
    return pandas.DataFrame(rows)
