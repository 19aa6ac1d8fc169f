"""Which share of its peak a chip's published trainings reached: what to expect of one that nobody has measured."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .. import specs
from .compare import records
from .predictors.designs import SAME


@dataclass(frozen=True)
class TrainingShares:
    """Model arithmetic over the dense peak in published trainings: the middle of them, and what eight of ten lie between.

    ``chip`` and ``precision`` say of which; empty is what the shares were not chosen by.
    """

    low: float
    median: float
    high: float
    runs: int
    chip: str
    precision: str

    @property
    def says(self) -> str:
        """In words: how many runs, of what."""
        whose = f"on {self.chip} in {self.precision}" if self.chip else f"on other chips in {self.precision}"
        if not self.precision:
            whose = "on other chips or in other precisions"
        return f"{self.runs} published runs {whose}, 10th to 90th percentile"


def training_shares(chip: str | None = None, precision: str | None = None) -> TrainingShares:
    """Which share of the peak published trainings reached.

    Parameters
    ----------
    chip : str, optional
        As `specs.accelerator`; all chips when left out. For one of which nothing was published, one with the same
        compute is taken, else all in the precision, else all.
    precision : str, optional
        All when left out.

    Returns
    -------
    TrainingShares

    Notes
    -----
    Model arithmetic without what is computed twice. The runs differ in model, scale and software; they
    are those that somebody published, so the good ones. Source: each row of ``records("training")``.

    Examples
    --------
    >>> found = training_shares("H100 SXM", "bf16")
    >>> found.low < found.median < found.high, found.runs >= 30
    (True, True)
    """
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
