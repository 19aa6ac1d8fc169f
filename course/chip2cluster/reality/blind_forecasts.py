"""Forecasts that were committed before anybody measured them, scored apart from rows that a model's author had seen."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pandas import DataFrame

FILE = Path(__file__).resolve().parent.parent / "data" / "blind_forecasts.json"


def blind() -> DataFrame:
    """Tabulate the scores of forecasts of kernels on two GPUs, by version of the law.

    Returns
    -------
    pandas.DataFrame
        Rows, median error factor, percent within 1.25 and 1.5 and inside the interval, and whether the rows were
        ``blind`` for the version or already ``seen`` by its author.

    Notes
    -----
    The shapes were drawn by a seed and committed with the version and the checksum of the law; then one H100 and one
    H200 were measured with PyTorch. Ignores everything but single kernels. Source: our measurements of 2026-11-26,
    ``data/blind_forecasts.json``.

    Examples
    --------
    >>> blind().loc[(1, "H100 SXM", "matrix products"), "rows are"]
    'blind'
    """
    import pandas  # imported here because the models do not need it

    content = json.loads(FILE.read_text(encoding="utf-8"))
    return pandas.DataFrame(content["rows"], columns=content["columns"]).set_index(["law", "chip", "kernels"])
