"""Fraction of peak (MFU) of published training runs, by chip and precision."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .. import specs
from .comparison import records


@dataclass(frozen=True)
class TrainingShares:
    """Model FLOPs utilization (MFU) of published training runs: 10th percentile, median, 90th percentile.

    ``chip`` and ``precision`` select the runs; empty if the runs were not selected by it.
    """

    low: float
    median: float
    high: float
    runs: int
    chip: str
    precision: str

    @property
    def says(self) -> str:
        """Description of the selected runs."""
        whose = f"on {self.chip} in {self.precision}" if self.chip else f"on other chips in {self.precision}"
        if not self.precision:
            whose = "on other chips or in other precisions"
        return f"{self.runs} published runs {whose}, 10th to 90th percentile"


def training_shares(chip: str | None = None, precision: str | None = None) -> TrainingShares:
    """Compute the MFU range of published training runs.

    Parameters
    ----------
    chip : str, optional
        Name of the chip, as in `specs.accelerator`; None for all chips. A chip without published runs is replaced by
        one with the same compute units, else by all chips in the precision, else by all.
    precision : str, optional
        Precision; None for all.

    Returns
    -------
    TrainingShares
        Percentiles, and number of runs.

    Notes
    -----
    Model FLOPs without recomputation. The runs differ in model, scale and software, and published runs are biased
    towards good ones. Source: each row of ``records("training")``.

    Examples
    --------
    >>> found = training_shares("H100 SXM", "bf16")
    >>> found.low < found.median < found.high, found.runs >= 30
    (True, True)
    """
    from .predictors.designs import SAME  # brings the capstone along

    for name, value in (("chip", chip), ("precision", precision)):
        if value is not None and not isinstance(value, str):
            raise TypeError(f"{name} must be text or None, got {value!r}")
    rows = [
        (point.row.given["chip"], point.row.given["precision"], point.row.measured)
        for point in records("training")
        if not point.row.given.get("hardware")
    ]
    nearest = ((chip, precision), (SAME.get(chip or "", chip), precision), (None, precision), (None, None))
    for device, kind in nearest:
        wanted = [row for row in rows if device in (None, row[0]) and kind in (None, row[1])]
        if wanted:
            break
    shares = [rate / specs.accelerator(name).peak_flops_dense(number) for name, number, rate in wanted]
    low, median, high = (float(one) for one in np.percentile(shares, (10, 50, 90)))
    return TrainingShares(low, median, high, len(shares), (device or "") if kind else "", kind or "")
