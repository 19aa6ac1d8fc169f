"""Published runs of an all-reduce, to hold the models against: bus bandwidth by size, and by number of GPUs."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .algorithms import named
from .bandwidth import bus_factor

if TYPE_CHECKING:
    from .._typing import NDArray

_DATA = Path(__file__).resolve().parent.parent / "data" / "nccl_runs.json"
_PRINTED = ("A", "B")  # confidences that may be shown as measured


@dataclass(frozen=True, eq=False)
class NcclRun:
    """One printed run: read-only arrays with an entry for each message size.

    ``message_bytes``; ``bus_bandwidth``, bytes/s, as printed; ``ranks`` and ``nodes``;
    ``system``, ``software``, ``source``, ``as_of`` and ``licence`` in words;
    ``confidence`` ``"A"`` (the whole table was read) or ``"B"`` (an excerpt, or rounded).
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
        """Times of the all-reduces, from size and bus bandwidth."""
        return self.message_bytes * bus_factor("all_reduce", self.ranks) / self.bus_bandwidth


@dataclass(frozen=True, eq=False)
class SwitchSweep:
    """Bus bandwidth of a long all-reduce in one node, by the number of GPUs that take part.

    ``gpus``; ``bus_bandwidth`` by the method ``taken`` (``"ring"`` or ``"nvls"``, one for
    each count) and ``ring_bus_bandwidth`` with the ring alone, bytes/s;
    ``sheet_one_way``, what the sheet says of one GPU's wires, bytes/s. The rest as `NcclRun`.
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
    """All-reduce runs that were published, by size of the message.

    Returns
    -------
    tuple of NcclRun

    Raises
    ------
    ValueError
        For a stored run that lacks its source.

    Notes
    -----
    Rows below 0.5 GB/s are left out: they were printed with too few digits.
    Source: each run's own.

    Examples
    --------
    >>> [run.id for run in nccl_runs()][:2]
    ['a100-8-allreduce', 'h200-8-allreduce']
    """
    return tuple(_runs().values())


def nccl_run(name: str) -> NcclRun:
    """One of `nccl_runs` by its id.

    Parameters
    ----------
    name : str
        Its id, such as ``"h200-8-allreduce"``.

    Returns
    -------
    NcclRun

    Raises
    ------
    ValueError, TypeError
        For another name, naming those that are stored.

    Notes
    -----
    As `nccl_runs`.

    Examples
    --------
    >>> run = nccl_run("h200-8-allreduce")
    >>> round(run.bus_bandwidth.max() / 1e9), run.as_of
    (482, '2026-08')
    """
    return named("name", name, _runs())


def switch_sweeps() -> tuple[SwitchSweep, ...]:
    """Nodes whose switches add, measured with a growing number of GPUs: H100, H200, B200.

    Returns
    -------
    tuple of SwitchSweep

    Raises
    ------
    ValueError
        For a stored sweep that lacks its source.

    Notes
    -----
    On B200 a provider's plug-in chose the method, not NCCL itself. On H100 NVLS was
    asked for. Source: each sweep's own.

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
        about, (size, rate) = _sourced(row, "id"), np.array(row["rows"], float).T
        runs[row["id"]] = NcclRun(**about, message_bytes=_fixed(size), bus_bandwidth=_fixed(1e9 * rate))
    return runs


@cache
def _sweeps() -> tuple[SwitchSweep, ...]:
    sweeps = []
    for row in _stored()["switch_sweeps"]["machines"]:
        about, (gpus, taken, *printed) = _sourced(row, "gpu"), zip(*row["rows"], strict=True)
        about["sheet_one_way"] *= 1e9
        rate, ring = (_fixed(1e9 * np.array(column, float)) for column in printed)
        sweeps.append(
            SwitchSweep(**about, gpus=_fixed(np.array(gpus)), taken=taken, bus_bandwidth=rate, ring_bus_bandwidth=ring)
        )
    return tuple(sweeps)


def _sourced(row: dict[str, Any], name: str) -> dict[str, Any]:
    """What a stored table says of itself, refused where it does not say who measured it."""
    missing = [field for field in ("source", "as_of", "licence") if not row.get(field)]
    if missing:
        raise ValueError(f"the measured rows of {row.get(name)!r} lack their {', '.join(missing)}")
    if row.get("confidence") not in _PRINTED:
        raise ValueError(f"confidence of {row.get(name)!r} must be one of 'A', 'B', got {row.get('confidence')!r}")
    return {field: value for field, value in row.items() if field != "rows"}


def _fixed(array: NDArray[Any]) -> NDArray[Any]:
    array.setflags(write=False)
    return array
