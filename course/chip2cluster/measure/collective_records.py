"""Recorded runs of collectives by message size, on a virtual machine and on clusters."""

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
    """Recorded run: read-only arrays with one entry per message size.

    Attributes
    ----------
    name : str
        Name of the run.
    operation : {"ping_pong", "ring", "all_reduce"}
        Measured operation.
    ranks, nodes : int
        Number of ranks and of nodes.
    system : str
        Description of the machine.
    condition : str
        Load of the machine: ``"quiet"``, another load, or ``"published"``.
    licence : str
        Licence of the data.
    source : Source
        Citation, date and confidence.
    message_bytes : array
        Message sizes, bytes.
    statistics : mapping of str to array
        Seconds by name, as far as recorded: ``"first"``, ``"best"``, ``"p25"``, ``"median"``, ``"p75"``, ``"p95"``,
        ``"worst"``, ``"mean"``.
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
        """Median times, or mean times if no median was recorded, seconds."""
        return self.statistics["median" if "median" in self.statistics else "mean"]


def recorded(name: str) -> Recording:
    """Look up a recorded run by its name.

    Parameters
    ----------
    name : str
        Name from `recordings`, such as ``"mpi all-reduce, 2 ranks, quiet"`` or ``"aws-p5-2n"``.

    Returns
    -------
    Recording
        The run.

    Notes
    -----
    The runs named *mpi* were made on a shared virtual machine at three loads, to show the effect of noise.
    Source: the ``source`` of each run.

    Examples
    --------
    >>> run = recorded("oci-h100-2n")
    >>> run.ranks, run.source.citation
    (16, 'Oracle cloud GPU page, nccl-tests, out of place')
    """
    return _runs()[choice("name", name, recordings())]


def recordings() -> tuple[str, ...]:
    """List the names of all recorded runs.

    Returns
    -------
    tuple of str
        Names for `recorded`.

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
