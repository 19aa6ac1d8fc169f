"""Runs that were recorded: collectives by size, on this course's own machine and on clusters."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from .._validate import choice
from ..provenance import Source

if TYPE_CHECKING:
    from .._typing import NDArray

FOLDER = Path(__file__).resolve().parent.parent / "data" / "measure"


@dataclass(frozen=True, eq=False)
class Recording:
    """One run: read-only arrays with an entry for each message size.

    ``operation`` ``"ping_pong"``, ``"ring"`` or ``"all_reduce"``; ``message_bytes``; ``statistics``
    by name (``"first"``, ``"best"``, ``"p25"``, ``"median"``, ``"p75"``, ``"p95"``, ``"worst"``,
    ``"mean"``), seconds: those that were printed; ``condition`` ``"quiet"``, a load, or ``"published"``.
    """

    name: str
    operation: str
    ranks: int
    nodes: int
    system: str
    condition: str
    licence: str
    source: Source = field(repr=False)
    message_bytes: NDArray[np.float64] = field(repr=False)
    statistics: Mapping[str, NDArray[np.float64]] = field(repr=False)

    @property
    def seconds(self) -> NDArray[np.float64]:
        """The median where it was recorded, else the mean."""
        return self.statistics["median" if "median" in self.statistics else "mean"]


def recorded(name: str) -> Recording:
    """A recorded run by its name.

    Parameters
    ----------
    name : str
        One of `recordings`, such as ``"mpi all-reduce, 2 ranks, quiet"`` or ``"aws-p5-2n"``.

    Returns
    -------
    Recording

    Notes
    -----
    The runs named *mpi* were made on a shared virtual machine at three loads: their noise is
    what they show. Source: each run's own.

    Examples
    --------
    >>> run = recorded("oci-h100-2n")
    >>> run.ranks, run.source.citation
    (16, 'Oracle cloud GPU page, nccl-tests, out of place')
    """
    return _runs()[choice("name", name, recordings())]


def recordings() -> tuple[str, ...]:
    """Names that `recorded` knows.

    Returns
    -------
    tuple of str

    Examples
    --------
    >>> recordings()[-1], len(recordings())
    ('oci-h100-2n', 18)
    """
    return tuple(_runs())


@cache
def _runs() -> dict[str, Recording]:
    about: dict[str, dict[str, Any]] = json.loads((FOLDER / "collectives.json").read_text(encoding="utf-8"))
    rows: dict[str, list[dict[str, str]]] = {name: [] for name in about}
    with (FOLDER / "collectives.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            rows[row.pop("name")].append(row)
    return {name: _recording(name, dict(about[name]), rows[name]) for name in about}


def _recording(name: str, about: dict[str, Any], rows: list[dict[str, str]]) -> Recording:
    columns = {key: _fixed([float(row[key]) for row in rows]) for key in rows[0] if all(row[key] for row in rows)}
    size = columns.pop("message_bytes")
    source = Source(**about.pop("source"))
    return Recording(name, **about, source=source, message_bytes=size, statistics=MappingProxyType(columns))


def _fixed(values: list[float]) -> NDArray[np.float64]:
    array = np.array(values)
    array.setflags(write=False)
    return array
