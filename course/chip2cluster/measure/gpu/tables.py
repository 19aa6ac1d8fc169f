"""Tables of GPU experiments: your machine beside the recorded ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from .kinds import KINDS
from .recorded import CARDS, recorded_gpus
from .series import GpuSeries

if TYPE_CHECKING:
    from pandas import DataFrame

NEAR = 0.1  # relative distance in x up to which a recorded point is beside a measured one


def nearest(series: GpuSeries, name: str, x: float) -> float | None:
    """Return the value of a series at the nearest point, or None if none is within a tenth.

    Examples
    --------
    >>> from chip2cluster.measure import recorded_gpu
    >>> nearest(recorded_gpu("attention"), "flash forward", 1024) > 3e14
    True
    """
    points = series.points(name)
    if not points:
        return None
    at, value = min(points, key=lambda point: abs(point[0] - x))
    return value if abs(at - x) <= NEAR * max(abs(x), 1e-300) else None


def beside_table(series: GpuSeries, others: Sequence[GpuSeries] = ()) -> DataFrame:
    """Tabulate a series beside others; see `GpuSeries.table`."""
    import pandas  # imported here because the models do not need it

    kind = KINDS[series.experiment]
    compared = list(others) or ([] if series.recorded else list(recorded_gpus(series.experiment)))
    names = [
        CARDS[number] if one.recorded and number < len(CARDS) and not others else one.device
        for number, one in enumerate(compared)
    ]
    rows = []
    for row in series.rows:
        line = {
            "series": row["series"],
            f"{kind.x_name} ({kind.x_unit})" if kind.x_unit else kind.x_name: row["x"],
            f"{kind.y_name} ({kind.y_unit})" if kind.y_unit else kind.y_name: row["y"],
        }
        line |= {
            f"{name}, recorded": nearest(one, str(row["series"]), float(row["x"]))
            for name, one in zip(names, compared, strict=True)
        }
        rows.append(line | {key: value for key, value in row.items() if key not in ("series", "x", "y")})
    return pandas.DataFrame(rows)
