"""Result of one experiment on a GPU, measured here or recorded."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pandas import DataFrame


@dataclass(frozen=True)
class GpuSeries:
    """Points of one experiment on one device.

    Attributes
    ----------
    experiment : str
        Name of the experiment, such as ``"triad"``.
    device : str
        Name of the device.
    rows : tuple of dict
        Points. Each has ``series``, ``x`` and ``y`` in base units, and the columns of the experiment.
    recorded : bool
        Whether the rows were recorded for the course, and not measured on this machine.
    about : dict
        Driver, libraries, date, state of the cache and other conditions.
    said : str
        Sentence that says where the rows are from, or what is missing.
    """

    experiment: str
    device: str
    rows: tuple[dict[str, Any], ...] = field(repr=False)
    recorded: bool = False
    about: dict[str, str] = field(default_factory=dict, repr=False)
    said: str = ""

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the series among the rows."""
        return tuple(dict.fromkeys(str(row["series"]) for row in self.rows))

    @property
    def best(self) -> dict[str, Any]:
        """Row with the best value: the largest rate or power, or the shortest time."""
        from .experiments import EXPERIMENTS

        key = min if EXPERIMENTS[self.experiment].y_unit == "s" else max
        return key(self.rows, key=lambda row: float(row["y"]))

    def points(self, name: str) -> list[tuple[float, float]]:
        """Return the points of one series, by rising ``x``."""
        return sorted((float(row["x"]), float(row["y"])) for row in self.rows if row["series"] == name)

    def table(self, *others: GpuSeries) -> DataFrame:
        """Tabulate the points, beside the recorded ones of the same experiment.

        Parameters
        ----------
        *others : GpuSeries, optional
            Series to show beside; by default those recorded on an H100 and an H200.

        Returns
        -------
        pandas.DataFrame
            One row per point; a recorded value is that at the nearest ``x``, within a tenth, and empty if there is none.
        """
        from .tables import beside_table

        return beside_table(self, others)
