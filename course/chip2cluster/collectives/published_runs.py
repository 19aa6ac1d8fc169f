"""Published all-reduce measurements to compare the models with: busbw by size and by number of GPUs."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .._validate import look_up
from .bandwidth import bus_factor

if TYPE_CHECKING:
    from .._typing import NDArray

_DATA = Path(__file__).resolve().parent.parent / "data" / "nccl_runs.json"
_MEASURED_CONFIDENCES = ("A", "B")  # confidences that may be shown as measured


@dataclass(frozen=True, eq=False)
class NcclRun:
    """One published run of nccl-tests: read-only arrays with an entry for each message size.

    Attributes
    ----------
    id : str
        Identifier, such as ``"h200-8-allreduce"``.
    system, software : str
        Description of the hardware and of the software.
    ranks, nodes : int
        Number of GPUs and of nodes.
    source, as_of, licence : str
        Citation, date and licence of the data.
    confidence : str
        ``"A"`` if the whole table was read, ``"B"`` if it is an excerpt or rounded.
    message_bytes : array
        Message sizes, bytes.
    bus_bandwidth : array
        Bus bandwidth as printed, bytes/s.
    """

    id: str
    system: str
    software: str
    ranks: int
    nodes: int
    source: str
    as_of: str
    licence: str
    confidence: str
    message_bytes: NDArray[np.float64]
    bus_bandwidth: NDArray[np.float64]

    @property
    def seconds(self) -> NDArray[np.float64]:
        """Times of the all-reduces, computed from size and bus bandwidth, seconds."""
        return self.message_bytes * bus_factor("all_reduce", self.ranks) / self.bus_bandwidth


@dataclass(frozen=True, eq=False)
class SwitchSweep:
    """Bus bandwidth of a large all-reduce in one node, by the number of GPUs that take part.

    Attributes
    ----------
    gpu : str
        Product name.
    sheet_one_way : float
        Unidirectional datasheet bandwidth of one GPU's links, bytes/s.
    software : str
        Description of the software.
    source, as_of, licence : str
        Citation, date and licence of the data.
    confidence : str
        ``"A"`` if the whole table was read, ``"B"`` if it is an excerpt or rounded.
    gpus : array of int
        Numbers of GPUs.
    taken : tuple of str
        Algorithm chosen for each number of GPUs, ``"ring"`` or ``"nvls"``.
    bus_bandwidth : array
        Bus bandwidth with the chosen algorithm, bytes/s.
    ring_bus_bandwidth : array
        Bus bandwidth with the ring, bytes/s.
    """

    gpu: str
    sheet_one_way: float
    software: str
    source: str
    as_of: str
    licence: str
    confidence: str
    gpus: NDArray[np.int64]
    taken: tuple[str, ...]
    bus_bandwidth: NDArray[np.float64]
    ring_bus_bandwidth: NDArray[np.float64]


def nccl_runs() -> tuple[NcclRun, ...]:
    """Return published all-reduce runs, each by message size.

    Returns
    -------
    tuple of NcclRun
        Runs on various systems.

    Raises
    ------
    ValueError
        If a stored run lacks its source.

    Notes
    -----
    Omits rows below 0.5 GB/s, which were printed with too few digits.
    Source: each run's ``source``.

    Examples
    --------
    >>> [run.id for run in nccl_runs()][:2]
    ['a100-8-allreduce', 'h200-8-allreduce']
    """
    return tuple(_runs().values())


def nccl_run(name: str) -> NcclRun:
    """Return one of `nccl_runs` by its id.

    Parameters
    ----------
    name : str
        Identifier of the run, such as ``"h200-8-allreduce"``.

    Returns
    -------
    NcclRun
        Message sizes, bus bandwidths and origin of the run.

    Notes
    -----
    As `nccl_runs`.

    Examples
    --------
    >>> run = nccl_run("h200-8-allreduce")
    >>> round(run.bus_bandwidth.max() / 1e9), run.as_of
    (482, '2026-08')
    """
    return look_up("name", name, _runs())


def switch_sweeps() -> tuple[SwitchSweep, ...]:
    """Return measurements of NVLS nodes (H100, H200, B200) by the number of GPUs.

    Returns
    -------
    tuple of SwitchSweep
        One sweep for each product.

    Raises
    ------
    ValueError
        If a stored sweep lacks its source.

    Notes
    -----
    On B200 a cloud provider's plug-in chose the algorithm, not NCCL itself. On H100 NVLS
    was forced. Source: each sweep's ``source``.

    Examples
    --------
    >>> [(sweep.gpu, float(sweep.bus_bandwidth[-1] / 1e9)) for sweep in switch_sweeps()]
    [('H100', 480.0), ('H200', 473.1), ('B200', 838.0)]
    """
    return _sweeps()


@cache
def _stored() -> dict[str, Any]:
    return json.loads(_DATA.read_text(encoding="utf-8"))


@cache
def _runs() -> dict[str, NcclRun]:
    runs = {}
    for row in _stored()["runs"]:
        description, (size, rate) = _description(row, "id"), np.array(row["rows"], float).T
        runs[row["id"]] = NcclRun(**description, message_bytes=_read_only(size), bus_bandwidth=_read_only(1e9 * rate))
    return runs


@cache
def _sweeps() -> tuple[SwitchSweep, ...]:
    sweeps = []
    for row in _stored()["switch_sweeps"]["machines"]:
        description, (gpus, taken, *printed) = _description(row, "gpu"), zip(*row["rows"], strict=True)
        description["sheet_one_way"] *= 1e9
        rate, ring = (_read_only(1e9 * np.array(column, float)) for column in printed)
        sweeps.append(
            SwitchSweep(
                **description, gpus=_read_only(np.array(gpus)), taken=taken, bus_bandwidth=rate, ring_bus_bandwidth=ring
            )
        )
    return tuple(sweeps)


def _description(row: dict[str, Any], name: str) -> dict[str, Any]:
    """Return a stored table's fields other than its rows, after checking that it has a source."""
    missing = [field for field in ("source", "as_of", "licence") if not row.get(field)]
    if missing:
        raise ValueError(f"the measured rows of {row.get(name)!r} lack their {', '.join(missing)}")
    if row.get("confidence") not in _MEASURED_CONFIDENCES:
        raise ValueError(f"confidence of {row.get(name)!r} must be one of 'A', 'B', got {row.get('confidence')!r}")
    return {field: value for field, value in row.items() if field != "rows"}


def _read_only(array: NDArray[Any]) -> NDArray[Any]:
    array.setflags(write=False)
    return array
